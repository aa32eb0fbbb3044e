"""The best numpy known to us for each workload, to time the engine against.

Each function returns {metric: value of each user} in float64, NaN where the metric is undefined.
Where the data has no ties within a user, these functions use it: they need not average over the
orders of a tie, while the engine always does. Work goes in blocks of users that stay in the cache;
with n_threads > 1 the blocks go to a pool of threads, since numpy lets go of the lock in the loops
that matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from rankmill.bench.numpy_measure import Ints, Landed, Values, measure
from rankmill.bench.workloads import Dense, Factors, Flat

Floats: TypeAlias = npt.NDArray[np.float32]
Labels: TypeAlias = npt.NDArray[np.int8]
T = TypeVar("T")

BLOCK_USERS = 4096
_LABEL_BITS = 3
_LABEL = (1 << _LABEL_BITS) - 1


def map_blocks(work: Callable[[slice], T], n: int, block: int, n_threads: int) -> list[T]:
    """`work` for each block of users, in order."""
    blocks = [slice(first, min(first + block, n)) for first in range(0, n, block)]
    if n_threads == 1:
        return [work(part) for part in blocks]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, blocks))


def _rectangle(data: Flat) -> tuple[Floats, Labels]:
    """The rows of users who have equally many candidates, a user a line."""
    width = int(data.offsets[1])
    return data.scores.reshape(-1, width), data.labels.reshape(-1, width)


def join(parts: Sequence[Values]) -> Values:
    """The values of all blocks."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


# ---- ranking -------------------------------------------------------------------------------------


def sorted_keys(scores: Floats, labels: Labels) -> Ints:
    """Sort along the last axis by score, descending; the label is in the low bits of each key.

    A float32 leaves the low 29 bits of its float64 empty: the label goes there. To sort these as
    float64 is faster than to turn the bits of negative scores into those of a whole number.
    """
    keys = np.negative(scores, dtype=np.float64)
    bits = keys.view(np.int64)
    bits |= labels
    keys.sort()
    return bits


def landed_in_rows(scores: Floats, labels: Labels) -> Landed:
    """Sort users who have equally many candidates."""
    n, width = scores.shape
    grades = sorted_keys(scores, labels)
    grades &= _LABEL
    at = np.flatnonzero(grades)
    user = at // width
    return Landed(user, at - user * width, grades.ravel()[at], np.full(n, width))


def landed_in_segments(data: Flat, part: slice) -> Landed:
    """Sort ragged users at once: a key of 64 bits holds the user, 32 bits of score, 3 of label."""
    starts = data.offsets[part.start : part.stop + 1]
    rows = slice(starts[0], starts[-1])
    lengths = np.diff(starts)
    bits = data.scores[rows].view(np.int32)
    # As an unsigned number this falls as the score rises.
    falling = bits ^ (~(bits >> 31) & np.int32(0x7FFFFFFF))
    keys = np.repeat(np.arange(len(lengths)) << 32, lengths)
    keys |= falling.view(np.uint32)
    keys <<= _LABEL_BITS
    keys |= data.labels[rows]
    keys.sort()
    grades = keys & _LABEL
    at = np.flatnonzero(grades)
    user = keys[at] >> (32 + _LABEL_BITS)
    return Landed(user, at - (starts - starts[0])[user], grades[at], lengths)


def landed_in_catalogue(scores: Floats, positives: Ints, candidates: int) -> Landed:
    """Count, for each relevant item, the scores above its own: no sort."""
    n_users, p = positives.shape
    own = np.take_along_axis(scores, positives, axis=1)
    above = np.empty(scores.shape[1], dtype=bool)
    rank = np.empty((n_users, p), dtype=np.int64)
    for user in range(n_users):
        for i in range(p):
            np.greater(scores[user], own[user, i], out=above)
            rank[user, i] = np.count_nonzero(above)
    rank.sort(axis=1)
    user_of = np.repeat(np.arange(n_users), p)
    return Landed(user_of, rank.ravel(), np.ones(n_users * p), np.full(n_users, candidates))


# ---- whole workloads -----------------------------------------------------------------------------


def equal_rows(data: Flat, metrics: Sequence[str], n_threads: int = 1) -> Values:
    """W1: sort along rows, in blocks."""
    scores, labels = _rectangle(data)

    def block(part: slice) -> Values:
        return measure(landed_in_rows(scores[part], labels[part]), metrics)

    return join(map_blocks(block, data.n_users, BLOCK_USERS, n_threads))


def ragged_rows(
    data: Flat, metrics: Sequence[str], n_threads: int = 1, block_users: int = 2048
) -> Values:
    """W2: sort the packed keys of a block of users at once."""

    def block(part: slice) -> Values:
        return measure(landed_in_segments(data, part), metrics)

    return join(map_blocks(block, data.n_users, block_users, n_threads))


