"""Which tool reads which table: importable without rankmill, as the workers of the peers are.

Both sides give ndcg@10 and recall@10 of every user, from the files or frames to the values.
"""

from __future__ import annotations

from dataclasses import dataclass

METRICS = ("ndcg@10", "recall@10")
TOLERANCE = 1e-9


@dataclass(frozen=True)
class TableContest:
    """One tool on one form of a run and a truth.

    Attributes
    ----------
    form : str
        What the engine is given: a function of `sides.tables`.
    peer : str
        An entry of `installs.PEERS`.
    side : str
        What the peer runs: another function there.
    most : int
        Rows that the peer is timed on at the most; the engine is timed on as many.
    note : str
        What a reader must know about the comparison.
    """

    form: str
    peer: str
    side: str
    most: int = 10_000_000
    note: str = ""


CONTESTS = {
    "parquet, by user": TableContest("parquet", "polars", "polars_parquet"),
    "parquet, mixed": TableContest("mixed", "polars", "polars_mixed"),
    "csv": TableContest("csv", "polars", "polars_csv"),
    "polars": TableContest("polars", "polars", "polars_frame", note="frames in memory"),
    "csv, RecTools": TableContest("csv", "rectools", "rectools_csv", 1_000_000),
    "pandas": TableContest("pandas", "rectools", "rectools_frame", 1_000_000, "frames in memory"),
    "pandas, text ids": TableContest(
        "pandas_text", "ranx", "ranx_frame", 1_000_000, "frames in memory; from_df and evaluate"
    ),
    "trec": TableContest("trec", "pytrec_eval", "pytrec_eval_files", 1_000_000),
    "parquet, RePlay": TableContest("parquet", "replay", "replay_parquet", 1_000_000),
}
