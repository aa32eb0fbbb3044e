"""What is wrong with the tables of `evaluate_runs` is named: table, column, row and value."""

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rankmill as rm
from kinds_of_tables import KINDS

RUN = pa.table({"user": [1, 1, 2], "item": ["a", "b", "a"], "score": [0.5, 0.25, 1.0]})
TRUTH = pa.table({"user": [1, 2, 2], "item": ["a", "a", "b"], "grade": [1.0, 2.0, 0.0]})
OUT = pa.table({"user": [1, 2], "item": ["b", "b"]})


def changed(table: pa.Table, **columns: Any) -> pa.Table:
    for name, values in columns.items():
        column = values if isinstance(values, pa.Array) else pa.array(values)
        at = table.schema.get_field_index(name)
        table = table.append_column(name, column) if at < 0 else table.set_column(at, name, column)
    return table


def refused(message: str, error: type[Exception] = ValueError, **arguments: Any) -> None:
    given = {"run": RUN, "truth": TRUTH, "metrics": "mrr"} | arguments
    with pytest.raises(rm.RankmillError, match=message) as caught:
        rm.evaluate_runs(**given)
    assert isinstance(caught.value, error)
    assert "\n" not in str(caught.value)


def test_these_are_fine() -> None:
    assert rm.evaluate_runs(RUN, TRUTH, "mrr", exclude=OUT).notes == ()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("column", ["user", "item", "score"])
def test_missing_values(kind: str, column: str, tmp_path: Path) -> None:
    """In row 1 of any kind of table."""
    values = RUN[column].to_pylist()
    run = changed(RUN, **{column: [values[0], None, values[2]]})
    whose = "" if column == "user" else r" \(user 1(\.0)?\)"
    table = KINDS[kind](run, tmp_path / "run")
    # numpy's integers have no missing value, so that pandas makes floats of them.
    message = (
        "run, user: column 'user' holds DOUBLE"
        if column == "user" and kind == "pandas"
        else f"run, {column}: no value at row 1{whose} of column '{column}'; wanted a"
    )
    refused(message, Exception, run=table)


@pytest.mark.parametrize("kind", sorted({"polars", "pyarrow", "parquet", "duckdb", "pandas"}))
def test_nan(kind: str, tmp_path: Path) -> None:
    """pandas tells no NaN from no value."""
    got = "no value" if kind == "pandas" else "got nan"
    for name, column, table in (("run", "score", RUN), ("truth", "grade", TRUTH)):
        made = KINDS[kind](changed(table, **{column: [1.0, 1.0, np.nan]}), tmp_path / name)
        refused(rf"{name}, {column}: {got} at row 2 \(user 2\) of column", **{name: made})


def test_other_values() -> None:
    for wrong in (np.inf, -np.inf):
        truth = changed(TRUTH, grade=[1, wrong, 1])
        refused(rf"truth, grade: got {wrong} at row 1 \(user 2\).*; wanted a finite", truth=truth)
    refused("truth, item: no value at row 0", truth=changed(TRUTH, item=[None, "a", "b"]))
    refused(
        "run, score: (no value|column 'score' holds)",
        Exception,
        run=changed(RUN, score=pa.nulls(3)),
    )
    refused("exclude, item: no value at row 1", exclude=changed(OUT, item=["b", None]))


@pytest.mark.parametrize(
    ("column", "values", "kind", "wanted"),
    [
        ("user", [1.5, 2, 3], "DOUBLE, such as '1.5'", "integers or text"),
        ("user", [True, False, True], "BOOLEAN", "integers or text"),
        ("item", [date(2024, 1, 31)] * 3, "DATE, such as '2024-01-31'", "integers or text"),
        ("item", [b"a", b"b", b"c"], "BLOB", "integers or text"),
        ("item", [["a"], ["b"], ["c"]], r"VARCHAR\[\]", "integers or text"),
        ("score", ["0.5", "high", "low"], "VARCHAR, such as '0.5'", "numbers"),
        ("score", [date(2024, 1, 31)] * 3, "DATE", "numbers"),
    ],
)
def test_types(column: str, values: Any, kind: str, wanted: str) -> None:
    run = changed(RUN, **{column: values})
    refused(f"run, {column}: column '{column}' holds {kind}.*; wanted {wanted}", TypeError, run=run)


