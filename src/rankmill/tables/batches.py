"""Whole users of a table of any size, some ten thousand rows at a time."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankmill.errors import InputError
from rankmill.inputs import Int64s, NumpyArray
from rankmill.tables.pairs import Table
from rankmill.tables.sources import load_pyarrow, reader

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ROWS_AT_ONCE: Final = 1 << 17  # no less than a row group of DuckDB, which is not copied so

Columns = dict[str, NumpyArray]


class MixedError(Exception):
    """The rows of some user do not stand together."""


@dataclass(frozen=True)
class Users:
    """The rows of some users, user after user."""

    ids: NumpyArray
    offsets: Int64s
    columns: Columns


def stream_users(
    connection: DuckDBPyConnection, table: Table, *, by_user: bool
) -> Generator[Users, None, None]:
    """Give all users of a table, once it is sorted by user or as it stands.

    Raises
    ------
    MixedError
        If it is to be read as it stands, and users are mixed.
    InputError
        If a value is missing; `Table.check_values` knows where.
    """
    query = f"SELECT * FROM {table.view}"
    if by_user:  # rows of a user stay in their order
        query = (
            'SELECT * EXCLUDE ("row") FROM (SELECT *, row_number() OVER () AS "row" FROM '
            f'{table.view}) ORDER BY "user", "row"'
        )
    batches = reader(connection.sql(query), _ROWS_AT_ONCE)
    seen = _Seen()
    try:  # the connection takes no other query while this one is open
        for users in _whole_users(_with_values(batches)):
            seen.add(users.ids)
            yield users
    finally:
        batches.close()


def _with_values(batches: Iterable[Any]) -> Iterator[Any]:
    """Refuse missing values; bring small batches together, as each costs some calls."""
    pyarrow = load_pyarrow("table")
    gathered: list[Any] = []
    n_rows = 0
    for batch in batches:
        if any(column.null_count for column in batch.columns):
            raise InputError("a value is missing")
        gathered.append(batch)
        n_rows += batch.num_rows
        if n_rows >= _ROWS_AT_ONCE // 2:
            yield from pyarrow.Table.from_batches(gathered).combine_chunks().to_batches()
            gathered, n_rows = [], 0
    if n_rows:
        yield from pyarrow.Table.from_batches(gathered).combine_chunks().to_batches()


def _whole_users(batches: Iterable[Any]) -> Iterator[Users]:
    """Give users once all their rows are there; those of the last one wait for the next batch."""
    waiting: list[Columns] = []
    last_id: NumpyArray = np.empty(0)
    for batch in batches:
        ids, run_ends = _runs(batch.column("user"))
        columns = {
            name: _array(column)
            for name, column in zip(batch.schema.names, batch.columns, strict=True)
            if name != "user"
        }
        goes_on = bool(waiting) and ids[0] == last_id[0]
        if goes_on and len(ids) == 1:
            waiting.append(columns)
            continue
        n_waiting = sum(len(part["score"]) for part in waiting)
        ends = run_ends + n_waiting
        if waiting and not goes_on:
            ids = np.concatenate([last_id, ids])
            ends = np.concatenate([[n_waiting], ends])
        joined = _joined([*waiting, columns])
        offsets = np.concatenate([[0], ends])
        cut = offsets[-2]
        if len(ids) > 1:
            yield Users(ids[:-1], offsets[:-1], {name: c[:cut] for name, c in joined.items()})
        waiting, last_id = [{name: column[cut:] for name, column in joined.items()}], ids[-1:]
    if waiting:
        columns = _joined(waiting)
        yield Users(last_id, np.array([0, len(columns["score"])]), columns)


def _runs(users: Any) -> tuple[NumpyArray, Int64s]:
    """Return the user of each run of rows, and where it ends."""
    pyarrow = load_pyarrow("table")
    if not pyarrow.types.is_integer(users.type):
        runs = pyarrow.compute.run_end_encode(users)
        return _array(runs.values), _array(runs.run_ends).astype(np.int64)
    rows = _array(users)  # which numpy compares in a third of the time
    ends = np.append(np.flatnonzero(rows[1:] != rows[:-1]) + 1, len(rows))
    return rows[ends - 1], ends


def _array(column: Any) -> NumpyArray:
    """Return a whole column; numbers as they lie, since pyarrow would import pandas for them."""
    types = load_pyarrow("table").types
    if types.is_boolean(column.type):
        return _array(column.cast("uint8")).view(np.bool_)
    if types.is_integer(column.type) or types.is_floating(column.type):
        values = np.frombuffer(column.buffers()[1], dtype=column.type.to_pandas_dtype())
        return values[column.offset : column.offset + len(column)]
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _joined(parts: list[Columns]) -> Columns:
    if len(parts) == 1:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


class _Seen:
    """The users so far; as long as they ascend, the last is enough to know that none returns."""

    def __init__(self) -> None:
        self._parts: list[NumpyArray] = []
        self._all: set[Any] | None = None

    def add(self, ids: NumpyArray) -> None:
        if self._all is None:
            last = self._parts[-1][-1:] if self._parts else ids[:0]
            line = np.concatenate([last, ids])
            self._parts.append(ids)
            if (line[1:] > line[:-1]).all():
                return
            self._all = set()
            parts = self._parts
        else:
            parts = [ids]
        for part in parts:
            before = len(self._all)
            self._all.update(part.tolist())
            if len(self._all) != before + len(part):
                raise MixedError
