"""Users who are ranked and measured together: each has the values of the definition."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import rankmill as rm
import reference

Array = npt.NDArray[Any]
ISAS = [isa for isa in ("avx2", "baseline") if isa in rm.build_info()["isa_usable"]]
#: Measured together, at one cutoff or many, and one by one.
METRICS = [
    *(f"{name}@{k}" for name in ("ndcg", "cg", "idcg", "hit", "mrr") for k in (1, 3, 10)),
    *(f"{name}@{k}" for name in ("precision", "recall", "f1", "map") for k in (5, 20)),
    *(f"recall@{k}" for k in range(1, 10)),
    "ndcg", "dcg@4", "dcg", "precision", "recall", "f1", "hit", "mrr", "map",
    "auc", "pr_auc", "max_f1", "r_precision", "rbp@10",
]  # fmt: skip
CONVENTIONS: list[dict[str, Any]] = [
    {},
    {"gain": "linear", "discount": "ln"},
    {"min_grade": 3},
    {"gain": "binary", "ideal": "uncut", "without_relevant": "undefined"},
    {"precision_denominator": "min(k,candidates)", "recall_denominator": "min(k,relevant)"},
    {"gain": {1: 0.0, 2: 0.5, 3: 0.5, 4: 40.0}, "ap_denominator": "k"},
    {"ap_denominator": "hits"},
    {"ties": "worst"},
]
#: Relevant items of a user, around the numbers at which the engine changes its way.
RELEVANT = [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 40]
MANY = [0, 3, 64, 126, 127, 128, 129, 130, 131]
Kind = tuple[list[int], int]  #: numbers of relevant items; every so many users have one grade
MIXED: Kind = (RELEVANT, 3)
KINDS: dict[str, Kind] = {"one grade": (RELEVANT, 1), "many": (MANY, 3), "many, one": (MANY[:6], 1)}


def make_users(n_users: int, dtype: Any, seed: int, kind: Kind) -> tuple[Array, Array, Array]:
    """Scores, grades and offsets; some users have a tie, some one grade, some one candidate."""
    rng = np.random.default_rng(seed)
    scores, grades = [], []
    for user in range(n_users):
        relevant = int(rng.choice(kind[0]))
        n = max(1, relevant + int(rng.integers(0, 30))) if user % 9 else 1
        relevant = min(n, relevant)
        row = rng.permutation(n).astype(dtype)
        if user % 5 == 0 and n > 1:
            row[row == 1] = 0
        grade = np.zeros(n, dtype=np.int8)
        grade[rng.choice(n, relevant, replace=False)] = rng.integers(1, 5, relevant)
        if user % kind[1] == 0:
            grade[grade > 0] = rng.integers(1, 5)
        scores.append(row)
        grades.append(grade)
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in scores])])
    return np.concatenate(scores), np.concatenate(grades), offsets


@pytest.mark.parametrize("conventions", CONVENTIONS, ids=str)
def test_values(conventions: dict[str, Any]) -> None:
    compare_values(*make_users(80, "float32", seed=3, kind=MIXED), conventions)


@pytest.mark.parametrize("conventions", CONVENTIONS[:2], ids=str)
@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_values_of_other_types(dtype: str, conventions: dict[str, Any]) -> None:
    compare_values(*make_users(80, dtype, seed=3, kind=MIXED), conventions)


@pytest.mark.parametrize("conventions", CONVENTIONS[:5], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_values_of_other_users(kind: str, conventions: dict[str, Any]) -> None:
    """Of one grade each, whose DCG is found side by side, and of more entries than stand so."""
    compare_values(*make_users(70, "float32", seed=4, kind=KINDS[kind]), conventions)


def compare_values(
    scores: Array, grades: Array, offsets: Array, conventions: dict[str, Any]
) -> None:
    """Of the reference and all ways of the engine, which give the same bits."""
    asked = [(name, int(k) if k else None) for name, _, k in (m.partition("@") for m in METRICS)]
    rules = rm.Conventions(**conventions)
    results = [
        result
        for isa in ISAS
        for result in (
            rm.evaluate(
                scores, grades, METRICS, offsets=offsets, isa=isa, n_threads=2, conventions=rules
            ),
            rm.measure(
                rm.rank(scores, grades, offsets=offsets, isa=isa), METRICS, conventions=rules
            ),
        )
    ]
    found = results[0]
    for user in range(len(offsets) - 1):
        rows = slice(offsets[user], offsets[user + 1])
        wanted = reference.evaluate_metrics(
            asked, scores[rows].tolist(), grades[rows].tolist(), **conventions
        )
        for metric, value in zip(METRICS, wanted, strict=True):
            np.testing.assert_allclose(
                found[metric][user], np.nan if value is None else value, rtol=1e-13, atol=1e-15
            )
    for other in results[1:]:
        for metric in METRICS:
            np.testing.assert_array_equal(found[metric], other[metric])


def broken(n_users: int, at: dict[int, int]) -> tuple[Array, Array]:
    """Users of 40 candidates: those named have a NaN and so many relevant items, others have 5."""
    scores = np.random.default_rng(0).normal(size=(n_users, 40))
    labels = np.zeros((n_users, 40), dtype=np.int8)
    labels[:, :5] = 1
    for user, relevant in at.items():
        scores[user, 20] = np.nan
        labels[user] = np.arange(40) < relevant
    return scores, labels


@pytest.mark.parametrize("relevant", [0, 1, 8, 9, 21, 40])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_the_first_user_with_a_nan_is_named(relevant: int, n_threads: int) -> None:
    """Although users with fewer relevant items are ranked before those with more."""
    scores, labels = broken(400, {41: relevant, 50: 1, 55: 0, 300: 2})
    with pytest.raises(rm.InputError, match=r"\b41\b"):
        rm.evaluate(scores, labels, ["ndcg@10"], n_threads=n_threads)


@pytest.mark.parametrize("label", [0, 1])
def test_nan_of_an_only_candidate(label: int) -> None:
    scores = np.ones((70, 1))
    scores[66] = np.nan
    with pytest.raises(rm.InputError, match=r"\b66\b"):
        rm.evaluate(scores, np.full((70, 1), label, dtype=np.int8), ["mrr"])


def test_a_user_who_cannot_be_measured_comes_before_one_who_cannot_be_ranked() -> None:
    scores, labels = broken(100, {30: 3})
    labels[20, 0] = 7
    gain = rm.Conventions(gain={1: 1.0})
    with pytest.raises(rm.InputError, match=r"\b20\b"):
        rm.evaluate(scores, labels, ["ndcg@10"], conventions=gain)
    labels[20, 0], labels[35, 0] = 1, 7
    with pytest.raises(rm.InputError, match=r"\b30\b"):
        rm.evaluate(scores, labels, ["ndcg@10"], conventions=gain)


def test_gains_too_large_to_add_up() -> None:
    scores, labels = broken(100, {})
    gain = rm.Conventions(gain={1: 1e308})
    with pytest.raises(rm.InputError, match="infinity"):
        rm.evaluate(scores, labels, ["dcg"], conventions=gain)
