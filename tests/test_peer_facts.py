"""What other libraries assert of themselves: their worked examples, under our profile of each."""

from math import log2
from typing import Any

import pytest

import rankmill as rm

Lists = dict[int, list[int]]
Truth = dict[int, Any]


def means(lists: Lists, truth: Truth, metric: str, profile: str, **changes: Any) -> float:
    rules = getattr(rm.Conventions, profile)().replace(**changes)
    ranks = rm.rank_lists(lists, truth)
    return rm.measure(ranks, metric, conventions=rules).mean(metric)


# --- Spark MLlib: RankingMetricsSuite --------------------------------------------------------

SPARK: Lists = {
    1: [1, 6, 2, 7, 8, 3, 9, 10, 4, 5],
    2: [4, 1, 5, 6, 2, 7, 3, 8, 9, 10],
    3: [1, 2, 3, 4, 5],
}
SPARK_TRUTH: Truth = {1: {1, 2, 3, 4, 5}, 2: {1, 2, 3}, 3: set()}
SPARK_GRADES: Truth = {1: {1: 3, 2: 2, 3: 1, 4: 1, 5: 1}, 2: {1: 2, 2: 0, 3: 0}, 3: {}}
SPARK_FEW: Lists = {1: [1, 6, 2], 2: []}
SPARK_FEW_TRUTH: Truth = {1: {1, 2, 3, 4, 5}, 2: {1, 2, 3}}


@pytest.mark.parametrize(
    ("metric", "want"),
    [
        ("precision@1", 1 / 3),
        ("precision@2", 1 / 3),
        ("precision@3", 1 / 3),
        ("precision@4", 0.75 / 3),
        ("precision@5", 0.8 / 3),
        ("precision@10", 0.8 / 3),
        ("precision@15", 8 / 45),
        ("map", 0.355026),
        ("map@1(ap_denominator=min(k, relevant))", 0.333334),
        ("map@2(ap_denominator=min(k, relevant))", 0.25),
        ("map@3(ap_denominator=min(k, relevant))", 0.24074),
        ("ndcg@3", 1 / 3),
        ("ndcg@5", 0.328788),
        ("ndcg@10", 0.487913),
        ("ndcg@15", 0.487913),
        ("recall@1", 1 / 15),
        ("recall@2", 8 / 45),
        ("recall@3", 11 / 45),
        ("recall@4", 11 / 45),
        ("recall@5", 16 / 45),
        ("recall@10", 2 / 3),
        ("recall@15", 2 / 3),
    ],
)
def test_spark(metric: str, want: float) -> None:
    assert means(SPARK, SPARK_TRUTH, metric, "spark_mllib") == pytest.approx(want, abs=1e-5)


@pytest.mark.parametrize(("k", "want"), [(3, 0.511959), (5, 0.487806), (10, 0.518700)])
def test_spark_with_grades(k: int, want: float) -> None:
    found = means(SPARK, SPARK_GRADES, f"ndcg@{k}(gain=exp2)", "spark_mllib")
    assert found == pytest.approx(want, abs=1e-5)


@pytest.mark.parametrize(
    ("metric", "want"),
    [
        ("precision@1", 0.5),
        ("precision@2", 0.25),
        ("ndcg@1", 0.5),
        ("ndcg@2", 0.30657),
        ("recall@1", 0.1),
        ("recall@2", 0.1),
    ],
)
def test_spark_with_few_predictions(metric: str, want: float) -> None:
    found = means(SPARK_FEW, SPARK_FEW_TRUTH, metric, "spark_mllib")
    assert found == pytest.approx(want, abs=1e-5)


# --- RecBole: hits at the first three places of four users, and how many items each likes ----

HITS = ((0, 0, 0), (1, 1, 1), (1, 0, 1), (0, 0, 1))
LIKED = (1, 3, 4, 2)
SECOND = 1 / log2(3)
RECBOLE = {
    "hit": [[0, 0, 0], [1, 1, 1], [1, 1, 1], [0, 0, 1]],
    "mrr": [[0, 0, 0], [1, 1, 1], [1, 1, 1], [0, 0, 1 / 3]],
    "precision": [[0, 0, 0], [1, 1, 1], [1, 1 / 2, 2 / 3], [0, 0, 1 / 3]],
    "recall": [[0, 0, 0], [1 / 3, 2 / 3, 1], [1 / 4, 1 / 4, 2 / 4], [0, 0, 1 / 2]],
    "ndcg": [
        [0, 0, 0],
        [1, 1, 1],
        [1, 1 / (1 + SECOND), 1.5 / (1.5 + SECOND)],
        [0, 0, 0.5 / (1 + SECOND)],
    ],
    "map": [[0, 0, 0], [1, 1, 1], [1, 1 / 2, (1 + 2 / 3) / 3], [0, 0, 1 / 3 / 2]],
}


@pytest.mark.parametrize("metric", RECBOLE)
def test_recbole(metric: str) -> None:
    lists = {user: [10, 20, 30] for user in range(4)}
    truth = {
        user: {10 * (at + 1) for at, hit in enumerate(hits) if hit}
        | set(range(100, 100 + liked - sum(hits)))
        for user, (hits, liked) in enumerate(zip(HITS, LIKED, strict=True))
    }
    rules = rm.Conventions.recbole()
    for k in (1, 2, 3):
        name = f"{metric}@{k}"
        found = rm.measure(rm.rank_lists(lists, truth), name, conventions=rules)[name]
        assert found.tolist() == pytest.approx([row[k - 1] for row in RECBOLE[metric]])


