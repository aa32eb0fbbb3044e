"""The drop-in functions against the plain loops that they replace."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import rankmill as rm
from strategies import Array

RNG = np.random.default_rng(7)
# No two scores of a user are equal; every fifth user has nothing relevant.
SCORES = RNG.permuted(np.tile(np.arange(23.0), (40, 1)), axis=1)
GRADES = RNG.choice([0, 0, 0, 0, 1, 2, 3], size=SCORES.shape)
GRADES[::5] = 0
KS = [1, 3, 10, 23, 50]

Ranked = list[int]
Loop = Callable[[Ranked, int], float | None]


def ranked(scores: Array, grades: Array) -> Ranked:
    """The grades of one user, best score first."""
    return [int(grades[at]) for at in np.argsort(-scores)]


def mean(values: Sequence[float | None], empty: float | None = None) -> float:
    """Over users; those without a value left out, or counted as `empty`."""
    filled = [empty if value is None else value for value in values]
    counted = [value for value in filled if value is not None]
    return math.fsum(counted) / len(counted)


# ---- one user's loops, as they stand in many an evaluation script


def loop_precision(grades: Ranked, k: int) -> float:
    return sum(1 for grade in grades[:k] if grade > 0) / k


def loop_recall(grades: Ranked, k: int) -> float | None:
    relevant = sum(1 for grade in grades if grade > 0)
    return sum(1 for grade in grades[:k] if grade > 0) / relevant if relevant else None


def loop_f1(grades: Ranked, k: int) -> float | None:
    precision, recall = loop_precision(grades, k), loop_recall(grades, k)
    if recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def loop_hit(grades: Ranked, k: int) -> float:
    return float(any(grade > 0 for grade in grades[:k]))


def loop_dcg(grades: Ranked, k: int) -> float:
    return sum((2**grade - 1) / math.log2(place + 2) for place, grade in enumerate(grades[:k]))


def loop_linear_dcg(grades: Ranked, k: int) -> float:
    return sum(grade / math.log2(place + 2) for place, grade in enumerate(grades[:k]))


def loop_ndcg(grades: Ranked, k: int) -> float | None:
    best = loop_dcg(sorted(grades, reverse=True), k)
    return loop_dcg(grades, k) / best if best else None


def loop_linear_ndcg(grades: Ranked, k: int) -> float | None:
    best = loop_linear_dcg(sorted(grades, reverse=True), k)
    return loop_linear_dcg(grades, k) / best if best else None


def loop_map(grades: Ranked, k: int) -> float | None:
    hits, total = 0, 0.0
    for place, grade in enumerate(grades[:k], start=1):
        if grade > 0:
            hits += 1
            total += hits / place
    relevant = sum(1 for grade in grades if grade > 0)
    return total / relevant if relevant else None


def loop_mrr(grades: Ranked, k: int) -> float:
    return next((1 / place for place, grade in enumerate(grades[:k], 1) if grade > 0), 0.0)


LINEAR = {"gain": "linear"}
LOOPS: dict[str, tuple[Callable[..., float], dict[str, Any], Loop]] = {
    "precision": (rm.precision_at_k, {}, loop_precision),
    "recall": (rm.recall_at_k, {}, loop_recall),
    "f1": (rm.f1_at_k, {}, loop_f1),
    "hit": (rm.hit_at_k, {}, loop_hit),
    "dcg": (rm.dcg_at_k, {}, loop_dcg),
    "dcg, linear": (rm.dcg_at_k, LINEAR, loop_linear_dcg),
    "ndcg": (rm.ndcg_at_k, {}, loop_ndcg),
    "ndcg, linear": (rm.ndcg_at_k, LINEAR, loop_linear_ndcg),
    "average precision": (rm.average_precision, {}, loop_map),
    "mean average precision": (rm.mean_average_precision, {}, loop_map),
    "mean reciprocal rank": (rm.mean_reciprocal_rank, {}, loop_mrr),
}
WITHOUT_K = [
    "dcg", "dcg, linear", "ndcg", "ndcg, linear", "average precision", "mean average precision",
    "mean reciprocal rank",
]  # fmt: skip


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=0)


@pytest.mark.parametrize("empty", [None, 0.0, 1.0])
@pytest.mark.parametrize("k", KS)
@pytest.mark.parametrize("name", LOOPS)
def test_equals_the_loop_it_replaces(name: str, k: int, empty: float | None) -> None:
    function, options, loop = LOOPS[name]
    word = {None: "skip", 0.0: "zero", 1.0: "one"}[empty]
    values = [loop(ranked(*user), k) for user in zip(SCORES, GRADES, strict=True)]
    found = function(SCORES, GRADES, k, empty=word, **options)
    assert type(found) is float
    assert found == close(mean(values, empty))


@pytest.mark.parametrize("name", WITHOUT_K)
def test_without_k_the_whole_list_counts(name: str) -> None:
    function, options, loop = LOOPS[name]
    values = [loop(ranked(*user), 23) for user in zip(SCORES, GRADES, strict=True)]
    assert function(SCORES, GRADES, **options) == close(mean(values))


@pytest.mark.parametrize("name", LOOPS)
def test_one_user_in_one_dimension(name: str) -> None:
    function, options, loop = LOOPS[name]
    want = loop(ranked(SCORES[1], GRADES[1]), 5)
    assert want is not None
    assert function(SCORES[1], GRADES[1], 5, **options) == close(want)
    assert function(SCORES[1].tolist(), GRADES[1].tolist(), 5, **options) == close(want)


# ---- ranked ids


def as_lists(kind: str) -> tuple[list[list[Any]], list[Any]]:
    """The users' items, best first, and what is relevant, with grades or without."""
    lists = np.argsort(-SCORES, axis=1).tolist()
    truths = [{item: int(g) for item, g in enumerate(row) if g > 0} for row in GRADES]
    if kind == "text":
        lists = [[f"item {item}" for item in row] for row in lists]
        truths = [{f"item {item}": g for item, g in row.items()} for row in truths]
    return lists, [set(row) for row in truths] if kind == "sets" else list(truths)


