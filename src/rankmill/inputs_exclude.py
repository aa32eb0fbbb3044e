"""`exclude=`: items that are neither candidates nor relevant, as sparse rows for the engine."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from rankmill._engine import Run, Sparse, match_rows
from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import (
    Int64s,
    NumpyArray,
    engine_array,
    engine_sparse,
    is_sparse,
    sparse_matrix,
    sparse_parts,
)
from rankmill.inputs_ids import ItemIds, whole_items
from rankmill.status import explainer

#: Returns the item numbers of one user's excluded ids.
Coder: TypeAlias = Callable[[int, Iterable[Hashable]], list[int]]


def dense_exclude(exclude: Any, shape: tuple[int, int], items: NumpyArray | None) -> Sparse:
    """Excluded columns per user of a dense input."""
    if is_sparse(exclude):
        return sparse_matrix("exclude", exclude, shape)
    columns = None if items is None else {item: at for at, item in enumerate(items.tolist())}
    if items is not None and columns is not None and len(columns) < len(items):
        raise InputError("items: some id stands at two columns; wanted distinct ids to exclude by")

    def code(user: int, ids: Iterable[Hashable]) -> list[int]:
        if columns is None:
            numbers = whole_items("exclude", user, ids)
            outside = [number for number in numbers if not 0 <= number < shape[1]]
            if outside:
                raise InputError(
                    f"exclude: item {outside[0]} of user row {user} is outside the matrix; wanted "
                    "one of its columns"
                )
            return numbers
        unknown = [item for item in ids if item not in columns]
        if unknown:
            raise InputError(f"exclude: item {unknown[0]!r} of user row {user} is not in items")
        return [columns[item] for item in ids]

    starts, numbers = code_rows(rows_of("exclude", exclude, range(shape[0])), code)
    return engine_sparse(starts, numbers, None)


def excluded_items(
    exclude: Any, n_users: int, users: Callable[[], Sequence[Hashable]], items: ItemIds | None
) -> tuple[Int64s, Int64s]:
    """Return where each user's excluded items start, and their codes, sorted."""
    if items is None:
        raise InputError("exclude: flat rows have no item ids; wanted items=, the item of each row")
    if is_sparse(exclude):
        if exclude.shape[0] != n_users or items.table is not None:
            raise InputError(
                f"exclude: got a matrix of {exclude.shape[0]} rows; wanted {n_users}, one per "
                "user, and integer item ids that number its columns"
            )
        return _stored(*sparse_parts("exclude", exclude))
    return code_rows(rows_of("exclude", exclude, users()), items.codes_of)


def excluded_places(
    starts: Int64s, numbers: Int64s, offsets: Int64s, items: ItemIds, run: Run
) -> Sparse:
    """Return the places of excluded items among the flat rows of each user."""
    counts = np.empty(len(offsets) - 1, dtype=np.int64)
    codes, explain = engine_array(items.codes), explainer()
    match_rows(offsets, codes, starts, numbers, run, counts, None, None, explain)
    out = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    places = np.empty(int(out[-1]), dtype=np.int64)
    match_rows(offsets, codes, starts, numbers, run, None, out, places, explain)
    return engine_sparse(out, places, None)


def _stored(starts: Int64s, items: NumpyArray, values: NumpyArray) -> tuple[Int64s, Int64s]:
    """Drop explicit zeros: they exclude nothing."""
    kept = values[: starts[-1]] != 0
    sums = np.concatenate([[0], np.cumsum(kept)])
    return sums[starts].astype(np.int64), items[: starts[-1]][kept].astype(np.int64)


def rows_of(name: str, rows: Any, users: Sequence[Hashable]) -> list[Iterable[Hashable]]:
    """Return the collection of each user from a list of them or a {user: collection} dict."""
    if isinstance(rows, Mapping):
        known = [user for user in users if user in rows]
        if rows and not known:
            raise InputError(
                f"{name}: none of its {len(rows)} users, such as {next(iter(rows))!r}, is "
                "evaluated; wanted user ids of the same type"
            )
        if isinstance(users, range) and len(known) < len(rows):
            stray = next(user for user in rows if user not in users)
            raise InputError(
                f"{name}: user {stray!r} is no row; wanted rows from 0 to {len(users) - 1}"
            )
        return [held(name, user, rows.get(user, ())) for user in users]
    if isinstance(rows, (str, bytes)) or not isinstance(rows, Sequence | np.ndarray):
        raise InputTypeError(
            f"{name}: got {type(rows).__name__}; wanted a sparse matrix, a list of one collection "
            "per user, or a dict {user: collection}"
        )
    if len(rows) != len(users):
        raise InputError(f"{name}: got {len(rows)} collections; wanted {len(users)}, one per user")
    return [held(name, user, row) for user, row in zip(users, rows, strict=True)]


def held(name: str, user: Hashable, row: Any) -> Any:
    """Refuse what is no collection; keep what can be read only once."""
    if isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
        raise InputTypeError(f"{name}: got {row!r} for user {user!r}; wanted a set of items")
    return list(row) if isinstance(row, Iterator) else row


def code_rows(rows: list[Iterable[Hashable]], code: Coder) -> tuple[Int64s, Int64s]:
    """Return sparse rows, sorted and distinct, from one collection per user."""
    coded = [sorted(set(code(user, ids))) for user, ids in enumerate(rows)]
    starts = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(numbers) for numbers in coded], out=starts[1:])
    return starts, np.array([number for numbers in coded for number in numbers], dtype=np.int64)
