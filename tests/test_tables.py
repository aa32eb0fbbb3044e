"""`evaluate_table`: the same bits for every kind of table, and what is wrong with one."""

import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmill as rm
from kinds_of_tables import KINDS, Stream

RNG = np.random.default_rng(5)
N = 600
ROWS = {
    "user": RNG.integers(0, 40, N),
    "score": RNG.integers(0, 50, N) / 8,
    "label": RNG.integers(0, 3, N),
    "item": RNG.permutation(N),
}
METRICS = "ndcg@10 map auc mrr(ties=id_descending)"
FILES = {kind for kind in KINDS if kind.startswith(("csv", "json"))}


def by_user(result: rm.Result) -> dict[Any, list[Any]]:
    """Values of each user; None where undefined, which is equal to itself."""
    assert result.users is not None
    values = np.where(np.isnan(result.values), None, result.values)  # type: ignore[call-overload]
    return dict(zip(result.users.tolist(), values.T.tolist(), strict=True))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", [False, True])
def test_every_kind_of_table(kind: str, text: bool, tmp_path: Path) -> None:
    """Against the arrays; ids as text, and rows in any order, change nothing."""
    rows = dict(ROWS)
    if text:
        rows["user"] = np.array([f"u{user}" for user in ROWS["user"]], dtype=object)
    arrays = rm.evaluate(
        rows["score"], rows["label"], METRICS, groups=rows["user"], items=rows["item"]
    )
    table = pa.table(rows)
    found = rm.evaluate_table(KINDS[kind](table, tmp_path / "log"), METRICS, item="item")
    assert by_user(found) == by_user(arrays)
    mixed = table.take(RNG.permutation(N))
    shuffled = rm.evaluate_table(KINDS[kind](mixed, tmp_path / "log"), METRICS, item="item")
    assert by_user(shuffled) == by_user(arrays)
    together = table.sort_by("user")
    grouped = rm.evaluate_table(KINDS[kind](together, tmp_path / "log"), METRICS, item="item")
    assert by_user(grouped) == by_user(arrays)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_and_segments(kind: str, tmp_path: Path) -> None:
    """A value per user, in the users' order, whatever the order of the rows."""
    rows = dict(ROWS)
    rows["weight"] = rows["user"] / 4
    rows["kind"] = np.array([f"k{user % 3}" for user in rows["user"]], dtype=object)
    rows["half"] = rows["user"] % 2
    found = rm.evaluate_table(
        KINDS[kind](pa.table(rows), tmp_path / "log"),
        "ndcg@10",
        weight="weight",
        segment=["kind", "half"],
    )
    assert found.users is not None
    assert found.weights is not None
    assert found.weights.tolist() == (found.users / 4).tolist()
    assert found.segments["kind"].tolist() == [f"k{user % 3}" for user in found.users]
    assert found.segments["half"].tolist() == (found.users % 2).tolist()
    values, weights = found["ndcg@10"], found.users / 4
    is_defined = ~np.isnan(values)
    expected = np.average(values[is_defined], weights=weights[is_defined])
    assert found.means["ndcg@10"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("weight", [1, 1, 2], "weight: got 1 and 2 for user 7; wanted one value"),
        ("weight", [1, -1, 1], "weight: got -1 for user 8; wanted a finite number"),
        ("weight", [1, np.inf, 1], "weight: got inf for user 8; wanted a finite number"),
        ("segment", ["a", "b", "c"], "segment .*: got a and c for user 7; wanted one value"),
        ("segment", ["a", None, "a"], "segment .*: no value at row 1 of column 'x'"),
    ],
)
def test_what_users_cannot_have(column: str, values: list[Any], message: str) -> None:
    rows = {"user": [7, 8, 7], "score": [1, 2, 3], "label": [1, 0, 0], "x": values}
    for table in (pd.DataFrame(rows), pa.table(rows)):
        with pytest.raises(rm.InputError, match=message):
            rm.evaluate_table(table, "mrr", **{column: "x"})


