"""torchmetrics' retrieval metrics: the ``Retrieval*`` classes, release 1.9.

Inputs are tensors, arrays, or anything with ``__array__`` or ``__dlpack__``. A result is a tensor
where a tensor came in, else a number. Values are computed in 64 bits, where torchmetrics has 32.

Known differences: items that tie are averaged over their orders, where torchmetrics takes them as
its sort leaves them (but for nDCG and AUROC, which average there too). As there, an item with a
prediction of 0 or below is no hit of precision, recall, MRR and MAP.

Not covered: ``max_fpr``, distributed and differentiable use, and plots.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rankmill.compat.torchmetrics_base import (
    Aggregation,
    EmptyTarget,
    Retrieval,
    Rows,
    boolean,
    cutoff,
)
from rankmill.compat.torchmetrics_curves import (
    RetrievalPrecisionRecallCurve,
    RetrievalRecallAtFixedPrecision,
)
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
        self.top_k = cutoff("top_k", top_k)

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
        self.top_k = cutoff("top_k", top_k)

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
        self.top_k, self.adaptive_k = cutoff("top_k", top_k), boolean("adaptive_k", adaptive_k)

    def _values(self, rows: Rows) -> Floats:
        divided = "min(k, candidates)" if self.adaptive_k else "k"
        metric = Metric("precision", self.top_k)
        return rows.one(metric, rows.positive, precision_denominator=divided)
