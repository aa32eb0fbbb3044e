"""Tables and files: `evaluate_table`.

The core imports none of the libraries whose tables it takes; files need DuckDB.
"""

from rankmill.tables.evaluating import evaluate_table

__all__ = ["evaluate_table"]
