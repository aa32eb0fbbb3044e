"""What RecTools and pytrec_eval assert of themselves, under our profile and our module."""

from math import log2, sqrt
from typing import Any

import pytest

import rankmill as rm
from rankmill.compat import pytrec_eval

# --- RecTools: rows of user, item and rank; ranks nobody has are items nobody likes ----------

Rows = list[tuple[int, int, int]]

MAP_ROWS: Rows = [
    (1, 1, 9), (1, 3, 1), (2, 1, 3), (3, 1, 1), (3, 2, 3), (3, 3, 5), (3, 4, 7), (3, 5, 9),
    (4, 1, 1), (5, 1, 1), (5, 2, 2), (5, 3, 3), (7, 1, 2), (8, 2, 1), (9, 1, 1),
]  # fmt: skip
MAP_TRUTH = {
    1: {1, 2}, 2: {1}, 3: {1, 2, 3, 4, 5, 6}, 4: {1}, 5: {1, 2, 3}, 6: {1}, 7: {1}, 8: {1},
}  # fmt: skip
NDCG_ROWS: Rows = [
    (1, 1, 9), (2, 2, 1), (3, 1, 1), (3, 2, 2), (3, 3, 3), (4, 1, 1), (5, 1, 3), (5, 2, 7),
    (5, 3, 9), (5, 5, 1), (6, 1, 1),
]  # fmt: skip
NDCG_TRUTH = {1: {1}, 2: {1}, 3: {1, 2, 3}, 4: {1}, 5: {1, 2, 3, 4}}
CLASS_ROWS: Rows = [
    (1, 1, 1), (1, 2, 2), (1, 3, 3), (2, 1, 1), (2, 2, 2), (3, 1, 1), (4, 1, 1),
]  # fmt: skip
CLASS_TRUTH = {1: {4, 2, 3}, 3: {1}, 4: {2}, 5: {2}}
IDEAL_3 = 1 + 1 / log2(3) + 1 / 2


def values(rows: Rows, truth: dict[int, set[int]], metric: str) -> list[float]:
    """Of the users of the truth, ascending."""
    lists: dict[int, list[int]] = {}
    for user, item, rank in rows:
        places = lists.setdefault(user, [])
        places += range(1_000 + len(places), 1_000 + rank)  # until there are so many places
        places[rank - 1] = item
    ranks = rm.rank_lists(lists, truth)
    found: list[float] = rm.measure(ranks, metric, conventions=rm.Conventions.rectools())[
        metric
    ].tolist()
    return found


@pytest.mark.parametrize(
    ("rows", "truth", "metric", "want"),
    [
        (MAP_ROWS, MAP_TRUTH, "map@1", [0, 0, 1 / 6, 1, 1 / 3, 0, 0, 0]),
        (MAP_ROWS, MAP_TRUTH, "map@3", [0, 1 / 3, (1 + 2 / 3) / 6, 1, 1, 0, 1 / 2, 0]),
        (MAP_ROWS, MAP_TRUTH, "map@1(ap_denominator=k)", [0, 0, 1, 1, 1, 0, 0, 0]),
        (
            MAP_ROWS,
            MAP_TRUTH,
            "map@3(ap_denominator=k)",
            [0, 1 / 9, (1 + 2 / 3) / 3, 1 / 3, 1, 0, 1 / 6, 0],
        ),
        (NDCG_ROWS, NDCG_TRUTH, "ndcg@1", [0, 0, 1, 1, 0]),
        (NDCG_ROWS, NDCG_TRUTH, "ndcg@3", [0, 0, 1, 1 / IDEAL_3, 0.5 / IDEAL_3]),
        (NDCG_ROWS[:-1], NDCG_TRUTH, "mrr@1", [0, 0, 1, 1, 0]),
        (NDCG_ROWS[:-1], NDCG_TRUTH, "mrr@3", [0, 0, 1, 1, 1 / 3]),
        (CLASS_ROWS, CLASS_TRUTH, "precision@2", [0.5, 0.5, 0, 0]),
        (CLASS_ROWS, CLASS_TRUTH, "recall@2", [1 / 3, 1, 0, 0]),
        (
            CLASS_ROWS,
            CLASS_TRUTH,
            "recall@2(recall_denominator=min(k, relevant))",
            [0.5, 1, 0, 0],
        ),
        (CLASS_ROWS, CLASS_TRUTH, "hit@2", [1, 1, 0, 0]),
    ],
)
def test_rectools(rows: Rows, truth: dict[int, set[int]], metric: str, want: list[float]) -> None:
    assert values(rows, truth, metric) == pytest.approx(want)


def test_f_of_rectools_weighs_recall_twice() -> None:
    """Its F with beta = sqrt(2) of precision and recall here: 0.375, 0.75, 0, 0."""
    beta = sqrt(2) ** 2
    precision = values(CLASS_ROWS, CLASS_TRUTH, "precision@2")
    recall = values(CLASS_ROWS, CLASS_TRUTH, "recall@2")
    found = [
        (1 + beta) * p * r / (beta * p + r) if p else 0.0
        for p, r in zip(precision, recall, strict=True)
    ]
    assert found == pytest.approx([0.375, 0.75, 0, 0])


# --- pytrec_eval -----------------------------------------------------------------------------

QRELS = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}
THIRD, FIRST, SECOND = (
    {"d1": 1.0, "d2": 0.0, "d3": 1.5},
    {"d1": 1.0, "d2": 2.0, "d3": 1.5},
    {"d1": 4.0, "d2": 2.0, "d3": 1.5},
)


@pytest.mark.parametrize(
    ("run", "measure", "name", "want"),
    [
        (THIRD, "ndcg", "ndcg", 0.5),
        (FIRST, "ndcg", "ndcg", 1.0),
        (SECOND, "ndcg", "ndcg", 0.6309297535714575),
        (THIRD, "ndcg_cut.3", "ndcg_cut_3", 0.5),
        (FIRST, "ndcg_cut.1", "ndcg_cut_1", 1.0),
        (THIRD, "ndcg_cut.1,2,3,1000", "ndcg_cut_3", 0.5),
        (THIRD, "ndcg_cut.1,2,3,1000", "ndcg_cut_2", 0.0),
        (THIRD, "ndcg_cut.1,2,3,1000", "ndcg_cut_1", 0.0),
        (THIRD, "ndcg_cut.1,2,3,1000", "ndcg_cut_1000", 0.5),
    ],
)
def test_pytrec_eval(run: Any, measure: str, name: str, want: float) -> None:
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {measure})
    for given in ({"q1": run, "q2": {}}, {"q1": run}):
        assert evaluator.evaluate(given)["q1"][name] == pytest.approx(want)


SET = {"num_q", "num_rel", "num_rel_ret", "num_ret", "runid", "utility"} | {
    f"set_{name}" for name in ("F", "map", "P", "recall", "relative_P")
}
OFFICIAL = {"num_q", "num_rel", "num_rel_ret", "num_ret", "runid", "map", "gm_map", "bpref"} | {
    "Rprec",
    "recip_rank",
    *(f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
    *(f"iprec_at_recall_{level / 10:.2f}" for level in range(11)),
}


@pytest.mark.parametrize(
    ("measures", "want"),
    [
        ({"set"}, SET),
        ({"official"}, OFFICIAL),
        ({"official", "set", "ndcg"}, OFFICIAL | SET | {"ndcg"}),
    ],
)
def test_nicknames_of_pytrec_eval(measures: set[str], want: set[str]) -> None:
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, measures)
    assert set(evaluator.evaluate({"q1": {}, "q2": {}})["q1"]) == want
