"""Rows so long that rounded scores are counted: the counts are those of the definition."""

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import rankmill as rm

Row = npt.NDArray[Any]
ISAS = [isa for isa in ("avx2", "baseline") if isa in rm.build_info()["isa_usable"]]


def row_of(kind: str, rng: np.random.Generator, n: int, dtype: Any) -> Row:
    """Scores of some shape."""
    scores = rng.normal(size=n)
    if kind == "ties":
        scores = np.round(scores, 1)
    elif kind == "some ties":
        scores[rng.random(n) < 0.1] = np.round(rng.normal(), 2)
    elif kind == "outliers":
        scores[rng.random(n) < 0.01] *= 1e30
    elif kind == "infinite":
        scores[rng.random(n) < 0.01] = np.inf
        scores[rng.random(n) < 0.01] = -np.inf
    elif kind == "constant":
        scores[:] = 0.25
    elif kind == "tiny":
        scores *= 1e-310 if dtype == np.float64 else 1e-42
    elif kind == "neighbours":
        steps = rng.integers(-90, 30, n)  # half as wide above -2, so that their middle is rounded
        scores = -2.0 + np.where(steps < 0, 2, 1) * steps * np.finfo(dtype).eps
    elif kind == "greatest":
        scores = rng.choice([-1.0, 1.0], n) * np.finfo(dtype).max * rng.random(n)
    return np.sort(scores).astype(dtype) if kind == "sorted" else scores.astype(dtype)


KINDS = [
    "normal", "ties", "some ties", "outliers", "infinite", "constant", "tiny", "neighbours",
    "greatest", "sorted",
]  # fmt: skip


def check(scores: Row, relevant: Row, **options: Any) -> None:
    """Compare with what the definition says, for every instruction set."""
    labels = np.zeros(len(scores), dtype=np.int8)
    labels[relevant] = 1
    wanted = sorted((int((scores > t).sum()), int((scores == t).sum())) for t in scores[relevant])
    for isa in ISAS:
        ranks = rm.rank(scores[None], labels[None], isa=isa, **options)
        assert list(zip(ranks.ahead.tolist(), ranks.tied.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("p", [6, 9, 33, 61, 200])
@pytest.mark.parametrize("n", [512, 1000, 4096, 10_001])
def test_counts(kind: str, dtype: Any, p: int, n: int) -> None:
    rng = np.random.default_rng([p, n, KINDS.index(kind)])
    scores = row_of(kind, rng, n, dtype)
    check(scores, rng.choice(n, p, replace=False))
    best = np.argsort(scores, kind="stable")
    check(scores, best[-p:])
    check(scores, best[:p])


@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(KINDS),
    dtype=st.sampled_from([np.float32, np.float64]),
    scale=st.floats(1e-30, 1e30),
)
def test_any_row(seed: int, kind: str, dtype: Any, scale: float) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(200, 9000))
    with np.errstate(over="ignore"):
        scores = (row_of(kind, rng, n, dtype) * dtype(scale)).astype(dtype)
    check(scores, rng.choice(n, int(rng.integers(6, 70)), replace=False))


def test_excluded_and_bounded() -> None:
    """What is taken out again, and what stands below a bound, are not counted."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(1, 20_000))
    labels = np.zeros(scores.shape, dtype=np.int8)
    labels[0, rng.choice(20_000, 30, replace=False)] = 1
    gone = (rng.random(scores.shape) < 0.4).astype(np.int8)
    for isa in ISAS:
        ranks = rm.rank(scores, labels, exclude=csr_matrix(gone), min_score=-0.5, isa=isa)
        kept = (gone[0] == 0) & (scores[0] >= -0.5)
        inside = np.sort(scores[0][(labels[0] == 1) & kept])[::-1]
        wanted = [int((scores[0][kept] > t).sum()) for t in inside]
        assert ranks.ahead[: len(wanted)].tolist() == wanted
        assert ranks.candidates.tolist() == [kept.sum()]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("p", [1, 3, 6, 40])
def test_a_number_missing(p: int, dtype: Any) -> None:
    """A NaN is found wherever it stands, also where counting saw none."""
    rng = np.random.default_rng(p)
    scores = rng.normal(size=(2, 5000)).astype(dtype)
    labels = np.zeros(scores.shape, dtype=np.int8)
    labels[:, rng.choice(5000, p, replace=False)] = 1
    places = [0, 1, 511, 512, 4095, 4096, 4999, *rng.integers(0, 5000, 20), np.argmax(labels[1])]
    for isa, at in itertools.product(ISAS, map(int, places)):
        broken = scores.copy()
        broken[1, at] = np.nan
        with pytest.raises(ValueError, match=rf"NaN.*row 1, column {at}\b"):
            rm.rank(broken, labels, isa=isa)


def test_the_only_candidate_is_no_number() -> None:
    """It has nothing to tie with."""
    scores = np.array([[1.0, np.nan], [np.nan, 0.0]])[:, :1]
    for isa in ISAS:
        with pytest.raises(ValueError, match=r"NaN.*row 1, column 0\b"):
            rm.rank(scores, csr_matrix([[1], [1]]), isa=isa)
