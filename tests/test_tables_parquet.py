"""Row groups that pyarrow reads: the bits of arrays, and DuckDB's say in all that is not plain."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm
from rankmill.tables import parquet, streaming
from test_tables import by_user

ROWS = {"user": [1, 1, 2, 2, 2, 3], "score": [2.0, 1, 1, 3, 2, 1], "label": [0, 1, 1, 0, 0, 1]}
SPANS = {"user": [7] * 5 + [3], "score": [1.0, 5, 4, 2, 3, 1], "label": [1, 0, 0, 1, 0, 1]}


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_FEWEST_ROWS", 0)


@pytest.fixture(name="scans")
def counted_scans(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether DuckDB sorted, for each time that it was to read the rows."""
    scans: list[bool] = []
    scan = streaming.scan

    def counted(*args: Any, by_user: bool) -> Iterator[Any]:
        scans.append(by_user)
        return scan(*args, by_user=by_user)

    monkeypatch.setattr(streaming, "scan", counted)
    return scans


def write(table: pa.Table, path: Path, rows_of_a_group: int) -> Path:
    pyarrow.parquet.write_table(table, path, row_group_size=rows_of_a_group)
    return path


def values(table: Any, **options: Any) -> dict[str, Any]:
    return by_user(rm.evaluate_table(table, "ndcg@2 map auc", memory_limit="1GB", **options))


