"""Ids of users and items of every type, rows mixed or together."""

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm
from test_bit_equality import bits

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]


def whole(dtype: str) -> Any:
    """Four ids at the ends of the type and next to them."""
    info = np.iinfo(dtype)
    return np.array([info.max, info.min, info.max - 1, info.min + 1], dtype=dtype)


# Four different ids of each kind, in an order that sorting would change.
KINDS: dict[str, Any] = {
    **{dtype: whole(dtype) for dtype in [*SIGNED, *UNSIGNED]},
    "big-endian": whole("int32").astype(">i4"),
    "2^63 and neighbours": np.array([2**63, 2**63 - 1, 2**63 + 1, 0], dtype=np.uint64),
    "beyond 2^53": np.array([2**53 + 1, 2**53, 2**53 + 2, 2**53 + 3]),
    "text": np.array(["u10", "u9", "ü", "u"]),
    "long text": np.array(["x" * 100 + "b", "x" * 100 + "a", "x", ""]),
    "big-endian text": np.array(["bob", "ann", "cid", "c"]).astype(">U3"),
    "bytes": np.array([b"u10", b"u9", b"zz", b"u"]),
    "objects of text": np.array(["bob", "ann", "cid", ""], dtype=object),
    "objects of integers": np.array([10**30, -1, 2**64, 0], dtype=object),
    "objects of both": np.array(["1", 1, b"1", "x"], dtype=object),
}
if hasattr(np.dtypes, "StringDType"):
    KINDS["variable-width text"] = np.array(["bob", "ann", "x" * 40, ""], np.dtypes.StringDType())

# Ways to hand them over.
FORMS: dict[str, Callable[[Any], Any]] = {
    "array": lambda ids: ids,
    "strided": lambda ids: np.repeat(ids, 2)[::2],
    "backwards": lambda ids: ids[::-1].copy()[::-1],
    "list": lambda ids: ids.tolist() if ids.dtype.kind in "iSU" else ids,
    "Series": lambda ids: pd.Series(ids.tolist(), index=range(len(ids), 0, -1), dtype=object),
    "Categorical": lambda ids: pd.Categorical(
        pd.Series(ids.tolist(), dtype=object), [*dict.fromkeys(ids.tolist()), "never there"]
    ),
    "categorical Series": lambda ids: (
        pd.Series(
            pd.Categorical(pd.Series(ids.tolist(), dtype=object)), index=range(len(ids), 0, -1)
        )
        if len({type(one) for one in ids.tolist()}) == 1
        else pd.Series(ids.tolist(), dtype=object)
    ),
}

ROWS = 60
RNG = np.random.default_rng(0)
SCORES, LABELS = RNG.integers(0, 20, ROWS), RNG.integers(-1, 4, ROWS)
MIXED = RNG.permutation(np.arange(ROWS) % 4)


def expected(owner: Any) -> tuple[list[int], list[bytes]]:
    """The users by first appearance, and the Ranks of their rows brought together by hand."""
    users = list(dict.fromkeys(owner.tolist()))
    rows = np.concatenate([np.flatnonzero(owner == user) for user in users])
    offsets = np.cumsum([0, *((owner == user).sum() for user in users)])
    return users, bits(rm.rank(SCORES[rows], LABELS[rows], offsets=offsets))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", ["mixed", "together"])
