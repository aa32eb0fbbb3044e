"""Scores and relevance in their two forms, dense and flat, as the engine's input."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankmill._engine import Array, Input, Mixed, Run
from rankmill.errors import InputError
from rankmill.inputs import (
    Int64s,
    NumpyArray,
    engine_array,
    engine_sparse,
    is_sparse,
    label_array,
    numeric_array,
    offset_array,
    score_bound,
    sparse_matrix,
)
from rankmill.inputs_exclude import dense_exclude, excluded_items, excluded_places
from rankmill.inputs_ids import Grouping, ItemIds, group_rows, id_array, item_ids
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
    rows: Int64s | None = None  # the order in which flat rows were copied to bring users together
    mixed: Mixed | None = None  # flat rows whose users are mixed: the input is ranked by this

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
    together: bool = False,
) -> Scored:
    """Check the arguments of `rank` and bring them into the engine's form.

    together: rows whose users are mixed are copied, as the engine takes them by offsets only.
    """
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
    return _flat(
        array, relevance, groups, offsets, items, exclude, bound, order, run, together=together
    )


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


def item_keys(items: object, n: int, order: str | None) -> Array | None:
    """Return numbers that order the columns by id, where ties are settled by it."""
    if order != "id_descending":
        return None
    if items is None:
        raise InputError(
            "items: ties='id_descending' settles ties by item id; wanted items=, the ids"
        )
    return engine_array(item_ids("items", column_ids(items, n)).codes)


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
    *,
    together: bool,
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
    rows = _Rows(scores, labels, ids, exclude, bound, order)
    if groups is None:
        return rows.by_offsets(offset_array(offsets, len(scores)), run)
    grouping = group_rows("groups", groups, len(scores), run)
    if grouping.offsets is None and not together:
        return rows.mixed(grouping)
    return rows.by_groups(grouping, run)


@dataclass(frozen=True)
class _Rows:
    """Checked flat rows."""

    scores: NumpyArray
    labels: NumpyArray
    items: ItemIds | None
    exclude: Any
    bound: tuple[float, int] | None
    order: str | None

    def by_offsets(self, offsets: Int64s, run: Run) -> Scored:
        """Rows of user after user."""
        n_users = len(offsets) - 1
        excluded = self._excluded(n_users, lambda: range(n_users))
        return self._grouped(offsets, excluded, _flat_explainer(offsets), run)

    def by_groups(self, grouping: Grouping, run: Run) -> Scored:
        """Rows grouped by the id of their user; mixed ones are brought together in a copy."""
        excluded = self._excluded(len(grouping.groups), lambda: grouping.users.tolist())
        if grouping.offsets is not None:
            explain = _flat_explainer(grouping.offsets, grouping)
            scored = self._grouped(grouping.offsets, excluded, explain, run)
            return replace(scored, grouping=grouping)
        rows, offsets = grouping.together(run)
        copied = replace(self, scores=self.scores[rows], labels=self.labels[rows])
        explain = _flat_explainer(offsets, grouping, rows)
        scored = copied._grouped(offsets, excluded, explain, run)
        return replace(scored, grouping=grouping, rows=rows)

    def mixed(self, grouping: Grouping) -> Scored:
        """Rows in any order, which stay where they are."""
        n_users = len(grouping.groups)
        excluded = self._excluded(n_users, lambda: grouping.users.tolist())
        engine_input = self._input(
            n_users, exclude=None if excluded is None else engine_sparse(*excluded, None)
        )
        codes = None if excluded is None or self.items is None else engine_array(self.items.codes)
        mixed = Mixed(engine_input, len(self.scores), grouping.groups, codes)
        explain = _mixed_explainer(grouping)
        return Scored(engine_input, n_users, explain, True, grouping, mixed=mixed)

    def _grouped(
        self, offsets: Int64s, excluded: tuple[Int64s, Int64s] | None, explain: Explain, run: Run
    ) -> Scored:
        places = None
        if excluded is not None and self.items is not None:
            places = excluded_places(*excluded, offsets, self.items, run)
        engine_input = self._input(len(offsets) - 1, exclude=places, offsets=offsets)
        return Scored(engine_input, len(offsets) - 1, explain, True)

    def _input(self, n_users: int, **rest: Any) -> Input:
        by_id = self.items if self.order == "id_descending" else None
        return Input(
            n_users,
            0,
            engine_array(self.scores),
            labels=engine_array(self.labels),
            order=_ORDERS[self.order],
            keys=None if by_id is None else engine_array(by_id.codes),
            min_score=self.bound,
            **rest,
        )

    def _excluded(
        self, n_users: int, users: Callable[[], Sequence[Hashable]]
    ) -> tuple[Int64s, Int64s] | None:
        if self.exclude is None:
            return None
        return excluded_items(self.exclude, n_users, users, self.items)


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
        keys=None if keys is None else engine_array(keys),
    )
    return Scored(engine_input, len(offsets) - 1, explainer(), True)


def _flat_explainer(
    offsets: Int64s, grouping: Grouping | None = None, rows: Int64s | None = None
) -> Explain:
    """Name the rows as the caller numbered them, and users by their ids."""

    def user(row: int) -> str:
        return f"user {grouping.users[row]!s}" if grouping else f"user row {row}"

    def where(row: int, column: int) -> str:
        at = int(offsets[row]) + column
        return f"row {at if rows is None else rows[at]} ({user(row)})"

    return explainer(user=user, where=where)


def _mixed_explainer(grouping: Grouping) -> Explain:
    """Do so for mixed rows, whose column is the row's number already."""
    return explainer(
        user=lambda user: f"user {grouping.users[user]!s}",
        where=lambda user, row: f"row {row} (user {grouping.users[user]!s})",
    )


def _same_shape(name: str, array: NumpyArray, scores: NumpyArray) -> None:
    if array.shape != scores.shape:
        raise InputError(
            f"{name}: got shape {array.shape}; wanted {scores.shape}, the shape of scores"
        )