# --- ranx: lists of ids and what is relevant -------------------------------------------------

RANX_GRADES = {1: {2: 5, 4: 4, 5: 3, 10: 2}}


@pytest.mark.parametrize(
    ("lists", "truth", "metric", "want"),
    [
        (
            {1: [1, 2, 3, 4, 5, 7], 2: [1, 2, 4, 3, 5, 7]},
            {1: {9, 6, 8}, 2: {1, 2, 4}},
            "hit@5",
            0.5,
        ),
        ({1: [2, 3, 1, 4, 5]}, {1: {3}}, "mrr@5", 0.5),
        ({1: [2, 1, 4, 5]}, {1: {3}}, "mrr@5", 0.0),
        (
            {1: [2, 3, 1, 4, 5], 2: [1, 2, 3, 4, 5], 3: [1, 4, 5]},
            {1: {3}, 2: {1}, 3: {3}},
            "mrr@5",
            0.5,
        ),
        ({1: [2, 4, 3, 1, 5, 6, 7]}, {1: {1, 2, 3}}, "r_precision", 2 / 3),
        (
            {1: [2, 4, 3, 1, 5, 6, 7], 2: [2, 4, 3, 1, 5, 6, 7]},
            {1: {1, 2, 3}, 2: {1, 2}},
            "r_precision",
            (2 / 3 + 1 / 2) / 2,
        ),
        ({1: [2, 4, 3, 1, 5, 6, 7]}, {1: {1, 2, 3}}, "recall@2", 1 / 3),
        (
            {1: [2, 4, 3, 1, 5, 6, 7], 2: [2, 4, 3, 1, 5, 6, 7]},
            {1: {1, 2, 3}, 2: {1, 2}},
            "recall@2",
            (1 / 3 + 1 / 2) / 2,
        ),
        ({1: [1, 2, 3, 4, 5]}, RANX_GRADES, "dcg@10", 5 / log2(3) + 4 / log2(5) + 3 / log2(6)),
        (
            {1: [10, 5, 2, 4, 3]},
            RANX_GRADES,
            "dcg@10",
            2 + 3 / log2(3) + 5 / log2(4) + 4 / log2(5),
        ),
        ({1: [1, 3, 6, 7, 8]}, RANX_GRADES, "dcg@10", 0.0),
        (
            {1: [1, 2, 3, 4, 5]},
            RANX_GRADES,
            "ndcg@10",
            (5 / log2(3) + 4 / log2(5) + 3 / log2(6)) / (5 + 4 / log2(3) + 3 / 2 + 2 / log2(5)),
        ),
        (
            {1: [1, 2, 3, 4, 5]},
            RANX_GRADES,
            "dcg@10(gain=exp2)",
            31 / log2(3) + 15 / log2(5) + 7 / log2(6),
        ),
        (
            {1: [10, 5, 2, 4, 3]},
            RANX_GRADES,
            "ndcg@10(gain=exp2)",
            (3 + 7 / log2(3) + 31 / 2 + 15 / log2(5)) / (31 + 15 / log2(3) + 7 / 2 + 3 / log2(5)),
        ),
    ],
)
def test_ranx(lists: Lists, truth: Truth, metric: str, want: float) -> None:
    assert means(lists, truth, metric, "ranx") == pytest.approx(want)


# --- LensKit: a list and what is relevant ----------------------------------------------------

LONG = set(range(100))


@pytest.mark.parametrize(
    ("items", "relevant", "metric", "want"),
    [
        ([1, 3], {1, 3}, "precision", 1.0),
        ([1], {1, 3}, "precision", 1.0),
        ([1, 2, 3, 4], {1, 3}, "precision", 0.5),
        ([1, 2, 3, 4], {1, 3, 5}, "precision", 0.5),
        ([1, 2, 3, 4], set(range(5, 10)), "precision", 0.0),
        ([1, 2, 3, 4], set(range(4, 10)), "precision", 0.25),
        ([1, 0, 150, 3, 10], LONG, "precision@5", 0.8),
        ([1, 0, 150, 3, 10, 30, 120, 4, 17], LONG, "precision@5", 0.8),
        ([1, 0, 150], LONG, "precision@5", 2 / 3),
        ([1, 3, 5], {1, 3, 5}, "map", 1.0),
        ([1, 2, 3], {1, 3}, "map", (1 + 2 / 3) / 2),
        ([1, 2, 3], {2, 4}, "map", 0.25),
        ([1, 2, 3, 4, 5], {1, 3, 5}, "map@3", (1 + 2 / 3) / 3),
        ([1, 2, 3, 4, 5], {4, 5, 6}, "map@2", 0.0),
        ([10, 20, 30], {1, 2, 3}, "map", 0.0),
    ],
)
def test_lenskit(items: list[int], relevant: set[int], metric: str, want: float) -> None:
    assert means({1: items}, {1: relevant}, metric, "lenskit") == pytest.approx(want)
