"""`roc_auc_score` and `average_precision_score` of `rankmill.compat.sklearn`."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from rankmill.conventions import Conventions
from rankmill.errors import InputError
from rankmill.evaluate import evaluate
from rankmill.inputs import NumpyArray, any_array, numeric_array
from rankmill.weighted import weighted_values


class UndefinedMetricWarning(UserWarning):
    """A score that is undefined for want of one class."""


def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    sample_weight: Any = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
    groups: Any = None,
) -> float:
    """Area under the ROC curve of binary labels; the greater of the two is the positive one.

    NaN, with a warning, if there is only one class.

    Examples
    --------
    >>> roc_auc_score(["no", "no", "yes", "yes"], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    if max_fpr not in (None, 1):
        raise InputError(f"max_fpr: got {max_fpr!r}; rankmill covers the whole curve only")
    if labels is not None or multi_class != "raise":
        raise InputError("labels, multi_class: rankmill covers binary labels only")
    _binary_average(average)
    positive = _positive(any_array("y_true", y_true))
    value = _area("auc", positive, y_score, sample_weight, groups)
    if math.isnan(value):
        warnings.warn("ROC-AUC of one class is undefined", UndefinedMetricWarning, stacklevel=2)
    return value


def average_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    pos_label: Any = 1,
    sample_weight: Any = None,
    groups: Any = None,
) -> float:
    """Area under the step-wise precision-recall curve of binary labels.

    0, with a warning, if there is no positive row.

    Examples
    --------
    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.833333
    """
    _binary_average(average)
    truth = any_array("y_true", y_true)
    positive = np.asarray(truth == pos_label)
    _positive(truth)
    if not positive.any():
        present = np.unique(truth)
        if len(present) == 2 or present.dtype.kind not in "biuf":
            raise InputError(f"pos_label: got {pos_label!r}; wanted one of {present.tolist()}")
        warnings.warn("no positive row in y_true", UndefinedMetricWarning, stacklevel=2)
    value = _area("pr_auc", positive, y_score, sample_weight, groups)
    return 0.0 if math.isnan(value) else value


def _positive(truth: NumpyArray) -> NumpyArray:
    """Tell the rows of the greater of two classes."""
    if truth.ndim != 1 or truth.size == 0:
        raise InputError(f"y_true: got shape {truth.shape}; wanted binary labels, one per row")
    if truth.dtype == bool:
        return truth
    if truth.dtype.kind in "iuf":
        low, high = truth.min(), truth.max()
        binary = bool(((truth == low) | (truth == high)).all())
    else:
        classes = np.unique(truth)
        binary, low, high = len(classes) in (1, 2), *classes[[0, -1]]
    if not binary:
        raise InputError("y_true: got more than two classes; rankmill covers binary labels only")
    return truth == high if low != high else np.zeros(len(truth), dtype=bool)


def _area(name: Any, positive: NumpyArray, y_score: Any, sample_weight: Any, groups: Any) -> float:
    scores = numeric_array("y_score", y_score)
    if scores.shape != positive.shape:
        raise InputError(
            f"y_score: got shape {scores.shape}; wanted {positive.shape}, one score per row"
        )
    if sample_weight is None:
        values = evaluate(scores, positive, name, groups=groups)[name]
    else:
        values = weighted_values(
            name, scores, positive, sample_weight, Conventions(), groups=groups
        )
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


def _binary_average(average: str | None) -> None:
    """Refuse an average that does not exist; all are the same for binary labels."""
    known = ("micro", "macro", "samples", "weighted", None)
    if average not in known:
        raise InputError(f"average: got {average!r}; wanted one of {', '.join(map(repr, known))}")
