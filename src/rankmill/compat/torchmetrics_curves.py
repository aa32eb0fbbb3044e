"""The classes of `rankmill.compat.torchmetrics` that look at every cutoff."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from rankmill.compat.torchmetrics_base import (
    Aggregation,
    EmptyTarget,
    Retrieval,
    Rows,
    boolean,
    cutoff,
)
from rankmill.errors import InputError
from rankmill.metrics import Metric
from rankmill.running import Floats


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
        self.max_k, self.adaptive_k = cutoff("max_k", max_k), boolean("adaptive_k", adaptive_k)

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
