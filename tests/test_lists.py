"""`rank_lists`: every way to give the same lists gives the same Ranks."""

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm
from rankmill.ranks import UNRANKED
from test_bit_equality import bits

N_ITEMS = 12

Lists = list[list[int]]
Grades = list[dict[int, float]]


def padded(lists: Lists, dtype: Any = np.int64, padding: int = -1) -> Any:
    array = np.full((len(lists), max(map(len, lists)) + 1), padding, dtype=dtype)
    for row, items in zip(array, lists, strict=True):
        row[: len(items)] = items
    return array


def by_user(rows: list[Any]) -> dict[int, Any]:
    return dict(enumerate(rows))


def csr(grades: Grades) -> Any:
    matrix = np.zeros((len(grades), N_ITEMS))
    for row, truth in zip(matrix, grades, strict=True):
        row[list(truth)] = list(truth.values())
    return sp.csr_array(matrix)


def indicator(rows: Lists) -> Any:
    return csr([dict.fromkeys(row, 1.0) for row in rows])


RECOMMENDED = {
    "padded int64": padded,
    "padded int16": lambda lists: padded(lists, np.int16, -7),
    "padded big-endian": lambda lists: padded(lists, ">i4"),
    "padded Fortran": lambda lists: np.asfortranarray(padded(lists)),
    "padded, every other": lambda lists: np.repeat(padded(lists), 2, axis=1)[:, ::2],
    "lists": list,
    "tuples": lambda lists: [tuple(row) for row in lists],
    "arrays": lambda lists: [np.array(row, dtype=np.uint32) for row in lists],
    "dict": by_user,
}
RELEVANT = {
    "csr_array": csr,
    "csr_matrix": lambda grades: sp.csr_matrix(csr(grades)),
    "csc": lambda grades: csr(grades).tocsc(),
    "coo": lambda grades: csr(grades).tocoo(),
    "dicts": list,
    "dict of dicts": by_user,
}
EXCLUDE = {
    "csr": indicator,
    "lists": list,
    "sets": lambda rows: [set(row) for row in rows],
    "dict": lambda rows: {user: set(row) for user, row in enumerate(rows) if row},
}


def expected(lists: Lists, grades: Grades, exclude: Lists) -> list[list[bytes]]:
    """The arrays of the Ranks, user by user in plain Python."""
    ahead: list[int] = []
    tied: list[int] = []
    grade: list[float] = []
    ends, candidates = [0], []
    for listed, truth, gone in zip(lists, grades, exclude, strict=True):
        kept = [item for item in listed if item not in gone]
        relevant = {item: g for item, g in truth.items() if g > 0 and item not in gone}
        hits = [(place, relevant[item]) for place, item in enumerate(kept) if item in relevant]
        missed = sorted((g for item, g in relevant.items() if item not in kept), reverse=True)
        ahead += [place for place, _ in hits] + [UNRANKED] * len(missed)
        tied += [1] * len(hits) + [0] * len(missed)
        grade += [g for _, g in hits] + missed
        ends.append(len(ahead))
        candidates.append(len(kept))
    types = ("i8", "i4", "i4", "f8", "i8")
    parts = (ends, ahead, tied, grade, candidates)
    whole = [np.array(part, dtype=kind).tobytes() for part, kind in zip(parts, types, strict=True)]
    return [*whole[:3], b"", *whole[3:]]


@st.composite
def problems(draw: st.DrawFn) -> tuple[Lists, Grades, Lists]:
    n_users = draw(st.integers(1, 4))
    items = st.lists(st.integers(0, N_ITEMS - 1), unique=True, max_size=N_ITEMS)
    truths = st.dictionaries(
        st.integers(0, N_ITEMS - 1), st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]), max_size=8
    )
    several = [draw(st.lists(one, min_size=n_users, max_size=n_users)) for one in (items, truths)]
    gone = draw(st.lists(items.map(lambda row: row[:3]), min_size=n_users, max_size=n_users))
    return several[0], several[1], gone


