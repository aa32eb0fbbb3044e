"""`PooledAUC`: the exact AUC lies within its bounds, however rows were split."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import rankmill as rm


def exact(scores: Any, labels: Any) -> float:
    """Of all pairs, from the definition."""
    relevant, others = scores[labels > 0], scores[labels <= 0]
    if not len(relevant) or not len(others):
        return float("nan")
    differences = np.sign(relevant[:, None] - others[None, :].astype(float))
    return float((differences > 0).mean() + (differences == 0).mean() / 2)


@given(
    hnp.arrays(np.float64, st.integers(1, 60), elements=st.floats(-1e3, 1e3, width=32)),
    st.integers(0, 2**32 - 1),
    st.sampled_from([10, 16, 20]),
)
def test_the_exact_auc_is_within_the_bounds(scores: Any, seed: int, bits: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, len(scores))
    pooled = rm.PooledAUC(bits).update(scores, labels)
    assert (pooled.n_relevant, pooled.n_others) == (labels.sum(), (1 - labels).sum())
    if np.isnan(exact(scores, labels)):
        assert np.isnan([pooled.auc, pooled.low, pooled.high]).all()
        return
    assert pooled.low <= exact(scores, labels) <= pooled.high
    assert pooled.auc == pytest.approx((pooled.low + pooled.high) / 2, abs=1e-15)

    cut = int(rng.integers(0, len(scores) + 1))
    parts = [
        rm.PooledAUC(bits).update(scores[r], labels[r]) for r in (slice(cut), slice(cut, None))
    ]
    merged = parts[1].merge(pickle.loads(pickle.dumps(parts[0])))
    assert (merged.auc, merged.low, merged.high) == (pooled.auc, pooled.low, pooled.high)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.int64, bool])
def test_scores_that_share_no_bin_are_exact(dtype: Any) -> None:
    rng = np.random.default_rng(3)
    scores = rng.integers(-100, 100, 400).astype(dtype)
    labels = rng.random(400) < 0.3 + scores.astype(float) / 400
    pooled = rm.PooledAUC().update(scores, labels)
    assert pooled.auc == pytest.approx(exact(scores, labels), abs=1e-15)
    assert pooled.auc == pytest.approx(rm.auc_score(scores, labels), abs=1e-15)


def test_the_bound_is_narrow_where_scores_spread() -> None:
    rng = np.random.default_rng(4)
    scores = rng.normal(size=200_000)
    labels = rng.random(200_000) < 1 / (1 + np.exp(-scores))
    pooled = rm.PooledAUC().update(scores, labels)
    assert pooled.low <= rm.auc_score(scores, labels) <= pooled.high
    assert pooled.high - pooled.low < 1e-3


def test_infinite_huge_and_signed_zero() -> None:
    scores = np.array([-np.inf, -1e300, -0.0, 0.0, 1e300, np.inf])
    labels = np.array([0, 0, 0, 1, 1, 1])
    pooled = rm.PooledAUC().update(scores, labels)
    assert pooled.high == 1.0
    assert pooled.low <= exact(scores, labels) <= pooled.high


@pytest.mark.parametrize(
    ("scores", "labels", "message"),
    [
        ([1, 2], [1], r"labels: got shape \(1,\); wanted \(2,\)"),
        ([1, np.nan], [1, 0], "scores: NaN at row 1"),
        ([1.0, 2.0], [1, np.nan], "labels: NaN at row 1"),
    ],
)
def test_bad_rows(scores: Any, labels: Any, message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        rm.PooledAUC().update(scores, labels)


def test_bad_arguments() -> None:
    for bits in (9, 25, 12.5, "a"):
        with pytest.raises(rm.InputError, match="bits: got"):
            rm.PooledAUC(bits)  # type: ignore[arg-type]
    with pytest.raises(rm.InputError, match="got 12 bits; wanted 20"):
        rm.PooledAUC().merge(rm.PooledAUC(12))
    with pytest.raises(rm.InputTypeError, match="got int"):
        rm.PooledAUC().merge(3)  # type: ignore[arg-type]
