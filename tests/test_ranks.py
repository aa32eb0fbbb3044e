"""`Ranks`: its fields, and joining parts."""

import contextlib
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm
from forms import flat
from rankmill.ranks import UNRANKED
from strategies import Batch, batches
from test_bit_equality import bits

# Three users: grades among ties; nothing relevant; no candidates.
ROWS = {
    "scores": [5, 7, 5, 5, 1, 2, 1],
    "relevance": [1, 0, 3, 0, 2, 0, -1],
    "offsets": [0, 5, 7, 7],
}


def test_fields() -> None:
    ranks = rm.rank(**ROWS)
    assert ranks.offsets.tolist() == [0, 3, 3, 3]
    assert ranks.ahead.tolist() == [1, 1, 4]
    assert ranks.tied.tolist() == [3, 3, 1]
    assert ranks.grade.tolist() == [3, 1, 2]
    assert ranks.candidates.tolist() == [5, 2, 0]
    assert ranks.position is None
    assert ranks.users is None
    assert ranks.order is None
    assert ranks.complete
    assert ranks.ignored == 0
    assert len(ranks) == ranks.n_users == 3


def test_types() -> None:
    ranks = rm.rank(**ROWS, ties="input_order")
    assert ranks.position is not None
    kinds = [ranks.offsets, ranks.ahead, ranks.tied, ranks.position, ranks.grade, ranks.candidates]
    assert [array.dtype.str[1:] for array in kinds] == ["i8", "i4", "i4", "i4", "f8", "i8"]


@pytest.mark.parametrize(
    ("ties", "position", "grade"),
    [("input_order", [1, 2, 4], [1, 3, 2]), ("id_descending", [2, 3, 4], [3, 1, 2])],
)
def test_places(ties: str, position: list[int], grade: list[float]) -> None:
    """Entries of one tie stay sorted by grade, so places need not rise."""
    ranks = rm.rank(**ROWS, items=[1, 2, 3, 9, 4, 7, 8], ties=ties)
    assert ranks.order == ties
    assert ranks.position is not None
    by_place = np.argsort(ranks.position)
    assert ranks.position[by_place].tolist() == position
    assert ranks.grade[by_place].tolist() == grade
    assert ranks.grade.tolist() == [3, 1, 2]


@pytest.mark.parametrize("ties", ["average", "worst", "best"])
def test_rules_that_need_no_place_leave_none(ties: str) -> None:
    assert bits(rm.rank(**ROWS, ties=ties)) == bits(rm.rank(**ROWS))


def test_repr_and_size() -> None:
    ranks = rm.rank(**ROWS)
    assert repr(ranks) == "Ranks(users=3, relevant=3, order=None)"
    assert ranks.nbytes == 3 * 16 + (4 + 3) * 8
    ordered = rm.rank(**ROWS, ties="input_order")
    assert repr(ordered) == "Ranks(users=3, relevant=3, order='input_order')"
    assert ordered.nbytes == ranks.nbytes + 3 * 4


def test_missed_items_stand_last() -> None:
    ranks = rm.rank(ROWS["scores"][:5], ROWS["relevance"][:5], min_score=5)
    assert ranks.ahead.tolist() == [1, 1, UNRANKED]
    assert ranks.tied.tolist() == [3, 3, 0]
    assert ranks.candidates.tolist() == [4]
    assert not ranks.complete


def test_ranks_are_frozen() -> None:
    ranks: Any = rm.rank(**ROWS)
    with pytest.raises(AttributeError):
        ranks.ahead = ranks.tied


# ---- parts


@given(
    batches(max_users=6), st.sampled_from(["average", "input_order", "id_descending"]), st.data()
)
def test_concat_of_any_parts(batch: Batch, ties: str, data: st.DataObject) -> None:
    """Cut anywhere, also into parts without an entry."""
    rows = flat(batch)
    whole = rm.rank(**rows, ties=ties)
    n_users = len(batch.users)
    inner = st.lists(st.integers(1, n_users - 1), unique=True) if n_users > 1 else st.just([])
    cuts = [0, *sorted(data.draw(inner)), n_users]
    parts = []
    for first, last in itertools.pairwise(cuts):
        start, stop = rows["offsets"][first], rows["offsets"][last]
        part = {name: values[start:stop] for name, values in rows.items() if name != "offsets"}
        offsets = rows["offsets"][first : last + 1] - start
        parts.append(rm.rank(**part, offsets=offsets, ties=ties))
    joined = rm.Ranks.concat(parts)
    assert bits(joined) == bits(whole)
    assert (joined.order, joined.complete, joined.users) == (whole.order, True, None)
    assert bits(rm.Ranks.concat([rm.Ranks.concat(parts[:1]), *parts[1:]])) == bits(whole)


