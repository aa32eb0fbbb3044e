"""`rank_factors` and `top_k_factors`: full-catalogue evaluation without the score matrix."""

from __future__ import annotations

from threading import Event
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankmill._engine import Array, Block, Input, Run, Tile, count_relevant, top_k_tile
from rankmill.errors import InputTypeError, RankmillError
from rankmill.inputs import (
    Int64s,
    NumpyArray,
    engine_array,
    is_sparse,
    sparse_matrix,
    whole_number,
)
from rankmill.inputs_exclude import dense_exclude
from rankmill.inputs_factors import Factors, factors
from rankmill.inputs_scored import item_keys
from rankmill.ranking import place_order
from rankmill.ranks import Order, Ranks, empty_ranks
from rankmill.status import Explain, explainer
from rankmill.threads import for_blocks, make_run, thread_count


def rank_factors(
    user_factors: Any,
    item_factors: Any,
    relevance: Any,
    *,
    exclude: Any = None,
    item_bias: Any = None,
    items: Any = None,
    ties: str = "average",
    n_threads: int | None = None,
    isa: str | None = None,
    block: int | None = None,
) -> Ranks:
    """Rank the full catalogue for every user by the dot products of factors.

    The score of user u and item i is ``user_factors[u] @ item_factors[i] (+ item_bias[i])``. The
    score matrix never exists: numpy's BLAS makes a tile, which is counted while it is in the cache.
    The score of a relevant item is the same bits as the one it is compared with, and no result
    depends on `block` or `n_threads`. For cosine similarity, normalise both factors beforehand.

    Parameters
    ----------
    user_factors : float (users, d)
        float16, float32 or float64; narrower ones widen to the other's type, at least float32.
    item_factors : float (items, d)
        Any d >= 1.
    relevance : sparse (users, items)
        Grades; > 0 is relevant.
    exclude : sparse (users, items), list of collections, or {user: collection}, optional
        Items that are neither candidates nor relevant, for example the training interactions.
    item_bias : float (items,), optional
        Added to the item's score.
    items : ids (items,), optional
        Needed by ``ties="id_descending"``.
    ties, n_threads, isa
        As in `rank`. Each thread has a block of users, and makes their scores in products too
        small for OpenBLAS to share out, so its threads and ours never meet. With more than 1,024
        factors BLAS uses its own threads instead, as numpy is set up.
    block : int, optional
        Users whose scores are made together, rounded up to a multiple of 64. Memory and speed
        only: a tile takes ``block * 2048`` scores per thread.

    Returns
    -------
    Ranks

    Raises
    ------
    InputError, InputTypeError
        Naming the argument, the row, the value and what was wanted; a score that is NaN names its
        user and item.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, rankmill as rm
    >>> users, items = np.eye(2), np.array([[0.2, 0.9], [0.8, 0.1], [0.5, 0.5]])
    >>> ranks = rm.rank_factors(users, items, sp.csr_array([[0, 1, 0], [0, 1, 0]]))
    >>> ranks.ahead
    array([0, 2], dtype=int32)
    """
    run = make_run(n_threads, isa)
    order = place_order(ties)
    if not is_sparse(relevance):
        raise InputTypeError(
            f"relevance: got {type(relevance).__name__}; wanted a sparse matrix (users, items)"
        )
    made = factors(user_factors, item_factors, item_bias)
    keys = item_keys(items, made.shape[1], order)
    source = _input(made, relevance, exclude, order, keys)
    explain = explainer()
    counts = np.zeros(made.shape[0] + 1, dtype=np.int64)
    count_relevant(source, run, counts[1:], explain)
    ranks = empty_ranks(counts, order)
    on_one = make_run(1, isa)

    size, n_workers = made.block_size(block), made.workers(thread_count(n_threads))

    def rank_group(first: int, end: int, stop: Event) -> None:
        blocks = _blocks(first, end, size)
        group = [_users(made, source, ranks, users, on_one, explain) for users in blocks]
        _rank_group(made, group, on_one, explain, stop)

    for_blocks(rank_group, made.groups(size, n_workers), n_workers)
    return ranks


def _input(
    made: Factors, relevance: Any, exclude: Any, order: Order | None, keys: Array | None
) -> Input:
    """Describe the users and items; the scores array only tells their type."""
    return Input(
        *made.shape,
        engine_array(made.users[:1]),
        relevant=None if relevance is None else sparse_matrix("relevance", relevance, made.shape),
        exclude=None if exclude is None else dense_exclude(exclude, made.shape, None),
        order={None: 0, "input_order": 1, "id_descending": 2}[order],
        keys=keys,
    )


class _Users(NamedTuple):
    """Users whose scores of a tile are made at once."""

    strips: NumpyArray
    entries: Block


