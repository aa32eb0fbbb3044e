"""Counting `ahead`, `tied` and `position`, once per instruction set, against plain counting."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import rankmill as rm
from strategies import Array

# One type for each way in which scores are compared, and those that are converted first.
COMPARED = ["float32", "float64", "int64"]
CONVERTED = ["float16", "int8", "uint16", "int32", "uint32", "uint64", "bool"]

TILE = 4096  # candidates compared at a time
EDGES = [TILE - 1, TILE, TILE + 1, 2 * TILE - 1, 2 * TILE, 2 * TILE + 1, 3 * TILE + 17]


def some_scores(rng: np.random.Generator, n: int, dtype: Any, kinds: int) -> Array:
    """Scores of few kinds, so that many tie; float ones with signs, zeros and infinities."""
    kind = np.dtype(dtype).kind
    values = rng.integers(0, kinds, n)
    if kind == "f":
        values = np.where(values == 0, rng.choice([0.0, -0.0], n), values - kinds / 2)
        values[rng.random(n) < 0.01] = np.inf
    elif kind == "i":
        values = values - kinds // 2
    return values.astype(dtype)


def entries(scores: Array, grades: Array, ids: Array | None = None) -> dict[str, Array]:
    """The entries of one user, from a full sort of the candidates; ids settle the ties."""
    wanted = np.flatnonzero(grades > 0)
    ascending = np.sort(scores)
    high = np.searchsorted(ascending, scores[wanted], "right")
    low = np.searchsorted(ascending, scores[wanted], "left")
    position = np.empty(len(scores), dtype=np.int64)
    falling = np.lexsort((-np.arange(len(scores)) if ids is None else ids, scores))[::-1]
    position[falling] = np.arange(len(scores))
    found = {
        "ahead": len(scores) - high,
        "tied": high - low,
        "grade": grades[wanted],
        "position": position[wanted],
    }
    order = np.lexsort((found["position"], -found["grade"].astype(float), found["ahead"]))
    return {name: values[order] for name, values in found.items()}


def compare(ranks: rm.Ranks, users: list[dict[str, Array]], *, positions: bool) -> None:
    assert np.diff(ranks.offsets).tolist() == [len(user["ahead"]) for user in users]
    for name in ("ahead", "tied", "grade", *(["position"] if positions else [])):
        np.testing.assert_array_equal(
            getattr(ranks, name), np.concatenate([user[name] for user in users]), name
        )


def check(scores: list[Array], grades: list[Array], isa: str) -> None:
    """Users of any lengths, without an order (the counting loops) and with one (the search)."""
    offsets = np.cumsum([0, *map(len, scores)])
    rows = {"scores": np.concatenate(scores), "relevance": np.concatenate(grades)}
    want = [entries(one, truth) for one, truth in zip(scores, grades, strict=True)]
    plain = rm.rank(**rows, offsets=offsets, isa=isa)
    compare(plain, want, positions=False)
    assert plain.candidates.tolist() == [len(one) for one in scores]
    ordered = rm.rank(**rows, offsets=offsets, ties="input_order", isa=isa)
    compare(ordered, want, positions=True)


def some_grades(rng: np.random.Generator, n: int, p: int) -> Array:
    """p relevant items of n, with grades from 1 to 5."""
    return np.where(rng.permutation(n) < p, rng.integers(1, 6, n), 0).astype(np.int8)


@pytest.mark.parametrize("dtype", [*COMPARED, *CONVERTED])
def test_every_length(isa: str, dtype: str) -> None:
    """All lengths up to several times the lanes of any vector, with 0 to 5 relevant items."""
    rng = np.random.default_rng(0)
    scores = [some_scores(rng, n, dtype, 7) for n in range(140)]
    check(scores, [some_grades(rng, n, n % 6) for n in range(140)], isa)


@pytest.mark.parametrize("dtype", COMPARED)
@pytest.mark.parametrize("kinds", [2, 10**6])
def test_every_number_of_relevant_items(isa: str, dtype: str, kinds: int) -> None:
    """From none to more than pay for a comparison with each, so that every way is taken."""
    rng = np.random.default_rng(kinds)
    scores = [some_scores(rng, 300, dtype, kinds) for _ in range(300)]
    check(scores, [some_grades(rng, 300, p) for p in range(300)], isa)


@pytest.mark.parametrize("dtype", [*COMPARED, "float16", "uint64"])
@pytest.mark.parametrize("p", [1, 4, 49, 300])
def test_around_the_tile(isa: str, dtype: str, p: int) -> None:
    rng = np.random.default_rng(p)
    scores = [some_scores(rng, n, dtype, 1000) for n in EDGES]
    check(scores, [some_grades(rng, n, p) for n in EDGES], isa)


@pytest.mark.parametrize("dtype", [*COMPARED, "float16", "uint64"])
@pytest.mark.parametrize("kinds", [3, 1000, 10**9])
def test_many_relevant_items(isa: str, dtype: str, kinds: int) -> None:
    """So many that sorting the candidates beats looking each of them up."""
    rng = np.random.default_rng(kinds)
    kinds = min(kinds, 60_000) if dtype == "float16" else kinds
    sizes = [(9000, p) for p in (4095, 4096, 4097, 8999, 9000)] + [(50_000, 20_000)]
    scores = [some_scores(rng, n, dtype, kinds) for n, _ in sizes]
    check(scores, [some_grades(rng, n, p) for n, p in sizes], isa)


@pytest.mark.parametrize("dtype", COMPARED)
def test_a_long_user(isa: str, dtype: str) -> None:
    """More than 2^20 candidates in rising order, so that each batch stands above the last."""
    rng = np.random.default_rng(0)
    scores = np.sort(some_scores(rng, 2**20 + 12_345, dtype, 10**6))
    check([scores], [some_grades(rng, len(scores), 5000)], isa)


@pytest.mark.parametrize("dtype", COMPARED)
@pytest.mark.parametrize("kinds", [100, 10**8])
def test_a_huge_user_in_an_order(isa: str, dtype: str, kinds: int) -> None:
    """Nearly all relevant: scores stand where grades will, and these are read again."""
    rng = np.random.default_rng(kinds)
    n = 350_001
    scores, grades = some_scores(rng, n, dtype, kinds), some_grades(rng, n, n - 9)
    want = entries(scores, grades)
    matrix = csr_array(grades[None].astype(np.float64))
    for relevance in (grades[None], matrix):
        ranks = rm.rank(scores[None], relevance, ties="input_order", isa=isa)
        compare(ranks, [want], positions=True)


@pytest.mark.parametrize("at", [0, 1, TILE - 1, TILE, TILE + 1, 2 * TILE])
def test_one_score_among_many(isa: str, at: int) -> None:
    """A single higher and a single equal candidate are counted wherever they stand."""
    n = 2 * TILE + 1
    scores = np.zeros(n, dtype=np.float32)
    other = n // 3
    scores[other] = 1
    for value, tied, ahead in [(2, 1, 1), (1, 2, 0), (0.5, 1, 0)]:
        scores[at] = value
        ranks = rm.rank(scores, np.arange(n) == other, isa=isa)
        assert (ranks.ahead.tolist(), ranks.tied.tolist()) == ([ahead], [tied])


@pytest.mark.parametrize("dtype", COMPARED)
@pytest.mark.parametrize("gone", [1, 255, 256, 257, 900])
@pytest.mark.parametrize(("n", "p"), [(1000, 3), (1000, 60), (9000, 5000)])
def test_excluded_items(isa: str, dtype: str, gone: int, n: int, p: int) -> None:
    """Excluded candidates leave every count, relevant or not; ids settle the ties."""
    rng = np.random.default_rng(gone)
    scores = some_scores(rng, n, dtype, 40)
    grades = some_grades(rng, n, p)
    ids = rng.permutation(n)
    left_out = rng.permutation(n) < gone
    want = entries(scores[~left_out], grades[~left_out], ids[~left_out])
    ranks = rm.rank(
        scores[None],
        grades[None],
        items=ids,
        exclude=[ids[left_out].tolist()],
        ties="id_descending",
        isa=isa,
    )
    compare(ranks, [want], positions=True)
    assert ranks.candidates.tolist() == [n - gone]
    columns = [np.flatnonzero(left_out).tolist()]
    plain = rm.rank(scores[None], grades[None], exclude=columns, isa=isa)
    compare(plain, [want], positions=False)


@pytest.mark.parametrize("dtype", COMPARED)
@pytest.mark.parametrize("p", [3, 60, 5000])
def test_least_score(isa: str, dtype: str, p: int) -> None:
    """Candidates below the bound go from the counts; relevant ones among them stand last."""
    rng = np.random.default_rng(p)
    scores = some_scores(rng, 9000, dtype, 40)
    grades = some_grades(rng, 9000, p)
    kept = scores >= 5
    want = entries(scores[kept], grades[kept])
    missed = -np.sort(-grades[~kept & (grades > 0)])
    want = {
        "ahead": np.append(want["ahead"], np.full(len(missed), 2**31 - 1)),
        "tied": np.append(want["tied"], np.zeros(len(missed), dtype=int)),
        "grade": np.append(want["grade"], missed),
        "position": np.append(want["position"], np.full(len(missed), 2**31 - 1)),
    }
    for ties in ("average", "input_order"):
        ranks = rm.rank(scores, grades, min_score=5, ties=ties, isa=isa)
        compare(ranks, [want], positions=ties == "input_order")
        assert ranks.candidates.tolist() == [kept.sum()]


def test_neighbours_that_a_narrower_type_cannot_tell_apart(isa: str) -> None:
    for values in (
        np.array([1, 1 + 2**-52, 1 + 2**-51]),
        np.array([2**53, 2**53 + 1, 2**53 + 2]),
        np.array([2**64 - 3, 2**64 - 2, 2**64 - 1], dtype=np.uint64),
        np.array([2**24, 2**24 + 1, 2**24 + 2], dtype=np.int32),
        np.array([0, 5e-324, 1e-323]),
        np.array([-(2**63), -(2**63) + 1, 2**63 - 1]),
    ):
        for p in (1, 3):
            ranks = rm.rank(values, np.arange(3) < p, isa=isa)
            assert ranks.ahead.tolist() == [2, 1, 0][:p][::-1]
            assert ranks.tied.tolist() == [1] * p


# ---- more pairs than 32 bits can count


def pairs_in_blocks(sizes: list[tuple[int, int]]) -> tuple[Array, Array, float]:
    """Blocks of equal scores, falling from block to block, and the AUC by hand.

    A size is (positives, negatives).
    """
    positives, negatives = np.array(sizes).T
    later = negatives.sum() - np.cumsum(negatives)
    twice_won = int((positives * (2 * later + negatives)).sum())
    rows = np.repeat(-np.arange(len(sizes)), positives + negatives)
    labels = np.concatenate([np.arange(p + n) < p for p, n in sizes])
    return rows, labels, twice_won / (2 * int(positives.sum()) * int(negatives.sum()))


@pytest.mark.parametrize(
    "sizes",
    [
        [(2**16, 0), (0, 2**16)],  # 2^32 pairs, all won
        [(0, 2**16), (2**16, 0)],  # all lost
        [(2**16, 2**16)],  # all tied
        [(2**15, 2**15 + 1), (2**15, 2**15)],
        [(3, 2**15), (2**15, 7), (5, 2**16), (2**15, 11)],
    ],
)
@pytest.mark.parametrize("dtype", COMPARED)
def test_auc_of_more_than_2_31_pairs(isa: str, dtype: str, sizes: list[tuple[int, int]]) -> None:
    scores, labels, want = pairs_in_blocks(sizes)
    assert labels.sum() * (~labels).sum() > 2**31
    result = rm.evaluate(scores.astype(dtype), labels, "auc", isa=isa)
    assert result.means["auc"] == want


def test_weighted_auc_of_more_than_2_31_pairs(isa: str) -> None:
    scores, labels, want = pairs_in_blocks([(2**15, 2**15 + 1), (2**15, 2**15)])
    weights = np.full(len(scores), 0.5)
    assert rm.auc_score(scores, labels, sample_weight=weights, isa=isa) == want


def test_average_precision_of_many_relevant_items(isa: str) -> None:
    """All items tied, all relevant: every order is perfect."""
    labels = np.ones(2**17, dtype=np.int8)
    metrics = ["map", "pr_auc", "max_f1", "recall@7", "precision", "ndcg@100"]
    result = rm.evaluate(np.zeros(2**17), labels, metrics, isa=isa)
    assert result["recall@7"].tolist() == [7 / 2**17]
    others = [name for name in result.names if name != "recall@7"]
    assert [result.means[name] for name in others] == pytest.approx([1.0] * 5, rel=1e-12)
