"""Evaluation callables for gradient boosting: any rankmill metric, per group, during training.

Each takes the metrics' names and uses the conventions of the library it is for, so that ``ndcg@10``
is the library's own. Data without groups is one group. The mean over groups is not weighted. No
library is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rankmill.conventions import Conventions
from rankmill.errors import InputError
from rankmill.evaluate import evaluate
from rankmill.inputs import Int64s, NumpyArray, numeric_array
from rankmill.metrics import Metrics, parse_metrics

__all__ = ["CatBoostMetric", "catboost_metric", "lightgbm_metric", "xgboost_metric"]

Evaluation = tuple[str, float, bool]


def lightgbm_metric(
    metrics: Metrics, *, conventions: Conventions | None = None, n_threads: int | None = None
) -> Callable[[Any, Any], list[Evaluation]]:
    """Make a ``feval`` for LightGBM: ``lgb.train(..., feval=lightgbm_metric("map@5"))``.

    Parameters
    ----------
    metrics : str, Metric, or iterable of them
        As in `evaluate`.
    conventions : Conventions, optional
        Default: ``Conventions.lightgbm()``.
    n_threads : int, optional
        As in `evaluate`.

    Returns
    -------
    callable
        Takes predictions and a ``lightgbm.Dataset``; returns (name, value, True) of each metric.

    Examples
    --------
    >>> class Dataset:
    ...     get_label = staticmethod(lambda: [0, 1, 1])
    ...     get_group = staticmethod(lambda: [1, 2])
    >>> lightgbm_metric("mrr")([0.5, 0.2, 0.9], Dataset())
    [('mrr', 0.5, True)]
    """
    measure = _measurer(metrics, conventions or Conventions.lightgbm(), n_threads)

    def feval(preds: Any, eval_data: Any) -> list[Evaluation]:
        sizes = eval_data.get_group()
        labels = eval_data.get_label()
        offsets = None if sizes is None else np.concatenate([[0], np.cumsum(sizes)])
        return [(name, value, True) for name, value in measure(preds, labels, offsets)]

    return feval


def xgboost_metric(
    metric: Metrics, *, conventions: Conventions | None = None, n_threads: int | None = None
) -> Callable[[Any, Any], tuple[str, float]]:
    """Make a ``custom_metric`` for XGBoost; say ``maximize=True`` to stop early by it.

    Parameters
    ----------
    metric : str or Metric
        One metric: XGBoost takes no more.
    conventions : Conventions, optional
        Default: ``Conventions.xgboost()``.
    n_threads : int, optional
        As in `evaluate`.

    Returns
    -------
    callable
        Takes predictions and an ``xgboost.DMatrix``; returns (name, value).

    Examples
    --------
    >>> class DMatrix:
    ...     get_label = staticmethod(lambda: [0, 1])
    ...     get_uint_info = staticmethod(lambda field: [0, 2])
    >>> xgboost_metric("mrr")([0.5, 0.2], DMatrix())
    ('mrr', 0.5)
    """
    if len(parse_metrics(metric)) != 1:
        raise InputError(f"metric: got {metric!r}; wanted one, as XGBoost takes no more")
    measure = _measurer(metric, conventions or Conventions.xgboost(), n_threads)

    def custom_metric(predt: Any, dtrain: Any) -> tuple[str, float]:
        bounds = np.asarray(dtrain.get_uint_info("group_ptr"))
        offsets = bounds if len(bounds) > 1 else None
        return measure(predt, dtrain.get_label(), offsets)[0]

    return custom_metric


def catboost_metric(
    metric: Metrics,
    groups: Mapping[int, Sequence[int]] | Sequence[Any] | NumpyArray,
    *,
    conventions: Conventions | None = None,
    n_threads: int | None = None,
) -> CatBoostMetric:
    """Make an ``eval_metric`` for CatBoost, which does not tell a metric the groups of its rows.

    Parameters
    ----------
    metric : str or Metric
        One metric.
    groups : ids of rows, or list of several
        The ``group_id`` of the rows of the pool; of several pools of different lengths, such as
        those of training and of evaluation, a list of their ids.
    conventions : Conventions, optional
        Default: ``Conventions.catboost()``.
    n_threads : int, optional
        As in `evaluate`.

    Examples
    --------
    >>> metric = catboost_metric("mrr", ["a", "b", "b"])
    >>> metric.get_final_error(*metric.evaluate([[0.5, 0.2, 0.9]], [0, 1, 1], None))
    0.5
    """
    if len(parse_metrics(metric)) != 1:
        raise InputError(f"metric: got {metric!r}; wanted one, as CatBoost takes no more")
    measure = _measurer(metric, conventions or Conventions.catboost(), n_threads)
    several = isinstance(groups, (list, tuple)) and all(
        not isinstance(part, (str, bytes)) and hasattr(part, "__len__") for part in groups
    )
    by_length: dict[int, NumpyArray] = {}
    for part in groups if several else [groups]:
        ids = np.asarray(part)
        if by_length.setdefault(len(ids), ids) is not ids:
            raise InputError(f"groups: two pools have {len(ids)} rows; wanted different lengths")
    return CatBoostMetric(measure, by_length)


class CatBoostMetric:
    """What CatBoost asks of a metric; made by `catboost_metric`."""

    def __init__(self, measure: _Measurer, groups: Mapping[int, NumpyArray]) -> None:
        self._measure, self._groups = measure, groups

    def is_max_optimal(self) -> bool:
        """Say that more is better."""
        return True

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """Return the mean over groups and the weight 1."""
        predictions = np.asarray(approxes[0])
        ids = self._groups.get(len(predictions))
        if ids is None:
            known = ", ".join(map(str, self._groups))
            raise InputError(f"groups: got {len(predictions)} rows; know pools of {known}")
        return self._measure(predictions, target, None, ids)[0][1], 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the mean."""
        return error / weight


_Measurer = Callable[..., list[tuple[str, float]]]


def _measurer(metrics: Metrics, conventions: Conventions, n_threads: int | None) -> _Measurer:
    wanted = parse_metrics(metrics)

    def measure(
        predictions: Any, labels: Any, offsets: Int64s | None = None, groups: Any = None
    ) -> list[tuple[str, float]]:
        scores = numeric_array("preds", predictions)
        if scores.ndim != 1:
            raise InputError(f"preds: got shape {scores.shape}; wanted one score per row")
        result = evaluate(
            scores,
            np.asarray(labels),
            wanted,
            offsets=offsets,
            groups=groups,
            conventions=conventions,
            n_threads=n_threads,
        )
        return list(result.means.items())

    return measure
