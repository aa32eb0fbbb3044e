"""Sweeps against measure and numpy; curves against plain loops over thresholds."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm


def some_data(seed: int, n_users: int = 40, width: int = 12) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 8, (n_users, width)), rng.integers(-2, 3, (n_users, width))


@pytest.mark.parametrize("metric", ["ndcg", "recall", "map(ap_denominator=k)", "err"])
@pytest.mark.parametrize("size", [7, 1 << 15])
def test_a_sweep_is_measure_at_each_cutoff(
    metric: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankmill.sweeping._USERS_AT_ONCE", size)
    ranks = rm.rank(*some_data(1))
    swept = rm.sweep(ranks, metric, k=[3, 1, 12, 3, 20], per_user=True)
    assert swept.k.tolist() == [1, 3, 12, 20]
    names = [str(rm.Metric(m.name, k, m.params)) for m in rm.parse_metrics(metric) for k in swept.k]
    wanted = rm.measure(ranks, names)
    assert np.array_equal(swept.values, wanted.values, equal_nan=True)
    assert swept.mean.tolist() == list(wanted.means.values())
    assert swept.users.tolist() == list(wanted.counts.values())
    for row, name in enumerate(names):
        spread = wanted.describe()[name]
        assert swept.standard_error[row] == spread.standard_error
        assert (swept.low[row], swept.high[row]) == spread.interval
    assert swept.best == swept.k[np.argmax(swept.mean)]
    assert str(swept).splitlines()[1].split()[0] == names[0].split("(")[0] or "(" in metric


def test_a_sweep_over_few_users() -> None:
    swept = rm.sweep(rm.rank([[1, 2]], [[0, 0]]), "recall", k=[1])
    assert np.isnan([swept.mean[0], swept.standard_error[0]]).all()
    assert swept.values is None


@pytest.mark.parametrize(
    ("metric", "k", "message"),
    [
        ("auc", [1], "metric: got 'auc'; wanted one that takes a cutoff"),
        ("ndcg@5", [1], "metric: got 'ndcg@5'; wanted one that takes a cutoff, without one"),
        ("ndcg", [], "k: got no cutoffs"),
        ("ndcg", [0], "k: got 0; wanted a whole number >= 1"),
        ("ndcg", [1.5], "k: got 1.5; wanted a whole number"),
        ("ndcg", [None], "k: got None; wanted a whole number"),
        ("ndcg", 5, r"k: got 5; wanted cutoffs, such as range"),
    ],
)
def test_sweeps_that_are_none(metric: str, k: Any, message: str) -> None:
    with pytest.raises(rm.InputTypeError, match="ranks: got int; wanted Ranks"):
        rm.sweep(3, metric, k)  # type: ignore[arg-type]
    with pytest.raises(rm.RankmillError, match=message):
        rm.sweep(rm.rank([[1, 2]], [[0, 1]]), metric, k)


def plain_roc(scores: Any, labels: Any, rate: float) -> float:
    """Straight between thresholds; the upper end of a step."""
    positive, negative = (labels > 0).sum(), (labels <= 0).sum()
    points = [(0.0, 0.0)]
    for threshold in sorted(set(scores.tolist()), reverse=True):
        chosen = scores >= threshold
        points.append(
            ((chosen & (labels <= 0)).sum() / negative, (chosen & (labels > 0)).sum() / positive)
        )
    for (x, y), (next_x, next_y) in reversed(list(itertools.pairwise(points))):
        if next_x <= rate:
            return float(next_y)
        if x <= rate:
            return float(y + (next_y - y) * (rate - x) / (next_x - x))
    return 0.0


def plain_precision(scores: Any, labels: Any, recall: float) -> float:
    positive = (labels > 0).sum()
    for threshold in sorted(set(scores[labels > 0].tolist()), reverse=True):
        chosen = scores >= threshold
        hits = (chosen & (labels > 0)).sum()
        if hits / positive >= recall - 1e-12:
            return float(hits / chosen.sum())
    return 0.0


@given(st.integers(0, 2**32 - 1), st.sampled_from([3, 50]))
def test_curves_are_means_of_plain_ones(seed: int, block: int) -> None:
    scores, labels = some_data(seed, n_users=9, width=6)
    ranks = rm.rank(scores, labels)
    grid = np.linspace(0, 1, 13)
    both = [row for row in range(9) if 0 < (labels[row] > 0).sum() < 6]
    some = [row for row in range(9) if (labels[row] > 0).any()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankmill.curves._USERS_AT_ONCE", block)
        roc, pr = (rm.curve(ranks, kind, points=13) for kind in ("roc", "pr"))
    for found, rows, plain in ((roc, both, plain_roc), (pr, some, plain_precision)):
        assert found.users == len(rows)
        assert found.x.tolist() == grid.tolist()
        if rows:
            wanted = [np.mean([plain(scores[r], labels[r], x) for r in rows]) for x in grid]
            assert found.y == pytest.approx(wanted, abs=1e-9)
        else:
            assert np.isnan(found.y).all()


def test_areas_are_near_the_metrics() -> None:
    ranks = rm.rank(*some_data(3, n_users=200))
    means = rm.measure(ranks, "auc pr_auc").means
    assert rm.curve(ranks, "roc", points=20_001).area == pytest.approx(means["auc"], abs=1e-4)
    assert rm.curve(ranks, "pr", points=20_001).area == pytest.approx(means["pr_auc"], abs=1e-4)


def test_pooled_curves_and_best_f1() -> None:
    scores, labels = some_data(4)
    pooled = rm.rank(scores.ravel(), labels.ravel())
    ranks = rm.rank(scores, labels)
    both = rm.curve(ranks, "pr", pooled=pooled, points=1_001)
    alone = rm.curve(pooled, "pr", points=1_001)
    assert np.array_equal(both.pooled_y, alone.y)  # type: ignore[arg-type]
    assert both.pooled_best == alone.best
    best = rm.evaluate(scores.ravel(), labels.ravel(), "max_f1").means["max_f1"]
    assert alone.best[1] == pytest.approx(best, abs=1e-3)
    f1 = rm.curve(ranks, "f1", points=12)
    means = rm.measure(ranks, [f"f1@{k}" for k in range(1, 13)]).means
    assert f1.y.tolist() == list(means.values())
    assert f1.best == (float(np.argmax(f1.y) + 1), f1.y.max())


def test_missed_items_lower_recall() -> None:
    """One of two relevant items was found, at the first place: no precision beyond recall 1/2."""
    ranks = rm.rank_lists({"a": [1, 2]}, {"a": {1, 3}})
    assert rm.curve(ranks, "pr", points=5).y.tolist() == [1, 1, 1, 0, 0]


def test_curves_that_are_none() -> None:
    ranks = rm.rank([[1, 2]], [[0, 1]])
    lists = rm.rank_lists({"a": [1]}, {"a": {1}})
    for make, message in (
        (lambda: rm.curve(ranks, "lift"), "kind: got 'lift'; wanted one of roc, pr, f1"),  # type: ignore[arg-type]
        (lambda: rm.curve(ranks, points=1), "points: got 1"),
        (lambda: rm.curve(lists, "roc"), "not all candidates are known"),
        (lambda: rm.curve(ranks, pooled=rm.rank([[1], [2]], [[1], [0]])), "pooled: got 2 users"),
        (lambda: rm.curve([1, 2]), "ranks: got list"),  # type: ignore[arg-type]
    ):
        with pytest.raises(rm.RankmillError, match=message):
            make()