def test_other_names_and_types() -> None:
    """Booleans, decimals, categoricals, small and large types, and names of columns."""
    frame = pd.DataFrame(
        {
            "who": pd.Categorical(["x", "y", "x"]),
            "s": np.float32([1, 2, 3]),
            "y": [True, True, False],
        }
    )
    found = rm.evaluate_table(frame, "mrr", user="who", score="s", label="y")
    assert by_user(found) == {"x": [0.5], "y": [1.0]}
    scores = pa.array([Decimal("1.5"), Decimal("2.5"), Decimal("3.5")])
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), "str")):
        users = pa.array(["x", "y", "x"]).cast(kind)
        table = pa.table({"user": users, "score": scores, "label": pa.array([1, 1, 0], pa.uint8())})
        for given in (table, pl.from_arrow(table)):
            assert by_user(rm.evaluate_table(given, "mrr")) == {"x": [0.5], "y": [1.0]}
    nullable = frame.astype({"y": "boolean", "s": "Float32"})
    assert by_user(rm.evaluate_table(nullable, "mrr", user="who", score="s", label="y")) == {
        "x": [0.5],
        "y": [1.0],
    }


def test_plain_columns_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    def spy(scores: Any, labels: Any, *_: Any, **options: Any) -> None:
        seen.update(scores=scores, labels=labels, **options)

    monkeypatch.setattr("rankmill.tables.evaluating.evaluate", spy)
    plain = {name: ROWS[name] for name in ("user", "score", "label")}
    for table in (pd.DataFrame(plain), pl.DataFrame(plain), pa.table(plain)):
        rm.evaluate_table(table, "mrr")
        first = seen["scores"]
        rm.evaluate_table(table, "mrr")
        assert np.shares_memory(first, seen["scores"])


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"csv"}))
@pytest.mark.parametrize(("role", "row"), [("user", 2), ("score", 1), ("label", 0), ("item", 1)])
def test_missing_values(kind: str, role: str, row: int, tmp_path: Path) -> None:
    rows: dict[str, list[Any]] = {
        "user": [1, 2, 3],
        "score": [0.5, 1.5, 2.5],
        "label": [1, 0, 1],
        "item": [1, 2, 3],
    }
    rows[role][row] = None
    table = KINDS[kind](pa.table(rows), tmp_path / "log")
    with pytest.raises(rm.InputError, match=rf"{role}: no value at row {row} of column"):
        rm.evaluate_table(table, "mrr(ties=id_descending)", item="item")


@pytest.mark.parametrize("kind", KINDS)
def test_missing_columns(kind: str, tmp_path: Path) -> None:
    table = KINDS[kind](pa.table(ROWS), tmp_path / "log")
    for strange in (None, ["user"]):
        with pytest.raises(rm.InputTypeError, match=r"user: got .*; wanted the name of a column"):
            rm.evaluate_table(pa.table(ROWS), "mrr", user=strange)  # type: ignore[arg-type]
    with pytest.raises(rm.InputError, match=r"score: no column 'scores'.*did you mean 'score'"):
        rm.evaluate_table(table, "mrr", score="scores")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (3, "table: got int; wanted a table of pandas"),
        ([], "table: got no paths"),
        (["a.csv", 3], "table: got 3 among the paths"),
        ("/nowhere/*.csv", "no file is named like"),
        ("/nowhere/log.csv", "no such file"),
        (
            pd.DataFrame([[1, 2, 3, 4]], columns=["user", "score", "score", "label"]),
            "score: the table has 2 columns 'score'",
        ),
        (
            pa.table([[1], [2], [3], [4]], names=["user", "score", "score", "label"]),
            "score: the table has 2 columns 'score'",
        ),
    ],
)
def test_no_tables(table: Any, message: str) -> None:
    with pytest.raises(rm.RankmillError, match=message):
        rm.evaluate_table(table, "mrr")


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("user", [1.5, 2.5], "user: column 'user' holds float64, such as 1.5; wanted integers or"),
        ("user", pd.to_datetime(["2026-01-01"] * 2), "user: column 'user' holds datetime64"),
        ("score", ["high", "low"], "score: column 'score' holds .*, such as high; wanted numbers"),
        ("label", pd.to_datetime(["2026-01-01"] * 2), "label: column 'label' holds datetime64"),
        (None, [], "table: got no rows"),
    ],
)
def test_columns_of_a_wrong_type(column: str | None, values: Any, message: str) -> None:
    frame = pd.DataFrame({"user": [1, 2], "score": [1.0, 2.0], "label": [1, 0]})
    frame = frame.head(0) if column is None else frame.assign(**{column: values})
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        with pytest.raises(rm.RankmillError, match=message):
            rm.evaluate_table(table, "mrr")


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream(pa.table(ROWS))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(rm.MissingDependencyError, match="pip install pyarrow"):
        rm.evaluate_table(stream, "mrr")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(rm.MissingDependencyError, match="DuckDB"):
        rm.evaluate_table("log.csv", "mrr")
