"""`sampled_metrics` draws the same users everywhere, and `RunningMean` is exact."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm
from rankmill.functions import sample_users

MASK = 2**64 - 1
NAN = math.nan


def splitmix64(state: int) -> int:
    """The output function of SplitMix64 (Steele, Lea & Flood 2014), in whole numbers."""
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK
    state = (state ^ state >> 27) * 0x94D049BB133111EB & MASK
    return state ^ state >> 31


def chosen(n_users: int, size: int, seed: int) -> list[int]:
    """The users with the smallest hashes, in ascending order."""
    start = seed * 0xD1342543DE82EF95
    hashes = [
        splitmix64((start + (user + 1) * 0x9E3779B97F4A7C15) & MASK) for user in range(n_users)
    ]
    return sorted(sorted(range(n_users), key=hashes.__getitem__)[:size])


def test_the_hash_is_the_published_one() -> None:
    """The first outputs for seed 0 in the authors' code."""
    outputs = [splitmix64(n * 0x9E3779B97F4A7C15 & MASK) for n in (1, 2, 3)]
    assert outputs == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


@pytest.mark.parametrize(
    ("n_users", "size", "seed", "users"),
    [
        (10, 3, 0, [2, 4, 6]),
        (10, 3, 1, [4, 5, 6]),
        (1000, 5, 42, [49, 354, 470, 633, 823]),
        (1000, 5, 2**64 - 1, [352, 521, 672, 674, 825]),
        (100_000, 4, 7, [6441, 27447, 37569, 97009]),
    ],
)
def test_the_same_users_everywhere(n_users: int, size: int, seed: int, users: list[int]) -> None:
    assert chosen(n_users, size, seed) == users
    assert sample_users(n_users, size, seed).tolist() == users


@given(st.integers(1, 300), st.integers(1, 320), st.integers(0, 2**70))
def test_any_sample(n_users: int, size: int, seed: int) -> None:
    assert sample_users(n_users, size, seed).tolist() == chosen(n_users, size, seed)


def test_sampled_metrics_are_those_of_the_sample() -> None:
    rng = np.random.default_rng(0)
    scores, labels = rng.random((200, 30)), rng.integers(0, 3, (200, 30)) * (rng.random(30) < 0.3)
    found = rm.sampled_metrics(scores, labels, 50, 5, 3, gain="linear", n_threads=2)
    users = chosen(200, 50, 3)
    names = ["precision@5", "recall@5", "f1@5", "hit@5", "ndcg@5", "map@5", "mrr@5"]
    rules = rm.Conventions(gain="linear")
    assert found == rm.evaluate(scores[users], labels[users], names, conventions=rules).means
    everyone = rm.sampled_metrics(scores, labels, 10**6, 5, 3)
    assert everyone == rm.evaluate(scores, labels, names).means
    assert everyone != rm.sampled_metrics(scores, labels, 50, 5, 3)


# ---- RunningMean

NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [NAN, 0.0, -0.0, 5e-324, 1e308, -1e308, 1e16, 0.1, 1 / 3]
)


def bits(mean: rm.RunningMean) -> tuple[bytes, int]:
    return np.float64(mean.mean).tobytes(), mean.count


def exact(values: list[float]) -> float:
    counted = [Fraction(value) for value in values if not math.isnan(value)]
    return float(sum(counted) / len(counted)) if counted else NAN


@given(st.lists(NUMBERS, max_size=30), st.lists(st.integers(0, 30), max_size=6), st.randoms())
def test_any_split_and_order_gives_the_same_bits(
    values: list[float], cuts: list[int], random: Any
) -> None:
    whole = rm.RunningMean().update(values)
    want = exact(values)
    assert whole.mean == want or (math.isnan(whole.mean) and math.isnan(want))
    assert whole.count == sum(not math.isnan(value) for value in values)
    random.shuffle(values)
    ends = [0, *sorted(cuts), len(values) + 30]
    parts = [values[first:last] for first, last in itertools.pairwise(ends)]
    stream = rm.RunningMean()
    for part in parts:
        stream.update(part)
    assert bits(stream) == bits(whole)
    merged = [rm.RunningMean().update(part) for part in parts]
    random.shuffle(merged)
    while len(merged) > 1:
        merged.append(merged.pop().merge(merged.pop()))
    assert bits(merged[0]) == bits(whole)


def test_batches_of_results_give_the_mean_of_one_call() -> None:
    rng = np.random.default_rng(0)
    scores, labels = rng.random((300, 20)), rng.random((300, 20)) < 0.1
    whole = rm.evaluate(scores, labels, "ndcg@5")
    stream = rm.RunningMean()
    for rows in np.array_split(np.arange(300), 7):
        stream.update(rm.evaluate(scores[rows], labels[rows], "ndcg@5")["ndcg@5"])
    assert bits(stream) == (np.float64(whole.means["ndcg@5"]).tobytes(), whole.counts["ndcg@5"])


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 6],
        (1.0, 2.0, 6.0),
        np.array([[1, 2], [6, NAN]]),
        np.array([1, 9, 2, 9, 6], dtype=">f4")[::2],
        np.array([1, 2, 6], dtype=np.uint8),
    ],
)
def test_batches_of_any_form(values: Any) -> None:
    found = rm.RunningMean().update(values)
    assert (found.mean, found.count) == (3.0, 3)


def test_single_values_and_nothing() -> None:
    found = rm.RunningMean()
    assert math.isnan(found.mean)
    assert found.count == 0
    assert math.isnan(found.update([]).update(NAN).mean)
    assert found.update(2.0).update(np.float32(4)).update(True).mean == 7 / 3
    assert repr(found) == f"RunningMean(mean={7 / 3!r}, count=3)"


def test_merging_leaves_the_other_alone() -> None:
    one, other = rm.RunningMean().update([1.0, 2.0]), rm.RunningMean().update([6.0])
    assert one.merge(other) is one
    assert (one.mean, one.count) == (3.0, 3)
    assert (other.mean, other.count) == (6.0, 1)
    assert one.merge(rm.RunningMean()).mean == 3.0


def test_sums_beyond_the_largest_double() -> None:
    assert rm.RunningMean().update([1e308] * 5).mean == 1e308
    assert rm.RunningMean().update([1e308, 1e308, -1e308, 5e-324]).mean == 0.25e308
    assert rm.RunningMean().update([5e-324, 0.0, 5e-324]).mean == 5e-324
