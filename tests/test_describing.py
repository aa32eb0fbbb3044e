"""Spread of values, segments, worst users: against numpy, pandas, statsmodels and definitions."""

import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm
from rankmill.describing import QUANTILES

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from statsmodels.stats.weightstats import DescrStatsW

WHY = rm.METRICS["ndcg"].empty
RNG = np.random.default_rng(12)


def made(values: Any, **options: Any) -> rm.Result:
    values = np.asarray(values, dtype=float)[np.newaxis]
    undefined = np.isnan(values).sum(axis=1)
    return rm.Result(
        values, rm.parse_metrics("ndcg@5"), undefined, conventions=rm.Conventions(), **options
    )


VALUES = [
    RNG.random(200),
    np.where(RNG.random(100) < 0.6, 0.0, RNG.random(100)),
    np.array([0.5, 0.5, np.nan, 0.25]),
    np.array([1.0, 0.0]),
]


@pytest.mark.parametrize("values", VALUES)
def test_spread(values: Any) -> None:
    spread = made(values).describe()["ndcg@5"]
    kept = values[~np.isnan(values)]
    assert spread.mean == pytest.approx(kept.mean(), rel=1e-14)
    assert spread.standard_error == pytest.approx(pd.Series(kept).sem(), rel=1e-12)
    low, high = DescrStatsW(kept).zconfint_mean()
    assert spread.interval == pytest.approx((low, high), rel=1e-9, abs=1e-12)
    for q in QUANTILES:
        assert spread.quantiles[q] == np.quantile(kept, q, method="inverted_cdf")
    assert (spread.users, spread.undefined) == (len(kept), len(values) - len(kept))
    assert spread.why == (WHY if len(kept) < len(values) else "")


@pytest.mark.parametrize("values", VALUES[:2])
def test_weighted_spread(values: Any) -> None:
    """Whole weights are repeated users to mean and quantiles; the error is the ratio's."""
    weights = RNG.integers(0, 5, len(values)).astype(float)
    spread = made(values, weights=weights).describe()["ndcg@5"]
    repeated = np.repeat(values, weights.astype(int))
    assert spread.mean == pytest.approx(repeated.mean(), rel=1e-13)
    for q in QUANTILES:
        assert spread.quantiles[q] == np.quantile(repeated, q, method="inverted_cdf")
    n = len(values)
    squares = (weights**2 * (values - repeated.mean()) ** 2).sum()
    expected = math.sqrt(n / (n - 1) * squares) / weights.sum()
    assert spread.standard_error == pytest.approx(expected, rel=1e-12)
    equal = made(values, weights=np.full(n, 3.0)).describe()["ndcg@5"]
    plain = made(values).describe()["ndcg@5"]
    assert equal.standard_error == pytest.approx(plain.standard_error, rel=1e-12)


@pytest.mark.parametrize(
    "values",
    [
        np.full(50, 0.1),
        1 - 1e-6 * RNG.random(50),
        0.3 + 1e-9 * RNG.integers(0, 2, 50),
        RNG.random(50) * 10.0 ** RNG.integers(-90, 90, 50),
    ],
    ids=["equal", "close to one", "close", "far apart"],
)
def test_standard_errors_lose_no_digits(values: Any) -> None:
    """The squares of close values cancel but for their last digits; here they are exact."""
    exact = [Fraction(value) for value in values.tolist()]
    mean = sum(exact) / len(exact)
    squared = sum((value - mean) ** 2 for value in exact) / (len(exact) * (len(exact) - 1))
    found = made(values).describe()["ndcg@5"].standard_error
    assert found == pytest.approx(math.sqrt(squared), rel=4e-16, abs=0)
    running = rm.RunningResult().update(made(values[:20])).update(made(values[20:]))
    variance = running.result().variances["ndcg@5"]
    assert variance == pytest.approx(float(squared * len(exact)), rel=4e-16, abs=0)


def test_few_users() -> None:
    one = made([0.5]).describe()["ndcg@5"]
    assert one.mean == 0.5
    assert math.isnan(one.standard_error)
    none = made([np.nan]).describe()["ndcg@5"]
    assert math.isnan(none.mean)
    assert all(math.isnan(value) for value in none.quantiles.values())
    weightless = made([0.5, 1.0], weights=np.zeros(2)).describe()["ndcg@5"]
    assert math.isnan(weightless.mean)
    assert math.isnan(weightless.quantiles[0.5])


def test_description_is_plain_data() -> None:
    described = made(VALUES[2]).describe()
    row = described.to_dict()["ndcg@5"]
    assert row["q50"] == 0.5
    assert row["users"] == 3
    assert list(described) == ["ndcg@5"]
    assert str(described).splitlines()[-1] == f"ndcg@5: {WHY}"


