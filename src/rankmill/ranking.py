"""`rank`: from scores to `Ranks`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rankmill._engine import Run, count_relevant
from rankmill._engine import rank as engine_rank
from rankmill.conventions import Conventions
from rankmill.errors import InputError
from rankmill.inputs import Int64s
from rankmill.inputs_dicts import DictRows, dict_rows
from rankmill.inputs_scored import Scored, flat_scored, scored_input
from rankmill.ranks import Order, Ranks, empty_ranks, with_missed
from rankmill.threads import make_run


def rank(
    scores: Any,
    relevance: Any,
    *,
    groups: Any = None,
    offsets: Any = None,
    items: Any = None,
    exclude: Any = None,
    min_score: float | None = None,
    ties: str = "average",
    n_threads: int | None = None,
    isa: str | None = None,
) -> Ranks:
    """Find where each user's relevant items landed; the only step that reads the scores.

    For each relevant item it counts the candidates of that user with a higher score and with the
    same score, exactly and without sorting. Every metric at every cutoff then comes from the
    result (`measure`). Any memory layout is read in place; nothing is written to the inputs.

    Parameters
    ----------
    scores : array (users, items) or (items,), or (rows,) with `groups` or `offsets`, or dict
        Higher is better; float16, float32, float64, any integer or bool. Infinities are fine.
        A dict is {user: {item: score}}, with relevance {user: {item: grade}}; users are those of
        relevance, as in `rank_lists`.
    relevance : array of the shape of scores, or scipy sparse (users, items)
        Grades: bool, integer or float; > 0 is relevant. Negative and zero grades keep their place.
    groups : array (rows,), optional
        The user of each row: integers, strings or a categorical, rows in any order. Users come in
        order of first appearance. Rows are fastest together by user, and copied in no case.
    offsets : integers (users + 1,), optional
        Rows of user u are ``offsets[u]:offsets[u + 1]``.
    items : ids, optional
        Item of each column (dense) or row (flat). Needed by ``ties="id_descending"``, and by
        `exclude` on flat rows.
    exclude : sparse (users, items), list of collections, or {user: collection}, optional
        Items that are neither candidates nor relevant, for example the training interactions.
    min_score : float, optional
        Candidates scoring less are dropped; relevant ones among them still count in denominators
        and ideals. AUC is then undefined.
    ties : {"average", "worst", "best", "input_order", "id_descending"}
        Only the last two need a place per relevant item, which is kept where they are asked for.
        All others are settled when measuring.
    n_threads : int, optional
        Default: OMP_NUM_THREADS, else the CPUs this process may use.
    isa : str, optional
        Force an instruction set of `build_info`; the result has the same bits.

    Returns
    -------
    Ranks
        Memory: at most 24 bytes per relevant item and 40 per user, whatever the candidates.

    Raises
    ------
    InputError, InputTypeError
        Naming the argument, the row, the value and what was wanted.
    UnavailableError
        If `isa` cannot run here.

    Examples
    --------
    >>> import rankmill as rm
    >>> ranks = rm.rank([[0.9, 0.1, 0.5]], [[0, 1, 2]])
    >>> ranks.ahead, ranks.grade
    (array([1, 2], dtype=int32), array([2., 1.]))
    >>> rm.rank([3, 1, 2, 9], [0, 1, 1, 1], groups=["a", "a", "b", "a"]).users.tolist()
    ['a', 'b']
    """
    run = make_run(n_threads, isa)
    order = place_order(ties)
    if isinstance(scores, Mapping):
        if any(given is not None for given in (groups, offsets, items, min_score)):
            raise InputError("scores: a dict of dicts takes no groups, offsets, items or min_score")
        return rank_dicts(dict_rows(scores, relevance, exclude), order, run)
    scored = scored_input(
        scores,
        relevance,
        groups=groups,
        offsets=offsets,
        items=items,
        exclude=exclude,
        min_score=min_score,
        order=order,
        run=run,
    )
    return rank_scored(scored, order, run, complete=min_score is None)


def place_order(ties: str) -> Order | None:
    """Return the order that must be settled while ranking, if any."""
    if ties == "average":
        return None
    checked = Conventions(ties=ties).ties  # type: ignore[arg-type]
    return checked if checked in ("input_order", "id_descending") else None


def rank_scored(scored: Scored, order: Order | None, run: Run, *, complete: bool) -> Ranks:
    """Rank an input that was checked."""
    counts = np.zeros(scored.n_users + 1, dtype=np.int64)
    if scored.mixed is not None and scored.grouping is not None:
        candidates = np.empty(scored.n_users, dtype=np.int64)
        scored.mixed.count(run, candidates, counts[1:], scored.explain)
        ranks = empty_ranks(counts, order, candidates=candidates, complete=complete)
        scored.mixed.rank(run, ranks.entries(), scored.explain)
        scored.grouping.groups.forget()
        return replace(ranks, users=scored.users)
    count_relevant(scored.input, run, counts[1:], scored.explain)
    ranks = empty_ranks(counts, order, users=scored.users, complete=complete)
    engine_rank(scored.input, run, ranks.entries(), scored.explain)
    return ranks


def rank_dicts(
    rows: DictRows, order: Order | None, run: Run, dtype: type[np.floating[Any]] | None = None
) -> Ranks:
    """Rank candidates in dicts; with a `dtype`, by their scores rounded to it."""
    scores, grades, missed = rows.arrays()
    scores = scores if dtype is None else scores.astype(dtype)

    def ranked(order: Order | None, keys: Int64s | None) -> Ranks:
        scored = flat_scored(scores, grades, rows.offsets, keys, order)
        return rank_scored(replace(scored, explain=rows.explain()), order, run, complete=True)

    if order == "id_descending":
        # To order ids takes longer than all the rest, and matters to users with ties alone.
        ranks = ranked(None, None)
        owners = np.repeat(np.arange(ranks.n_users), np.diff(ranks.offsets))
        tied = np.unique(owners[ranks.tied > 1])
        if len(tied):
            ranks = ranked(order, rows.keys(tied.tolist()))
        else:
            ranks = replace(ranks, position=ranks.ahead.copy(), order=order)
    else:
        ranks = ranked(order, None)
    ranks = with_missed(ranks, missed) if any(missed) else ranks
    return replace(ranks, users=rows.ids, ignored=rows.ignored)
