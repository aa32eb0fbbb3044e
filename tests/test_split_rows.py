"""Short rows with many relevant items, which split the row: each lands where it should."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm

Row = npt.NDArray[Any]
ISAS = [isa for isa in ("avx2", "baseline") if isa in rm.build_info()["isa_usable"]]
TYPES = [np.float32, np.float64, np.int64]
METRICS = ["ndcg@10", "ndcg", "map", "mrr", "auc", "pr_auc", "max_f1", "precision@5"]
#: Around the numbers of relevant items at which the engine takes another way, or another size.
RELEVANT = [
    1, 8, 9, 11, 12, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 223, 224, 225, 256,
]  # fmt: skip
#: Candidates beside them, around whole vectors and where the longest of short rows ends.
OTHERS = [0, 1, 3, 7, 8, 9, 40, 57, 63, 64, 65, 300]
LONGEST = 4095


def wanted(scores: Row, grades: Row) -> list[tuple[int, int, float]]:
    """Candidates above and beside each relevant item, and its grade, by the definition."""
    found = [
        (int((scores > scores[i]).sum()), int((scores == scores[i]).sum()), float(grades[i]))
        for i in np.flatnonzero(grades > 0)
    ]
    return sorted(found, key=lambda entry: (entry[0], -entry[2]))


def check(scores: Row, grades: Row) -> None:
    """One user, with every instruction set: ranks by the definition, and the metrics of them."""
    for isa in ISAS:
        ranks = rm.rank(scores[None], grades[None], isa=isa)
        found = zip(ranks.ahead.tolist(), ranks.tied.tolist(), ranks.grade.tolist(), strict=True)
        assert list(found) == wanted(scores, grades)
        assert ranks.candidates.tolist() == [len(scores)]
        at_once = rm.evaluate(scores[None], grades[None], METRICS, isa=isa)
        staged = rm.measure(ranks, METRICS)
        for metric in METRICS:
            np.testing.assert_array_equal(at_once[metric], staged[metric])


def distinct(rng: np.random.Generator, n: int, dtype: Any) -> Row:
    """Scores without a tie, which stay apart when rounded to float32."""
    scores: Row = (rng.permutation(n) - n // 2).astype(dtype)
    return scores if dtype == np.int64 else scores / dtype(8)


def graded(rng: np.random.Generator, n: int, relevant: int) -> Row:
    grades = np.zeros(n, dtype=np.int8)
    grades[rng.choice(n, relevant, replace=False)] = rng.integers(1, 5, relevant)
    return grades


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("relevant", RELEVANT)
def test_rows_without_ties(relevant: int, dtype: Any) -> None:
    rng = np.random.default_rng(relevant)
    for n in [*(relevant + others for others in OTHERS), LONGEST]:
        check(distinct(rng, n, dtype), graded(rng, n, relevant))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("relevant", RELEVANT)
def test_relevant_items_at_an_end(relevant: int, dtype: Any) -> None:
    """All candidates in one place, and rows that are sorted already."""
    rng = np.random.default_rng(relevant)
    for n in (relevant, relevant + 5, relevant + 200):
        grades = graded(rng, n, relevant)
        for scores in (np.arange(n, dtype=dtype), np.arange(n, 0, -1, dtype=dtype)):
            check(scores, grades)
            check(scores, -np.sort(-grades))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("relevant", [12, 15, 16, 40, 63, 64, 100, 224])
@pytest.mark.parametrize("tie", ["relevant", "both", "others", "all"])
def test_one_tie(tie: str, relevant: int, dtype: Any) -> None:
    rng = np.random.default_rng(relevant)
    for _ in range(10):
        n = relevant + int(rng.integers(2, 100))
        scores, grades = distinct(rng, n, dtype), graded(rng, n, relevant)
        inside, outside = np.flatnonzero(grades), np.flatnonzero(grades == 0)
        pairs = {
            "relevant": (inside, inside),
            "both": (inside, outside),
            "others": (outside, outside),
        }
        if tie == "all":
            scores[:] = scores[0]
        else:
            one, other = pairs[tie]
            scores[rng.choice(one)] = scores[rng.choice(other)]
        check(scores, grades)


@pytest.mark.parametrize("relevant", [12, 16, 40, 64, 130])
def test_scores_that_tie_when_rounded(relevant: int) -> None:
    """Wide scores that float32 cannot tell apart, or cannot hold."""
    rng = np.random.default_rng(relevant)
    n = relevant + 60
    grades = graded(rng, n, relevant)
    steps = rng.permutation(n)
    check(1.0 + steps * np.finfo(np.float64).eps, grades)
    check((steps - 20.0) * 1e300, grades)
    check((steps - 20.0) * 1e-310, grades)
    check(2**62 + steps, grades)
    check(np.where(steps % 2, steps, -steps) * 2**54, grades)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("relevant", [12, 15, 16, 31, 63, 64, 127, 200])
def test_infinities_and_zeros(relevant: int, dtype: Any) -> None:
    rng = np.random.default_rng(relevant)
    n = relevant + 37
    special = np.array([np.inf, -np.inf, 0.0, -0.0, np.finfo(dtype).max, np.finfo(dtype).tiny / 4])
    for count in (1, 2, 3, 8, n):
        for values in (special, special[:1], special[1:2], special[:2], special[2:4]):
            scores, grades = distinct(rng, n, dtype), graded(rng, n, relevant)
            scores[rng.choice(n, count, replace=False)] = rng.choice(values, count)
            check(scores, grades)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("relevant", [12, 15, 16, 40, 64, 200])
def test_a_nan_anywhere(relevant: int, dtype: Any) -> None:
    rng = np.random.default_rng(relevant)
    n = relevant + 13
    for at in {0, 1, 6, 7, 8, n // 2, n - 9, n - 8, n - 1}:
        for is_relevant in (True, False):
            scores, grades = distinct(rng, n, dtype), graded(rng, n, relevant)
            other = rng.choice(np.flatnonzero((grades > 0) == is_relevant))
            grades[[at, other]] = grades[[other, at]]
            scores[at] = np.nan
            for isa in ISAS:
                with pytest.raises(rm.InputError, match=rf"(?s)NaN.*{at}|{at}.*NaN"):
                    rm.rank(scores[None], grades[None], isa=isa)
                with pytest.raises(rm.InputError, match=rf"(?s)NaN.*{at}|{at}.*NaN"):
                    rm.evaluate(scores[None], grades[None], METRICS, isa=isa)


def test_nans_among_the_relevant() -> None:
    """Which no sort puts in order."""
    rng = np.random.default_rng(7)
    for _ in range(2000):
        relevant = int(rng.integers(12, 20))
        n = relevant + int(rng.integers(0, 60))
        scores, grades = distinct(rng, n, np.float32), graded(rng, n, relevant)
        scores[rng.choice(np.flatnonzero(grades), int(rng.integers(1, 6)))] = np.nan
        for isa in ISAS:
            with pytest.raises(rm.InputError, match="NaN"):
                rm.rank(scores[None], grades[None], isa=isa)


@given(
    seed=st.integers(0, 2**32 - 1),
    relevant=st.integers(9, 230),
    others=st.integers(0, 400),
    levels=st.sampled_from([3, 100, 10_000, 2**23]),
    dtype=st.sampled_from(TYPES),
)
def test_any_row(seed: int, relevant: int, others: int, levels: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    n = relevant + others
    check(rng.integers(-levels, levels, n).astype(dtype), graded(rng, n, relevant))
