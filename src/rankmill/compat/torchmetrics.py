"""torchmetrics' retrieval metrics: the ``Retrieval*`` classes, release 1.9.

Inputs are tensors, arrays, or anything with ``__array__`` or ``__dlpack__``. A result is a tensor
where a tensor came in, else a number. Values are computed in 64 bits, where torchmetrics has 32.

Known differences: items that tie are averaged over their orders, where torchmetrics takes them as
its sort leaves them (but for nDCG and AUROC, which average there too). As there, an item with a
prediction of 0 or below is no hit of precision, recall, MRR and MAP.

Not covered: ``max_fpr``, distributed and differentiable use, and plots.
"""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy as np

from rankmill.compat.torchmetrics_base import Aggregation, EmptyTarget, Retrieval, Rows
from rankmill.errors import InputError
from rankmill.inputs import NumpyArray
from rankmill.metrics import Metric
from rankmill.running import Floats

__all__ = [
    "RetrievalAUROC",
    "RetrievalFallOut",
    "RetrievalHitRate",
    "RetrievalMAP",
    "RetrievalMRR",
    "RetrievalNormalizedDCG",
    "RetrievalPrecision",
    "RetrievalPrecisionRecallCurve",
    "RetrievalRPrecision",
    "RetrievalRecall",
    "RetrievalRecallAtFixedPrecision",
]

_POSITIVE: Final = float(np.finfo(np.float32).smallest_subnormal)  # the least above 0


class _TopK(Retrieval):
    """A metric with a cutoff, which is None for the whole list."""

    def __init__(
        self,
        empty_target_action: EmptyTarget = "neg",
        ignore_index: int | None = None,
        top_k: int | None = None,
        aggregation: Aggregation = "mean",
        **kwargs: Any,
    ) -> None:
        super().__init__(empty_target_action, ignore_index, aggregation, **kwargs)
        self.top_k = _cutoff("top_k", top_k)

    def _metric(self, name: str) -> Metric:
        return Metric(name, self.top_k)


class RetrievalMAP(_TopK):
    """Mean average precision: of each query, the mean precision at its hits.

    Examples
    --------
    >>> metric = RetrievalMAP()
    >>> preds, target = [0.2, 0.3, 0.5, 0.1, 0.3, 0.5, 0.2], [0, 0, 1, 0, 1, 0, 1]
    >>> metric.update(preds, target, indexes=[0, 0, 0, 1, 1, 1, 1])
    >>> round(float(metric.compute()), 4)
    0.7917
    """

    def _values(self, rows: Rows) -> Floats:
        return rows.one(self._metric("map"), rows.positive)


class RetrievalMRR(_TopK):
    """Mean reciprocal rank of the first hit.

    Examples
    --------
    >>> metric = RetrievalMRR()
    >>> float(metric([0.2, 0.3, 0.5], [0, 1, 0], indexes=[7, 7, 7]))
    0.5
    """

    def _values(self, rows: Rows) -> Floats:
        return rows.one(self._metric("mrr"), rows.positive)


class RetrievalRecall(_TopK):
    """Mean share of the relevant items that stand in the first `top_k` places.

    Examples
    --------
    >>> metric = RetrievalRecall(top_k=1)
    >>> float(metric([0.2, 0.3, 0.5], [1, 0, 1], indexes=[7, 7, 7]))
    0.5
    """

    def _values(self, rows: Rows) -> Floats:
        return rows.one(self._metric("recall"), rows.target, min_score=_POSITIVE)


class RetrievalHitRate(_TopK):
    """Share of queries with a relevant item in the first `top_k` places.

    Examples
    --------
    >>> metric = RetrievalHitRate(top_k=2)
    >>> float(metric([0.2, 0.3, 0.5], [1, 0, 0], indexes=[7, 7, 7]))
    0.0
    """

    def _values(self, rows: Rows) -> Floats:
        return rows.one(self._metric("hit"), rows.target)