def test_groups_of_every_type(kind: str, form: str, order: str) -> None:
    owner = MIXED if order == "mixed" else np.repeat([2, 0, 3, 1], ROWS // 4)
    ids = FORMS[form](KINDS[kind][owner])
    before = repr(ids)
    users, want = expected(owner)
    ranks = rm.rank(SCORES, LABELS, groups=ids)
    assert bits(ranks) == want
    assert ranks.users is not None
    assert ranks.users.tolist() == KINDS[kind][users].tolist()
    assert repr(ids) == before
    result = rm.evaluate(SCORES, LABELS, "mrr", groups=ids)
    assert result.users is not None
    assert result.users.tolist() == ranks.users.tolist()


@pytest.mark.parametrize("order", ["mixed", "together"])
def test_boolean_groups(order: str) -> None:
    owner = MIXED % 2 if order == "mixed" else np.arange(ROWS) // 30
    ranks = rm.rank(SCORES, LABELS, groups=owner == 1)
    users, want = expected(owner)
    assert bits(ranks) == want
    assert ranks.users is not None
    assert ranks.users.tolist() == [user == 1 for user in users]


@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.sampled_from(sorted(KINDS)))
def test_any_order_of_rows(owners: list[int], kind: str) -> None:
    """First appearance, one-row users, users that come back, a single user."""
    owner = np.array(owners) % 4
    scores, labels = SCORES[: len(owner)], LABELS[: len(owner)]
    ranks = rm.rank(scores, labels, groups=KINDS[kind][owner])
    users = list(dict.fromkeys(owner.tolist()))
    assert ranks.users is not None
    assert ranks.users.tolist() == KINDS[kind][users].tolist()
    for at, user in enumerate(users):
        alone = rm.rank(scores[owner == user], labels[owner == user])
        mine = slice(ranks.offsets[at], ranks.offsets[at + 1])
        assert ranks.ahead[mine].tolist() == alone.ahead.tolist()
        assert ranks.grade[mine].tolist() == alone.grade.tolist()


def test_many_ids_with_few_bits_apart() -> None:
    """More users than the first table holds, with ids that a poor hash would throw together."""
    n = 40_000
    for ids in (np.arange(n), -np.arange(n), np.arange(n) << 20, np.arange(n) << 48):
        rows = np.random.default_rng(1).permutation(np.repeat(np.arange(n), 2))
        ranks = rm.rank(np.arange(2 * n), np.ones(2 * n), groups=ids[rows])
        assert ranks.users is not None
        assert ranks.users.tolist() == list(dict.fromkeys(ids[rows].tolist()))
        assert (ranks.candidates == 2).all()
        assert ranks.ahead.tolist() == [0, 1] * n


@pytest.mark.parametrize("pair", [(87975, 697007), (231283, 313039), (117921, 885178)])
def test_ids_whose_hashes_look_alike(pair: tuple[int, int]) -> None:
    """Found by search: the engine's hashes of these share all bits that it looks at first."""
    groups = np.array(pair * 3, dtype=np.int64)
    ranks = rm.rank(np.arange(6), np.ones(6), groups=groups)
    assert ranks.users is not None
    assert ranks.users.tolist() == list(pair)
    assert ranks.candidates.tolist() == [3, 3]
    assert ranks.ahead.tolist() == [0, 1, 2] * 2


@pytest.mark.parametrize("dtype", ["float32", "int16", ">f8", "uint64", "bool"])
def test_mixed_rows_of_any_width(dtype: str) -> None:
    """Scores and labels of every width are read where they lie, from any layout."""
    scores = SCORES.astype(dtype)
    _, want = expected(MIXED)
    if dtype != "bool":
        assert bits(rm.rank(scores, LABELS, groups=MIXED)) == want
        assert bits(rm.rank(np.repeat(scores, 3)[::3], LABELS[:], groups=MIXED)) == want
    labels = np.maximum(LABELS, 0).astype(dtype)
    found = rm.rank(SCORES, labels, groups=MIXED)
    assert bits(found) == bits(rm.rank(SCORES, labels.astype(float), groups=MIXED))


def test_a_list_of_text_and_numbers_merges_no_users() -> None:
    """Whatever numpy makes of such a list: two ids stay two users, or are refused."""
    with contextlib.suppress(rm.InputError, rm.InputTypeError):
        assert rm.rank([2, 1], [0, 1], groups=["1", 1]).n_users == 2


# ---- refused