@pytest.mark.parametrize("depth", [23, 6])
@pytest.mark.parametrize("kind", ["dicts", "text", "sets"])
@pytest.mark.parametrize("name", LOOPS)
def test_ranked_ids_equal_the_loop(name: str, kind: str, depth: int) -> None:
    """Lists cut short miss relevant items, which still count in every denominator."""
    function, options, loop = LOOPS[name]
    lists, truths = as_lists(kind)
    values = []
    for scores, grades in zip(SCORES, GRADES, strict=True):
        graded = np.minimum(grades, 1) if kind == "sets" else grades
        values.append(loop(ranked(scores, graded), 6))
    found = function([row[:depth] for row in lists], truths, 6, **options)
    assert found == close(mean(values))
    by_user = function(dict(enumerate(lists)), dict(enumerate(truths)), 6, **options)
    assert by_user == close(mean(values))
    alone = function(lists[1][:depth], truths[1], 6, **options)
    assert values[1] is not None
    assert alone == close(values[1])


def test_one_list_with_a_frozenset_or_a_tuple() -> None:
    assert rm.recall_at_k(("a", "b", "c"), frozenset("bd"), 2) == 0.5
    assert rm.recall_at_k([("a",), ("b",)], [frozenset("a"), {"x"}], 1) == 0.5


# ---- AUC


def loop_auc(scores: Array, positive: Array, weights: Array | None = None) -> float | None:
    weights = np.ones(len(scores)) if weights is None else weights
    won = total = 0.0
    for i in np.flatnonzero(positive):
        for j in np.flatnonzero(~positive):
            weight = weights[i] * weights[j]
            total += weight
            won += weight * ((scores[i] > scores[j]) + (scores[i] == scores[j]) / 2)
    return float(won / total) if total else None


