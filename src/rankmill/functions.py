"""Drop-in functions for slow metric loops: arrays or ranked ids in, one float out.

Each takes ``(scores, labels, k)``: arrays (users, items), one user's 1-D arrays, or flat rows with
``groups=`` or ``offsets=``. Or ranked ids, ``(ranking, relevant, k)``: one user's list with a set
or {item: grade} dict, or a list of lists with a list of those. Conventions are keywords: a loop
that counts users without relevant items as 0 is ``empty="zero"``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Final

import numpy as np

from rankmill.conventions import Conventions
from rankmill.errors import InputError
from rankmill.evaluate import evaluate, measure
from rankmill.inputs import Int64s, label_array, numeric_array, whole_number
from rankmill.metrics import Metric
from rankmill.ranking_lists import rank_lists
from rankmill.running import RunningMean
from rankmill.weighted import weighted_values

__all__ = [
    "RunningMean",
    "auc_score",
    "average_precision",
    "dcg_at_k",
    "f1_at_k",
    "hit_at_k",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "ndcg_at_k",
    "precision_at_k",
    "recall_at_k",
    "sampled_metrics",
]

_DEFAULT: Final = Conventions()
_RANK_OPTIONS = ("groups", "offsets", "items", "exclude", "min_score", "n_threads", "isa")


def precision_at_k(scores: Any, labels: Any, k: int, **options: Any) -> float:
    """Mean over users of (relevant items in the first k) / k.

    Examples
    --------
    >>> precision_at_k([[0.9, 0.1, 0.5]], [[0, 1, 1]], 2)
    0.5
    >>> precision_at_k(["a", "b", "c"], {"c", "d"}, 3) == 1 / 3
    True
    """
    return _mean(Metric("precision", k), scores, labels, options)


def recall_at_k(scores: Any, labels: Any, k: int, **options: Any) -> float:
    """Mean over users of (relevant items in the first k) / (relevant items).

    Examples
    --------
    >>> recall_at_k(["a", "b", "c"], {"c", "d"}, 3)
    0.5
    """
    return _mean(Metric("recall", k), scores, labels, options)


def f1_at_k(scores: Any, labels: Any, k: int, **options: Any) -> float:
    """Mean over users of the harmonic mean of precision and recall in the first k.

    Examples
    --------
    >>> f1_at_k(["a", "b", "c"], {"c", "d"}, 3)
    0.4
    """
    return _mean(Metric("f1", k), scores, labels, options)


def hit_at_k(scores: Any, labels: Any, k: int, **options: Any) -> float:
    """Share of users with a relevant item in the first k.

    Examples
    --------
    >>> hit_at_k([["a", "b"], ["a", "b"]], [{"b"}, {"c"}], 2)
    0.5
    """
    return _mean(Metric("hit", k), scores, labels, options)


def ndcg_at_k(scores: Any, labels: Any, k: int | None = None, **options: Any) -> float:
    """Mean over users of DCG / ideal DCG in the first k.

    Examples
    --------
    >>> ndcg_at_k(["b", "a"], {"a": 3, "b": 2}, 2, gain="linear") < 1
    True
    >>> ndcg_at_k([[2, 1], [2, 1]], [[1, 0], [0, 0]], 2, empty="zero")
    0.5
    """
    return _mean(Metric("ndcg", k), scores, labels, options)


def dcg_at_k(scores: Any, labels: Any, k: int | None = None, **options: Any) -> float:
    """Mean over users of the sum of gain / log2(rank + 1) in the first k.

    Examples
    --------
    >>> dcg_at_k([3, 2, 1], [0, 0, 2], 3, gain="linear")
    1.0
    """
    return _mean(Metric("dcg", k), scores, labels, options)


def average_precision(scores: Any, labels: Any, k: int | None = None, **options: Any) -> float:
    """Return the mean over users of average precision.

    Examples
    --------
    >>> average_precision([5, 4, 3, 2, 1], [0, 1, 0, 1, 0])
    0.5
    """
    return _mean(Metric("map", k), scores, labels, options)


#: The same: over several users, `average_precision` is its mean.
mean_average_precision = average_precision


def mean_reciprocal_rank(scores: Any, labels: Any, k: int | None = None, **options: Any) -> float:
    """Mean over users of 1 / (rank of the first relevant item), 0 where there is none (within k).

    Examples
    --------
    >>> mean_reciprocal_rank([["a", "b"], ["c", "d"]], [{"b"}, {"c"}])
    0.75
    """
    return _mean(Metric("mrr", k), scores, labels, options)


def auc_score(scores: Any, labels: Any, *, sample_weight: Any = None, **options: Any) -> float:
    """Mean over users of ROC-AUC; ties count one half.

    Parameters
    ----------
    scores, labels
        As above; no ranked ids, since the candidates behind a list are unknown.
    sample_weight : array of the shape of scores, optional
        Weight of each row, >= 0; not with `items`, `exclude` or `min_score`.

    Examples
    --------
    >>> auc_score([0.9, 0.8, 0.1], [1, 0, 1])
    0.5
    >>> auc_score([0.9, 0.8, 0.1], [1, 0, 1], sample_weight=[3, 1, 1])
    0.75
    """
    if sample_weight is None:
        return _mean(Metric("auc"), scores, labels, options)
    conventions, rest = _split(options)
    _refuse("sample_weight", rest, ("items", "exclude", "min_score"))
    values = weighted_values("auc", scores, labels, sample_weight, conventions, **rest)
    return RunningMean().update(values).mean


def sampled_metrics(
    scores: Any, labels: Any, sample_size: int, k: int, seed: int, **options: Any
) -> dict[str, float]:
    """Metrics at k over a random sample of users, for a quick look at data too large to read often.

    The users depend on `seed` and their number alone: the same on every machine and version.

    Parameters
    ----------
    scores, labels : arrays (users, items)
        As in `evaluate`.
    sample_size : int
        Users to draw, without replacement; all of them if there are no more.
    k, seed : int
        The cutoff, and the seed >= 0 of the sample.

    Returns
    -------
    dict
        Means of precision, recall, f1, hit, ndcg, map and mrr at k.

    Examples
    --------
    >>> means = sampled_metrics([[2, 1], [1, 2], [3, 1]], [[1, 0], [1, 0], [0, 1]], 2, 1, seed=0)
    >>> sorted(means)
    ['f1@1', 'hit@1', 'map@1', 'mrr@1', 'ndcg@1', 'precision@1', 'recall@1']
    """
    size = whole_number("sample_size", sample_size, 1)
    matrix, grades = numeric_array("scores", scores), label_array("labels", labels)
    if matrix.ndim != 2 or matrix.shape != grades.shape:
        raise InputError(
            f"scores, labels: got {matrix.shape} and {grades.shape}; wanted (users, items) twice"
        )
    users = sample_users(len(matrix), size, whole_number("seed", seed, 0))
    names = ("precision", "recall", "f1", "hit", "ndcg", "map", "mrr")
    metrics = [Metric(name, k) for name in names]
    conventions, rest = _split(options)
    _refuse("sampled_metrics", rest, ("groups", "offsets", "exclude"))
    return evaluate(matrix[users], grades[users], metrics, conventions=conventions, **rest).means


def sample_users(n_users: int, size: int, seed: int) -> Int64s:
    """Return `size` of n users, ascending: those whose hash with the seed is smallest.

    The hash is SplitMix64 (Steele, Lea & Flood 2014): integer arithmetic, one value per user.
    """
    state = np.arange(1, n_users + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    state += np.uint64(seed * 0xD1342543DE82EF95 & 0xFFFFFFFFFFFFFFFF)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    chosen: Int64s = np.sort(np.argsort(state, kind="stable")[:size])
    return chosen


def _mean(metric: Metric, first: Any, second: Any, options: Mapping[str, Any]) -> float:
    conventions, rest = _split(options)
    lists = _as_lists(first, second)
    if lists is not None:
        _refuse("ranked ids", rest, ("groups", "offsets", "items", "min_score"))
        ranks = rank_lists(*lists, **rest)
        result = measure(ranks, metric, conventions=conventions, n_threads=rest.get("n_threads"))
    else:
        result = evaluate(first, second, metric, conventions=conventions, **rest)
    return result.mean(metric)


def _split(options: Mapping[str, Any]) -> tuple[Conventions, dict[str, Any]]:
    rest = {name: value for name, value in options.items() if name in _RANK_OPTIONS}
    changes = {name: value for name, value in options.items() if name not in rest}
    return _DEFAULT.replace(**changes) if changes else _DEFAULT, rest


def _refuse(what: str, given: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        if given.get(name) is not None:
            raise InputError(f"{name}: {what} cannot be combined with it; wanted it left out")


def _as_lists(first: Any, second: Any) -> tuple[Any, Any] | None:
    """Return (recommended, relevant) if the second argument holds sets or dicts."""
    if isinstance(second, Set):
        return [first], [second]
    if isinstance(second, Mapping):
        if isinstance(first, Mapping) and any(isinstance(row, Mapping) for row in first.values()):
            return None  # {user: {item: score}}: not ranked yet
        return (first, second) if isinstance(first, Mapping) else ([first], [second])
    if isinstance(second, Sequence) and second and isinstance(second[0], (Set, Mapping)):
        return first, second
    return None