@given(problems(), st.sampled_from(sorted(EXCLUDE)))
def test_every_form(problem: tuple[Lists, Grades, Lists], form: str) -> None:
    """Each form of the lists with each form of the relevant items."""
    lists, grades, exclude = problem
    want = expected(lists, grades, exclude)
    gone = EXCLUDE[form](exclude)
    for recommended, relevant in itertools.product(RECOMMENDED, RELEVANT):
        left, right = RECOMMENDED[recommended](lists), RELEVANT[relevant](grades)
        found = rm.rank_lists(left, right, exclude=gone)
        assert bits(found) == want, (recommended, relevant)
        assert not found.complete
        # Ids come from two dicts; beside rows, a dict has the number of the row.
        both = recommended == "dict" and relevant == "dict of dicts"
        assert (found.users is not None) == both


@given(problems())
def test_nothing_excluded(problem: tuple[Lists, Grades, Lists]) -> None:
    lists, grades, _ = problem
    want = expected(lists, grades, [[] for _ in lists])
    for recommended, relevant in itertools.product(("padded int64", "lists"), ("coo", "dicts")):
        found = rm.rank_lists(RECOMMENDED[recommended](lists), RELEVANT[relevant](grades))
        assert bits(found) == want, (recommended, relevant)


@pytest.mark.parametrize("relevant", ["sets", "lists", "tuples"])
@pytest.mark.parametrize("recommended", ["padded int64", "lists", "dict"])
def test_collections_have_grade_1(recommended: str, relevant: str) -> None:
    lists, truth = [[3, 1, 2], [0]], [[2, 3, 9], []]
    kind = {"sets": set, "lists": list, "tuples": tuple}[relevant]
    found = rm.rank_lists(RECOMMENDED[recommended](lists), [kind(row) for row in truth])
    nothing: Lists = [[], []]
    assert bits(found) == expected(lists, [dict.fromkeys(row, 1.0) for row in truth], nothing)


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_threads_give_the_same_bits(isa: str, n_threads: int) -> None:
    rng = np.random.default_rng(0)
    lists = np.argsort(rng.random((2000, 100)))[:, :20]
    grades = sp.csr_array(np.where(rng.random((2000, 100)) < 0.1, 1.0, 0))
    exclude = sp.csr_array(rng.random((2000, 100)) < 0.1)
    base = rm.rank_lists(lists, grades, exclude=exclude, n_threads=1)
    found = rm.rank_lists(lists, grades, exclude=exclude, n_threads=n_threads, isa=isa)
    assert bits(found) == bits(base)
    rows = slice(0, 40)
    as_dicts = [
        dict(zip(np.flatnonzero(row).tolist(), row[row > 0].tolist(), strict=True))
        for row in grades[rows].toarray()
    ]
    gone = [np.flatnonzero(row).tolist() for row in exclude[rows].toarray()]
    few = rm.rank_lists(lists[rows], grades[rows], exclude=exclude[rows], n_threads=n_threads)
    assert bits(few) == expected(lists[rows].tolist(), as_dicts, gone)