class RetrievalNormalizedDCG(_TopK):
    """Mean normalised discounted cumulative gain, with the targets as gains.

    Examples
    --------
    >>> metric = RetrievalNormalizedDCG()
    >>> preds = [0.2, 0.3, 0.5, 0.1, 0.3, 0.5, 0.2]
    >>> value = metric(preds, [0, 0, 1, 0, 1, 0, 1], indexes=[0, 0, 0, 1, 1, 1, 1])
    >>> round(float(value), 4)
    0.8467
    """

    binary = False

    def _values(self, rows: Rows) -> Floats:
        return rows.one(self._metric("ndcg"), rows.target)


class RetrievalFallOut(_TopK):
    """Mean share of the irrelevant items that stand in the first `top_k` places: less is better.

    A query without irrelevant items counts as `empty_target_action` says, 1 by default.

    Examples
    --------
    >>> metric = RetrievalFallOut(top_k=2)
    >>> float(metric([0.2, 0.3, 0.5], [1, 0, 0], indexes=[7, 7, 7]))
    1.0
    """

    lacking = "negative"

    def __init__(
        self,
        empty_target_action: EmptyTarget = "pos",
        ignore_index: int | None = None,
        top_k: int | None = None,
        aggregation: Aggregation = "mean",
        **kwargs: Any,
    ) -> None:
        super().__init__(empty_target_action, ignore_index, top_k, aggregation, **kwargs)

    def _counted(self, target: NumpyArray) -> NumpyArray:
        return np.asarray(target == 0)

    def _values(self, rows: Rows) -> Floats:
        return rows.one(self._metric("recall"), rows.target == 0)


class RetrievalRPrecision(Retrieval):
    """Mean precision at as many places as a query has relevant items.

    Examples
    --------
    >>> metric = RetrievalRPrecision()
    >>> float(metric([0.2, 0.3, 0.5], [1, 0, 1], indexes=[7, 7, 7]))
    0.5
    """

    def __init__(
        self,
        empty_target_action: EmptyTarget = "neg",
        ignore_index: int | None = None,
        aggregation: Aggregation = "mean",
        **kwargs: Any,
    ) -> None:
        super().__init__(empty_target_action, ignore_index, aggregation, **kwargs)

    def _values(self, rows: Rows) -> Floats:
        return rows.one(Metric("r_precision"), rows.target)


class RetrievalAUROC(Retrieval):
    """Mean area under the ROC curve, of the first `top_k` items only; 0 where one class is missing.

    Examples
    --------
    >>> metric = RetrievalAUROC()
    >>> float(metric([0.2, 0.3, 0.5], [1, 0, 1], indexes=[7, 7, 7]))
    0.5
    """

    def __init__(
        self,
        empty_target_action: EmptyTarget = "neg",
        ignore_index: int | None = None,
        top_k: int | None = None,
        max_fpr: float | None = None,
        aggregation: Aggregation = "mean",
        **kwargs: Any,
    ) -> None:
        super().__init__(empty_target_action, ignore_index, aggregation, **kwargs)
        if max_fpr is not None:
            raise InputError(f"max_fpr: got {max_fpr!r}; rankmill covers the whole curve only")
        self.top_k = _cutoff("top_k", top_k)

    def _values(self, rows: Rows) -> Floats:
        best = rows if self.top_k is None else rows.best(self.top_k)
        return best.one(Metric("auc"), best.target)


class RetrievalPrecision(Retrieval):
    """Mean share of the first `top_k` places that hold a relevant item.

    Without `top_k`, and with ``adaptive_k=True`` where a query has fewer items, its length divides.

    Examples
    --------
    >>> metric = RetrievalPrecision(top_k=2)
    >>> float(metric([0.2, 0.3, 0.5], [1, 0, 1], indexes=[7, 7, 7]))
    0.5
    """

    def __init__(
        self,
        empty_target_action: EmptyTarget = "neg",
        ignore_index: int | None = None,
        top_k: int | None = None,
        adaptive_k: bool = False,
        aggregation: Aggregation = "mean",
        **kwargs: Any,
    ) -> None:
        super().__init__(empty_target_action, ignore_index, aggregation, **kwargs)
        self.top_k, self.adaptive_k = _cutoff("top_k", top_k), _boolean("adaptive_k", adaptive_k)

    def _values(self, rows: Rows) -> Floats:
        divided = "min(k, candidates)" if self.adaptive_k else "k"
        metric = Metric("precision", self.top_k)
        return rows.one(metric, rows.positive, precision_denominator=divided)


