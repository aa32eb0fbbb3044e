"""`top_k` against a plain sort by descending score, then ascending index."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm
from strategies import SCORE_DTYPES, Array, score_values
from test_bit_equality import layouts

ISAS = rm.build_info()["isa_usable"]
EXCLUDE_FORMS = ["csr", "csc", "lists", "sets", "dict"]


def expected(scores: Array, k: int, left_out: Array) -> tuple[list[list[int]], list[list[Any]]]:
    """Ids and scores of the best k of each row; -1 and None where there are no more."""
    ids, best = [], []
    for values, gone in zip(scores.tolist(), left_out.tolist(), strict=True):
        kept = [j for j, out in enumerate(gone) if not out]
        order = sorted(kept, key=lambda j: (-values[j], j))[:k]
        spare = k - len(order)
        ids.append(order + [-1] * spare)
        best.append([values[j] for j in order] + [None] * spare)
    return ids, best


def check(scores: Array, k: int, left_out: Array, found: tuple[Array, Array]) -> None:
    ids, best = expected(scores, k, left_out)
    assert found[0].tolist() == ids
    assert found[0].dtype == np.int64
    assert found[1].dtype == scores.dtype
    padding = found[0] < 0
    assert (
        np.isnan(found[1][padding]).all()
        if scores.dtype.kind == "f"
        else not found[1][padding].any()
    )
    shown = found[1].astype(object)
    shown[padding] = None
    assert shown.tolist() == best


def exclusion(form: str, left_out: Array) -> Any:
    """What to leave out, as a matrix or as columns; columns in an unsorted order, some twice."""
    if form in ("csr", "csc"):
        return getattr(sp, f"{form}_array")(left_out)
    columns = [np.flatnonzero(row)[::-1].tolist() for row in left_out]
    if form == "dict":
        return {row: set(gone) for row, gone in enumerate(columns) if gone}
    return [set(gone) if form == "sets" else gone + gone[:1] for gone in columns]


@st.composite
def problems(draw: st.DrawFn) -> tuple[Array, int, Array]:
    """Rows of few distinct scores or many, a cutoff around their length, and what is left out."""
    dtype = np.dtype(draw(st.sampled_from(SCORE_DTYPES)))
    pool = draw(st.lists(score_values(dtype), min_size=1, max_size=12))
    width = draw(st.sampled_from([0, 1, 2, 7, 8, 31, 32, 33, 65, 100, 200]))
    k = draw(st.sampled_from([1, 2, 3, 10, 40]) | st.integers(max(1, width - 2), width + 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = (draw(st.integers(1, 4)), width)
    scores = rng.choice(np.array(pool, dtype=dtype), shape)
    if draw(st.booleans()) and dtype.kind == "f":
        scores = rng.normal(size=shape).astype(dtype)
    return scores, k, rng.random(shape) < draw(st.sampled_from([0, 0, 0.1, 0.9, 1]))


@given(problems(), st.sampled_from(EXCLUDE_FORMS), st.sampled_from([1, 2, 3]))
def test_every_type_and_exclusion(
    problem: tuple[Array, int, Array], form: str, n_threads: int
) -> None:
    scores, k, left_out = problem
    exclude = exclusion(form, left_out) if left_out.any() else None
    for isa in ISAS:
        found = rm.top_k(scores, k, exclude=exclude, n_threads=n_threads, isa=isa)
        check(scores, k, left_out, found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("layouts")


@given(problem=problems())
def test_every_layout(problem: tuple[Array, int, Array], folder: Path) -> None:
    scores, k, left_out = problem
    if scores.size == 0:
        return
    want = rm.top_k(scores, k)
    check(scores, k, np.zeros_like(left_out), want)
    for layout, array in layouts(scores, folder).items():
        before = array.tobytes()
        ids, best = rm.top_k(array, k)
        assert ids.tobytes() == want[0].tobytes(), layout
        assert best.astype(scores.dtype).tobytes() == want[1].tobytes(), layout
        assert array.tobytes() == before, layout


@pytest.mark.parametrize("k", [1, 10, 500, 4500, 9000, 9001])
@pytest.mark.parametrize("kind", ["ascending", "descending", "equal", "sawtooth", "normal"])
def test_long_rows(isa: str, k: int, kind: str) -> None:
    """Rows of several tiles, in the orders that make a selection start over or never."""
    n = 9000
    rows = {
        "ascending": np.arange(n),
        "descending": np.arange(n)[::-1],
        "equal": np.zeros(n),
        "sawtooth": np.arange(n) % 100,
        "normal": np.random.default_rng(0).normal(size=n),
    }
    scores = rows[kind].astype(np.float32)[None]
    check(scores, k, np.zeros(scores.shape, dtype=bool), rm.top_k(scores, k, isa=isa))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "uint8"])
@pytest.mark.parametrize("k", [1, 3])
def test_one_score_above_the_others(isa: str, k: int, dtype: str) -> None:
    """It is found wherever it stands, long after the first k were taken."""
    ids, best = rm.top_k(np.eye(300, dtype=dtype), k, isa=isa)
    assert ids[:, 0].tolist() == list(range(300))
    assert best[:, 0].tolist() == [1] * 300
    assert (best[:, 1:] == 0).all()


def test_threads_give_the_same_bits(isa: str) -> None:
    scores = np.random.default_rng(0).normal(size=(3000, 70)).round(1).astype(np.float32)
    want = rm.top_k(scores, 10, n_threads=1, isa="baseline")
    check(scores[:50], 10, np.zeros((50, 70)), (want[0][:50], want[1][:50]))
    for n_threads in (1, 2, 3):
        found = rm.top_k(scores, 10, n_threads=n_threads, isa=isa)
        assert [part.tobytes() for part in found] == [part.tobytes() for part in want]


def test_one_row_may_be_flat() -> None:
    ids, best = rm.top_k([0.5, 2.5, 1.5], 2)
    assert (ids.tolist(), best.tolist()) == ([1, 2], [2.5, 1.5])
    ids, best = rm.top_k([3, 1], 3, exclude=[[0]])
    assert (ids.tolist(), best.tolist()) == ([1, -1, -1], [1, 0, 0])


def test_zeros_and_infinities() -> None:
    """-0.0 equals 0.0, so the lower index wins; infinities are scores like others."""
    ids, best = rm.top_k([[-0.0, 0.0, -np.inf, np.inf]], 4)
    assert ids.tolist() == [[3, 0, 1, 2]]
    assert best.tolist() == [[np.inf, 0, 0, -np.inf]]
    assert np.signbit(best).tolist() == [[False, True, False, True]]
