"""`rankmill evaluate` on files of every kind, and what it says of those it cannot use."""

import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

import rankmill as rm
from command_line import COLUMNS, LOG, MRR, NDCG, failure, run, value, written
from rankmill.tables.files import TextIds, read_rows, whole_columns


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return written(tmp_path / "log.csv", LOG)


def test_parquet_gives_what_csv_gives(log: Path, tmp_path: Path) -> None:
    parquet = tmp_path / "no_ending"
    duckdb.sql(f"FROM '{log}'").write_parquet(str(parquet))
    output = run("evaluate", parquet, *COLUMNS, "-m", "ndcg@10", "--json")
    assert value(output, "ndcg@10") == pytest.approx(NDCG)


def test_several_files_count_as_one(tmp_path: Path) -> None:
    header, *rows = LOG.splitlines(keepends=True)
    parts = [written(tmp_path / f"{n}.csv", header + row) for n, row in enumerate(rows)]
    output = run("evaluate", *parts, *COLUMNS, "-m", "mrr", "--json")
    assert value(output, "mrr") == pytest.approx(MRR)


@pytest.mark.parametrize("kind", ["BIGINT", "UTINYINT", "VARCHAR", "UUID"])
def test_rows_keep_their_order(tmp_path: Path, kind: str) -> None:
    """Also where text ids are numbered by a join, over many row groups and threads."""
    n_rows, n_users = 300_000, 200
    user = f"lpad(user::VARCHAR, {32 if kind == 'UUID' else 3}, '0')::{kind}"
    path = tmp_path / "log.parquet"
    duckdb.sql(
        f"SELECT {user} AS u, row AS s, row % 2 = 0 AS l "
        f"FROM (SELECT range AS row, range * 7919 % {n_users} AS user FROM range({n_rows}))"
    ).write_parquet(str(path), row_group_size=5000)
    rows = read_rows([path], {"user": "u", "score": "s", "label": "l"}, 4)
    order = np.arange(n_rows)
    assert np.array_equal(rows["score"], order)
    assert np.array_equal(rows["label"], order % 2 == 0)
    users = rows["user"]
    if isinstance(users, TextIds):
        assert users.categories.tolist() == sorted(users.categories)
        users = np.array([int(name.replace("-", "")) for name in users.categories])[users.codes]
    assert np.array_equal(users, order * 7919 % n_users)


def test_rows_that_come_shuffled_are_put_back() -> None:
    rows = {"row": np.array([2, 0, 1]), "user": np.array([12, 10, 11]), "score": np.arange(3.0)}
    found = whole_columns(rows, {})
    assert found["user"].tolist() == [10, 11, 12]
    assert found["score"].tolist() == [1.0, 2.0, 0.0]
    rows["score"] = np.ma.array([0.5, 0.5, 0.5], mask=[True, False, True])
    with pytest.raises(rm.InputError, match="--score: no value at row 1 of column 'points'"):
        whole_columns(rows, {"score": "points"}, "--")


def test_odd_column_names(tmp_path: Path) -> None:
    log = written(tmp_path / "log.csv", 'row,"my ""score""",select\n1,0.5,1\n1,0.6,0\n')
    columns = ["--user", "row", "--score", 'my "score"', "--label", "select"]
    assert value(run("evaluate", log, *columns, "-m", "mrr", "--json"), "mrr") == 0.5


def test_booleans_and_decimals(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    rows = "VALUES (1, 0.25::DECIMAL(9, 2), true), (1, 0.50, false)"
    duckdb.sql(f"FROM ({rows}) AS t(who, score, grade)").write_parquet(str(path))
    assert value(run("evaluate", path, *COLUMNS, "-m", "mrr", "--json"), "mrr") == 0.5


def test_a_missing_column(log: Path) -> None:
    columns = ["--user", "who", "--score", "scores", "--label", "grade"]
    message = failure(run("evaluate", log, *columns))
    assert "--score: no column 'scores'; the columns are who, score, grade, item" in message
    assert "did you mean 'score'?" in message


@pytest.mark.parametrize("parquet", [False, True])
@pytest.mark.parametrize("who", ["7", "bob"])
@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (",0.5,1", "--user: no value at row 1 of column 'who'"),
        ("{who},,1", "--score: no value at row 1 of column 'score'"),
        ("{who},0.5,", "--label: no value at row 1 of column 'grade'"),
        ("{who},nan,1", "scores: NaN at row 1 (user {who})"),
    ],
)
def test_missing_values(tmp_path: Path, who: str, row: str, complaint: str, parquet: bool) -> None:
    text = f"who,score,grade\n{who},0.5,1\n{row.format(who=who)}\n{who},0.25,0\n"
    log = written(tmp_path / "log.csv", text)
    if parquet:
        duckdb.sql(f"FROM '{log}'").write_parquet(str(log))
    assert complaint.format(who=who) in failure(run("evaluate", log, *COLUMNS))


def test_text_where_numbers_belong(tmp_path: Path) -> None:
    log = written(tmp_path / "log.csv", "who,score,grade\n1,0.5,1\n1,high,0\n")
    message = failure(run("evaluate", log, *COLUMNS))
    assert "column 'score' holds VARCHAR, such as 'high' at row 1; wanted numbers" in message


def test_text_beyond_the_rows_that_settle_the_types(tmp_path: Path) -> None:
    rows = "1,0.5,1\n" * 30_000 + "1,high,0\n"
    log = written(tmp_path / "log.csv", f"who,score,grade\n{rows}")
    message = failure(run("evaluate", log, *COLUMNS))
    assert "Line: 30002" in message
    assert "high" in message


def test_fractions_are_no_ids(tmp_path: Path) -> None:
    log = written(tmp_path / "log.csv", "who,score,grade\n1.5,0.5,1\n")
    assert "--user: column 'who' holds DOUBLE; wanted integers or text" in failure(
        run("evaluate", log, *COLUMNS)
    )


def test_files_that_cannot_be_read(log: Path, tmp_path: Path) -> None:
    missing = tmp_path / "none.csv"
    assert f"{missing}: no such file" in failure(run("evaluate", missing, *COLUMNS))
    assert f"{tmp_path}: not a file" in failure(run("evaluate", tmp_path, *COLUMNS))
    header = written(tmp_path / "header.csv", "who,score,grade\n")
    assert "no rows" in failure(run("evaluate", header, *COLUMNS))
    parquet = tmp_path / "log.parquet"
    duckdb.sql(f"FROM '{log}'").write_parquet(str(parquet))
    assert "both CSV and Parquet" in failure(run("evaluate", log, parquet, *COLUMNS))
    torn = tmp_path / "torn.parquet"
    torn.write_bytes(parquet.read_bytes()[:-20])
    assert str(torn) in failure(run("evaluate", torn, *COLUMNS))


def test_a_gain_that_is_not_finite(tmp_path: Path) -> None:
    log = written(tmp_path / "log.csv", "who,score,grade\nann,0.5,5000\nbob,0.5,1\n")
    assert "user 'ann'" in failure(run("evaluate", log, *COLUMNS, "-m", "ndcg"))


def test_without_duckdb(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert "pip install 'rankmill[tables]'" in failure(run("evaluate", log, *COLUMNS))