@given(st.integers(0, 2**32 - 1), st.sampled_from(["skip", "zero", "one"]))
def test_segments_are_pandas_groups(seed: int, empty: str) -> None:
    """Means, sizes and undefined users, which may count as a number."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    rules = rm.Conventions(empty=empty)  # type: ignore[arg-type]
    scores, labels = rng.integers(0, 5, (n, 4)), rng.integers(-4, 2, (n, 4))
    result = rm.evaluate(scores, labels, "ndcg@3 mrr", conventions=rules)
    columns = {
        "kind": np.array(["b", "a", "c"], dtype=object)[rng.integers(0, 3, n)],
        "half": rng.integers(0, 2, n),
    }
    frame = pd.DataFrame(columns | {name: result[name] for name in result.names})
    frame["lost"] = (labels <= 0).all(axis=1)
    for names in (["kind"], ["kind", "half"]):
        parts = result.by({name: columns[name] for name in names})
        groups = frame.groupby(names if len(names) > 1 else names[0])
        assert list(parts) == [key for key, _ in groups]
        for key, group in groups:
            assert parts[key].means == pytest.approx(
                group[list(result.names)].mean().to_dict(), nan_ok=True
            )
            assert parts.sizes[key] == len(group)
            assert parts[key].undefined == {"ndcg@3": group["lost"].sum(), "mrr": 0}
            assert parts.means[key] == parts[key].means or group["lost"].all()
            assert parts.describe()[key]["mrr"].users == len(group)


def test_segments_by_name_and_label() -> None:
    segments = {"kind": np.array(["x", "y", "x"]), "half": np.array([1, 0, 0])}
    result = made([1, 2, 3], segments=segments, users=np.array([7, 8, 9]))
    assert result.by("kind").sizes == {"x": 2, "y": 1}
    assert result.by("kind")["x"].users is not None
    assert result.by("kind")["x"].users.tolist() == [7, 9]
    assert result.by("kind")["x"].segments["half"].tolist() == [1, 0]
    parts = result.by()
    assert parts.sizes == {("x", 0): 1, ("x", 1): 1, ("y", 0): 1}
    assert result.by(["half", "kind"]).sizes == {(0, "x"): 1, (0, "y"): 1, (1, "x"): 1}
    assert parts.label(("x", 0)) == "kind=x, half=0"
    assert str(result.by("kind")).splitlines()[1].split() == ["kind=x", "2.0000", "2"]
    assert result.by(["a", "b", "a"]).sizes == {"a": 2, "b": 1}
    assert result.by([1, "b", 1]).sizes == {"1": 2, "b": 1}
    assert result.by(np.array([1, "b", 1], dtype=object)).sizes == {1: 2, "b": 1}


@pytest.mark.parametrize(
    ("segment", "message"),
    [
        (None, "segment: the result has none"),
        ("kind", "segment: got 'kind'; the result has none"),
        ([1, 2], r"segment segment: got shape \(2,\); wanted \(3,\)"),
        ({"kind": [1.0, math.nan, 2.0]}, "segment kind: no value at user row 1"),
        (
            {"kind": np.array(["a", "b", None], dtype=object)},
            "segment kind: no value at user row 2",
        ),
        ({}, "segment: got none"),
        (np.array(["2026-01-01", "NaT", "2026-01-02"], "M8[D]"), "no value at user row 1"),
    ],
)
def test_segments_that_are_none(segment: Any, message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        made([1, 2, 3]).by(segment)


def test_worst_users() -> None:
    values = np.where(RNG.random(500) < 0.2, np.nan, RNG.integers(0, 20, 500) / 20)
    users = RNG.permutation(500)
    result = made(values, users=users)
    rows = sorted(np.flatnonzero(~np.isnan(values)), key=lambda row: (values[row], row))
    for n in (1, 7, 100, 1_000):
        assert result.worst("ndcg@5", n) == [(users[row], values[row]) for row in rows[:n]]
    assert made([0.5, 0.25]).worst("ndcg@5") == [(1, 0.25), (0, 0.5)]
    for n in (0, -1, 1.5, True):
        with pytest.raises(rm.InputError, match="n: got"):
            result.worst("ndcg@5", n)  # type: ignore[arg-type]


def test_histogram() -> None:
    values, weights = np.array([0.0, 0.1, np.nan, 1.0]), np.array([1.0, 2.0, 4.0, 8.0])
    heights, edges = made(values).histogram("ndcg@5", bins=2)
    assert (heights.tolist(), edges.tolist()) == ([2, 1], [0, 0.5, 1])
    heights, edges = made(values, weights=weights).histogram("ndcg@5", bins=[0, 0.5, 1])
    assert heights.tolist() == [3, 8]


def test_take() -> None:
    result = made([1, np.nan, 3], weights=np.array([1.0, 2.0, 3.0]), users=np.array([7, 8, 9]))
    some = result.take([2, 1])
    assert some.users is not None
    assert some.weights is not None
    assert (some.users.tolist(), some.weights.tolist()) == ([9, 8], [3.0, 2.0])
    assert (some.counts, some.undefined) == ({"ndcg@5": 1}, {"ndcg@5": 1})
