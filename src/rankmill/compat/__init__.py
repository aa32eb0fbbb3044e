"""Drop-in modules: change the import, keep the code.

Each module has the functions or classes of one library, with its signatures and its numbers, and
imports nothing of it. What a module does not cover raises an error that says so.

>>> from rankmill.compat.sklearn import ndcg_score
>>> ndcg_score([[1, 0, 2]], [[0.9, 0.2, 0.5]], k=2)
0.8597186998521972
"""
