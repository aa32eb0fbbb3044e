"""Scores and relevance in their two forms, dense and flat, as the engine's input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankmill._engine import Input, Run
from rankmill.errors import InputError
from rankmill.inputs import (
    Int64s,
    NumpyArray,
    engine_array,
    is_sparse,
    label_array,
    numeric_array,
    offset_array,
    score_bound,
    sparse_matrix,
)
from rankmill.inputs_exclude import dense_exclude, flat_exclude
from rankmill.inputs_ids import Grouping, group_rows, id_array, item_ids
from rankmill.status import Explain, explainer

_ORDERS = {None: 0, "input_order": 1, "id_descending": 2}  # rm_order


@dataclass(frozen=True)
class Scored:
    """An input ready to rank."""

    input: Input
    n_users: int
    explain: Explain
    flat: bool = False
    grouping: Grouping | None = None

    @property
    def users(self) -> NumpyArray | None:
        """The users' ids, where they were given."""
        return None if self.grouping is None else self.grouping.users


def scored_input(
    scores: object,
    relevance: Any,
    *,
    groups: object,
    offsets: object,
    items: object,
    exclude: Any,
    min_score: object,
    order: str | None,
    run: Run,
) -> Scored:
    """Check the arguments of `rank` and bring them into the engine's form."""
    array = numeric_array("scores", scores)
    if order == "id_descending" and items is None:
        raise InputError(
            "items: ties='id_descending' settles ties by item id; wanted items=, the ids"
        )
    bound = None if min_score is None else score_bound(min_score, array.dtype)
    if groups is None and offsets is None:
        return _dense(array, relevance, items, exclude, bound, order)
    if groups is not None and offsets is not None:
        raise InputError("groups, offsets: got both; wanted one of them")
    return _flat(array, relevance, groups, offsets, items, exclude, bound, order, run)


def _dense(
    scores: NumpyArray,
    relevance: Any,
    items: object,
    exclude: Any,
    bound: tuple[float, int] | None,
    order: str | None,
) -> Scored:
    single = scores.ndim == 1
    shape = (1, len(scores)) if single else scores.shape
    if len(shape) != 2 or shape[0] == 0:
        raise InputError(
            f"scores: got shape {scores.shape}; wanted (users, items), users >= 1, or (items,)"
        )
    labels = None
    if not is_sparse(relevance):
        labels = label_array("relevance", relevance)
        _same_shape("relevance", labels, scores)
        labels = labels.reshape(shape) if single else labels
    ids = None if items is None else column_ids(items, shape[1])
    engine_input = Input(
        *shape,
        engine_array(scores.reshape(shape) if single else scores),
        labels=None if labels is None else engine_array(labels),
        relevant=None if labels is not None else sparse_matrix("relevance", relevance, shape),
        exclude=None if exclude is None else dense_exclude(exclude, shape, ids),
        order=_ORDERS[order],
        keys=item_keys(items, shape[1], order),
        min_score=bound,
    )
    return Scored(engine_input, shape[0], explainer())


def column_ids(items: object, n: int) -> NumpyArray:
    """Return one id per column."""
    ids = id_array("items", items)
    if len(ids) != n:
        raise InputError(f"items: got {len(ids)} ids; wanted {n}, one per column of scores")
    return ids


def item_keys(items: object, n: int, order: str | None) -> Int64s | None:
    """Return numbers that order the columns by id, where ties are settled by it."""
    if order != "id_descending":
        return None
    if items is None:
        raise InputError(
            "items: ties='id_descending' settles ties by item id; wanted items=, the ids"
        )
    return item_ids("items", column_ids(items, n)).codes


def _flat(
    scores: NumpyArray,
    relevance: Any,
    groups: object,
    offsets: object,
    items: object,
    exclude: Any,
    bound: tuple[float, int] | None,
    order: str | None,
    run: Run,
) -> Scored:
    if scores.ndim != 1:
        raise InputError(
            f"scores: got shape {scores.shape}; wanted 1-D rows with groups= or offsets="
        )
    if is_sparse(relevance):
        raise InputError("relevance: got a sparse matrix; wanted one grade per row of scores")
    labels = label_array("relevance", relevance)
    _same_shape("relevance", labels, scores)
    ids = None if items is None else item_ids("items", items)
    if ids is not None and len(ids.codes) != len(scores):
        raise InputError(
            f"items: got {len(ids.codes)} ids; wanted {len(scores)}, one per row of scores"
        )
    grouping: Grouping | None = None
    starts: Int64s
    if groups is not None:
        grouping = group_rows("groups", groups, len(scores), run)
        starts = grouping.offsets
        scores, labels = grouping.gather(scores), grouping.gather(labels)
        if ids is not None:
            ids = type(ids)(grouping.gather(ids.codes), ids.table)
    else:
        starts = offset_array(offsets, len(scores))
    users = None if grouping is None else grouping.users
    excluded = None if exclude is None else flat_exclude(exclude, starts, users, ids, run)
    engine_input = Input(
        len(starts) - 1,
        0,
        engine_array(scores),
        offsets=starts,
        labels=engine_array(labels),
        exclude=excluded,
        order=_ORDERS[order],
        keys=ids.codes if ids is not None and order == "id_descending" else None,
        min_score=bound,
    )
    return Scored(engine_input, len(starts) - 1, _flat_explainer(starts, grouping), True, grouping)


def flat_scored(
    scores: NumpyArray, labels: NumpyArray, offsets: Int64s, keys: Int64s | None, order: str | None
) -> Scored:
    """Return flat rows that were made here and need no check."""
    engine_input = Input(
        len(offsets) - 1,
        0,
        engine_array(scores),
        offsets=offsets,
        labels=engine_array(labels),
        order=_ORDERS[order],
        keys=keys,
    )
    return Scored(engine_input, len(offsets) - 1, explainer(), True)


def _flat_explainer(offsets: Int64s, grouping: Grouping | None) -> Explain:
    """Name the rows as the caller numbered them, and users by their ids."""

    def user(row: int) -> str:
        return f"user {grouping.users[row]!s}" if grouping else f"user row {row}"

    def where(row: int, column: int) -> str:
        at = grouping.row(row, column) if grouping else int(offsets[row]) + column
        return f"row {at} ({user(row)})"

    return explainer(user=user, where=where)


def _same_shape(name: str, array: NumpyArray, scores: NumpyArray) -> None:
    if array.shape != scores.shape:
        raise InputError(
            f"{name}: got shape {array.shape}; wanted {scores.shape}, the shape of scores"
        )
