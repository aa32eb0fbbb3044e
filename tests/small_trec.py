"""A small pair of TREC files."""

from pathlib import Path

QRELS = "q1 0 d1 0\nq1 0 d2 1\nq1 0 d9 2\nq2 0 d1 1\nq3 0 d1 1\n"
RUN = "q1 Q0 d1 1 9.5 mine\nq1 Q0 d2 2 8.5 mine\nq1 Q0 x 3 7.5 mine\nq2 Q0 d1 1 1 mine\n"


def write_files(folder: Path) -> tuple[Path, Path]:
    """Write qrels and run."""
    (folder / "qrels").write_text(QRELS)
    (folder / "run").write_text(RUN)
    return folder / "qrels", folder / "run"
