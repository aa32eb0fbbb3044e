"""Made-up recommendation logs that behave like real ones, for trying rankmill at any size."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from rankmill.errors import OutOfMemoryError

Floats = npt.NDArray[np.float32]

_FACTORS: Final = 8  # tastes live in a space of this many dimensions
_TASTE: Final = 1.3  # how far tastes move affinities
_POPULARITY: Final = 0.25  # affinity lost per e-fold of popularity rank
_APPEAL: Final = 0.6  # spread of the items' own appeal
_ACTIVITY: Final = (-2.5, 1.0)  # mean and spread of how readily a user clicks
_NOISE: Final = 1.2  # error of the model's scores
_LEAST_ITEMS: Final = 20_000
_ITEMS_PER_CANDIDATE: Final = 50
_BLOCK_ROWS: Final = 2**16  # a few MB of scratch per thread, which stay in its cache


@dataclass(frozen=True)
class DemoLog:
    """One row per user and candidate, grouped by user.

    Attributes
    ----------
    scores : float32 (rows,)
        What the model thought.
    labels : uint8 (rows,)
        1 where the user clicked.
    offsets : int64 (users + 1,)
        Rows of user u are ``offsets[u]:offsets[u + 1]``.
    """

    scores: Floats
    labels: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Catalogue:
    """The items, most popular first."""

    factors: Floats
    appeal: Floats


def make_log(
    n_users: int,
    n_candidates: int,
    seed: int = 0,
    *,
    n_threads: int = 1,
    advance: Callable[[int], None] | None = None,
) -> DemoLog:
    """Make the same log for the same arguments, whatever the number of threads.

    Each user is shown distinct items, drawn by Zipf's law. The affinity of user and item is the
    product of their latent factors plus the item's appeal, which popular items have more of. A
    click is drawn from the logistic of affinity and the user's activity; the score is the affinity
    with noise. So popular items win more often, some users click nothing, and no model is perfect.

    Parameters
    ----------
    n_users, n_candidates : int
        At least 1 each.
    seed : int
        At least 0.
    n_threads : int
        Threads that make blocks of users.
    advance : callable, optional
        Told the number of users made, block by block.

    Raises
    ------
    OutOfMemoryError
        If the log, 5 bytes a row, does not fit.

    Examples
    --------
    >>> log = make_log(1000, 50, seed=3)
    >>> log.scores.shape, log.labels.dtype, int(log.offsets[-1])
    ((50000,), dtype('uint8'), 50000)
    >>> bool(0.01 < log.labels.mean() < 0.3)
    True
    """
    scores, labels = _room(n_users, n_candidates)
    items = _catalogue(n_candidates, seed)
    step = max(1, _BLOCK_ROWS // n_candidates)

    def fill(start: int) -> int:
        rows = slice(start, start + step)
        # Each block has its own stream of random numbers, so threads cannot change the data.
        random = _stream(seed, 1 + start // step)
        _fill(random, items, scores[rows], labels[rows])
        return len(scores[rows])

    with ThreadPoolExecutor(n_threads) as pool:
        # After Ctrl-C, map drops the blocks that have not begun.
        for made in pool.map(fill, range(0, n_users, step)):
            if advance:
                advance(made)
    offsets = np.arange(n_users + 1, dtype=np.int64) * n_candidates
    return DemoLog(scores.reshape(-1), labels.reshape(-1), offsets)


def _room(n_users: int, n_candidates: int) -> tuple[Floats, npt.NDArray[np.uint8]]:
    shape = (n_users, n_candidates)
    try:
        return np.empty(shape, dtype=np.float32), np.empty(shape, dtype=np.uint8)
    except (MemoryError, ValueError):  # ValueError: more than any address space holds
        size = 5e-9 * n_users * n_candidates
        raise OutOfMemoryError(
            f"{n_users:,} users with {n_candidates:,} candidates need {size:,.1f} GB; wanted fewer"
        ) from None


def _stream(seed: int, part: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64([seed, part]))


def _catalogue(n_candidates: int, seed: int) -> _Catalogue:
    random = _stream(seed, 0)
    n_items = max(_LEAST_ITEMS, _ITEMS_PER_CANDIDATE * n_candidates)
    factors = random.standard_normal((n_items, _FACTORS), dtype=np.float32)
    factors *= np.float32(_TASTE / math.sqrt(_FACTORS))
    appeal = random.normal(0.0, _APPEAL, n_items) - _POPULARITY * np.log(np.arange(1, n_items + 1))
    return _Catalogue(factors, appeal.astype(np.float32))


def _fill(
    random: np.random.Generator,
    items: _Catalogue,
    scores: Floats,
    labels: npt.NDArray[np.uint8],
) -> None:
    """Make the rows of one block of users in place."""
    shape = scores.shape
    shown = draw_items(random, shape, len(items.appeal))
    tastes = random.standard_normal((shape[0], _FACTORS, 1), dtype=np.float32)
    activity = random.normal(*_ACTIVITY, (shape[0], 1)).astype(np.float32)
    # mode="clip" asks no question per index; rounding can leave one just past the last item.
    affinity = (items.factors.take(shown, axis=0, mode="clip") @ tastes)[:, :, 0]
    affinity += items.appeal.take(shown, mode="clip")

    random.standard_normal(dtype=np.float32, out=scores)
    scores *= np.float32(_NOISE)
    scores += affinity

    # random < 1 / (1 + exp(-logit)), in place
    affinity += activity
    np.negative(affinity, out=affinity)
    np.exp(affinity, out=affinity)
    affinity += 1
    affinity *= random.random(shape, dtype=np.float32)
    np.less(affinity, 1, out=labels.view(np.bool_))


def draw_items(
    random: np.random.Generator, shape: tuple[int, ...], n_items: int
) -> npt.NDArray[np.int64]:
    """Draw distinct items for each user, with chances near 1 / rank until they reach 1."""
    n_candidates = shape[1]
    order = np.arange(n_candidates)
    # A rank whose logarithm is uniform follows Zipf's law; one draw from each slice comes sorted.
    place = random.random(shape, dtype=np.float32)
    place += order.astype(np.float32)
    place *= np.float32(math.log(n_items) / n_candidates)
    ranks = np.exp(place, out=place).astype(np.int64)
    # Push equal ranks on to the next free one, then undo the sorting.
    ranks -= order + 1
    np.maximum.accumulate(ranks, axis=1, out=ranks)
    ranks += order
    return ranks[:, random.permutation(n_candidates)]
