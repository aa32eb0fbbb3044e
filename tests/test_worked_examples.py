"""Textbook examples, worked by hand, given to the engine and to the plain-Python reference."""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import rankmill as rm
import reference

THREE_DECIMALS = 5e-4


def by_rank(n: int) -> list[int]:
    """Scores of n items that are ranked already."""
    return list(range(n, 0, -1))


def engine(metric: str, ranked_grades: Sequence[int], **conventions: Any) -> float:
    scores = np.array(by_rank(len(ranked_grades)), dtype=np.float64)
    choice = rm.Conventions(**conventions)
    return rm.evaluate(scores, np.array(ranked_grades), [metric], conventions=choice).means[metric]


@pytest.mark.parametrize(("metric", "value"), [("precision", 0.3), ("recall", 0.6), ("f1", 0.4)])
def test_three_of_ten_recommended_are_among_five_relevant(metric: str, value: float) -> None:
    recommended = list(range(10))
    relevant = dict.fromkeys([0, 4, 7, 20, 21], 1)
    ranks = rm.rank_lists([recommended], [set(relevant)])
    assert rm.measure(ranks, [f"{metric}@10"]).means[f"{metric}@10"] == pytest.approx(value)
    assert reference.evaluate_list(metric, 10, recommended, relevant) == pytest.approx(value)


# Grades in ranked order, metric at 5, value, conventions.
RANKED = [
    # A 3, B 2, C 1, D 0, E 0, ranked B A C D E
    ([2, 3, 1, 0, 0], "dcg", 7.917, {}),
    ([2, 3, 1, 0, 0], "idcg", 9.393, {}),
    ([2, 3, 1, 0, 0], "ndcg", 0.843, {}),
    ([3, 2, 0, 3, 1], "dcg", 12.294, {}),
    ([3, 2, 0, 3, 1], "idcg", 13.347, {"ideal": "retrieved"}),
    ([3, 2, 0, 3, 1], "ndcg", 0.921, {"ideal": "retrieved"}),
    ([3, 2, 0, 1, 0], "dcg", 9.323, {}),
    ([3, 2, 0, 1, 0], "ndcg", 0.993, {}),
    # Hits at 1, 3 and 5 of three relevant items
    ([1, 0, 1, 0, 1], "map", 0.756, {}),
]


@pytest.mark.parametrize(("grades", "metric", "value", "conventions"), RANKED)
def test_ranked_grades(
    grades: list[int], metric: str, value: float, conventions: dict[str, Any]
) -> None:
    found = reference.evaluate_user(metric, 5, by_rank(5), grades, **conventions)
    assert found == pytest.approx(value, abs=THREE_DECIMALS)
    assert engine(f"{metric}@5", grades, **conventions) == pytest.approx(value, abs=THREE_DECIMALS)


def test_two_grade_example_to_two_decimals() -> None:
    assert round(engine("dcg@5", [2, 3, 1, 0, 0]), 2) == 7.92
    assert round(engine("idcg@5", [2, 3, 1, 0, 0]), 2) == 9.39
    assert round(engine("dcg@5", [3, 2, 0, 1, 0]), 2) == 9.32


def test_first_hits_at_two_one_and_five() -> None:
    grades = [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1]]
    scores = np.array([by_rank(5)] * 3)
    means = rm.evaluate(scores, np.array(grades), ["mrr"]).means
    assert means["mrr"] == pytest.approx(0.567, abs=THREE_DECIMALS)
    values = [reference.evaluate_user("mrr", None, by_rank(5), user) for user in grades]
    assert reference.mean(values) == pytest.approx(0.567, abs=THREE_DECIMALS)


@pytest.mark.parametrize("tie", [[], [3], [1, 1, 1], [1, 2, 0, 0], [0, 0, 0, 2, 2], [4, 3, 2, 1]])
def test_reference_writes_out_each_order_of_a_tie_once(tie: list[int]) -> None:
    found = [tuple(order) for order in reference.arrangements(tie)]
    assert sorted(found) == sorted(set(permutations(tie)))
