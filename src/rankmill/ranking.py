"""`rank` and `rank_lists`: from scores or ranked lists to `Ranks`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from rankmill._engine import Input, Run, Sparse, count_relevant, count_relevant_lists
from rankmill._engine import rank as engine_rank
from rankmill._engine import rank_lists as engine_rank_lists
from rankmill.conventions import Conventions
from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import (
    Int64s,
    NumpyArray,
    any_array,
    engine_array,
    engine_sparse,
    is_sparse,
    sparse_matrix,
    sparse_parts,
)
from rankmill.inputs_dicts import DictRows, dict_rows
from rankmill.inputs_exclude import code_rows, rows_of
from rankmill.inputs_ids import whole_items
from rankmill.inputs_lists import Lists, grades_of, land, pair_lists
from rankmill.inputs_scored import Scored, flat_scored, scored_input
from rankmill.ranks import UNRANKED, Order, Ranks, empty_ranks, with_missed
from rankmill.status import explainer
from rankmill.threads import make_run

_ANY_ID: Final = 2**63 - 1  # ids without a matrix to number its columns


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
        return _rank_dicts(dict_rows(scores, relevance, exclude), order, run)
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


def _rank_dicts(rows: DictRows, order: Order | None, run: Run) -> Ranks:
    scores, grades, missed = rows.arrays()

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


def rank_lists(
    recommended: Any,
    relevant: Any,
    *,
    exclude: Any = None,
    n_threads: int | None = None,
    isa: str | None = None,
) -> Ranks:
    """Find where each user's relevant items landed in lists that are ranked already.

    Parameters
    ----------
    recommended : int array (users, depth), list of sequences, or {user: sequence}
        Items in rank order, best first. In an array, negative ids pad the end.
    relevant : sparse (users, items), list of sets or {item: grade}, or {user: set or {item: grade}}
        Grades > 0 are relevant. With two dicts, users are those of `relevant`: one without a list
        counts with an empty list; one that is only in `recommended` is left out and counted in
        `Ranks.ignored`.
    exclude : like relevant, optional
        Items taken out of the lists and of the relevant before places are given.
    n_threads, isa
        As in `rank`.

    Returns
    -------
    Ranks
        With relevant items that no list has, as `UNRANKED`. `Ranks.complete` is False: the
        candidates behind a list are unknown, so AUC cannot be asked of it.

    Raises
    ------
    InputError, InputTypeError
        If an item stands twice in one list, is outside the matrix, or ids cannot match.

    Examples
    --------
    >>> import rankmill as rm
    >>> ranks = rm.rank_lists({"ann": ["x", "y", "z"]}, {"ann": {"z"}, "bob": {"x"}})
    >>> rm.measure(ranks, "mrr")["mrr"].tolist()
    [0.3333333333333333, 0.0]
    """
    run = make_run(n_threads, isa)
    array = any_array("recommended", recommended) if isinstance(recommended, np.ndarray) else None
    if array is not None and array.dtype.kind == "f":
        raise InputTypeError(f"recommended: got dtype {array.dtype}; wanted integer item ids")
    if array is not None and array.ndim != 2:
        raise InputError(f"recommended: got shape {array.shape}; wanted (users, depth)")
    if array is not None and array.dtype.kind in "iu":
        return _rank_array(array, relevant, exclude, run)
    if is_sparse(relevant):
        return _rank_sparse(recommended, relevant, exclude, run)
    if is_sparse(exclude):
        exclude = _collections(exclude)
    return _rank_containers(pair_lists(recommended, relevant, exclude))


def _rank_containers(lists: Lists) -> Ranks:
    landed = [land(lists, at) for at in range(len(lists.users))]
    counts = np.array([0, *(len(user.positions) for user in landed)], dtype=np.int64)
    ranks = empty_ranks(counts, None, users=lists.ids, complete=False, ignored=lists.ignored)
    ranks.ahead[:] = [place for user in landed for place in user.positions]
    ranks.tied[:] = ranks.ahead != UNRANKED
    ranks.grade[:] = [grade for user in landed for grade in user.grades]
    ranks.candidates[:] = [user.candidates for user in landed]
    return ranks


def _rank_array(lists: NumpyArray, relevant: Any, exclude: Any, run: Run) -> Ranks:
    """Rank an array of ids; relevant and excluded items are numbers."""
    n_users, depth = lists.shape
    if n_users == 0:
        raise InputError("recommended: got no users; wanted at least one")
    if lists.dtype.kind == "u" and lists.itemsize == 8:
        if lists.size and lists.max() >= 2**63:
            raise InputError(f"recommended: got item {lists.max()}; wanted ids below 2**63")
        lists = lists.astype(np.int64)
    truth, n_ids = _sparse_truth(relevant, n_users)
    engine_input = Input(
        n_users,
        depth,
        engine_array(lists),
        relevant=truth,
        exclude=_sparse_exclude(exclude, n_users, n_ids),
    )
    return _rank_ids(engine_input, n_users, n_ids, run)


def _rank_sparse(recommended: Any, relevant: Any, exclude: Any, run: Run) -> Ranks:
    """Rank lists of column numbers against a sparse matrix."""
    if len(relevant.shape) == 1:
        relevant = relevant.reshape((1, -1))
    n_users, n_ids = relevant.shape
    if n_users == 0:
        raise InputError("relevant: got no users; wanted at least one")
    rows = rows_of("recommended", recommended, range(n_users))
    numbers = [whole_items("recommended", user, row) for user, row in enumerate(rows)]
    offsets = np.zeros(n_users + 1, dtype=np.int64)
    np.cumsum([len(row) for row in numbers], out=offsets[1:])
    flat = np.array([number for row in numbers for number in row], dtype=np.int64)
    engine_input = Input(
        n_users,
        0,
        engine_array(flat),
        offsets=offsets,
        relevant=sparse_matrix("relevant", relevant, (n_users, n_ids)),
        exclude=_sparse_exclude(exclude, n_users, n_ids),
    )
    return _rank_ids(engine_input, n_users, n_ids, run)


def _rank_ids(engine_input: Input, n_users: int, n_ids: int, run: Run) -> Ranks:
    explain = explainer(argument="recommended", relevance="relevant")
    counts = np.zeros(n_users + 1, dtype=np.int64)
    count_relevant_lists(engine_input, n_ids, run, counts[1:], explain)
    ranks = empty_ranks(counts, None, complete=False)
    engine_rank_lists(engine_input, n_ids, run, ranks.entries(), explain)
    return ranks


def _sparse_truth(relevant: Any, n_users: int) -> tuple[Sparse, int]:
    """Return relevant items as sparse rows, and the number of item ids there can be."""
    if is_sparse(relevant):
        if relevant.shape[0] != n_users:
            raise InputError(
                f"relevant: got {relevant.shape[0]} rows; wanted {n_users}, one per list"
            )
        return engine_sparse(*sparse_parts("relevant", relevant)), int(relevant.shape[1])
    rows = rows_of("relevant", relevant, range(n_users))
    grades = [grades_of(user, row) for user, row in enumerate(rows)]
    for user, row in enumerate(grades):
        for item in whole_items("relevant", user, row):
            if item < 0:
                raise InputError(
                    f"relevant: item {item} of user row {user} is outside the matrix; wanted >= 0"
                )
    starts = np.zeros(n_users + 1, dtype=np.int64)
    np.cumsum([len(row) for row in grades], out=starts[1:])
    pairs = [
        pair
        for user, row in enumerate(grades)
        for pair in sorted(zip(whole_items("relevant", user, row), row.values(), strict=True))
    ]
    items = np.array([item for item, _ in pairs], dtype=np.int64)
    values = np.array([grade for _, grade in pairs], dtype=np.float64)
    return engine_sparse(starts, items, values), _ANY_ID


def _sparse_exclude(exclude: Any, n_users: int, n_ids: int) -> Sparse | None:
    if exclude is None:
        return None
    if is_sparse(exclude) and n_ids == _ANY_ID and exclude.shape[0] == n_users:
        return engine_sparse(*sparse_parts("exclude", exclude))
    if is_sparse(exclude):
        return sparse_matrix("exclude", exclude, (n_users, n_ids))
    rows = rows_of("exclude", exclude, range(n_users))
    starts, items = code_rows(rows, lambda user, ids: whole_items("exclude", user, ids))
    return engine_sparse(starts, items, None)


def _collections(matrix: Any) -> list[list[int]]:
    """Return the stored columns of each row."""
    starts, items, values = sparse_parts("exclude", matrix)
    return [
        [int(item) for item in items[begin:end][values[begin:end] != 0]]
        for begin, end in itertools.pairwise(starts)
    ]