class RetrievalPrecisionRecallCurve(Retrieval):
    """Mean precision and mean recall at every cutoff from 1 to `max_k`.

    Returns precisions, recalls and cutoffs. Without `max_k` it is the length of the longest query.

    Examples
    --------
    >>> metric = RetrievalPrecisionRecallCurve(max_k=2)
    >>> precisions, recalls, top_k = metric([0.2, 0.3, 0.5], [1, 0, 1], indexes=[7, 7, 7])
    >>> precisions.tolist(), recalls.tolist(), top_k.tolist()
    ([1.0, 0.5], [0.5, 0.5], [1, 2])
    """

    def __init__(
        self,
        max_k: int | None = None,
        adaptive_k: bool = False,
        empty_target_action: EmptyTarget = "neg",
        ignore_index: int | None = None,
        aggregation: Aggregation = "mean",
        **kwargs: Any,
    ) -> None:
        super().__init__(empty_target_action, ignore_index, aggregation, **kwargs)
        self.max_k, self.adaptive_k = _cutoff("max_k", max_k), _boolean("adaptive_k", adaptive_k)

    def _values(self, rows: Rows) -> Floats:
        cutoffs = range(1, (self.max_k or int(np.bincount(rows.queries).max())) + 1)
        metrics = [Metric(name, k) for name in ("precision", "recall") for k in cutoffs]
        divided = "min(k, candidates)" if self.adaptive_k else "k"
        return rows.measure(metrics, rows.target, precision_denominator=divided).T

    def _result(self, values: Floats) -> Any:
        found = self._aggregate(values) if len(values) else np.zeros(values.shape[1])
        n = values.shape[1] // 2
        top_k: Any = np.arange(1, n + 1)
        if self.tensors:
            top_k = sys.modules["torch"].from_numpy(top_k)
        curve = self._as_given(found[:n]), self._as_given(found[n:]), top_k
        return tuple(part.reshape(()) for part in curve) if n == 1 else curve  # as torchmetrics


class RetrievalRecallAtFixedPrecision(RetrievalPrecisionRecallCurve):
    """Greatest mean recall at a cutoff whose mean precision is at least `min_precision`.

    Returns the recall and the cutoff: the largest that reaches it, or `max_k` if none does.

    Examples
    --------
    >>> metric = RetrievalRecallAtFixedPrecision(min_precision=0.6)
    >>> recall, k = metric([0.2, 0.3, 0.5], [1, 0, 1], indexes=[7, 7, 7])
    >>> float(recall), int(k)
    (1.0, 3)
    """

    def __init__(
        self,
        min_precision: float = 0.0,
        max_k: int | None = None,
        adaptive_k: bool = False,
        empty_target_action: EmptyTarget = "neg",
        ignore_index: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(max_k, adaptive_k, empty_target_action, ignore_index, **kwargs)
        if not 0 <= min_precision <= 1:
            raise InputError(f"min_precision: got {min_precision!r}; wanted a number from 0 to 1")
        self.min_precision = min_precision

    def _result(self, values: Floats) -> Any:
        precisions, recalls, top_k = super()._result(values)
        curve = (part.reshape(-1) for part in (precisions, recalls, top_k))
        reached = [(r, k) for p, r, k in zip(*curve, strict=True) if p >= self.min_precision]
        last = top_k.reshape(-1)[-1]
        recall, k = max(reached, default=(self._as_given(0.0), last))
        return (recall, k) if recall > 0 else (recall, last)


def _cutoff(name: str, k: Any) -> int | None:
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
        raise InputError(f"{name}: got {k!r}; wanted a whole number >= 1 or None")
    return None if k is None else int(k)


def _boolean(name: str, value: Any) -> bool:
    if value is not True and value is not False:
        raise InputError(f"{name}: got {value!r}; wanted True or False")
    return bool(value)
