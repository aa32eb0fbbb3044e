"""`Result`: looking values up, means and weighted means, counts, and how it prints."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm
from strategies import Array

# Four users: a hit at rank 2 of 3, nothing relevant, all relevant, no candidates.
ROWS = {
    "scores": [3, 2, 1, 5, 4, 2, 1],
    "relevance": [0, 1, 0, 0, 0, 1, 1],
    "offsets": [0, 3, 5, 7, 7],
}
NAN = math.nan
# What the definitions give for them.
VALUES = {
    "recall@1": [0, NAN, 0.5, NAN],
    "mrr": [0.5, 0, 1, 0],
    "auc": [0.5, NAN, NAN, NAN],
    "precision": [1 / 3, 0, 1, NAN],
}
FILL = {"skip": NAN, "zero": 0.0, "one": 1.0}


def evaluate(**rules: Any) -> rm.Result:
    return rm.evaluate(**ROWS, metrics=list(VALUES), conventions=rm.Conventions(**rules))


def result_of(values: list[float]) -> rm.Result:
    """A result with these values of one metric."""
    return rm.Result(
        np.array([values]),
        rm.parse_metrics("dcg"),
        np.array([sum(map(math.isnan, values))]),
        conventions=rm.Conventions(),
    )


def exact_mean(values: Any, weights: Any = None) -> float:
    """Correctly rounded sum(w v) / sum(w) over the values that are not NaN."""
    weights = [1] * len(values) if weights is None else weights
    counted = [(Fraction(w), Fraction(v)) for w, v in zip(weights, values, strict=True) if v == v]
    total = sum(w for w, _ in counted)
    return float(sum(w * v for w, v in counted) / total) if total else NAN


def same(found: float, want: float) -> bool:
    return found == want or (math.isnan(found) and math.isnan(want))


# ---- values, counts, means


@pytest.mark.parametrize("empty", FILL)
def test_undefined_users(empty: str) -> None:
    """They are filled in the values and counted or not in the mean; counts do not change."""
    result = evaluate(empty=empty)
    concerned = ("recall@1", "auc", "precision")
    for name, values in VALUES.items():
        fill = FILL[empty] if name in concerned else NAN
        want = [fill if math.isnan(value) else value for value in values]
        np.testing.assert_array_equal(result[name], want)
        assert same(result.means[name], exact_mean(want))
        assert same(result.mean(name), exact_mean(want))
        missing = sum(map(math.isnan, values))
        assert result.undefined[name] == missing
        assert result.counts[name] == 4 - missing
    assert list(result.means) == list(result.counts) == list(result.undefined) == list(VALUES)


def test_a_metric_may_choose_for_itself() -> None:
    result = rm.evaluate(**ROWS, metrics="recall@1(empty=one) recall@1")
    assert result["recall@1(empty=one)"].tolist() == [0, 1, 0.5, 1]
    assert result.means["recall@1(empty=one)"] == 0.625
    assert result.means["recall@1"] == 0.25
    assert set(result.counts.values()) == {2}


def test_no_user_counts() -> None:
    result = rm.evaluate([[2, 1]], [[0, 0]], ["recall@1", "auc"])
    assert all(map(math.isnan, result.means.values()))
    assert result.counts == {"recall@1": 0, "auc": 0}
    assert "nan" in str(result)
    assert math.isnan(result.mean("auc", weights=[3]))


def test_fields() -> None:
    rules = rm.Conventions(empty="zero")
    result = rm.evaluate(**ROWS, metrics=["mrr", "auc"], conventions=rules)
    assert result.names == ("mrr", "auc")
    assert result.metrics == (rm.Metric("mrr"), rm.Metric("auc"))
    assert result.values.shape == (2, 4)
    assert result.values.dtype == np.float64
    assert result.n_users == 4
    assert result.users is None
    assert result.conventions is rules
    assert result.ignored == 0


# ---- looking up


@pytest.mark.parametrize(
    "key",
    [
        "ndcg@10(gain=linear, ties=worst)",
        "NDCG @ 10 (ties=worst,gain=linear)",
        rm.Metric("ndcg", 10, {"ties": "worst", "gain": "linear"}),
    ],
)
def test_a_metric_is_found_however_it_is_written(key: str | rm.Metric) -> None:
    result = rm.evaluate(**ROWS, metrics=["mrr", "ndcg@10(gain=linear,ties=worst)"])
    assert result[key].tobytes() == result.values[1].tobytes()
    assert same(result.mean(key), exact_mean(result.values[1]))


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("ndcg@1", ""),
        ("mr", "; did you mean 'mrr'?"),
        ("recall@2", "; did you mean 'recall@1'?"),
        ("no such metric", ""),
        (rm.Metric("hit", 3), ""),
        (0, ""),
    ],
)
def test_a_metric_that_was_not_measured(key: Any, hint: str) -> None:
    result = rm.evaluate(**ROWS, metrics=["recall@1", "mrr"])
    for look_up in (result.__getitem__, result.mean):
        with pytest.raises(rm.MetricError) as caught:
            look_up(key)
        assert str(caught.value).startswith(f"result has no {str(key)!r}; it has recall@1, mrr")
        assert str(caught.value).endswith(hint)


# ---- exact means

NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, 1.0, 0.1, 2.0**53, 1e16, math.nan]
)


@given(st.lists(NUMBERS, min_size=1, max_size=40))
def test_mean_is_correctly_rounded(values: list[float]) -> None:
    assert same(result_of(values).mean("dcg"), exact_mean(values))


def test_mean_of_many_values_does_not_drift() -> None:
    values = np.random.default_rng(0).random(100_000) * 10.0 ** np.arange(-10, 10).repeat(5000)
    assert result_of(values.tolist()).mean("dcg") == exact_mean(values.tolist())
    assert result_of([1e16, *[1.0] * 1000, -1e16]).mean("dcg") == 1000 / 1002


@given(st.data())
def test_weighted_mean_of_whole_weights_is_correctly_rounded(data: st.DataObject) -> None:
    """Short values times whole weights are exact, so that only the division rounds."""
    values = data.draw(st.lists(st.integers(0, 2**20).map(lambda n: n / 2**20), min_size=1))
    weights = data.draw(st.lists(st.integers(0, 2**32), min_size=len(values), max_size=len(values)))
    assert same(result_of(values).mean("dcg", weights=weights), exact_mean(values, weights))


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1.0, 1e300, 1e308])
def test_weights_of_any_size(scale: float) -> None:
    """Only their ratios matter."""
    values, weights = [0.5, 0.25, NAN, 100.0], [scale, scale, scale, 0.0]
    assert result_of(values).mean("dcg", weights=weights) == pytest.approx(0.375, rel=1e-3)
    assert result_of([10.0, 30.0]).mean("dcg", weights=[scale, scale]) == pytest.approx(20)


def test_gauc() -> None:
    """AUC of each user with both classes, weighted by its number of rows."""
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 40, 400)
    scores, labels = rng.integers(0, 9, 400), rng.random(400) < 0.2

    def auc(user: int) -> Fraction | None:
        mine = groups == user
        positives, negatives = scores[mine & labels], scores[mine & ~labels]
        pairs = len(positives) * len(negatives)
        won = sum(2 * int(p > n) + int(p == n) for p in positives for n in negatives)
        return Fraction(won, 2 * pairs) if pairs else None

    result = rm.evaluate(scores, labels, "auc", groups=groups)
    assert result.users is not None
    counts = [int((groups == user).sum()) for user in result.users]
    by_user = [auc(user) for user in result.users]
    counted = [(n, value) for n, value in zip(counts, by_user, strict=True) if value is not None]
    assert 0 < len(counted) < len(by_user)
    want = sum(n * value for n, value in counted) / sum(n for n, _ in counted)
    assert result.mean("auc", weights=counts) == pytest.approx(float(want), rel=1e-15)


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda w: np.array(w, dtype=np.int8)])
def test_weights_in_any_form(kind: Any) -> None:
    assert result_of([1.0, 4.0, NAN]).mean("dcg", weights=kind([2, 1, 7])) == 2


def test_weights_that_add_up_to_nothing() -> None:
    assert math.isnan(result_of([1.0, 4.0]).mean("dcg", weights=[0, 0]))
    assert math.isnan(result_of([NAN, 4.0]).mean("dcg", weights=[1, 0]))


def test_filled_users_have_weight() -> None:
    result = evaluate(empty="one")
    assert result.mean("auc", weights=[1, 2, 0, 1]) == (0.5 + 2 + 1) / 4


# ---- printing


def test_table() -> None:
    assert str(evaluate()).splitlines() == [
        "metric       mean  users  undefined",
        "recall@1   0.2500      2          2",
        "mrr        0.3750      4          0",
        "auc        0.5000      1          3",
        "precision  0.4444      3          1",
    ]
    assert repr(evaluate()) == ("Result(users=4, metrics=['recall@1', 'mrr', 'auc', 'precision'])")


def test_to_dict() -> None:
    assert rm.evaluate(**ROWS, metrics="mrr auc").to_dict() == {
        "mrr": {"mean": 0.375, "users": 4, "undefined": 0},
        "auc": {"mean": 0.5, "users": 1, "undefined": 3},
    }


def test_values_belong_to_the_result() -> None:
    """Two results of the same ranks share nothing."""
    ranks = rm.rank(**{**ROWS, "relevance": [0, 1, 0, 0, 0, 1, 1]})
    one, other = rm.measure(ranks, "mrr"), rm.measure(ranks, "mrr")
    before: Array = other["mrr"].copy()
    one.values[:] = 7
    assert other["mrr"].tolist() == before.tolist()


def test_geometric_mean() -> None:
    result = result_of([0.5, 0.125, NAN])
    assert result.geometric_mean("dcg") == pytest.approx(0.25)
    assert result_of([0.0, 1.0]).geometric_mean("dcg") == pytest.approx(math.sqrt(1e-5))
    assert result_of([0.0, 1.0]).geometric_mean("dcg", least=0.01) == pytest.approx(0.1)
    assert math.isnan(result_of([NAN]).geometric_mean("dcg"))
    with pytest.raises(rm.InputError, match="least: got 0"):
        result.geometric_mean("dcg", least=0)