@pytest.mark.parametrize("kind", KINDS)
def test_ids_of_two_types(kind: str, tmp_path: Path) -> None:
    """No empty join that scores 0."""
    run = changed(RUN, user=["one", "one", "two"])
    table = KINDS[kind](run, tmp_path / "run")
    refused(
        "user: truth has integers, such as 1, and run has text, such as 'one'; wanted ids of one",
        TypeError,
        run=table,
    )
    out = KINDS[kind](changed(OUT, item=[1, 2]), tmp_path / "out")
    refused(
        "item: truth has text, such as 'a', and exclude has integers, such as 1",
        TypeError,
        exclude=out,
    )


def test_mixed_objects_of_pandas() -> None:
    """DuckDB would make text of them all."""
    run = RUN.to_pandas().astype({"item": object})
    run.loc[1, "item"] = 7
    refused("run: got 'a' and 7 in column 'item'; wanted values of one type", TypeError, run=run)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["run", "truth", "exclude"])
def test_pairs_that_stand_twice(kind: str, name: str, tmp_path: Path) -> None:
    """Rows 0 and 3, also of users who are nowhere else, with other values."""
    columns: dict[str, Any] = {"user": [1, 8, 9, 1], "item": ["a", "b", "c", "a"]}
    if name != "exclude":
        columns["score" if name == "run" else "grade"] = [1.0, 2.0, 3.0, 4.0]
    table = pa.table(columns)
    for rows, user in ((table, 1), (changed(table, user=[9, 1, 2, 9]), 9)):
        refused(
            f"{name}: item 'a' of user {user} stands at rows 0 and 3; wanted one",
            **{name: KINDS[kind](rows, tmp_path / f"{name}{user}")},
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"score": "points"}, "run, score: no column 'points'; the columns are user, item, score"),
        ({"grade": "grades"}, "truth, grade: no column 'grades'.*did you mean 'grade'"),
        ({"user": "who"}, "run, user: no column 'who'"),
        ({"exclude": pd.DataFrame({"user": [1]})}, "exclude, item: no column 'item'; .* are user"),
        ({"exclude": "after"}, "after: no such file"),
        ({"exclude": "before"}, "exclude: got 'before'; wanted after="),
        ({"grade": "grade", "grades": {"view": 1}}, "grade, grades: got column 'grade' and"),
        ({"truth": TRUTH.slice(0, 0)}, "truth: got no rows; wanted at least one"),
        ({"weight": "w"}, "weight, segment: .*; wanted users=, the table that has it"),
        ({"memory_limit": "much"}, "memory_limit: got 'much'"),
        ({"n_threads": 0}, "n_threads: got 0"),
        ({"isa": "abacus"}, "abacus"),
        ({"metrics": "ndgc@10"}, "did you mean 'ndcg'"),
        ({"run": 5}, "run: got int; wanted a table of pandas"),
        ({"truth": {"user": [1]}}, "truth: got dict; wanted a table of pandas"),
    ],
)
def test_arguments(arguments: dict[str, Any], message: str) -> None:
    refused(message, Exception, **arguments)


def test_no_user_in_common() -> None:
    message = "{}: none of its users, such as 7, is in truth, with users such as 1; wanted users in"
    refused(message.format("run"), run=changed(RUN, user=[7, 7, 8]))
    refused(message.format("exclude"), exclude=changed(OUT, user=[7, 8]))


def test_no_item_in_common_is_noted() -> None:
    """The values are right, and perhaps the spelling is not."""
    run = changed(RUN, item=["A", "B", "A"])
    found = rm.evaluate_runs(run, TRUTH, "mrr")
    assert found.means == {"mrr": 0}
    (note,) = found.notes
    assert (note.rule, note.figures, note.examples) == ("no match", {"relevant": 2}, ("A", "a"))
    assert str(found).splitlines()[-1] == (
        "no relevant item is among the candidates of its user; the run has items such as 'A', "
        "truth such as 'a'"
    )


def test_a_broken_line_of_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    rows = "".join(f"1,i{at},0.5\n" for at in range(30_000))
    path.write_text(f"user,item,score\n{rows}1,z,high\n")
    refused("run.csv.*30002|Line: 30002", Exception, run=path)
