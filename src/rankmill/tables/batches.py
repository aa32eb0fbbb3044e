"""Whole users of a table of any size, some ten thousand rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import numpy as np

from rankmill.errors import InputError
from rankmill.inputs import Int64s, NumpyArray
from rankmill.tables.pairs import Table
from rankmill.tables.sources import load_pyarrow, reader

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ROWS_AT_ONCE: Final = 1 << 17  # no less than a row group of DuckDB, which is not copied so

Columns = dict[str, NumpyArray]
_Made = TypeVar("_Made")


class MixedError(Exception):
    """The rows of some user do not stand together."""


@dataclass(frozen=True)
class Users:
    """Rows of some users, user after user."""

    ids: NumpyArray
    offsets: Int64s
    columns: Columns

    def part(self, first: int, end: int) -> Users:
        """Return the users from `first` up to `end`, which share memory."""
        bounds = self.offsets[first : end + 1]
        columns = {name: column[bounds[0] : bounds[-1]] for name, column in self.columns.items()}
        return Users(self.ids[first:end], bounds - bounds[0], columns)


@dataclass(frozen=True)
class Batch(Generic[_Made]):
    """What was made of the users within a batch, and those at its edges, who may go on there."""

    n_rows: int
    first: Users
    inner: tuple[NumpyArray, _Made] | None
    last: Users | None  # None: the first is the last


def scan(
    connection: DuckDBPyConnection, table: Table, *, by_user: bool
) -> Generator[Any, None, None]:
    """Give all rows of a table by DuckDB, sorted by user or as they stand."""
    query = f"SELECT * FROM {table.view}"
    if by_user:  # rows of a user stay in their order
        query = (
            'SELECT * EXCLUDE ("row") FROM (SELECT *, row_number() OVER () AS "row" FROM '
            f'{table.view}) ORDER BY "user", "row"'
        )
    batches = reader(connection.sql(query), _ROWS_AT_ONCE)
    try:  # the connection takes no other query while this one is open
        yield from _large(batches)
    finally:
        batches.close()


def _large(batches: Iterable[Any]) -> Iterator[Any]:
    """Bring small batches together, as each costs some calls."""
    pyarrow = load_pyarrow("table")
    gathered: list[Any] = []
    n_rows = 0
    for batch in batches:
        gathered.append(batch)
        n_rows += batch.num_rows
        if n_rows >= _ROWS_AT_ONCE // 2:
            yield from pyarrow.Table.from_batches(gathered).combine_chunks().to_batches()
            gathered, n_rows = [], 0
    if n_rows:
        yield from pyarrow.Table.from_batches(gathered).combine_chunks().to_batches()


def work_within(rows: Any, work: Callable[[Users], _Made]) -> Batch[_Made]:
    """Do work on those users of an Arrow batch whose rows it holds for sure.

    Raises
    ------
    InputError
        If a value is missing; `Table.check_values` knows where.
    MixedError
        If a user returns.
    """
    if any(column.null_count for column in rows.columns):
        raise InputError("a value is missing")
    ids, ends = _runs(rows.column("user"))
    if not _ascend(ids) and len(np.unique(ids)) < len(ids):
        raise MixedError
    columns = {
        name: _array(column)
        for name, column in zip(rows.schema.names, rows.columns, strict=True)
        if name != "user"
    }
    users = Users(ids, np.append(0, ends), columns)
    inner = users.part(1, len(ids) - 1) if len(ids) > 2 else None
    return Batch(
        rows.num_rows,
        _one_user([users.part(0, 1)]),
        None if inner is None else (inner.ids, work(inner)),
        None if len(ids) == 1 else _one_user([users.part(len(ids) - 1, len(ids))]),
    )


def work_between(
    batches: Iterable[Batch[_Made]], work: Callable[[Users], _Made]
) -> Iterator[_Made]:
    """Give what is made of all users, in order, working on those at the batches' edges.

    Raises
    ------
    MixedError
        If a user returns.
    """
    seen = _Seen()
    waiting: list[Users] = []
    for batch in batches:
        if waiting and waiting[0].ids[0] != batch.first.ids[0]:
            seen.add(waiting[0].ids)
            yield work(_one_user(waiting))
            waiting = []
        waiting.append(batch.first)
        if batch.last is not None:
            seen.add(waiting[0].ids)
            yield work(_one_user(waiting))
            waiting = [batch.last]
        if batch.inner is not None:
            ids, made = batch.inner
            seen.add(ids)
            yield made
    if waiting:
        seen.add(waiting[0].ids)
        yield work(_one_user(waiting))


def _one_user(parts: list[Users]) -> Users:
    """Join rows of one user in a copy, so that the batches they are of need not be kept."""
    columns = {
        name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns
    }
    return Users(parts[0].ids, np.array([0, len(columns["score"])]), columns)


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


def _ascend(ids: NumpyArray) -> bool:
    return bool((ids[1:] > ids[:-1]).all())


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
            if _ascend(line):
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
