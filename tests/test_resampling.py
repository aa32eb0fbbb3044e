"""The engine's sums of resampled users: against a plain second implementation, and chance."""

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from rankmill._engine import Run, resample
from rankmill.compare.resampling import bootstrap_sums, randomization_p
from rankmill.errors import UnavailableError
from rankmill.status import explainer

Int64s = npt.NDArray[np.int64]
SIZES = (1, 2, 7, 8, 9, 63, 64, 65, 255, 256, 257, 512, 700, 1100)
WORD = 2**64


def sums(
    values: Int64s, coins: bool, n: int, *, first: int = 0, threads: int = 1, isa: str | None = None
) -> Int64s:
    """Sums by the engine of (users, metrics); (n, metrics)."""
    users, metrics = values.shape
    groups = -(-metrics // 4)
    packed = np.zeros((groups, users, 4), dtype=np.int64)
    for metric in range(metrics):
        packed[metric // 4, :, metric % 4] = values[:, metric]
    out = np.full((n, groups, 4), 77, dtype=np.int64)
    resample(packed, coins, 5, first, Run(threads, isa), out, explainer())
    return out.reshape(n, -1)[:, :metrics]


class Stream:
    """SplitMix64 in plain Python."""

    def __init__(self, *key: int) -> None:
        self.state = key[0]
        for part in key[1:]:
            self.state = self.next() ^ (part % WORD)
        self.state = self.next()

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % WORD
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB % WORD
        return z ^ z >> 31

    def ones(self, n: int) -> int:
        return sum((self.next() % 2 ** min(64, n - at)).bit_count() for at in range(0, n, 64))

    def binomial(self, n: int, wins: int, every: int) -> int:
        """Draws below wins / every, compared with its binary digits one at a time."""
        won = 0
        while n and wins:
            ones = self.ones(n)
            digit, wins = divmod(2 * wins, every)
            won, n = (won + n - ones, ones) if digit else (won, n - ones)
        return won


def draws_per_block(stream: Stream, users: int, draws: int) -> list[int]:
    """Split draws over blocks of 256 users: the left part a power of two of blocks."""
    blocks = -(-users // 256)
    if blocks == 1:
        return [draws]
    left = 256 * 2 ** ((blocks - 1).bit_length() - 1)
    in_left = stream.binomial(draws, left, users)
    return draws_per_block(stream, left, in_left) + draws_per_block(
        stream, users - left, draws - in_left
    )


def plain_bootstrap(values: Int64s, resample: int) -> Int64s:
    users = len(values)
    total = np.zeros(values.shape[1], dtype=np.int64)
    for block, draws in enumerate(draws_per_block(Stream(5, resample, -1), users, users)):
        stream, word, left = Stream(5, resample, block), 0, 0
        slots = min(256, users - 256 * block)
        mask = 2 ** (slots - 1).bit_length() - 1
        while draws:
            if not left:
                word, left = stream.next(), 8
            slot, word, left = word & mask, word >> 8, left - 1
            if slot < slots:
                total += values[256 * block + slot]
                draws -= 1
    return total


def plain_coins(values: Int64s, resample: int) -> Int64s:
    stream, total = Stream(5, resample, -1), np.zeros(values.shape[1], dtype=np.int64)
    for at in range(0, len(values), 64):
        word = stream.next()
        for bit, user in enumerate(values[at : at + 64]):
            total += (word >> bit & 1) * user
    return total


@pytest.mark.parametrize("coins", [False, True])
@pytest.mark.parametrize("users", SIZES)
def test_sums_are_those_of_the_plain_algorithm(users: int, coins: bool, isa: str) -> None:
    rng = np.random.default_rng(users)
    plain = plain_coins if coins else plain_bootstrap
    for metrics in (1, 4, 5, 12):
        values = rng.integers(-(2**40), 2**40, (users, metrics))
        expected = [plain(values, row) for row in range(3)]
        assert np.array_equal(sums(values, coins, 3, isa=isa), expected)


@pytest.mark.parametrize("coins", [False, True])
def test_the_same_for_any_threads_instructions_and_calls(coins: bool, isa: str) -> None:
    values = np.random.default_rng(1).integers(-100, 100, (1000, 6))
    whole = sums(values, coins, 1500, isa=isa)
    assert np.array_equal(whole, sums(values, coins, 1500, threads=1, isa="baseline"))
    for threads in (2, 3):
        assert np.array_equal(whole, sums(values, coins, 1500, threads=threads, isa=isa))
    assert np.array_equal(whole[700:900], sums(values, coins, 200, first=700, isa=isa))
    assert len(np.unique(whole, axis=0)) > 1400


@pytest.mark.parametrize("users", [3, 11, 12])
def test_draws_are_uniform_and_independent(users: int) -> None:
    """One metric per user that is 1 for that user alone counts how often it was drawn."""
    n = 20_000
    drawn = sums(np.eye(users, dtype=np.int64), False, n)
    assert (drawn.sum(axis=1) == users).all()
    most = 4
    counts = np.apply_along_axis(
        lambda column: np.bincount(np.minimum(column, most), minlength=most + 1), 0, drawn
    )
    chances = stats.binom.pmf(np.arange(most + 1), users, 1 / users)
    chances[most] = 1 - chances[:most].sum()
    expected = n * chances
    seen = expected > 5
    for column in counts.T:
        assert (((column - expected) ** 2 / np.maximum(expected, 1e-9))[seen]).sum() < 30
    covariance = np.cov(drawn.T)
    off = covariance[~np.eye(users, dtype=bool)]
    assert np.allclose(off, -1 / users, atol=0.05)


@pytest.mark.parametrize("users", [2900, 2816, 2561])
def test_blocks_get_their_share(users: int) -> None:
    """Blocks of 256 users as metrics: the draws of each are multinomial by their size."""
    n = 4000
    block = np.eye(12, dtype=np.int64)[np.arange(users) // 256]
    drawn = sums(block, False, n)
    share = block.sum(axis=0) / users
    assert (drawn.sum(axis=1) == users).all()
    error = np.sqrt(users * share * (1 - share) / n)
    assert (np.abs(drawn.mean(axis=0) - users * share) <= 5 * error).all()
    used = share > 0
    expected = users * (np.diag(share) - np.outer(share, share))[used][:, used]
    assert np.allclose(np.cov(drawn.T)[used][:, used], expected, atol=0.1 * expected.max())


def test_coins_are_fair_and_independent() -> None:
    flipped = sums(np.eye(12, dtype=np.int64), True, 20_000)
    assert set(np.unique(flipped)) == {0, 1}
    codes = flipped @ (1 << np.arange(12))
    assert stats.chisquare(np.bincount(codes, minlength=4096)).pvalue > 1e-3


def test_all_signs_are_tried_for_few_users() -> None:
    rows = np.array([[0.3, -0.1, 0.2, 0.0, 0.7], [0.1, 0.2, -0.3, 0.0, 0.0]])
    signs = np.array(list(product((-1, 1), repeat=5)))
    expected = [
        np.mean([abs(signed) >= abs(row.sum()) - 1e-12 for signed in signs @ row]) for row in rows
    ]
    assert np.allclose(randomization_p(rows, 32, 0, Run(1, None)), expected, atol=0)
    assert not np.allclose(randomization_p(rows, 31, 0, Run(1, None)), expected, atol=0)


def test_more_metrics_than_fit_at_once_and_any_size_of_value() -> None:
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(14, 300)) * 10.0 ** rng.integers(-300, 290, (14, 1))
    rows[3] = 0.0
    run = Run(2, None)
    found = bootstrap_sums(rows, 50, 9, run)
    alone = np.concatenate([bootstrap_sums(row[np.newaxis], 50, 9, run) for row in rows], axis=1)
    assert np.array_equal(found, alone)
    ones = bootstrap_sums(np.ones((1, 300)), 50, 9, run)
    assert (ones == 300).all()


def test_unknown_instruction_set() -> None:
    with pytest.raises(UnavailableError):
        sums(np.ones((2, 1), dtype=np.int64), True, 1, isa="mmx")
