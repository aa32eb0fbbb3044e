"""`rankmill.compat.torchmetrics` on worked examples; tests/peers compares with the library."""

from typing import Any

import numpy as np
import pytest

import rankmill as rm
from rankmill.compat import torchmetrics as compat

PREDS = np.array([0.2, 0.3, 0.5, 0.1, 0.3, 0.5, 0.2])
TARGET = np.array([0, 0, 1, 0, 1, 0, 1])
INDEXES = np.array([0, 0, 0, 1, 1, 1, 1])


@pytest.mark.parametrize(
    ("name", "options", "want"),
    [
        ("RetrievalMAP", {}, (1 + (1 / 2 + 2 / 3) / 2) / 2),
        ("RetrievalMAP", {"top_k": 2}, (1 + 1 / 2) / 2),  # by the hits within k
        ("RetrievalMRR", {}, 0.75),
        ("RetrievalPrecision", {"top_k": 2}, 0.5),
        ("RetrievalPrecision", {}, (1 / 3 + 1 / 2) / 2),
        ("RetrievalPrecision", {"top_k": 8, "adaptive_k": True}, (1 / 3 + 1 / 2) / 2),
        ("RetrievalRecall", {"top_k": 2}, 0.75),
        ("RetrievalHitRate", {"top_k": 1}, 0.5),
        ("RetrievalFallOut", {"top_k": 2}, 0.5),
        ("RetrievalRPrecision", {}, 0.75),
        ("RetrievalAUROC", {}, 0.75),
        ("RetrievalAUROC", {"top_k": 2}, (1 + 0) / 2),
        ("RetrievalNormalizedDCG", {}, 0.8467),
    ],
)
def test_values(name: str, options: dict[str, Any], want: float) -> None:
    metric = getattr(compat, name)(**options)
    metric.update(PREDS[:4], TARGET[:4], indexes=INDEXES[:4])
    metric.update(PREDS[4:], TARGET[4:], indexes=INDEXES[4:])
    assert float(metric.compute()) == pytest.approx(want, abs=5e-5)


def test_predictions_of_0_and_below_are_no_hits() -> None:
    preds, target, indexes = [-0.1, -0.2, -0.3, -0.4], [1, 0, 1, 0], [0] * 4
    want = {"Precision": 0, "Recall": 0, "MRR": 0, "MAP": 0, "HitRate": 1, "RPrecision": 0.5}
    for name, value in want.items():
        options = {} if name == "RPrecision" else {"top_k": 2}
        metric = getattr(compat, f"Retrieval{name}")(**options)
        assert metric(preds, target, indexes=indexes) == value, name


@pytest.mark.parametrize(("action", "want"), [("neg", 0.5), ("pos", 1.0), ("skip", 1.0)])
def test_queries_without_a_target(action: Any, want: float) -> None:
    metric = compat.RetrievalMRR(empty_target_action=action)
    assert metric([0.9, 0.8, 0.7], [1, 0, 0], indexes=[4, 4, 5]) == want


def test_all_skipped_is_0() -> None:
    assert compat.RetrievalMRR(empty_target_action="skip")([0.5], [0], indexes=[0]) == 0


@pytest.mark.parametrize(
    ("aggregation", "want"),
    [("mean", 0.625), ("median", 0.5), ("min", 0.25), ("max", 1.0), (np.ptp, 0.75)],
)
def test_aggregations(aggregation: Any, want: float) -> None:
    """Reciprocal ranks 1, 1/2, 1/2, 1/4... of four queries, the median being the lower one."""
    preds = np.array([0.9, 0.9, 0.8, 0.9, 0.8, 0.7, 0.6])
    target = np.array([1, 0, 1, 0, 0, 0, 1])
    indexes = np.array([0, 1, 1, 2, 2, 2, 2])
    if aggregation == "mean":
        preds, target, indexes = (
            np.append(preds, [0.9]),
            np.append(target, [1]),
            np.append(indexes, [3]),
        )
        want = (1 + 0.5 + 0.25 + 1) / 4
    if aggregation is np.ptp:
        metric = compat.RetrievalMRR(aggregation=lambda values, dim: np.ptp(values))
    else:
        metric = compat.RetrievalMRR(aggregation=aggregation)
    assert metric(preds, target, indexes=indexes) == pytest.approx(want)


