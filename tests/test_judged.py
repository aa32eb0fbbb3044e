"""bpref, inferred average precision and judged@k against their definitions, in plain loops."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm
from rankmill import judged

# The place of each item decides; a grade of None is an item that was not pooled.
Pool = dict[str, float]
pools = st.lists(
    st.tuples(st.sampled_from([None, -1, 0, 1, 3]), st.booleans()), min_size=1, max_size=25
)


def split(judgements: Pool, level: float) -> tuple[Pool, Pool]:
    """The relevant, and the others as `judged` wants them."""
    relevant = {item: grade for item, grade in judgements.items() if grade > 0}
    others = {
        item: 1.0 if grade >= 0 else judged.UNSEEN
        for item, grade in judgements.items()
        if grade < level
    }
    return relevant, others


def bpref(ranking: list[str], judgements: Pool, level: float) -> float:
    relevant = sum(grade >= level for grade in judgements.values())
    nonrelevant = sum(0 <= grade < level for grade in judgements.values())
    if not relevant:
        return math.nan
    total, above = 0.0, 0
    for item in ranking:
        grade = judgements.get(item)
        if grade is not None and grade >= level:
            total += 1 - min(above, relevant) / min(nonrelevant, relevant) if above else 1
        elif grade is not None and grade >= 0:
            above += 1
    return total / relevant


def inferred_ap(ranking: list[str], judgements: Pool, level: float) -> float:
    relevant = sum(grade >= level for grade in judgements.values())
    if not relevant:
        return math.nan
    total, hits, misses, unseen, small = 0.0, 0, 0, 0, 1e-5
    for place, item in enumerate(ranking):
        grade = judgements.get(item)
        if grade is None:
            continue
        if grade < 0:
            unseen += 1
        elif grade < level:
            misses += 1
        else:
            pooled = (hits + misses + unseen) / place if place else 0.0
            share = (hits + small) / (hits + misses + 2 * small)
            total += (1 + place * pooled * share) / (place + 1)
            hits += 1
    return total / relevant


def ranks_of(users: list[Any], level: float) -> tuple[rm.Ranks, rm.Ranks, list[list[str]], Any]:
    rankings, pooled = [], []
    for user in users:
        names = [f"d{number}" for number in range(len(user))]
        rankings.append([name for name, (_, ranked) in zip(names, user, strict=True) if ranked])
        grades = {name: grade for name, (grade, _) in zip(names, user, strict=True)}
        pooled.append({name: grade for name, grade in grades.items() if grade is not None})
    relevant, others = zip(*(split(grades, level) for grades in pooled), strict=True)
    made = [rm.rank_lists(rankings, list(side)) for side in (relevant, others)]
    return made[0], made[1], rankings, pooled


@given(st.lists(pools, min_size=1, max_size=4), st.sampled_from([1, 2]))
def test_against_loops(users: list[Any], level: float) -> None:
    relevant, others, rankings, pooled = ranks_of(users, level)
    for measure, want in ((judged.bpref, bpref), (judged.inferred_ap, inferred_ap)):
        found = measure(relevant, others, min_grade=level)
        values = [want(*user, level) for user in zip(rankings, pooled, strict=True)]
        np.testing.assert_allclose(found, values, rtol=1e-12, equal_nan=True)


@given(st.lists(pools, min_size=1, max_size=4), st.integers(1, 30))
def test_judged_at_k(users: list[Any], k: int) -> None:
    relevant, others, rankings, pooled = ranks_of(users, 1)
    for value, ranking, grades in zip(
        judged.judged_at_k(relevant, others, k), rankings, pooled, strict=True
    ):
        seen = [grades.get(item, -1) >= 0 for item in ranking[:k]]
        assert value == pytest.approx(sum(seen) / len(seen) if seen else math.nan, nan_ok=True)
    counts = [
        sum(grades.get(item) == 0 for item in ranking)
        for ranking, grades in zip(rankings, pooled, strict=True)
    ]
    assert judged.judged_retrieved(others).tolist() == counts


def test_places_must_be_settled() -> None:
    ranks = rm.rank([1, 1], [1, 0])
    with pytest.raises(rm.InputError, match="scores tie"):
        judged.bpref(ranks, ranks)
    settled = rm.rank([1, 1], [1, 0], ties="input_order")
    assert judged.bpref(settled, rm.rank([1, 1], [0, 1], ties="input_order")) == [1]


def test_users_must_be_the_same() -> None:
    one, two = rm.rank([[1]], [[1]]), rm.rank([[1], [1]], [[1], [1]])
    with pytest.raises(rm.InputError, match="others: got 2 users; wanted 1"):
        judged.bpref(one, two)
