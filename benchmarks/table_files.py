"""A run and a truth as files of every form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

CANDIDATES = 100
RELEVANT = 10
_ITEMS = 50_000


def make_files(folder: Path, n_users: int) -> int:
    """Write the same rows in every form; return the rows of the run.

    Each user has 100 candidates, no two of one score, and 10 relevant items, half of which are no
    candidates. Ids are integers, and padded text where the files are named so, which orders alike.
    """
    rng = np.random.default_rng(20)
    users = np.repeat(np.arange(n_users), CANDIDATES)
    first, places = rng.integers(0, _ITEMS, n_users), np.arange(CANDIDATES)
    items = (first[:, None] + 487 * places) % _ITEMS
    orders = rng.permuted(np.tile(places, (n_users, 1)), axis=1)
    relevant = np.take_along_axis(items, rng.permuted(np.tile(places, (n_users, 1)), axis=1), 1)
    relevant = relevant[:, :RELEVANT] + _ITEMS * (rng.random((n_users, RELEVANT)) < 0.5)
    run = {"user": users, "item": items.ravel(), "score": orders.ravel() / 128}
    truth = {"user": np.repeat(np.arange(n_users), RELEVANT), "item": relevant.ravel()}
    mixed = rng.permutation(len(users))
    _write(folder / "run", run)
    _write(folder / "truth", truth)
    _write(folder / "mixed", {name: column[mixed] for name, column in run.items()}, csv=False)
    _write(folder / "text-run", _text(run), csv=False)
    _write(folder / "text-truth", _text(truth), csv=False)
    _write_trec(folder)
    return len(users)


def _text(columns: dict[str, Any]) -> dict[str, Any]:
    names = {
        name: pa.array([f"{name}{number:08d}" for number in range(int(columns[name].max()) + 1)])
        for name in ("user", "item")
    }
    return columns | {name: names[name].take(pa.array(columns[name])) for name in names}


def _write(path: Path, columns: dict[str, Any], *, csv: bool = True) -> None:
    table = pa.table(columns)
    pa.parquet.write_table(table, path.with_suffix(".parquet"))
    if csv:
        pa.csv.write_csv(table, path.with_suffix(".csv"))


def _write_trec(folder: Path) -> None:
    import duckdb

    for name, picked in (
        ("run", "SELECT \"user\", 'Q0', item, 1, score, 'tag'"),
        ("truth", 'SELECT "user", 0, item, 1'),
    ):
        duckdb.sql(
            f"COPY ({picked} FROM '{folder}/text-{name}.parquet') TO '{folder}/{name}.trec' "
            "(FORMAT csv, DELIMITER ' ', HEADER false)"
        )