@pytest.mark.parametrize(
    ("ids", "kind", "said"),
    [
        ([1.0, 2.0], rm.InputTypeError, "groups: got dtype float64; wanted integers or strings"),
        (pd.Series([1, None]), rm.InputTypeError, "groups: got dtype float64"),
        (np.array([1, None], dtype=object), rm.InputError, "groups: got None at row 1; wanted"),
        (["x", None], rm.InputError, "groups: got None at row 1; wanted an integer or a string"),
        (np.array(["x", np.nan], dtype=object), rm.InputError, "groups: got nan at row 1"),
        (np.array([0.5, "x"], dtype=object), rm.InputError, "groups: got 0.5 at row 0"),
        (pd.array([1, None], dtype="Int64"), rm.RankmillError, "groups: got "),
        (pd.array(["x", None], dtype="string"), rm.InputError, "groups: got <NA> at row 1"),
        (pd.Series([pd.NaT, "x"]), rm.InputError, "groups: got NaT at row 0"),
        (pd.Categorical(["x", None]), rm.InputError, "groups: missing id at row 1; wanted every"),
        (pd.Series(["x", None], dtype="category"), rm.InputError, "groups: missing id at row 1"),
        (pd.Categorical([1.5, 2.5]), rm.InputTypeError, "groups: "),
        (np.array([1j, 2]), rm.InputTypeError, "groups: got dtype complex128"),
        (np.array([1, 2], dtype="M8[s]"), rm.InputTypeError, "groups: got dtype datetime64[s]"),
        ([["x"], ["y"]], rm.InputTypeError, "groups: got dtype <U1 and shape (2, 1); wanted a 1-D"),
        (np.array([{}, {}], dtype=object), rm.InputTypeError, "wanted integers or strings"),
        (np.ma.array([1, 2], mask=[0, 1]), rm.InputTypeError, "groups: got a masked array"),
        ([["x"], ["y", "z"]], rm.InputError, "groups: "),
    ],
)
def test_refused_groups(ids: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind) as caught:
        rm.rank([2, 1], [0, 1], groups=ids)
    assert said in str(caught.value)


# ---- items

ORDERED = {
    "int8": np.array([-128, 127, 0, -1], dtype=np.int8),
    "int64": np.array([2**62, 2**62 + 1, -(2**63), 0]),
    "uint64": np.array([2**64 - 1, 2**63, 2**63 - 1, 5], dtype=np.uint64),
    "swapped": np.array([2**31 - 1, 1, -(2**31), 256], dtype=np.int32).byteswap().view(">i4"),
    "strided uint64": np.array([2**63 - 1, 0, 1, 0, 2**40, 0, 5, 0], dtype=np.uint64)[::2],
    "backwards": np.array([3, 7, -9, 4], dtype=np.int16)[::-1],
    "text": np.array(["10", "9", "é", "Z"]),
    "bytes": np.array([b"10", b"9", b"zz", b"Z"]),
    "objects of text": np.array(["10", "9", "b", "Z"], dtype=object),
    "objects of integers": np.array([10**30, 9, -1, 2**64], dtype=object),
}


@pytest.mark.parametrize("kind", ORDERED)
def test_larger_ids_stand_first_in_a_tie(kind: str) -> None:
    """Text as text, integers as numbers."""
    items = ORDERED[kind]
    descending = sorted(range(4), key=lambda at: items.tolist()[at], reverse=True)
    labels = np.arange(4)
    ranks = rm.rank(np.zeros(4), labels + 1, items=items, ties="id_descending")
    assert ranks.position is not None
    by_place = ranks.grade[np.argsort(ranks.position)]
    assert by_place.tolist() == [at + 1 for at in descending]
    flat = rm.rank(np.zeros(4), labels + 1, offsets=[0, 4], items=items, ties="id_descending")
    assert bits(flat) == bits(ranks)


@pytest.mark.parametrize("kind", ORDERED)
def test_exclusion_by_id(kind: str) -> None:
    """The same items, excluded by id from a matrix, from rows, and from mixed rows."""
    items = ORDERED[kind]
    gone = [items.tolist()[1:3], items.tolist()[:1]]
    scores = np.array([[4, 3, 2, 1], [1, 2, 3, 4]])
    labels = np.array([[0, 1, 0, 1], [1, 0, 1, 1]])
    columns = rm.rank(scores, labels, exclude=[[1, 2], [0]])
    assert bits(rm.rank(scores, labels, items=items, exclude=gone)) == bits(columns)
    rows = {"scores": scores.ravel(), "relevance": labels.ravel(), "items": np.tile(items, 2)}
    assert bits(rm.rank(**rows, offsets=[0, 4, 8], exclude=gone)) == bits(columns)
    mixed = np.array([0, 4, 1, 5, 6, 2, 3, 7])
    owner = np.repeat(["ann", "bob"], 4)
    shuffled = {name: values[mixed] for name, values in rows.items()}
    for exclude in (gone, {"bob": gone[1], "ann": set(gone[0])}):
        found = rm.rank(**shuffled, groups=owner[mixed], exclude=exclude)
        assert bits(found) == bits(columns)