def test_each_user_starts_with_nothing_of_the_ones_before() -> None:
    """Users that need more and more room, again and again: nothing old may show through."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        lists = np.argsort(rng.random((4, 8)))
        grades: Grades = [
            dict.fromkeys(rng.choice(64, size, replace=False).tolist(), 1.0)
            for size in (0, 5, 20, 50)
        ]
        found = rm.rank_lists(lists, grades, n_threads=1)
        assert bits(found) == expected(lists.tolist(), grades, [[], [], [], []])


# ---- users


def test_users_without_a_list_count_with_an_empty_one() -> None:
    ranks = rm.rank_lists({"ann": ["x"]}, {"bob": {"x", "y"}, "ann": {"x"}})
    assert ranks.users is not None
    assert ranks.users.tolist() == ["bob", "ann"]
    assert ranks.candidates.tolist() == [0, 1]
    assert ranks.ahead.tolist() == [UNRANKED, UNRANKED, 0]
    result = rm.measure(ranks, ["recall@5", "mrr", "precision@1"])
    assert result.values.tolist() == [[0, 1], [0, 1], [0, 1]]
    assert result.users is not None
    assert result.users.tolist() == ["bob", "ann"]


def test_users_with_a_list_only_are_ignored_and_counted() -> None:
    ranks = rm.rank_lists({"ann": ["x"], "cid": ["x"], "dan": []}, {"ann": {"x"}})
    assert ranks.n_users == 1
    assert ranks.ignored == 2
    result = rm.measure(ranks, "mrr")
    assert result.ignored == 2
    assert "2 users with a list but nothing on record were left out" in str(result)
    assert "left out" not in str(rm.measure(rm.rank_lists([["x"]], [{"x"}]), "mrr"))


def test_users_without_relevant_items_are_kept() -> None:
    ranks = rm.rank_lists({"ann": ["x"], "bob": ["x"]}, {"ann": set(), "bob": {"x": 0}})
    assert ranks.offsets.tolist() == [0, 0, 0]
    assert ranks.candidates.tolist() == [1, 1]


def test_a_dict_beside_rows_is_keyed_by_row() -> None:
    """Ids of users come from two dicts; beside rows, a dict has the number of the row."""
    want = bits(rm.rank_lists([["x"], []], [{"x"}, {"y"}]))
    assert bits(rm.rank_lists({0: ["x"]}, [{"x"}, {"y"}])) == want
    assert bits(rm.rank_lists([["x"], []], {0: {"x"}, 1: {"y"}})) == want


@pytest.mark.parametrize(
    ("users", "dtype"), [([2**62 + 1, 7], "int64"), (["ann", 7], "object"), ([2**63, 1], "object")]
)
def test_ids_of_users_keep_their_values(users: list[Any], dtype: str) -> None:
    ranks = rm.rank_lists({user: ["x"] for user in users}, {user: {"x"} for user in users})
    assert ranks.users is not None
    assert ranks.users.dtype == dtype
    assert ranks.users.tolist() == users


# ---- items


def test_items_may_be_of_any_hashable_kind() -> None:
    lists: list[list[Any]] = [["x", 1, ("a", 2), b"z"]]
    assert rm.rank_lists(lists, [{("a", 2): 1, b"z": 2, "w": 3}]).ahead.tolist() == [2, 3, UNRANKED]


def test_numpy_and_plain_integers_are_the_same_items() -> None:
    lists = [np.array([5, 3, 2**62 + 1])]
    assert rm.rank_lists(lists, [{3, 2**62 + 1}]).ahead.tolist() == [1, 2]
    assert rm.rank_lists([[5, 3]], [{np.int32(3)}]).ahead.tolist() == [1]


def test_ids_of_one_type_that_simply_missed_are_no_mistake() -> None:
    assert rm.rank_lists([[1, "x"]], [{"y"}]).ahead.tolist() == [UNRANKED]
    assert rm.rank_lists([[]], [{"y"}]).ahead.tolist() == [UNRANKED]


def test_large_ids_in_an_array() -> None:
    lists = np.array([[2**62 + 1, 2**62, -1]])
    assert rm.rank_lists(lists, [{2**62, 2**61}]).ahead.tolist() == [1, UNRANKED]


@pytest.mark.parametrize("recommended", [["a", "b", "c"], [1, 2, 3]])
def test_duplicates_stay_refused_when_excluded(recommended: list[Any]) -> None:
    twice = [recommended[0], *recommended]
    with pytest.raises(rm.InputError, match="stands twice in the list of user 0"):
        rm.rank_lists([twice], [{recommended[1]}], exclude=[{recommended[0]}])
