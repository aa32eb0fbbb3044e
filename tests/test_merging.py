"""Results of batches: the same bits for any split, order and merging."""

import pickle
import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm

METRICS = ["ndcg@3", "mrr", "dcg@5(gain=linear)", "auc"]


def evaluated(seed: int, n_users: int, **options: Any) -> tuple[rm.Result, list[rm.Result]]:
    """Result of all users, and of each one."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 6, (n_users, 7))
    labels = rng.integers(-2, 3, (n_users, 7))
    rules = rm.Conventions(**options)
    users = np.arange(n_users) * 3

    def of(rows: slice) -> rm.Result:
        groups = np.repeat(users[rows], 7)
        rank = rm.rank(scores[rows].ravel(), labels[rows].ravel(), groups=groups)
        return rm.measure(rank, METRICS, conventions=rules)

    return of(slice(None)), [of(slice(user, user + 1)) for user in range(n_users)]


@st.composite
def trees(draw: st.DrawFn) -> tuple[int, int, list[int]]:
    """A seed, a number of users, and where and in which order they are put together."""
    n_users = draw(st.integers(1, 12))
    order = draw(st.permutations(range(n_users)))
    return draw(st.integers(0, 2**32 - 1)), n_users, list(order)


@given(trees(), st.sampled_from(["skip", "zero", "half"]), st.integers(0, 12))
def test_any_split_and_order_gives_the_same_bits(
    tree: tuple[int, int, list[int]], empty: str, cut: int
) -> None:
    seed, n_users, order = tree
    whole, single = evaluated(seed, n_users, empty=empty)
    mixed = [single[user] for user in order]
    merged = mixed[0].merge(*mixed[1:])
    assert repr(merged.means) == repr(whole.means)
    assert (merged.counts, merged.undefined) == (whole.counts, whole.undefined)
    assert merged.users is not None
    assert merged.users.tolist() == [3 * user for user in order]

    running = [rm.RunningResult(), rm.RunningResult()]
    for at, result in enumerate(mixed):
        running[at < cut].update(result)
    one = rm.RunningResult().merge(running[0]).merge(pickle.loads(pickle.dumps(running[1])))
    at_once = rm.RunningResult().update(whole).result()
    for found in (one.result(), at_once):
        assert repr(dict(found.means)) == repr(whole.means)
        assert (dict(found.counts), dict(found.undefined)) == (whole.counts, whole.undefined)
        assert found.n_users == n_users
    assert repr(dict(one.result().variances)) == repr(dict(at_once.variances))


@given(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=50))
def test_variance_is_that_of_the_definition(values: list[float]) -> None:
    """Against exact fractions; squares of less than 2^-900 are rounded."""
    scaled = [value / 1e160 for value in values]
    result = made(np.array([scaled]))
    found = rm.RunningResult().update(result).result().variances["mrr"]
    assert found == pytest.approx(statistics.variance(scaled), rel=1e-15, abs=1e-285)


def made(values: Any, **options: Any) -> rm.Result:
    undefined = np.isnan(values).sum(axis=1)
    return rm.Result(
        values, rm.parse_metrics("mrr"), undefined, conventions=rm.Conventions(), **options
    )


HOSTILE = {
    "metric": np.random.default_rng(1).beta(0.3, 2, 5_000) * (np.arange(5_000) % 3 > 0),
    "few": np.array([0.0, 0.0, 1.0]),
    "tiny": np.random.default_rng(2).random(1_000) * 1e-300,
    "wide": np.exp(np.random.default_rng(3).normal(0, 50, 5_000)),
    "signed": np.random.default_rng(4).normal(0, 1, 5_000),
    "one": np.array([0.7]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_quantiles_are_within_their_bound(name: str) -> None:
    values = HOSTILE[name]
    summary = rm.RunningResult().update(made(values[np.newaxis])).result()
    for q in (0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1):
        exact = np.quantile(values, q, method="inverted_cdf")
        assert abs(summary.quantile("mrr", q)) <= abs(exact)
        assert summary.quantile("mrr", q) == pytest.approx(exact, rel=1 / 1024, abs=0)


@pytest.mark.parametrize("name", HOSTILE)
def test_quantiles_are_the_same_for_any_split(name: str) -> None:
    """Across the number of values that wait to be counted."""
    values = np.tile(HOSTILE[name], 70_000 // len(HOSTILE[name]))
    at_once = rm.RunningResult().update(made(values[np.newaxis])).result()
    running = [rm.RunningResult(), rm.RunningResult()]
    for at, part in enumerate(np.array_split(values, 50)):
        running[at % 2].update(made(part[np.newaxis]))
    split = running[0].merge(running[1]).result()
    for q in (0, 0.01, 0.25, 0.5, 0.75, 0.99, 1):
        assert split.quantile("mrr", q) == at_once.quantile("mrr", q)
        exact = np.quantile(values, q, method="inverted_cdf")
        assert split.quantile("mrr", q) == pytest.approx(exact, rel=1 / 1024, abs=0)


def test_memory_does_not_grow_with_users() -> None:
    rng = np.random.default_rng(0)
    running = rm.RunningResult()
    for _ in range(20):
        running.update(made(rng.random((1, 50_000))))
    assert len(pickle.dumps(running)) < 400_000


def test_weighted_results() -> None:
    a = made(np.array([[0.5, np.nan]]), weights=np.array([1.0, 8.0]), users=np.array([1, 2]))
    b = made(np.array([[1.0]]), weights=np.array([3.0]), users=np.array([3]))
    both = a.merge(b)
    assert both.means == {"mrr": (0.5 + 3) / 4}
    assert rm.RunningResult().update(b).update(a).result().means == both.means


def test_segments_and_notes_are_joined() -> None:
    a = made(np.array([[0.5]]), segments={"kind": np.array(["a"])}, ignored=2)
    b = made(np.array([[1.0]]), segments={"kind": np.array(["long"])}, ignored=1)
    both = a.merge(b)
    assert both.segments["kind"].tolist() == ["a", "long"]
    assert both.ignored == 3


def test_what_does_not_go_together() -> None:
    a, _ = evaluated(0, 3)
    same_users, _ = evaluated(1, 3)
    with pytest.raises(rm.InputError, match="user 0 is in two results"):
        a.merge(same_users)
    other_metrics = rm.evaluate([[1, 2]], [[0, 1]], "map")
    other_rules = rm.evaluate([[1, 2]], [[0, 1]], METRICS, conventions=rm.Conventions(ties="best"))
    without_ids = rm.evaluate([[1, 2]], [[0, 1]], METRICS)
    for other, what in (
        (other_metrics, "metrics"),
        (other_rules, "conventions"),
        (without_ids, "user ids"),
    ):
        with pytest.raises(rm.InputError, match=what):
            a.merge(other)
    running = rm.RunningResult().update(a)
    for other, what in ((other_metrics, "metrics"), (other_rules, "conventions")):
        with pytest.raises(rm.InputError, match=what):
            running.update(other)
        with pytest.raises(rm.InputError, match=what):
            running.merge(rm.RunningResult().update(other))
    for wrong in (a.merge, running.update, running.merge):
        with pytest.raises(rm.InputTypeError, match="got int"):
            wrong(3)  # type: ignore[operator]
    summary = running.result()
    with pytest.raises(rm.InputError, match="metric: got 'map'"):
        summary.quantile("map", 0.5)
    with pytest.raises(rm.InputError, match=r"q: got 1\.5"):
        summary.quantile("mrr", 1.5)