def _blocks(first: int, end: int, size: int) -> list[slice]:
    return [slice(at, min(at + size, end)) for at in range(first, end, size)]


def _users(
    made: Factors, source: Input, ranks: Ranks, users: slice, run: Run, explain: Explain
) -> _Users:
    """Find the relevant items of some users and score them."""
    offsets = ranks.offsets[users.start : users.stop + 1] - ranks.offsets[users.start]
    scores = np.empty(max(int(offsets[-1]), 1), dtype=made.users.dtype)
    items = np.empty(int(offsets[-1]), dtype=np.int32)
    n_users = users.stop - users.start
    block = Block(source, users.start, n_users, engine_array(scores), items, ranks.entries())
    strips = made.strips(users)
    block.find(run, explain)
    _gather_scores(made, strips, items, offsets, scores)
    return _Users(strips, block)


def _rank_group(
    made: Factors, group: list[_Users], run: Run, explain: Explain, stop: Event
) -> None:
    others = _count_all(made, group, run, explain, stop)
    if others:
        # BLAS rounded a gathered item otherwise: take the scores from the tiles that are counted.
        for users in others:
            users.entries.find(run, explain)

        def pick(i: int, tile: Tile) -> None:
            others[i].entries.pick(tile, run, explain)

        made.for_tiles([users.strips for users in others], pick, stop)
        if _count_all(made, others, run, explain, stop):
            raise RankmillError("numpy.matmul gave different scores for the same factors")
    for users in group:
        users.entries.finish(run, explain)


def _count_all(
    made: Factors, group: list[_Users], run: Run, explain: Explain, stop: Event
) -> list[_Users]:
    """Count every tile; return the users of whom an entry's score is another one in its tile."""
    others: dict[int, _Users] = {}

    def count(i: int, tile: Tile) -> None:
        if i not in others and not group[i].entries.count(tile, run, explain):
            others[i] = group[i]

    for users in group:
        users.entries.start(run, explain)
    made.for_tiles([users.strips for users in group], count, stop)
    return list(others.values())


def _gather_scores(
    made: Factors,
    strips: NumpyArray,
    items: npt.NDArray[np.int32],
    offsets: Int64s,
    scores: NumpyArray,
) -> None:
    """Score the relevant items of each strip of users in products of their own."""
    owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    for at, strip in enumerate(strips):
        first = at * made.strip
        begin, end = offsets[first], offsets[min(first + made.strip, len(offsets) - 1)]
        for start in range(begin, end, made.width):
            places = slice(start, min(start + made.width, end))
            out = np.empty((made.strip, made.width), dtype=scores.dtype)
            made.score(strip[None], made.some(items[places]), out)
            scores[places] = out[owners[places] - first, np.arange(places.stop - start)]
    if made.bias is not None:
        scores[: len(items)] += made.bias[items]


def top_k_factors(
    user_factors: Any,
    item_factors: Any,
    k: int,
    *,
    exclude: Any = None,
    item_bias: Any = None,
    n_threads: int | None = None,
    isa: str | None = None,
    block: int | None = None,
) -> tuple[Int64s, NumpyArray]:
    """Return the k best items of every user by the dot products of factors, and their scores.

    Parameters
    ----------
    user_factors, item_factors, exclude, item_bias, n_threads, isa, block
        As in `rank_factors`.
    k : int
        How many, >= 1.

    Returns
    -------
    ids : int64 (users, k)
        By descending score, ties by ascending item; -1 where there are fewer.
    scores : float (users, k)
        Their scores; NaN where ids is -1.

    Examples
    --------
    >>> import numpy as np, rankmill as rm
    >>> ids, scores = rm.top_k_factors(np.eye(2), [[0.2, 0.9], [0.8, 0.1], [0.5, 0.5]], 2)
    >>> ids
    array([[1, 2],
           [0, 2]])
    """
    on_one = make_run(1, isa)
    n_threads = thread_count(n_threads)
    k = whole_number("k", k, 1)
    made = factors(user_factors, item_factors, item_bias)
    size, n_workers = made.block_size(block), made.workers(n_threads)
    source = _input(made, None, exclude, None, None)
    ids = np.full((made.shape[0], k), -1, dtype=np.int64)
    best = np.full((made.shape[0], k), np.nan, dtype=made.users.dtype)

    def select(first: int, end: int, stop: Event) -> None:
        blocks = _blocks(first, end, size)
        n_best = [np.zeros(users.stop - users.start, dtype=np.int64) for users in blocks]

        def offer(i: int, tile: Tile) -> None:
            at, kept = blocks[i], engine_array(best[blocks[i]])
            top_k_tile(source, at.start, tile, on_one, kept, ids[at], n_best[i], explainer())

        made.for_tiles([made.strips(users) for users in blocks], offer, stop)

    for_blocks(select, made.groups(size, n_workers), n_workers)
    return ids, best