def of_group(users: Any) -> rm.Ranks:
    """Ranks of users with two rows each."""
    ids = np.repeat(np.asarray(users), 2)
    return rm.rank([2, 1] * len(users), [0, 1] * len(users), groups=ids)


def ids_of(*parts: rm.Ranks) -> list[Any]:
    joined = rm.Ranks.concat(parts)
    assert joined.users is not None
    return list(joined.users.tolist())


@pytest.mark.parametrize(
    "ids",
    [
        [["ann", "bob"], ["christopher"]],
        [[1, 2], [2**62 + 1]],
        [[b"x"], [b"longer"]],
        [np.array([1, 2], dtype=np.int8), np.array([300], dtype=np.int16)],
    ],
)
def test_concat_keeps_ids(ids: list[Any]) -> None:
    assert ids_of(*map(of_group, ids)) == [
        user for part in ids for user in np.asarray(part).tolist()
    ]


@pytest.mark.parametrize(
    "ids",
    [
        [[1, 2], ["1"]],
        [["x"], [b"x"]],
        [[2**62 + 1], np.array([2**63 + 1], dtype=np.uint64)],
    ],
)
def test_concat_never_changes_an_id(ids: list[Any]) -> None:
    """Ids that one array cannot hold as they are are kept as objects, or refused."""
    want = [user for part in ids for user in np.asarray(part).tolist()]
    with contextlib.suppress(rm.InputError, rm.InputTypeError):
        assert ids_of(*map(of_group, ids)) == want


def test_concat_adds_up_what_was_ignored_and_missed() -> None:
    lists = rm.rank_lists({"ann": ["x"], "bob": ["y"]}, {"ann": {"x"}})
    joined = rm.Ranks.concat([lists, lists])
    assert joined.ignored == 2
    assert not joined.complete
    mixed = rm.Ranks.concat([rm.rank([2, 1], [0, 1]), rm.rank([2, 1], [0, 1], min_score=0)])
    assert not mixed.complete
    with pytest.raises(rm.InputError, match="auc: "):
        rm.measure(mixed, "auc")


def test_concat_of_one_order_only() -> None:
    parts = [rm.rank(**ROWS), rm.rank(**ROWS, ties="input_order")]
    with pytest.raises(rm.InputError, match="parts: got Ranks of order None, input_order; wanted"):
        rm.Ranks.concat(parts)


def test_concat_of_ids_and_none() -> None:
    with pytest.raises(rm.InputError, match="parts: only some have user ids; wanted all or none"):
        rm.Ranks.concat([rm.rank(**ROWS), of_group(["ann"])])


def test_concat_leaves_the_parts_alone() -> None:
    part = rm.rank(**ROWS)
    before = bits(part)
    joined = rm.Ranks.concat([part, part])
    joined.ahead[:] = 9
    joined.offsets[:] = 0
    assert bits(part) == before
    assert bits(rm.Ranks.concat(iter([part]))) == before  # type: ignore[arg-type]


def test_settled_ranks_serve_every_rule_without_ties() -> None:
    """Where no scores are equal, no rule needs a place."""
    ranks = rm.rank([3, 2, 1], [0, 1, 1])
    values = [
        rm.measure(ranks, "map", conventions=rm.Conventions(ties=ties))["map"].tolist()  # type: ignore[arg-type]
        for ties in ("average", "worst", "best", "input_order", "id_descending")
    ]
    assert values == [[(1 / 2 + 2 / 3) / 2]] * 5


@pytest.mark.parametrize("place", [3, 9, 10**6, 2**31 - 2])
def test_places_behind_all_candidates(place: int) -> None:
    """Ranks made by hand: nothing is read beyond a table, and the definition holds."""
    ranks = rm.Ranks(
        offsets=np.array([0, 2, 3]),
        ahead=np.array([0, place, 1], dtype=np.int32),
        tied=np.ones(3, dtype=np.int32),
        position=None,
        grade=np.ones(3),
        candidates=np.array([3, 3]),
    )
    values = rm.measure(ranks, "dcg dcg@10 map recall@10")
    discounted = 1 / math.log2(place + 2)
    assert values["dcg"][0] == pytest.approx(1 + discounted, rel=1e-15)
    assert values["dcg@10"][0] == pytest.approx(1 + discounted * (place < 10), rel=1e-15)
    assert values["map"][0] == pytest.approx((1 + 2 / (place + 1)) / 2, rel=1e-15)
    assert values["recall@10"][0] == (1 + (place < 10)) / 2