def test_exclusion_of_rows_by_matrix() -> None:
    """Integer item ids number the columns; a stored zero excludes nothing."""
    gone = sp.csr_array((np.array([1, 0, 1]), np.array([7, 2, 1]), np.array([0, 2, 3])), (2, 9))
    ranks = rm.rank(
        [3, 2, 1, 3, 2], [1, 1, 1, 1, 1], offsets=[0, 3, 5], items=[7, 2, 1, 1, 7], exclude=gone
    )
    assert ranks.candidates.tolist() == [2, 1]
    assert ranks.ahead.tolist() == [0, 1, 0]


def test_excluded_ids_that_no_row_has_exclude_nothing() -> None:
    rows = {"scores": [3, 2, 1], "relevance": [0, 1, 1], "offsets": [0, 3], "items": [7, 2, 1]}
    assert rm.rank(**rows, exclude=[[99, 2]]).candidates.tolist() == [2]


def test_excluded_users_that_have_no_row_change_nothing() -> None:
    rows = {"scores": [3, 2], "relevance": [0, 1], "groups": ["x", "x"], "items": [7, 2]}
    assert rm.rank(**rows, exclude={"x": [7], "y": [2]}).candidates.tolist() == [1]


@pytest.mark.parametrize("collection", [list, tuple, set, np.array, iter])
def test_excluded_ids_in_any_collection(collection: Any) -> None:
    scores, labels, items = np.array([[3, 2, 1]]), np.array([[1, 1, 1]]), np.array(["x", "y", "z"])
    dense = rm.rank(scores, labels, items=items, exclude=[collection(["x", "y"])])
    assert dense.candidates.tolist() == [1]
    flat = rm.rank(
        scores[0], labels[0], offsets=[0, 3], items=items, exclude=[collection(["x", "y"])]
    )
    assert flat.candidates.tolist() == [1]
    plain = rm.rank(scores, labels, exclude=[collection([0, 1])])
    assert plain.candidates.tolist() == [1]


def test_an_item_that_stands_twice_is_excluded_twice_or_refused() -> None:
    scores, labels = np.array([[3, 2, 1]]), np.array([[1, 1, 1]])
    with contextlib.suppress(rm.InputError):
        ranks = rm.rank(scores, labels, items=["x", "x", "z"], exclude=[["x"]])
        assert ranks.candidates.tolist() == [1]


@pytest.mark.parametrize("ties", ["average", "input_order", "id_descending"])
@pytest.mark.parametrize("min_score", [None, 1])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_mixed_rows_of_several_blocks(ties: str, min_score: int | None, n_threads: int) -> None:
    """As the same rows brought together by hand: a long user among others, ties, exclusion."""
    rng = np.random.default_rng(5)
    n = 20_000
    owner = np.where(rng.random(n) < 0.5, 0, rng.integers(0, 300, n))
    scores = rng.normal(size=n, scale=50).round().astype("float32")
    labels, items = rng.integers(-1, 4, n), rng.integers(-50, 50, n)
    users, first, place = np.unique(owner, return_index=True, return_inverse=True)
    seen = np.argsort(np.argsort(first))[place]  # users by first appearance
    order = np.argsort(seen, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(seen))])
    exclude = [rng.integers(-50, 50, 3).tolist() for _ in users]
    options: dict[str, Any] = {"ties": ties, "min_score": min_score, "exclude": exclude}
    want = rm.rank(scores[order], labels[order], offsets=offsets, items=items[order], **options)
    found = rm.rank(
        scores, labels, groups=owner * 7919, items=items, n_threads=n_threads, **options
    )
    assert bits(found) == bits(want)
