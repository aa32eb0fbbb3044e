"""`rank_lists`: from lists that are ranked already to `Ranks`."""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy as np

from rankmill._engine import Input, Run, Sparse, count_relevant_lists
from rankmill._engine import rank_lists as engine_rank_lists
from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import (
    NumpyArray,
    any_array,
    engine_array,
    engine_sparse,
    is_sparse,
    sparse_matrix,
    sparse_parts,
)
from rankmill.inputs_exclude import code_rows, rows_of
from rankmill.inputs_ids import whole_items
from rankmill.inputs_lists import Lists, grades_of, land, pair_lists
from rankmill.ranks import UNRANKED, Ranks, empty_ranks
from rankmill.status import explainer
from rankmill.threads import make_run

_ANY_ID: Final = 2**63 - 1  # ids without a matrix to number its columns


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
