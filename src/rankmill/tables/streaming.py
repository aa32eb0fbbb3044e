"""A table of any size: evaluated in batches, of which only values or running sums stay."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import numpy as np

from rankmill.errors import InputError, InputTypeError, RankmillError
from rankmill.evaluate import check_complete, evaluate_scored, user_namer
from rankmill.inputs import NumpyArray
from rankmill.inputs_scored import scored_input
from rankmill.merging import joined
from rankmill.plan import Wanted
from rankmill.progress import Bar
from rankmill.ranks import join_ids
from rankmill.result import Result
from rankmill.running_result import RunningResult, Summary
from rankmill.status import explainer
from rankmill.tables.attributes import one_value, split
from rankmill.tables.batches import Batch, MixedError, Users, scan, work_between, work_within
from rankmill.tables.excluding import Excluded
from rankmill.tables.pairs import Table
from rankmill.tables.parquet import RowGroups, UnreadError, row_groups
from rankmill.threads import in_order, make_run, thread_count

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_Given = TypeVar("_Given")
_Kept = TypeVar("_Kept", bound="_Keeps")
_USERS_AT_ONCE: Final = 1 << 15  # whose values are added up


class _Keeps(Protocol):
    """What takes the results of some users after others."""

    def append(self, batch: Result, /) -> None: ...


@dataclass(frozen=True)
class Stream:
    """The arguments of `evaluate_table`, over one connection."""

    connection: DuckDBPyConnection
    table: Any
    names: dict[str, str]
    attributes: dict[str, str]
    excluded: Excluded | None
    wanted: Wanted
    options: dict[str, Any]
    stopped: Event = field(default_factory=Event)

    def result(self) -> Result:
        """Keep the values of all users."""
        parts: list[Result] = self._read(list)
        return _joined(parts)

    def summary(self) -> Summary:
        """Keep sums of the values."""
        return self._read(_Sums).result()

    def interrupt(self) -> None:
        """Stop what another thread does, soon."""
        self.stopped.set()
        self.connection.interrupt()

    def _read(self, start: Callable[[], _Kept]) -> _Kept:
        """Read the table as it stands; where that proves to mix users, once more, sorted."""
        columns = self.names | self.attributes
        table = Table.of(self.connection, "table", self.table, columns, reads_values=False)
        if not table.n_rows:
            raise InputError("table: got no rows; wanted at least one")
        try:
            kept = self._as_it_stands(table, start)
        except MixedError:
            batches = scan(self.connection, table, by_user=True)
            kept = self._gather(table, "sort and rank", batches, self._within, start())
        if self.excluded is not None:
            self.excluded.check_met()
        return kept

    def _as_it_stands(self, table: Table, start: Callable[[], _Kept]) -> _Kept:
        groups = row_groups(self.table, table)
        if groups:
            with contextlib.suppress(UnreadError):
                each = (some for some in groups)
                return self._gather(table, "rank", each, self._of_groups, start())
        batches = scan(self.connection, table, by_user=False)
        return self._gather(table, "rank", batches, self._within, start())

    def _gather(
        self,
        table: Table,
        title: str,
        given: Generator[_Given, None, None],
        work: Callable[[_Given], Batch[Result]],
        kept: _Kept,
    ) -> _Kept:
        bar = Bar(title, table.n_rows)
        threads = thread_count(self.options["n_threads"])
        try:
            with (
                contextlib.closing(given),
                contextlib.closing(in_order(work, given, threads)) as batches,
            ):
                self._check_stopped()
                for part in work_between(self._counted(batches, bar), self._evaluated):
                    kept.append(part)
        except (InputError, InputTypeError):
            table.check_values()  # it knows the number of the row
            if self.excluded is not None:
                self.excluded.check_items(table.kind("item"))
            raise
        finally:
            bar.close()
        return kept

    def _counted(self, batches: Iterable[Batch[Result]], bar: Bar) -> Iterator[Batch[Result]]:
        for batch in batches:
            self._check_stopped()
            yield batch
            bar.advance(batch.n_rows)

    def _check_stopped(self) -> None:
        if self.stopped.is_set():
            raise RankmillError("interrupted")

    def _of_groups(self, groups: RowGroups) -> Batch[Result]:
        return self._within(groups.read())

    def _within(self, rows: Any) -> Batch[Result]:
        return work_within(rows, self._evaluated)

    def _evaluated(self, users: Users) -> Result:
        """Evaluate some users by one thread, as many batches are evaluated at once."""
        check_complete(self.wanted, self.options["min_score"] is None)
        run = make_run(1, self.options["isa"])
        scored = scored_input(
            users.columns["score"],
            users.columns["label"],
            groups=None,
            offsets=users.offsets,
            items=users.columns.get("item"),
            exclude=None if self.excluded is None else self.excluded.of(users.ids.tolist()),
            min_score=self.options["min_score"],
            order=self.wanted.order,
            run=run,
        )
        named = replace(scored, explain=explainer(user=user_namer(users.ids)))
        result = evaluate_scored(named, self.wanted, run)
        result.users = _ids(users.ids)
        rows = {role: users.columns[role] for role in self.attributes}
        values = one_value(rows, users.offsets, lambda user: users.ids[user])
        result.weights, result.segments = split(values)
        return result


class _Sums:
    """A `RunningResult` that takes many users at a time, as each time costs some calls."""

    def __init__(self) -> None:
        self._running = RunningResult()
        self._waiting: list[Result] = []
        self._n_waiting = 0

    def append(self, batch: Result) -> None:
        self._waiting.append(batch)
        self._n_waiting += batch.n_users
        if self._n_waiting >= _USERS_AT_ONCE:
            self._update()

    def result(self) -> Summary:
        self._update()
        return self._running.result()

    def _update(self) -> None:
        if self._waiting:
            self._running.update(_joined(self._waiting))
        self._waiting, self._n_waiting = [], 0


def _joined(parts: list[Result]) -> Result:
    users = [part.users for part in parts if part.users is not None]
    return Result(**joined(parts), users=join_ids(users))


def _ids(ids: NumpyArray) -> NumpyArray:
    """Return ids in one type for all batches."""
    if ids.dtype.kind in "iu" and (ids.dtype != np.uint64 or ids.max(initial=0) < 2**63):
        return ids.astype(np.int64)
    return ids
