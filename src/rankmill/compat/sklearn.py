"""scikit-learn's ranking metrics: `sklearn.metrics`, release 1.9.

Every function takes ``groups=`` besides: then `y_true` and `y_score` are flat, the rows of one id
are what a row of a matrix is, and `sample_weight` of the functions that take matrices has one
weight per id, in order of first appearance. `roc_auc_score` and `average_precision_score` give the
mean over the groups that have a value, with a weight per row.

Not covered: several labels or classes at once in those two, and ``max_fpr``. Negative labels are
refused by `ndcg_score`, as they are there.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from rankmill.compat.sklearn_areas import (
    UndefinedMetricWarning,
    average_precision_score,
    roc_auc_score,
)
from rankmill.conventions import Conventions
from rankmill.errors import InputError
from rankmill.evaluate import evaluate
from rankmill.inputs import NumpyArray, is_sparse, label_array, numeric_array
from rankmill.metrics import Metric
from rankmill.ranking import rank
from rankmill.ranks import Ranks
from rankmill.running import Floats

__all__ = [
    "UndefinedMetricWarning",
    "average_precision_score",
    "coverage_error",
    "dcg_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "ndcg_score",
    "roc_auc_score",
]

_CONVENTIONS: Final = Conventions.scikit_learn()


def ndcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    sample_weight: Any = None,
    ignore_ties: bool = False,
    groups: Any = None,
) -> float:
    """Normalised discounted cumulative gain with linear gain, averaged over samples.

    Ties are averaged; with ``ignore_ties=True`` the last column of a tie comes first, where
    scikit-learn takes ties as numpy's sort leaves them.

    Examples
    --------
    >>> ndcg_score([[10, 0, 0, 1, 5]], [[0.05, 1.1, 1.0, 0.5, 0.0]])
    0.49368019137737607
    """
    grades = _graded(y_true, y_score, groups)
    if grades.size and grades.min() < 0:
        raise InputError("y_true: got negative values; wanted grades >= 0, as NDCG needs them")
    values = _discounted("ndcg", grades, y_score, k, ignore_ties, groups)
    return _average(values, sample_weight)


def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
    groups: Any = None,
) -> float:
    """Discounted cumulative gain with linear gain, averaged over samples.

    Examples
    --------
    >>> round(dcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 6)
    9.499458
    """
    if not 0 < log_base < math.inf or log_base == 1:
        raise InputError(f"log_base: got {log_base!r}; wanted a number > 0 other than 1")
    grades = _graded(y_true, y_score, groups)
    values = _discounted("dcg", grades, y_score, k, ignore_ties, groups)
    if grades.size and grades.min() < 0:  # the sum is linear in the gains, whatever their sign
        values = values - _discounted("dcg", -grades, y_score, k, ignore_ties, groups)
    return _average(values * math.log2(log_base), sample_weight)


def label_ranking_average_precision_score(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, groups: Any = None
) -> float:
    """Mean over samples of the share of true labels among those ranked as high as each true one.

    A sample with no true label, or with true labels only, counts as 1.

    Examples
    --------
    >>> y_score = [[0.75, 0.5, 1], [1, 0.2, 0.1]]
    >>> label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]], y_score)
    0.41666666666666663
    """
    labels = _labels(y_true, y_score, groups)
    result = evaluate(y_score, labels, "pr_auc(empty=one)", groups=groups, conventions=_CONVENTIONS)
    return _average(result.values[0], sample_weight)


def coverage_error(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, groups: Any = None
) -> float:
    """Mean over samples of how far down the ranking all true labels are covered.

    A sample without true labels counts as 0.

    Examples
    --------
    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    1.5
    """
    ranks = rank(y_score, _labels(y_true, y_score, groups), groups=groups)
    covered = np.zeros(ranks.n_users)
    some = np.diff(ranks.offsets) > 0
    last = ranks.offsets[1:][some] - 1  # entries descend by score
    covered[some] = ranks.ahead[last].astype(np.float64) + ranks.tied[last]
    return _average(covered, sample_weight)


def label_ranking_loss(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, groups: Any = None
) -> float:
    """Mean over samples of the share of (true, false) pairs in which the true is not higher.

    A sample with no true label, or with true labels only, counts as 0.

    Examples
    --------
    >>> label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.75
    """
    ranks = rank(y_score, _labels(y_true, y_score, groups), groups=groups)
    true = np.diff(ranks.offsets)
    pairs = true * (ranks.candidates - true)
    lost = _false_at_or_above(ranks)
    sums = np.add.reduceat(np.append(lost, 0), ranks.offsets[:-1])
    loss = np.where(true > 0, sums, 0) / np.maximum(pairs, 1)
    return _average(np.where(pairs > 0, loss, 0.0), sample_weight)


def _graded(y_true: Any, y_score: Any, groups: Any) -> NumpyArray:
    grades = label_array("y_true", y_true)
    if groups is None and (grades.ndim != 2 or grades.shape[1] < 2):
        raise InputError(
            f"y_true: got shape {grades.shape}; wanted (samples, labels) with at least two labels"
        )
    _check_shape(grades, y_score)
    return grades


def _labels(y_true: Any, y_score: Any, groups: Any) -> Any:
    """Return binary labels, of a matrix that may be sparse."""
    labels = y_true if is_sparse(y_true) else label_array("y_true", y_true)
    stored = np.asarray(labels.data if is_sparse(labels) else labels)
    if not np.isin(stored, (0, 1)).all():
        raise InputError("y_true: got other values than 0 and 1; wanted binary labels")
    if groups is None and labels.ndim != 2:
        raise InputError(f"y_true: got shape {labels.shape}; wanted (samples, labels)")
    _check_shape(labels, y_score)
    return labels


def _check_shape(labels: Any, y_score: Any) -> None:
    if labels.shape != np.shape(y_score):
        raise InputError(
            f"y_true: got shape {labels.shape}; wanted {np.shape(y_score)}, as y_score"
        )


def _discounted(
    name: str, grades: NumpyArray, y_score: Any, k: int | None, ignore_ties: bool, groups: Any
) -> Floats:
    order = {"ties": "id_descending"} if ignore_ties else {}
    columns = np.arange(grades.shape[-1]) if ignore_ties else None
    metric = Metric(name, k, order)
    result = evaluate(
        y_score, grades, metric, groups=groups, items=columns, conventions=_CONVENTIONS
    )
    return result[metric]


def _false_at_or_above(ranks: Ranks) -> NumpyArray:
    """Count, for each relevant entry, the others scoring as high or higher."""
    n = len(ranks.ahead)
    starts = np.ones(n + 1, dtype=bool)  # where a tie, and so the tie before it ends
    starts[1:n] = ranks.ahead[1:] != ranks.ahead[:-1]
    starts[ranks.offsets] = True
    edges = np.flatnonzero(starts)
    end = np.repeat(edges[1:], np.diff(edges))
    true_at_or_above = end - np.repeat(ranks.offsets[:-1], np.diff(ranks.offsets))
    return ranks.ahead.astype(np.int64) + ranks.tied - true_at_or_above


def _average(values: Floats, sample_weight: Any) -> float:
    if sample_weight is None:
        return float(np.average(values))
    weights = numeric_array("sample_weight", sample_weight)
    if weights.shape != values.shape:
        raise InputError(
            f"sample_weight: got shape {weights.shape}; wanted {values.shape}, one per sample"
        )
    return float(np.average(values, weights=weights))