def at_once(table: pa.Table) -> dict[str, Any]:
    return by_user(rm.evaluate_table(table, "ndcg@2 map auc"))


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["sorted", "together", "mixed"]),
    st.integers(1, 30),
    st.integers(1, 60),
    st.sampled_from(["int8", "uint16", "int32", "int64", "uint64"]),
    st.sampled_from(["bool", "int8", "float32", "float64"]),
    st.sampled_from([1, 3]),
)
def test_any_row_groups_give_the_bits_of_arrays(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    form: str,
    size: int,
    n_at_once: int,
    user: str,
    label: str,
    n_threads: int,
) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 80))
    users = np.sort(rng.integers(0, max(1, n // 4), n))
    if form == "together":
        users = rng.permutation(users.max() + 1)[users]
    if form == "mixed":
        rng.shuffle(users)
    table = pa.table(
        {
            "user": users.astype(user),
            "score": (rng.integers(0, 6, n) / 4).astype(np.float32),
            "label": rng.integers(0, 2, n).astype(label),
            "weight": users % 3,
        }
    )
    cut = int(rng.integers(0, n))
    folder = tmp_path_factory.mktemp("groups")
    files = [
        write(table.slice(0, cut), folder / "0.parquet", size),
        write(table.slice(cut), folder / "1.parquet", size),
    ]
    whole = rm.evaluate_table(table, "ndcg@2 map auc", weight="weight")
    options: dict[str, Any] = {"n_threads": n_threads, "weight": "weight"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "_ROWS_AT_ONCE", n_at_once)
        read = rm.evaluate_table(files, "ndcg@2 map auc", memory_limit="1GB", **options)
        summary = rm.evaluate_table(files, "ndcg@2 map auc", per_user=False, **options)
    assert by_user(read) == by_user(whole)
    assert repr(read.means) == repr(whole.means) == repr(dict(summary.means))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("rows", [ROWS, SPANS])
def test_a_user_in_many_groups(
    rows: dict[str, Any],
    size: int,
    tmp_path: Path,
    scans: list[bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parquet, "_ROWS_AT_ONCE", size)
    table = pa.table(rows)
    result = rm.evaluate_table(write(table, tmp_path / "a.parquet", 1), "mrr", memory_limit="1GB")
    assert result.users is not None
    assert result.users.tolist() == list(dict.fromkeys(rows["user"]))
    assert values(tmp_path / "a.parquet") == at_once(table)
    assert scans == []


def test_a_user_who_returns_is_sorted_by_duckdb(
    tmp_path: Path, scans: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table(ROWS | {"user": [2, 2, 1, 1, 3, 2]})
    write(table, tmp_path / "a.parquet", 2)
    for size in (1, 4, 6):  # another time, or within one reading
        monkeypatch.setattr(parquet, "_ROWS_AT_ONCE", size)
        assert values(tmp_path / "a.parquet") == at_once(table)
    assert scans == [True] * 3


@pytest.mark.parametrize(
    ("column", "made"),
    [
        ("user", pa.array(list("aabbbc"))),
        ("score", pa.array([2, 1, 1, 3, 2, 1], pa.decimal128(5, 2))),
    ],
)
def test_columns_that_are_not_plain_are_read_by_duckdb(
    column: str, made: pa.Array, tmp_path: Path, scans: list[bool]
) -> None:
    table = pa.table(ROWS | {column: made})
    plain = pa.table(ROWS | {column: made.cast("string" if column == "user" else "double")})
    assert values(write(table, tmp_path / "a.parquet", 2)) == at_once(plain)
    assert scans == [False]


def test_files_that_differ_are_read_by_duckdb(tmp_path: Path, scans: list[bool]) -> None:
    table = pa.table(ROWS)
    wide = table.slice(2).set_column(2, "label", table["label"].slice(2).cast("int8"))
    files = [write(table.slice(0, 2), tmp_path / "a.parquet", 9)]
    files.append(write(wide, tmp_path / "b.parquet", 9))
    assert values(files) == at_once(table)
    assert scans == [False]


def test_folders_that_are_columns_are_read_by_duckdb(tmp_path: Path, scans: list[bool]) -> None:
    folder = tmp_path / "user=5"
    folder.mkdir()
    path = write(pa.table(ROWS), folder / "a.parquet", 9)
    rm.evaluate_table(path, "map", memory_limit="1GB")
    assert scans == [False]


def test_large_groups_are_read_by_duckdb(
    tmp_path: Path, scans: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "_MOST_BYTES", 100)
    assert values(write(pa.table(ROWS), tmp_path / "a.parquet", 6)) == at_once(pa.table(ROWS))
    assert values(write(pa.table(ROWS), tmp_path / "b.parquet", 4)) == at_once(pa.table(ROWS))
    assert scans == [False]


def test_what_pyarrow_cannot_read_is_read_by_duckdb(
    tmp_path: Path, scans: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = pyarrow.parquet.ParquetFile.read_row_groups

    def fails(self: Any, numbers: Any, **options: Any) -> Any:
        if 1 in numbers:
            raise pa.ArrowNotImplementedError("a codec")
        return reader(self, numbers, **options)

    monkeypatch.setattr(parquet, "_ROWS_AT_ONCE", 2)
    monkeypatch.setattr(pyarrow.parquet.ParquetFile, "read_row_groups", fails)
    assert values(write(pa.table(ROWS), tmp_path / "a.parquet", 2)) == at_once(pa.table(ROWS))
    assert scans == [False]


def test_damage_is_told_by_duckdb(tmp_path: Path) -> None:
    path = write(pa.table(ROWS), tmp_path / "log.parquet", 6)
    data = bytearray(path.read_bytes())
    data[4:60] = bytes(56)
    path.write_bytes(data)
    with pytest.raises(rm.RankmillError) as raised:
        values(path)
    assert raised.value.__cause__ is None


def test_bad_values_are_named(tmp_path: Path) -> None:
    for column, value, message in (
        ("user", None, "table, user: no value at row 3 of column 'user'"),
        ("score", None, r"table, score: no value at row 3 \(user 2\)"),
        ("score", float("nan"), r"table, score: got nan at row 3 \(user 2\)"),
    ):
        column_values = [*ROWS[column][:3], value, *ROWS[column][4:]]
        path = write(pa.table(ROWS | {column: column_values}), tmp_path / "a.parquet", 2)
        with pytest.raises(rm.InputError, match=message):
            values(path)


def test_empty_files(tmp_path: Path, scans: list[bool]) -> None:
    table = pa.table(ROWS)
    empty = write(table.slice(0, 0), tmp_path / "a.parquet", 2)
    with pytest.raises(rm.InputError, match="table: got no rows"):
        values(empty)
    assert values([empty, write(table, tmp_path / "b.parquet", 2), empty]) == at_once(table)
    assert scans in ([], [False])
