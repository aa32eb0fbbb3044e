"""Every kind of table as a view of one DuckDB connection, and what is wrong with one."""

import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmill as rm
from kinds_of_tables import KINDS, Stream
from rankmill.tables.connecting import connect
from rankmill.tables.sources import add_view

TABLE = pa.table(
    {
        "who": ["a", "b", "a", "é", "b"],
        "points": [0.5, 1.5, -2.0, 0.25, 3.0],
        "more": [5, 4, 3, 2, 1],
    }
)
COLUMNS = {"user": "who", "score": "points"}


def rows(table: Any, columns: dict[str, str] = COLUMNS, **options: Any) -> list[Any]:
    with connect(1) as connection:
        add_view(connection, "run", table, columns, **options)
        found = connection.execute("SELECT * FROM run").fetchall()
        assert connection.execute("SELECT * FROM run").fetchall() == found, "read it twice"
        return found


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind: str, tmp_path: Path) -> None:
    table = KINDS[kind](TABLE, tmp_path / "log")
    want = list(zip(*(TABLE[name].to_pylist() for name in COLUMNS.values()), strict=True))
    assert rows(table) == want


@pytest.mark.parametrize("kind", KINDS)
def test_missing_columns(kind: str, tmp_path: Path) -> None:
    """A hint where there is one; a column that may be missing is left out."""
    wanted = r"run, score: no column 'point'; the columns are .*points.*did you mean 'points'"
    with pytest.raises(rm.InputError, match=wanted):
        rows(KINDS[kind](TABLE, tmp_path / "log"), {"user": "who", "score": "point"})
    table = KINDS[kind](TABLE, tmp_path / "log")
    names = {"user": "who", "grade": "label"}
    assert rows(table, names, optional=["grade"]) == [(who,) for who in TABLE["who"].to_pylist()]


@pytest.mark.parametrize("kind", KINDS)
def test_no_column_is_there(kind: str, tmp_path: Path) -> None:
    with pytest.raises(rm.InputError, match="the columns are who, points, more"):
        rows(KINDS[kind](TABLE, tmp_path / "log"), {"user": "nobody"})


def test_other_columns_may_be_of_any_type() -> None:
    frame = pd.DataFrame({"who": [1, 2], "points": np.float16([1, 0.5]), "odd": [{1}, object()]})
    assert rows(frame) == [(1, 1.0), (2, 0.5)]
    frame["odd"] = pd.period_range("2020-01", periods=2, freq="M")
    assert rows(frame) == [(1, 1.0), (2, 0.5)]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (3, "run: got int; wanted a table of pandas"),
        ({"who": [1]}, "run: got dict; wanted a table of pandas"),
        ([], "run: got no paths"),
        (["a.csv", 3], "run: got 3 among the paths"),
        ("/nowhere/*.csv", "run: no file is named like /nowhere"),
        ("/nowhere/log.csv", "/nowhere/log.csv: no such file"),
        ("/", "/: not a file"),
        (pd.DataFrame([[1, 2, 3]], columns=["who", "points", "points"]), "run: .* 2 columns 'poi"),
        (pd.DataFrame({"who": [1, "1"], "points": [1, 1]}), "run: got 1 and '1' in column 'who'"),
    ],
)
def test_no_tables(table: Any, message: str) -> None:
    with pytest.raises(rm.RankmillError, match=message):
        rows(table)


def test_bad_files(tmp_path: Path) -> None:
    """Each is one line that names the file."""
    whole = KINDS["parquet"](TABLE, tmp_path / "whole")
    half, text = tmp_path / "half.parquet", tmp_path / "text.parquet"
    half.write_bytes(Path(whole).read_bytes()[:200])
    text.write_text("who,points\n1,2\n")
    csv = KINDS["csv"](TABLE, tmp_path / "log")
    for files, message in (
        (half, "half.parquet"),
        (text, "text.parquet: not a Parquet file"),
        ([csv, whole], "run: got both CSV and Parquet; wanted files of one kind"),
    ):
        with pytest.raises(rm.RankmillError, match=message) as caught:
            rows(files)
        assert "\n" not in str(caught.value)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, stream = pl.DataFrame({"who": ["a"], "points": [1.0]}), Stream(TABLE)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for table in (frame, frame.lazy(), stream):
        with pytest.raises(rm.MissingDependencyError, match=r"run: .*pip install pyarrow"):
            rows(table)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(rm.MissingDependencyError, match=r"pip install 'rankmill\[tables\]'"):
        rows("log.csv")


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "much", "2", "-2GB", "GB"])
def test_memory_limits_that_are_none(limit: Any) -> None:
    with pytest.raises(rm.InputError, match="memory_limit: got"), connect(1, limit):
        pass


def test_memory_limit_and_threads() -> None:
    for limit in (2**30, "1GiB", " 1 gib"):
        with connect(3, limit) as connection:
            found = connection.execute(
                "SELECT current_setting('memory_limit'), current_setting('threads')"
            ).fetchall()
        assert found == [("1.0 GiB", 3)]


def test_a_closed_connection_is_named() -> None:
    connection = duckdb.connect()
    relation = connection.sql("SELECT 'a' AS who, 1.5 AS points")
    assert rows(relation) == [("a", 1.5)]
    connection.close()
    with pytest.raises(rm.RankmillError, match=r"run: .*closed") as caught:
        rows(relation)
    assert "\n" not in str(caught.value)


def test_what_duckdb_says_is_one_line() -> None:
    with pytest.raises(rm.RankmillError, match="Did you mean") as caught, connect() as connection:
        connection.execute("SELECT 1 FROM pg_clas")
    assert "\n" not in str(caught.value)
