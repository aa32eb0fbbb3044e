"""Scores, labels, offsets, groups and items that are refused, and the row that is named."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import rankmill as rm
from refusals import (
    INF,
    LABELS,
    MATRIX,
    MIXED,
    NAN,
    NUMBERED,
    ROW_LABELS,
    ROWS,
    TOGETHER,
    TWO,
    broken_csr,
    check_refused,
    csr,
    dense,
    flat,
    put,
    row,
)
from test_bit_equality import bits

NAN_SCORES = [
    *(
        dense(
            "scores: NaN at user row 1, column 2; wanted a number",
            scores=put(MATRIX, (1, 2), NAN, dtype),
        )
        for dtype in ("float16", "float32", "float64", ">f8")
    ),
    row(
        "scores: NaN at user row 0, column 1", rm.rank, {"scores": [1.0, NAN], "relevance": [0, 1]}
    ),
    flat("scores: NaN at row 3 (user row 1)", scores=put(ROWS, 3, NAN), offsets=TWO),
    flat("scores: NaN at row 4 (user b)", scores=put(ROWS, 4, NAN), groups=MIXED),
    flat("scores: NaN at row 3 (user 7)", scores=put(ROWS, 3, NAN), groups=NUMBERED),
    flat("scores: NaN at row 3 (user 42)", scores=put(ROWS, 3, NAN), groups=TOGETHER),
    dense(
        "scores: NaN at user row 1, column 0", scores=put(MATRIX, (1, 0), NAN), exclude=[[], [0]]
    ),
    row(
        "scores: NaN at user row 1, column 1; wanted a number",
        rm.top_k,
        {"scores": put(MATRIX, (1, 1), NAN), "k": 2},
    ),
]

BAD_LABELS = [
    *(
        dense(
            f"relevance: {value} at user row 0, column 2; wanted a finite grade",
            relevance=put(LABELS, (0, 2), value),
        )
        for value in (NAN, INF, -INF)
    ),
    flat("relevance: nan at row 2 (user row 1)", relevance=put(ROW_LABELS, 2, NAN), offsets=TWO),
    flat("relevance: nan at row 3 (user a)", relevance=put(ROW_LABELS, 3, NAN), groups=MIXED),
    dense("relevance: nan at user row 1, column 1", relevance=csr([1, 0, 0], [0, NAN, 0])),
    dense("relevance: nan at user row 1, column 1", relevance=put(LABELS, (1, 1), NAN, object)),
    dense("exclude ... nan ... user row 1, column 1", exclude=csr([0, 0, 0], [0, NAN, 0])),
]

SHAPES = [
    dense("relevance: got shape (2, 2); wanted (2, 3)", relevance=LABELS[:, :2]),
    flat("relevance: got shape (4,); wanted (5,)", relevance=ROW_LABELS[1:], offsets=TWO),
    flat("groups: got shape (4,); wanted (5,), one id per row", groups=MIXED[1:]),
    dense("relevance: got shape (1, 3); wanted (2, 3)", relevance=csr([1, 0, 0])),
    dense("exclude: got shape (1, 3); wanted (2, 3)", exclude=csr([1, 0, 0])),
    dense("exclude: got 1 collections; wanted 2, one per user", exclude=[[0]]),
    flat(
        "exclude: got a matrix of 1 rows; wanted 2",
        exclude=csr([1, 0, 0]),
        offsets=TWO,
        items=[0, 1, 0, 1, 2],
    ),
    dense("items: got 2 ids; wanted 3, one per column", items=["x", "y"]),
    flat("items: got 2 ids; wanted 5, one per row", items=["x", "y"], groups=MIXED),
    dense("scores ... wanted rows of one length", scores=[[1, 2, 3], [4]]),
    dense("relevance ... wanted rows of one length", relevance=[[1, 0, 0], [1]]),
    dense("scores: got shape (2, 3, 1); wanted (users, items)", scores=MATRIX[..., None]),
    dense("scores: got shape (2, 3); wanted 1-D rows", groups=[1, 2]),
    row(
        "scores: got shape (2, 3, 1); wanted (users, items)",
        rm.top_k,
        {"scores": MATRIX[..., None], "k": 1},
    ),
    row(
        "exclude: got shape (1, 3); wanted (2, 3)",
        rm.top_k,
        {"scores": MATRIX, "k": 1, "exclude": csr([1, 0, 0])},
    ),
]

OFFSETS = [
    flat("offsets: got 1 at 0; wanted 0 at the start", offsets=[1, 5]),
    flat("offsets: falls to 3 at 2; wanted offsets that do not decrease", offsets=[0, 4, 3, 5]),
    flat("offsets: got 6 at the end; wanted 5, the number of rows", offsets=[0, 3, 6]),
    flat("offsets: got 4 at the end; wanted 5, the number of rows", offsets=[0, 3, 4]),
    flat("offsets: got dtype float64 ... wanted users + 1 integers", offsets=[0.0, 5.0]),
    flat("offsets: got ... shape (1, 2); wanted users + 1 integers", offsets=[[0, 5]]),
    flat("offsets: got ... shape (1,); wanted users + 1 integers, at least 2", offsets=[0]),
]

ITEMS = [
    dense("relevance: item 7 of user row 1 is outside the matrix", relevance=broken_csr(7)),
    dense("relevance: item -1 of user row 1 is outside the matrix", relevance=broken_csr(-1)),
    dense("item 0 of user row 1 is out of order or stored twice", relevance=broken_csr(0)),
    dense("exclude: item 7 of user row 1 is outside the matrix", exclude=broken_csr(7)),
    dense("exclude: item 3 of user row 1 is outside the matrix; wanted one", exclude=[[0], [3]]),
    dense("exclude: item -1 of user row 1 is outside the matrix", exclude={1: [-1]}),
    dense(
        "exclude: item 'w' of user row 1 is not in items",
        items=["x", "y", "z"],
        exclude=[["x"], ["w"]],
    ),
    dense(
        "exclude: item '1' of user row 1 is no integer; wanted its column",
        exclude=[[0], ["1"]],
        kind=rm.InputTypeError,
    ),
    *(
        flat(
            f"exclude ... {value!r} ... integer",
            offsets=TWO,
            items=[0, 1, 0, 1, 2],
            exclude=[[], [value]],
            kind=rm.InputTypeError,
        )
        for value in ("1", 1.5)
    ),
    dense("exclude: user 2 is no row; wanted rows from 0 to 1", exclude={0: [1], 2: [1]}),
    flat(
        "exclude: none of its 1 users, such as '42', is evaluated; wanted user ids of the same",
        groups=NUMBERED,
        items=[0, 1, 2, 3, 4],
        exclude={"42": [1]},
    ),
    flat("exclude: flat rows have no item ids; wanted items=", offsets=TWO, exclude=[[1], [1]]),
    dense("exclude: got str; wanted a sparse matrix, a list", exclude="01", kind=rm.InputTypeError),
    row(
        "exclude: item 3 of user row 1 is outside the matrix",
        rm.top_k,
        {"scores": MATRIX, "k": 1, "exclude": [[], [3]]},
    ),
]

NOTHING = [
    dense(
        "scores: got shape (0, 3); wanted (users, items), users >= 1",
        scores=MATRIX[:0],
        relevance=LABELS[:0],
    ),
    flat(
        "groups: got no rows; wanted at least one user",
        scores=ROWS[:0],
        relevance=ROWS[:0],
        groups=MIXED[:0],
    ),
    row(
        "scores: got shape (0, 3); wanted (users, items), users >= 1",
        rm.top_k,
        {"scores": MATRIX[:0], "k": 1},
    ),
    row("parts: got none; wanted at least one Ranks", rm.Ranks.concat, {"parts": []}),
]

TYPES = [
    *(
        dense(
            f"{name}: got dtype {array.dtype}; wanted bool, an integer",
            kind=rm.InputTypeError,
            **{name: array},
        )
        for name, dtypes in [("scores", "cO SMm"), ("relevance", "cSMm")]
        for array in [MATRIX.astype(int).astype(dtype) for dtype in dtypes.replace(" ", "")]
    ),
    *(
        dense(
            f"relevance: got {value!r} at element 3; wanted a number",
            relevance=put(LABELS, (1, 0), value, object),
            kind=rm.InputTypeError,
        )
        for value in (None, "1", 1j)
    ),
    dense(
        "relevance values: got dtype complex128",
        relevance=csr([1j, 0, 0], [0, 0, 0]),
        kind=rm.InputTypeError,
    ),
    dense(
        "scores: got a masked array",
        scores=np.ma.array(MATRIX, mask=LABELS),
        kind=rm.InputTypeError,
    ),
    dense(
        "relevance: got a masked array",
        relevance=np.ma.array(LABELS, mask=LABELS),
        kind=rm.InputTypeError,
    ),
    flat(
        "groups: got dtype float64; wanted integers or strings",
        groups=ROWS,
        kind=rm.InputTypeError,
    ),
    flat(
        "groups: got None at row 2; wanted an integer or a string",
        groups=np.array(["a", "a", None, "b", "b"], dtype=object),
    ),
    dense(
        "items: got dtype float64; wanted integers or strings",
        items=MATRIX[0],
        kind=rm.InputTypeError,
    ),
    row(
        "scores: got dtype complex128",
        rm.top_k,
        {"scores": MATRIX * 1j, "k": 1},
        rm.InputTypeError,
    ),
]


@pytest.mark.parametrize(
    ("call", "arguments", "kind", "said"),
    [*NAN_SCORES, *BAD_LABELS, *SHAPES, *OFFSETS, *ITEMS, *NOTHING, *TYPES],
)
def test_refused(
    call: Callable[..., object], arguments: dict[str, Any], kind: type[Exception], said: str
) -> None:
    check_refused(call, arguments, kind, said)


# ---- which row is named


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("argument", ["scores", "relevance"])
def test_the_first_bad_row_is_named(isa: str, n_threads: int, argument: str) -> None:
    arrays = {"scores": np.zeros((5000, 30)), "relevance": np.zeros((5000, 30))}
    arrays[argument][[4999, 3000, 77], 3] = NAN
    with pytest.raises(rm.InputError, match="user row 77, column 3"):
        rm.rank(**arrays, n_threads=n_threads, isa=isa)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("column", [0, 7, 8, 31, 4095, 4096, 4100, 8999])
def test_nan_is_found_at_every_place(isa: str, column: int, dtype: str) -> None:
    scores = put(np.zeros(9000), column, NAN, dtype)
    said = f"scores: NaN at user row 0, column {column};"
    with pytest.raises(rm.InputError, match=said):
        rm.rank(scores, scores == 0, isa=isa)
    with pytest.raises(rm.InputError, match=said):
        rm.top_k(scores, 5, isa=isa)


def test_rows_of_mixed_groups_are_the_callers() -> None:
    """Whatever row is bad, the text names that row and the id of its user."""
    groups = np.random.default_rng(0).permutation(np.repeat(np.arange(100, 120), 5))
    for at, user in enumerate(groups):
        with pytest.raises(rm.InputError, match=rf"row {at} \(user {user}\)"):
            rm.rank(put(np.zeros(100), at, NAN), np.zeros(100), groups=groups)


def test_more_candidates_than_can_be_counted() -> None:
    n = 2**31 - 1
    scores = np.broadcast_to(np.float32(0), (1, n))
    said = f"^user row 0 has {n} candidates; wanted at most {n - 1}$"
    with pytest.raises(rm.InputError, match=said):
        rm.rank(scores, sp.csr_array((1, n)))
    with pytest.raises(rm.InputError, match=said):
        rm.top_k(scores, 1)


# ---- what is not refused


def test_users_without_candidates_are_fine() -> None:
    assert rm.rank(np.ones((2, 0)), np.ones((2, 0))).candidates.tolist() == [0, 0]
    assert rm.rank([], []).candidates.tolist() == [0]
    assert rm.rank([1, 2], [1, 0], offsets=[0, 0, 2, 2]).candidates.tolist() == [0, 2, 0]
    excluded = rm.rank(MATRIX, LABELS, exclude=[[0, 1, 2], []])
    assert excluded.candidates.tolist() == [0, 3]
    assert excluded.offsets.tolist() == [0, 0, 2]


def test_infinite_scores_are_fine() -> None:
    assert rm.rank([INF, 0, -INF], [0, 1, 1]).ahead.tolist() == [1, 2]


def test_object_labels_of_plain_numbers_convert() -> None:
    labels = np.array([[1, 0.0, False], [np.int8(0), np.float32(2), True]], dtype=object)
    assert bits(rm.rank(MATRIX, labels)) == bits(rm.rank(MATRIX, LABELS))
