"""Tables and files: `evaluate_table`, `evaluate_runs`.

The core imports none of the libraries whose tables it takes; files need DuckDB.
"""

from rankmill.tables.evaluating import evaluate_table
from rankmill.tables.runs import evaluate_runs

__all__ = ["evaluate_runs", "evaluate_table"]
