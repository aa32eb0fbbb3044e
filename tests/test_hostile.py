"""Inputs that reached memory they should not, or gave a number where an error was due."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import rankmill as rm

MATRIX = np.zeros((2, 3))
FACTORS = np.ones((2, 3))
RANKS = rm.rank([1, 2], [1, 1])


def broken(kind: type, starts: list[int], items: list[int]) -> Any:
    return kind((np.ones(3), np.array(items), np.array(starts)), shape=(2, 3))


@pytest.mark.parametrize(
    "call",
    [
        lambda: rm.rank({"u": {"a": [], "b": []}}, {"u": {"b": 1}}),
        lambda: rm.rank({"u": {"a": [1, 2]}}, {"u": {"a": 1}}),
        lambda: rm.rank({"u": {"a": 1}}, {"u": {"b": []}}),
        lambda: rm.rank({"u": {"a": 2**70}}, {"u": {"a": 1}}),
        lambda: rm.rank(MATRIX, broken(sp.csr_array, [0, -(10**9), 3], [0, 1, 2])),
        lambda: rm.rank(MATRIX, broken(sp.csr_array, [0, 10**9, 3], [0, 1, 2])),
        lambda: rm.rank(MATRIX, MATRIX, exclude=broken(sp.csr_array, [0, 10**9, 3], [0, 1, 2])),
        lambda: rm.rank(MATRIX, broken(sp.csc_array, [0, 1, 2, 3], [0, 1, 99])),
        lambda: rm.rank(MATRIX, broken(sp.csr_array, [0, 1, 3], [0, -99, 2])),
        lambda: rm.measure(dataclasses.replace(RANKS, offsets=np.array([0, 5 * 10**7])), "ndcg"),
        lambda: rm.measure(dataclasses.replace(RANKS, ahead=np.array([0, 1])), "ndcg"),
        lambda: rm.rank([1, 2, 3], [1, 0, 1], groups=np.ndarray(3, "S0", b"")),
        lambda: rm.rank_lists({"u": {"a": 0.1, "b": 0.9}}, {"u": {"b"}}),
        lambda: rm.rank([1, 2], [1, 1], offsets=[0, 2], items=[5, 6], exclude=[["5"]]),
        lambda: rm.rank([1, 2], [1, 1], offsets=[0, 2], items=["5", "6"], exclude=[[5]]),
        lambda: rm.rank([[1, 2]], [[1, 1]], items=["a", "b"], exclude=["ab"]),
        lambda: rm.rank_lists([[1, 2]], [[2]], exclude=[["a"]]),
        lambda: rm.rank_lists([[1, 2]], [[[1]]]),
        lambda: rm.rank_lists(None, None),
        lambda: rm.rank([1, 2], [1, 0], groups=["a", float("nan")]),
        lambda: rm.rank([1, 2], [1, 0], groups=np.ma.array([1, 2], mask=[0, 1])),
        lambda: rm.RunningMean().update(np.ma.array([1.0, 5.0], mask=[0, 1])),
        lambda: rm.RunningMean().merge(3),  # type: ignore[arg-type]
        lambda: rm.Ranks.concat(RANKS),  # type: ignore[arg-type]
        lambda: rm.rank_factors(FACTORS, FACTORS, None),
        lambda: rm.top_k_factors(FACTORS, FACTORS, 1, exclude=[[-1], []]),
        lambda: rm.rank_factors(FACTORS, FACTORS, sp.csr_array((2, 2)), item_bias=[1, np.inf]),
        lambda: rm.top_k(MATRIX, 10**13),
        lambda: rm.rank(MATRIX, MATRIX, exclude=[5, 5]),
        lambda: rm.rank(MATRIX, MATRIX, min_score=10**400),
        lambda: rm.auc_score([1, 2], [0, 1], sample_weight=[1, 1], items=[1, 2]),
        lambda: rm.precision_at_k(["a"], {"a"}, 1, groups=[1]),
        lambda: rm.evaluate([[1, 1]], [[1e308, 1e308]], "cg(gain=linear)"),
    ],
)
def test_refused_clearly(call: Callable[[], Any]) -> None:
    with pytest.raises(rm.RankmillError):
        call()


@pytest.mark.parametrize("ahead", [[-5_000_000, 7], [7, 0], [0, -1]])
def test_edited_ranks_are_refused(ahead: list[int]) -> None:
    edited = dataclasses.replace(RANKS, ahead=np.array(ahead, dtype=np.int32))
    with pytest.raises(rm.InputError, match="ranks: entries of user row 0"):
        rm.measure(edited, "ndcg mrr map auc")


@pytest.mark.parametrize("tied", [[1, 1], [0, 0], [-1, 2], [2, 1]])
def test_a_tie_smaller_than_its_entries_is_refused(tied: list[int]) -> None:
    edited = dataclasses.replace(
        RANKS, ahead=np.zeros(2, dtype=np.int32), tied=np.array(tied, dtype=np.int32)
    )
    with pytest.raises(rm.InputError, match="ranks: entries of user row 0"):
        rm.measure(edited, "ndcg mrr map", conventions=rm.Conventions(ties="worst"))


def test_gains_whose_sum_but_not_mean_is_infinite() -> None:
    """Each of three places has two thirds of the gain."""
    discounts = [1 / np.log2(rank + 1) for rank in (1, 2, 3)]
    want = 2 / 3 * sum(discounts) / sum(discounts[:2])
    found = rm.evaluate([[1, 1, 1]], [[1023, 1023, 0]], "ndcg")["ndcg"]
    assert found == pytest.approx([want], rel=1e-12)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "int32", "int64", "float64"])
def test_score_bound_is_not_rounded(dtype: str) -> None:
    scores = np.array([[1, 0, 1]], dtype=dtype)
    for bound in (1.0000000001, 1.0, 0.9999999999, -np.inf):
        found = rm.rank(scores, [[1, 1, 1]], min_score=bound).candidates
        assert found.tolist() == [int((scores.astype(float) >= bound).sum())]


@pytest.mark.parametrize("weight", [5e-324, 1e-200, 1.0, 1e200, 1e308])
def test_weights_of_any_size(weight: float) -> None:
    weights = [weight] * 4
    assert rm.auc_score([0.9, 0.8, 0.3, 0.1], [1, 1, 0, 0], sample_weight=weights) == 1.0
    result = rm.evaluate([[2, 1], [1, 2]], [[1, 0], [1, 0]], "mrr")
    assert result.mean("mrr", weights=[0, weight]) == 0.5
