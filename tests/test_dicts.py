"""{user: {item: score}} against {user: {item: grade}}: the same as rows, and clear errors."""

import contextlib
import re
from collections import UserDict
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm

RUN = {
    "q1": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 1.0},
    "q2": {"b": 0.5},
    "unjudged": {"a": 1.0},
}
TRUTH = {
    "q1": {"b": 2, "c": 0, "d": 1, "x": 3, "y": 1},
    "q2": {"a": 1},
    "q3": {"a": 1},
    "q4": {},
}
METRICS = "ndcg@2 ndcg map mrr recall@3 precision@3 r_precision hit@1 pr_auc"


def test_same_as_ranked_lists_where_nothing_ties() -> None:
    run = {"q1": {"a": 9, "b": 8, "c": 7}, "q2": {"b": -1, "c": -2}}
    lists = {user: list(row) for user, row in run.items()}
    truth = {"q1": {"c": 1, "z": 2}, "q2": {"b": 3}, "q3": {"a": 1}}
    found = rm.evaluate(run, truth, METRICS)
    want = rm.measure(rm.rank_lists(lists, truth), METRICS)
    np.testing.assert_array_equal(found.values, want.values)
    assert found.users is not None
    assert found.users.tolist() == ["q1", "q2", "q3"]


def test_entries() -> None:
    ranks = rm.rank(RUN, TRUTH)
    none = 2**31 - 1
    assert ranks.offsets.tolist() == [0, 4, 5, 6, 6]
    assert ranks.ahead.tolist() == [1, 3, none, none, none, none]
    assert ranks.tied.tolist() == [2, 1, 0, 0, 0, 0]
    assert ranks.grade.tolist() == [2, 1, 3, 1, 1, 1]
    assert ranks.candidates.tolist() == [4, 1, 0, 0]
    assert (ranks.ignored, ranks.complete) == (1, False)


def test_ties_by_item_id() -> None:
    """Equal scores: c stands before b."""
    ranks = rm.rank(RUN, TRUTH, ties="id_descending")
    assert ranks.position is not None
    assert ranks.position.tolist()[:2] == [2, 3]
    assert rm.evaluate(RUN, {"q1": {"b": 1}}, "mrr(ties=id_descending)").values.tolist() == [
        [1 / 3]
    ]


def test_exclude() -> None:
    found = rm.evaluate(RUN, TRUTH, "mrr recall", exclude={"q1": {"a", "x"}, "q3": ["a"]})
    assert found["mrr"].tolist() == [(1 + 1 / 2) / 2, 0, 0, 0]
    assert found["recall"].tolist()[0] == 2 / 3


def test_auc_needs_every_relevant_item_among_the_candidates() -> None:
    assert rm.evaluate(RUN, {"q1": {"b": 1}}, "auc")["auc"].tolist() == [(1 + 1 / 2) / 3]
    with pytest.raises(rm.InputError, match="auc: not all candidates are known"):
        rm.evaluate(RUN, {"q1": {"b": 1, "z": 1}}, "auc")