def test_the_curve() -> None:
    precisions, recalls, top_k = compat.RetrievalPrecisionRecallCurve(max_k=3)(
        PREDS, TARGET, indexes=INDEXES
    )
    assert top_k.tolist() == [1, 2, 3]
    assert precisions.tolist() == pytest.approx([0.5, 0.5, (1 / 3 + 2 / 3) / 2])
    assert recalls.tolist() == pytest.approx([0.5, 0.75, 1.0])
    recall, k = compat.RetrievalRecallAtFixedPrecision(min_precision=0.5)(
        PREDS, TARGET, indexes=INDEXES
    )
    assert (recall, k) == (1.0, 3)
    recall, k = compat.RetrievalRecallAtFixedPrecision(min_precision=0.9)(
        PREDS, TARGET, indexes=INDEXES
    )
    assert (recall, k) == (0, 4)


def test_batches_and_reset() -> None:
    metric = compat.RetrievalMRR()
    assert metric([0.9], [1], indexes=[0]) == 1
    assert metric([0.9, 0.8], [0, 1], indexes=[1, 1]) == 0.5
    assert metric.compute() == 0.75
    metric.reset()
    with pytest.raises(rm.InputError, match="compute: got nothing yet"):
        metric.compute()


def test_a_failed_batch_loses_nothing() -> None:
    metric = compat.RetrievalMRR()
    metric.update([0.9], [1], indexes=[0])
    with pytest.raises(rm.InputError, match="target: got 2 to 2"):
        metric([0.9], [2], indexes=[0])
    assert metric.compute() == 1


def test_dlpack_and_ignored_targets() -> None:
    class Capsule:
        def __init__(self, values: np.ndarray[Any, Any]) -> None:
            self.values = values

        def __dlpack__(self, **options: Any) -> Any:
            return self.values.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.values.__dlpack_device__()

    metric = compat.RetrievalMRR(ignore_index=0)
    arrays = (np.array([0.9, 0.8]), np.array([0, 1]), np.array([3, 3]))
    assert metric(*map(Capsule, arrays)) == 1


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("RetrievalMAP", {"top_k": 0}, "top_k: got 0"),
        ("RetrievalMAP", {"empty_target_action": "drop"}, "empty_target_action: got 'drop'"),
        ("RetrievalMAP", {"ignore_index": 1.5}, "ignore_index: got 1.5"),
        ("RetrievalMAP", {"aggregation": "sum"}, "aggregation: got 'sum'"),
        ("RetrievalMAP", {"dist_sync_on_step": True}, "dist_sync_on_step: rankmill has no"),
        ("RetrievalAUROC", {"max_fpr": 0.5}, "max_fpr: got 0.5"),
        ("RetrievalPrecision", {"adaptive_k": 1}, "adaptive_k: got 1"),
        ("RetrievalRecallAtFixedPrecision", {"min_precision": 2.0}, "min_precision: got 2.0"),
    ],
)
def test_bad_options(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        getattr(compat, name)(**options)


@pytest.mark.parametrize(
    ("preds", "target", "indexes", "message"),
    [
        ([1, 2], [0, 1], [0, 0], "preds: got dtype int64; wanted floats"),
        ([0.5, 0.4], [0, 1], [0.0, 1.0], "indexes: got dtype float64; wanted integers"),
        ([0.5, 0.4], [0, 1], [0], "wanted one shape"),
        ([0.5, 0.4], [0, 1], None, "indexes: got None"),
        ([0.5, 0.4], ["a", "b"], [0, 1], "target: got dtype"),
        (np.array([]), np.array([], dtype=int), np.array([], dtype=int), "got no rows"),
    ],
)
def test_bad_rows(preds: Any, target: Any, indexes: Any, message: str) -> None:
    with pytest.raises(rm.RankmillError, match=message):
        compat.RetrievalMAP().update(preds, target, indexes)
    with pytest.raises(rm.RankmillError, match="target: `compute` met a query with no negative"):
        compat.RetrievalFallOut(empty_target_action="error")([0.5], [1], [0])