def dense_rows(data: Dense, metrics: Sequence[str], n_threads: int = 1) -> Values:
    """W3: ranks of the relevant items by counting."""
    positives = data.relevant.indices.reshape(data.n_users, -1)
    n_items = data.scores.shape[1]

    def block(part: slice) -> Values:
        landed = landed_in_catalogue(data.scores[part], positives[part], n_items)
        return measure(landed, metrics)

    return join(map_blocks(block, data.n_users, 64, n_threads))


def factor_rows(data: Factors, metrics: Sequence[str], block_users: int = 256) -> Values:
    """W4: multiply a block, strike out the excluded, count. BLAS has threads of its own."""
    n_items = len(data.items)
    positives = data.relevant.indices.reshape(data.n_users, -1)
    struck = data.exclude.indices.reshape(data.n_users, -1)
    scores = np.empty((block_users, n_items), dtype=np.float32)

    def block(part: slice) -> Values:
        tile = scores[: part.stop - part.start]
        np.matmul(data.users[part], data.items.T, out=tile)
        np.put_along_axis(tile, struck[part], -np.inf, axis=1)
        landed = landed_in_catalogue(tile, positives[part], n_items - struck.shape[1])
        return measure(landed, metrics)

    return join(map_blocks(block, data.n_users, block_users, 1))


def thresholds_of_equal_rows(data: Flat, n_threads: int = 1) -> Values:
    """W6: auc, pr_auc and max_f1 of each user from the labels in order of score."""
    scores, labels = _rectangle(data)

    def block(part: slice) -> Values:
        return _thresholds(sorted_keys(scores[part], labels[part]))

    return join(map_blocks(block, data.n_users, BLOCK_USERS, n_threads))


def _thresholds(keys: Ints) -> Values:
    """Every row is a threshold, for there are no ties. Float32 holds these counts and ratios."""
    width = keys.shape[1]
    labels = (keys & 1).astype(np.float32)
    found = np.cumsum(labels, axis=1)
    relevant = found[:, -1].astype(np.float64)
    predicted = np.arange(1, width + 1, dtype=np.float32)
    ranks = (labels @ (predicted - 1)).astype(np.float64)
    above = ranks - relevant * (relevant - 1) / 2
    # The nearest two ratios of numbers up to 200 differ by more than float32 rounds.
    best = (found / (predicted + found[:, -1:])).argmax(axis=1)
    hits = found[np.arange(len(found)), best].astype(np.float64)
    precision = np.divide(found, predicted, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "auc": 1.0 - above / (relevant * (width - relevant)),
            "pr_auc": np.einsum("ij,ij->i", precision, labels) / relevant,
            "max_f1": 2.0 * hits / (best + 1 + relevant),
        }


def auc_by_rankdata(data: Flat, n_threads: int = 1) -> Values:
    """W6: auc from scipy's ranks, which average over ties."""
    from scipy.stats import rankdata

    scores, labels = _rectangle(data)
    width = scores.shape[1]

    def block(part: slice) -> Values:
        p = labels[part].sum(axis=1, dtype=np.float64)
        sums = np.einsum("ij,ij->i", rankdata(scores[part], axis=1), labels[part])
        with np.errstate(divide="ignore", invalid="ignore"):
            return {"auc": (sums - p * (p + 1) / 2) / (p * (width - p))}

    return join(map_blocks(block, data.n_users, BLOCK_USERS, n_threads))


def thresholds_of_one_row(data: Flat) -> Values:
    """W6, pooled: one sort; thresholds where the score changes, so ties count as they should."""
    keys = sorted_keys(data.scores, data.labels)
    changes = np.flatnonzero((keys[1:] ^ keys[:-1]) >> 1)
    at = np.append(changes, len(keys) - 1)
    hits, predicted = np.cumsum(keys & 1)[at].astype(np.float64), at + 1.0
    relevant, irrelevant = hits[-1], len(keys) - hits[-1]
    steps = np.diff(hits, prepend=0.0)
    misses = predicted - hits
    below = irrelevant - misses + np.diff(misses, prepend=0.0) / 2
    return {
        "auc": np.array([np.dot(steps, below) / (relevant * irrelevant)]),
        "pr_auc": np.array([np.dot(steps, hits / predicted) / relevant]),
        "max_f1": np.array([np.max(2.0 * hits / (predicted + relevant))]),
    }


def top_k(scores: Floats, k: int, n_threads: int = 1) -> tuple[Ints, Floats]:
    """Partition each row, then sort the k best."""

    def block(part: slice) -> tuple[Ints, Floats]:
        rows = scores[part]
        best = np.argpartition(rows, rows.shape[1] - k, axis=1)[:, -k:]
        own = np.take_along_axis(rows, best, axis=1)
        order = np.argsort(-own, axis=1)
        return np.take_along_axis(best, order, axis=1), np.take_along_axis(own, order, axis=1)

    parts = map_blocks(block, len(scores), 8, n_threads)
    return np.concatenate([ids for ids, _ in parts]), np.concatenate([own for _, own in parts])
