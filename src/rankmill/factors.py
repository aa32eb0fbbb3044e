"""`rank_factors` and `top_k_factors`: full-catalogue evaluation without the score matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankmill._engine import Block, Input, Run, count_relevant
from rankmill._engine import top_k_tile as engine_top_k_tile
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
from rankmill.inputs_factors import STRIP, Factors, factors, users_per_block
from rankmill.inputs_scored import item_keys
from rankmill.ranking import place_order
from rankmill.ranks import Order, Ranks, empty_ranks
from rankmill.status import Explain, explainer
from rankmill.threads import make_run


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
        As in `rank`. BLAS uses its own threads, as numpy is set up; they and ours take turns.
    block : int, optional
        Users that go over the items together, rounded up to a multiple of 128. Memory and speed
        only: a tile takes ``block * 2048`` scores.

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
    counts = np.empty(made.shape[0], dtype=np.int64)
    count_relevant(source, run, counts, explain)
    ranks = empty_ranks(counts, order)
    n_block = users_per_block(block)
    for first in range(0, made.shape[0], n_block):
        _rank_block(made, source, ranks, first, min(first + n_block, made.shape[0]), run, explain)
    return ranks


def _input(
    made: Factors, relevance: Any, exclude: Any, order: Order | None, keys: Int64s | None
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


def _rank_block(
    made: Factors, source: Input, ranks: Ranks, first: int, end: int, run: Run, explain: Explain
) -> None:
    begin, stop = int(ranks.offsets[first]), int(ranks.offsets[end])
    scores = np.empty(max(stop - begin, 1), dtype=made.users.dtype)
    items = np.empty(stop - begin, dtype=np.int32)
    block = Block(source, first, end - first, engine_array(scores), items, ranks.entries())
    strips = made.strips(first, end)
    out = np.empty((len(strips) * STRIP, made.width), dtype=made.users.dtype)
    block.find(run, explain)
    owners = np.repeat(np.arange(end - first), np.diff(ranks.offsets[first : end + 1]))
    _gather_scores(made, strips, items, owners, scores, out)
    if not _count_all(made, block, strips, out, run, explain):
        # BLAS rounded a gathered item otherwise: take the scores from the tiles that are counted.
        block.find(run, explain)
        for part in made.tiles():
            block.pick(made.tile(strips, part, out), run, explain)
        if not _count_all(made, block, strips, out, run, explain):
            raise RankmillError("numpy.matmul gave different scores for the same factors")
    block.finish(run, explain)


def _gather_scores(
    made: Factors,
    strips: list[NumpyArray],
    items: npt.NDArray[np.int32],
    owners: Int64s,
    scores: NumpyArray,
    out: NumpyArray,
) -> None:
    """Score the relevant items in tiles of their own."""
    rows = np.zeros((made.width, made.items.shape[1]), dtype=made.items.dtype)
    for start in range(0, len(items), made.width):
        part = items[start : start + made.width]
        rows[: len(part)] = made.items[part]
        made.score(strips, rows, out)
        scores[start : start + len(part)] = out[
            owners[start : start + len(part)], np.arange(len(part))
        ]
    if made.bias is not None:
        scores[: len(items)] += made.bias[items]


def _count_all(
    made: Factors,
    block: Block,
    strips: list[NumpyArray],
    out: NumpyArray,
    run: Run,
    explain: Explain,
) -> bool:
    """Count every tile; False as soon as an entry's score is another one in its tile."""
    block.start(run, explain)
    return all(block.count(made.tile(strips, part, out), run, explain) for part in made.tiles())


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
    run = make_run(n_threads, isa)
    k = whole_number("k", k, 1)
    made = factors(user_factors, item_factors, item_bias)
    source = _input(made, None, exclude, None, None)
    ids = np.full((made.shape[0], k), -1, dtype=np.int64)
    best = np.full((made.shape[0], k), np.nan, dtype=made.users.dtype)
    n_block = users_per_block(block)
    for first in range(0, made.shape[0], n_block):
        end = min(first + n_block, made.shape[0])
        strips = made.strips(first, end)
        out = np.empty((len(strips) * STRIP, made.width), dtype=made.users.dtype)
        n_best = np.zeros(end - first, dtype=np.int64)
        for part in made.tiles():
            tile = made.tile(strips, part, out)
            engine_top_k_tile(
                source,
                first,
                tile,
                run,
                engine_array(best[first:end]),
                ids[first:end],
                n_best,
                explainer(),
            )
    return ids, best
