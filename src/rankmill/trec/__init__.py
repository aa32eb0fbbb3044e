r"""trec_eval, release 10: its files, its measures, and what it prints.

>>> import pathlib, tempfile
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "qrels").write_text("q1 0 d1 0\nq1 0 d2 1\n")
>>> _ = (folder / "run").write_text("q1 Q0 d1 1 9.5 mine\nq1 Q0 d2 2 8.5 mine\n")
>>> print(evaluate(folder / "qrels", folder / "run", ["map", "P.5"]).text(), end="")
map                   	all	0.5000
P_5                   	all	0.2000
"""

from rankmill.trec.evaluating import TrecResult, evaluate

__all__ = ["TrecResult", "evaluate"]
