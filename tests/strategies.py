"""Hypothesis strategies: batches of users, and conventions and cutoffs to measure them by.

A batch is one universe of items and some users who each have scores for some of them, so that
the same data can be given to the engine in every input form.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

Array = npt.NDArray[Any]

# On, just under and just over the lane counts of every vector width and their multiples.
LENGTHS = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100]
CUTOFFS = [1, 2, 3, 5, 8, 10, 16, 31, 64, 100, 130]
FLOATS = ["float16", "float32", "float64"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
SCORE_DTYPES = [*FLOATS, *INTS, "bool"]
GRADE_DTYPES = ["bool", "int8", "uint8", "int32", "int64", "uint64", "float32", "float64"]

# The tie rules that leave one order.
SETTLED = ["worst", "best", "input_order", "id_descending"]

# Averaging writes out every order of every tie: this many per user at the most.
MAX_ORDERS = 300


@dataclass(frozen=True)
class User:
    """The candidates of one user, in input order: their columns, scores and grades."""

    columns: Array
    scores: Array
    grades: Array


@dataclass(frozen=True)
class Batch:
    """Users over one universe of items; ``items`` holds the id of each column."""

    users: list[User]
    items: Array
    # What stands in the cells of a dense matrix that are no candidates of their user.
    filler_scores: Array
    filler_grades: Array
    seed: int

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.users), len(self.items)


def extreme_values(dtype: np.dtype[Any]) -> list[Any]:
    """Scores on which a comparison can go wrong."""
    if dtype.kind == "b":
        return [False, True]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        edges = [info.min, info.min + 1, 0, 1, info.max - 1, info.max]
        # Neighbours that one double cannot tell apart.
        return edges + [v for v in (2**24, 2**24 + 1, 2**53, 2**53 + 1) if v <= info.max]
    info_f = np.finfo(dtype)
    one_up = np.nextafter(dtype.type(1), dtype.type(2))
    tiny, huge = float(info_f.smallest_subnormal), float(info_f.max)
    return [math.inf, -math.inf, 0.0, -0.0, tiny, -tiny, 2 * tiny, huge, -huge, 1.0, float(one_up)]


def score_values(dtype: np.dtype[Any]) -> st.SearchStrategy[Any]:
    """One score of the type, extreme ones often."""
    extremes = st.sampled_from(extreme_values(dtype))
    if dtype.kind == "b":
        return extremes
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return extremes | st.integers(int(info.min), int(info.max)) | st.integers(0, 9)
    return extremes | st.floats(allow_nan=False, width=dtype.itemsize * 8)  # type: ignore[arg-type]


def grade_values(dtype: np.dtype[Any]) -> list[Any]:
    """The grades that users of a batch may have, all exact in the type."""
    if dtype.kind == "b":
        return [False, True]
    if dtype.kind == "u":
        return [0, 1, 2, 3, 4, 30]
    if dtype.kind == "i":
        return [-2, -1, 0, 1, 2, 3, 4, 30]
    return [-1.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1.75, 2.0, 4.0, 40.5]


def n_orders(scores: Array, grades: Array) -> int:
    """Number of distinct tie orders of one user."""
    return math.prod(_orders_of_tie(grades[scores == score]) for score in np.unique(scores))


def _orders_of_tie(grades: Array) -> int:
    kinds = np.unique(np.maximum(grades, 0), return_counts=True)[1]
    return math.factorial(len(grades)) // math.prod(math.factorial(int(c)) for c in kinds)


def limit_orders(scores: Array, grades: Array) -> Array:
    """Make items of the worst tie irrelevant, one by one, until all orders can be written out."""
    grades = grades.copy()
    while n_orders(scores, grades) > MAX_ORDERS:
        worst = max(np.unique(scores), key=lambda score: _orders_of_tie(grades[scores == score]))
        grades[np.flatnonzero((scores == worst) & (grades > 0))[0]] = 0
    return grades


def _item_ids(kind: str, width: int, rng: np.random.Generator) -> Array:
    if kind == "small":
        return rng.permutation(width)
    if kind == "large":
        return 2**62 + rng.permutation(width)
    # Strings sort as strings: "10" before "9", and capitals before small letters.
    names = [f"{'aA'[i % 2]}{i // 2}" for i in range(width)]
    return np.array(names)[rng.permutation(width)]


@st.composite
def batches(
    draw: st.DrawFn,
    *,
    enumerable: bool = False,
    distinct: bool = False,
    max_users: int = 4,
) -> Batch:
    """Users with few distinct scores (so heavy ties), or, if asked, with none alike.

    ``enumerable`` keeps the ties so that their orders can be written out. Drawing every score by
    hypothesis is slow: it draws the pool of values, the lengths and a seed, which still shrink.
    """
    dtype = np.dtype(draw(st.sampled_from(FLOATS[1:] + INTS[2:4] if distinct else SCORE_DTYPES)))
    grade_dtype = np.dtype(draw(st.sampled_from(GRADE_DTYPES)))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    lengths = draw(st.lists(st.sampled_from(LENGTHS), min_size=1, max_size=max_users))
    if draw(st.booleans()):
        lengths = [max(lengths)] * len(lengths)
    width = max(1, max(lengths) + draw(st.integers(0, 2)))
    pool_size = width if distinct else draw(st.sampled_from([1, 2, 3, 5, 20, 100]))
    pool = np.array(_pool(draw, dtype, pool_size), dtype=dtype)
    shares = draw(st.sampled_from([0.05, 0.1, 0.3, 0.9]))

    def scores_of(n: int) -> Array:
        return rng.permutation(pool)[:n] if distinct else rng.choice(pool, n)

    def grades_of(n: int) -> Array:
        grades = rng.choice(np.array(grade_values(grade_dtype), dtype=grade_dtype), n)
        return np.where(rng.random(n) < shares, grades, grade_dtype.type(0))

    users = []
    for n in lengths:
        columns = np.sort(rng.choice(width, n, replace=False))
        scores, grades = scores_of(n), grades_of(n)
        users.append(User(columns, scores, limit_orders(scores, grades) if enumerable else grades))
    cells = len(users) * width
    return Batch(
        users,
        _item_ids(draw(st.sampled_from(["small", "large", "text"])), width, rng),
        rng.choice(pool, cells).reshape(-1, width),
        grades_of(cells).reshape(-1, width),
        seed,
    )


def _pool(draw: st.DrawFn, dtype: np.dtype[Any], size: int) -> list[Any]:
    """``size`` distinct scores of the type; large pools are completed with plain numbers."""
    few = draw(st.lists(score_values(dtype), min_size=1, max_size=min(size, 12)))
    spare = () if dtype.kind == "b" else range(size)
    return list(dict.fromkeys([*few, *spare]))[:size]


def cutoffs() -> st.SearchStrategy[list[int]]:
    """One to three different cutoffs."""
    values = st.sampled_from(CUTOFFS) | st.integers(1, 70)
    return st.lists(values, min_size=1, max_size=3, unique=True)


def gain_tables() -> st.SearchStrategy[dict[float, float]]:
    """A gain for each grade above 0 of any batch, never falling, some of them 0."""
    grades = [grade for dtype in GRADE_DTYPES for grade in grade_values(np.dtype(dtype))]
    positive = sorted({float(grade) for grade in grades if grade > 0})
    gains = st.sampled_from([0.0, 0.5, 1.0, 3.0, 10.0, 1e6])
    return st.lists(gains, min_size=len(positive), max_size=len(positive)).map(
        lambda values: dict(zip(positive, sorted(values), strict=True))
    )


@st.composite
def conventions(draw: st.DrawFn, *, ties: list[str]) -> dict[str, Any]:
    """Keywords for ``Conventions`` and for the reference."""
    gain = draw(st.sampled_from(["exp2", "linear", "binary", "table"]))
    relevant = st.sampled_from(["relevant", "min(k, relevant)"])
    return {
        "ties": draw(st.sampled_from(ties)),
        "gain": draw(gain_tables()) if gain == "table" else gain,
        "discount": draw(st.sampled_from(["log2", "log2", "ln", "jarvelin", "reciprocal"])),
        "ideal": draw(st.sampled_from(["all", "uncut", "retrieved", "full"])),
        "empty": draw(st.sampled_from(["skip", "zero", "half", "one"])),
        "without_relevant": draw(st.sampled_from(["by_formula", "undefined"])),
        "precision_denominator": draw(st.sampled_from(["k", "min(k, candidates)"])),
        "recall_denominator": draw(relevant),
        "ap_denominator": draw(st.one_of(relevant, st.sampled_from(["k", "hits"]))),
        "recall_level": draw(st.sampled_from(["above", "nearest"])),
        "min_grade": draw(st.sampled_from([None, None, 0.5, 1, 2, 3.5])),
    }