TIED = (SCORES // 4).astype(np.float32)
WEIGHTS = RNG.choice([0, 0.25, 1, 3], size=SCORES.shape)


@pytest.mark.parametrize("scores", [SCORES, TIED, SCORES.astype(np.int16)])
def test_auc(scores: Array) -> None:
    values = [loop_auc(*user) for user in zip(scores, GRADES > 0, strict=True)]
    assert rm.auc_score(scores, GRADES) == close(mean(values))
    assert rm.auc_score(scores, GRADES, empty="zero") == close(mean(values, 0.0))
    assert rm.auc_score(scores[1], GRADES[1] > 0) == close(mean(values[1:2]))


@pytest.mark.parametrize("scores", [SCORES, TIED, TIED.astype(np.float16), TIED.astype(np.uint64)])
def test_weighted_auc(scores: Array, isa: str) -> None:
    users = list(zip(scores, GRADES > 0, WEIGHTS, strict=True))
    want = mean([loop_auc(*user) for user in users])
    for n_threads in (1, 2, 3):
        options: dict[str, Any] = {"sample_weight": WEIGHTS, "isa": isa, "n_threads": n_threads}
        assert rm.auc_score(scores, GRADES, **options) == close(want)
    one = rm.auc_score(scores[1], GRADES[1], sample_weight=WEIGHTS[1])
    assert one == close(mean([loop_auc(*users[1])]))


def test_weighted_auc_of_rows() -> None:
    """With offsets, and with groups whose rows are mixed; weights in another layout."""
    want = mean([loop_auc(*user) for user in zip(TIED, GRADES > 0, WEIGHTS, strict=True)])
    rows = [array.ravel() for array in (TIED, GRADES, WEIGHTS)]
    offsets = np.arange(41) * 23
    assert rm.auc_score(*rows[:2], sample_weight=rows[2], offsets=offsets) == close(want)
    mixed = RNG.permutation(len(rows[0]))
    owner = np.repeat(np.arange(40), 23)[mixed]
    scores, grades, weights = (array[mixed] for array in rows)
    for layout in (weights, np.repeat(weights, 2)[::2], weights.astype(">f8")):
        assert rm.auc_score(scores, grades, sample_weight=layout, groups=owner) == close(want)


def test_weighted_auc_of_extreme_scores() -> None:
    scores = np.array([-0.0, 0.0, np.inf, -np.inf, 5e-324, -5e-324, 1e308])
    positive = np.array([1, 0, 0, 1, 1, 0, 1], dtype=bool)
    weights = np.array([1.0, 2, 3, 4, 5, 6, 7])
    found = rm.auc_score(scores, positive, sample_weight=weights)
    assert found == close(mean([loop_auc(scores, positive, weights)]))


def test_weights_of_one_change_nothing() -> None:
    ones = np.ones(SCORES.shape)
    assert rm.auc_score(TIED, GRADES, sample_weight=ones) == close(rm.auc_score(TIED, GRADES))


@pytest.mark.parametrize("empty", ["zero", "half", "one"])
def test_weighted_auc_takes_conventions(empty: str) -> None:
    values = [loop_auc(*user) for user in zip(TIED, GRADES > 0, WEIGHTS, strict=True)]
    fill = {"zero": 0.0, "half": 0.5, "one": 1.0}[empty]
    found = rm.auc_score(TIED, GRADES, sample_weight=WEIGHTS, empty=empty)
    assert found == close(mean(values, fill))


# ---- options


def test_conventions_pass_through() -> None:
    scores, grades = [2, 2, 1], [0, 2, 1]
    assert rm.precision_at_k(scores, grades, 1) == 0.5
    assert rm.precision_at_k(scores, grades, 1, ties="best") == 1
    assert rm.precision_at_k(scores, grades, 1, ties="input_order") == 0
    assert rm.precision_at_k(scores, grades, 1, ties="id_descending", items=[1, 2, 3]) == 1
    assert rm.precision_at_k(scores, grades, 5, precision_denominator="min(k, candidates)") == 2 / 3
    assert rm.recall_at_k(scores, grades, 3, min_grade=2) == 1
    assert rm.recall_at_k(scores, grades, 1, recall_denominator="min(k, relevant)") == 0.5
    assert rm.dcg_at_k(scores, grades, 1, gain={1: 5, 2: 7}, ties="best") == 7
    assert rm.recall_at_k(["x", "y"], {"y": 1, "x": 2, "z": 2}, 2, min_grade=2) == 0.5
    assert rm.hit_at_k(["x", "y"], {"z"}, 2, n_threads=1, isa="baseline") == 0


def test_options_of_rank_pass_through(isa: str) -> None:
    flat = (SCORES.ravel(), GRADES.ravel(), 5)
    want = rm.recall_at_k(SCORES, GRADES, 5)
    assert rm.recall_at_k(*flat, offsets=np.arange(41) * 23) == want
    assert rm.recall_at_k(*flat, groups=np.repeat(np.arange(40), 23), isa=isa) == want
    assert rm.recall_at_k(*flat, groups=np.repeat(np.arange(40), 23), n_threads=2) == want
    assert rm.hit_at_k([3, 2, 1], [1, 0, 1], 1, exclude=[[0]]) == 0
    assert rm.hit_at_k([3, 2, 1], [0, 0, 1], 3, min_score=2) == 0
    assert rm.hit_at_k(["x", "y"], {"x", "y"}, 1, exclude=[{"x"}]) == 1


def test_no_user_has_a_value() -> None:
    assert math.isnan(rm.recall_at_k([2, 1], [0, 0], 1))
    assert math.isnan(rm.ndcg_at_k(["x"], {"y": 0}, 1))
    assert rm.ndcg_at_k([2, 1], [0, 0], 1, empty="zero") == 0
