"""Results as tables of other libraries and as files, and what these say of how they were made."""

import errno
import json
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow.parquet
import pytest

import rankmill as rm


def some_result(**options: Any) -> rm.Result:
    result = rm.evaluate(
        [3, 2, 1, 1, 2],
        [0, 1, 0, 0, 0],
        "mrr recall@1",
        groups=["a", "a", "a", "b", "b"],
        **options,
    )
    result.weights = np.array([1.0, 2.0])
    result.segments = {"kind": np.array(["new", "old"], dtype=object)}
    return result


ROWS = [
    {"user": "a", "weight": 1.0, "kind": "new", "mrr": 0.5, "recall@1": 0.0},
    {"user": "b", "weight": 2.0, "kind": "old", "mrr": 0.0, "recall@1": None},
]


def test_tables_of_other_libraries() -> None:
    result = some_result()
    assert result.to_arrow().to_pylist() == ROWS
    assert result.to_polars().to_dicts() == ROWS
    frame = result.to_pandas()
    assert list(frame.columns) == list(ROWS[0])
    assert frame["mrr"].tolist() == [0.5, 0.0]
    assert np.isnan(frame["recall@1"][1])


@pytest.mark.parametrize("form", ["to_arrow", "to_polars", "write"])
def test_text_that_no_library_can_hold(form: str, tmp_path: Path) -> None:
    """Lone surrogates stand for bytes that are no UTF-8."""
    result = rm.evaluate([1, 2, 3], [1, 0, 0], "mrr", groups=["a", "b\udcff", "b\udcff"])
    arguments = [tmp_path / "values.csv"] if form == "write" else []
    with pytest.raises(rm.InputError, match=r"user: got 'b\\udcff'; wanted text that UTF-8"):
        getattr(result, form)(*arguments)
    assert not list(tmp_path.iterdir())


def test_users_without_ids_are_rows() -> None:
    result = rm.evaluate([[1, 2], [2, 1]], [[0, 1], [0, 1]], "mrr")
    assert result.to_arrow().to_pydict() == {"user": [0, 1], "mrr": [1.0, 0.5]}


@pytest.mark.parametrize("ids", [np.array(["x", "y"]), np.array([1, 2], dtype=">u4")])
def test_other_ids(ids: Any) -> None:
    result = some_result()
    result.users = ids
    assert result.to_arrow()["user"].to_pylist() == ids.tolist()
    assert result.to_polars()["user"].to_list() == ids.tolist()


@pytest.mark.parametrize("name", ["r.parquet", "r.csv", "r.csv.gz", "r.csv.zst"])
def test_files(name: str, tmp_path: Path) -> None:
    """Read again by DuckDB."""
    some_result().write(tmp_path / name)
    rows = duckdb.sql(f"FROM '{tmp_path / name}'").pl().to_dicts()
    assert rows == ROWS
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_stored_result_says_how_it_was_made(tmp_path: Path) -> None:
    result = some_result(conventions=rm.Conventions(gain={1: 2.0}, ties="worst"))
    result.write(tmp_path / "r.parquet")
    schema = pyarrow.parquet.read_schema(tmp_path / "r.parquet")
    result.write(tmp_path / "r.json")
    for text in (schema.metadata[b"rankmill"], (tmp_path / "r.json").read_text()):
        facts = json.loads(text)
        assert facts["rankmill"] == rm.build_info()
        assert facts["conventions"]["ties"] == "worst"
        assert facts["conventions"]["gain"] == [[1.0, 2.0]]
        assert (facts["users"], facts["weighted"], facts["segments"]) == (2, True, ["kind"])
        assert facts["metrics"]["recall@1"] == {"mean": 0.0, "users": 1, "undefined": 1}


def test_a_mean_of_no_one_is_null() -> None:
    result = rm.evaluate([[1, 2]], [[0, 0]], "recall")
    assert json.loads(result.to_json())["metrics"]["recall"]["mean"] is None


def test_what_cannot_be_written(tmp_path: Path) -> None:
    result = some_result()
    with pytest.raises(rm.InputError, match=r"r\.xls'; wanted a name that ends in \.parquet"):
        result.write(tmp_path / "r.xls")
    with pytest.raises(FileNotFoundError):
        result.write(tmp_path / "none" / "r.json")
    result.users = np.array([1, "b"], dtype=object)
    with pytest.raises(rm.InputError, match=r"user: .*wanted values of one type"):
        result.to_arrow()
    result.segments = {"mrr": np.array(["a", "b"])}
    with pytest.raises(rm.InputError, match="segments: 'mrr' is the name of another column"):
        result.to_pandas()


@pytest.mark.parametrize("name", ["r.parquet", "r.csv.gz", "r.json"])
def test_a_full_disk_leaves_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        some_result().write(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("library", "method"),
    [("pyarrow", "to_arrow"), ("pandas", "to_pandas"), ("polars", "to_polars")],
)
def test_what_is_missing_is_named(
    library: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(rm.MissingDependencyError, match=f"needs {library}; wanted: pip install"):
        getattr(some_result(), f"to_{library.removeprefix('py')}")()


def test_polars_reads_what_was_written(tmp_path: Path) -> None:
    some_result().write(tmp_path / "r.parquet")
    assert pl.read_parquet(tmp_path / "r.parquet").to_dicts() == ROWS