@pytest.mark.parametrize(
    ("scores", "relevance", "error", "text"),
    [
        ({"q": {"a": "x"}}, {"q": {"a": 1}}, TypeError, "scores: got 'x' for item 'a' of user 'q'"),
        ({"q": {"a": 1}}, {"q": {"a": None}}, TypeError, "relevance: got None for item 'a'"),
        ({"q": {"a": 1}}, {"q": {"b": "1"}}, TypeError, "relevance: got '1' for item 'b'"),
        ({"q": {"a": float("nan")}}, {"q": {"a": 1}}, ValueError, "NaN at item 'a' of user 'q'"),
        ({"q": {"1": 1}}, {"q": {1: 1}}, TypeError, "scores has items of type str"),
        ({"q": {"a": 1}}, {"z": {"a": 1}}, ValueError, "scores: none of its 1 users, such as 'q'"),
        ({"q": ["a"]}, {"q": {"a": 1}}, TypeError, r"scores: got \['a'\] for user 'q'"),
        ({"q": {"a": 1}}, [[1]], TypeError, "relevance: got list"),
        ({"q": {"a": 1}}, {}, ValueError, "no users"),
    ],
)
def test_errors(scores: Any, relevance: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        rm.rank(scores, relevance)


def test_row_arguments_are_refused() -> None:
    with pytest.raises(rm.InputError, match="takes no groups"):
        rm.rank(RUN, TRUTH, groups=[1])


@pytest.mark.parametrize("grade", ["high", None, 1j, Decimal(2), Fraction(1, 2)])
@pytest.mark.parametrize("item", ["a", "no candidate"])
def test_grades_that_are_no_numbers(grade: Any, item: str) -> None:
    """Refused by name, also where the item is no candidate and its grade only counts in ideals."""
    wanted = re.escape(f"relevance: got {grade!r} for item {item!r} of user 'u'; wanted a number")
    with pytest.raises(rm.InputTypeError, match=wanted):
        rm.evaluate({"u": {"a": 1.0, "b": 2.0}}, {"u": {"b": 1, item: grade}}, "ndcg")


class Meddler:
    """An item that looks like every other, and empties a dict when it is compared."""

    def __init__(self, victim: dict[Any, float]) -> None:
        self.victim = victim

    def __hash__(self) -> int:
        return hash("x")

    def __eq__(self, other: object) -> bool:
        self.victim.clear()
        return False


def test_rows_that_change_while_they_are_read() -> None:
    """Whatever comes of it, it is an error or a number, and no crash."""
    for _ in range(20):
        row: dict[Any, float] = {"x": 1.0, **{f"y{at}": float(at) for at in range(50)}}
        truth: dict[Any, int] = {"y3": 1, Meddler(row): 1}
        with contextlib.suppress(Exception):
            rm.rank({"u": row}, {"u": truth})
        truth |= dict.fromkeys([Meddler(truth), *(f"y{at}" for at in range(99))], 1)
        for victim in (row, truth):
            row = {"x": 1.0, Meddler(victim): 2.0, **{f"y{at}": float(at) for at in range(50)}}
            with contextlib.suppress(Exception):
                rm.rank({"u": row}, {"u": truth})


@given(
    seed=st.integers(0, 2**32 - 1),
    shared=st.booleans(),
    order=st.sampled_from([None, "input_order"]),
)
def test_long_rows_equal_flat_ones(seed: int, shared: bool, order: Any) -> None:
    """Rows long and truths short enough to be read by their truth; scores may be one object."""
    rng = np.random.default_rng(seed)
    objects = [float(value) for value in rng.integers(0, 5, 5)]
    run: dict[str, dict[str, float]] = {}
    truth: dict[str, dict[str, Any]] = {}
    for user in range(6):
        names = [f"d{i}" for i in rng.permutation(400)]
        n, judged = int(rng.integers(0, 300)), int(rng.integers(0, 90))
        scores = (
            [objects[int(i)] for i in rng.integers(0, 5, n)]
            if shared and rng.random() < 0.5
            else [float(value) for value in rng.integers(0, 50, n)]
        )
        run[f"q{user}"] = dict(zip(names, scores, strict=False))
        chosen = rng.permutation(400)[:judged].tolist()
        kinds = (int, float, bool)
        truth[f"q{user}"] = {
            f"d{i}": kinds[int(rng.integers(0, 3))](rng.integers(-1, 3)) for i in chosen
        }
    slow = {user: UserDict(row) for user, row in run.items()}  # not read by the extension
    ties = order or "average"
    metrics = "ndcg@10 map mrr recall@5 r_precision"
    rules = rm.Conventions(ties=ties)
    found = rm.rank(run, truth, ties=ties)
    want = rm.rank(slow, truth, ties=ties)
    for name in ("offsets", "ahead", "tied", "grade", "candidates"):
        np.testing.assert_array_equal(getattr(found, name), getattr(want, name))
    values = [rm.measure(ranks, metrics, conventions=rules).values for ranks in (found, want)]
    np.testing.assert_array_equal(*values)
