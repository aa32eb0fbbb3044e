"""A table of any size: ranked in batches, of which only Ranks or running sums stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankmill.errors import InputError, InputTypeError
from rankmill.evaluate import measure
from rankmill.inputs import NumpyArray
from rankmill.plan import Wanted
from rankmill.progress import Bar
from rankmill.ranking import rank
from rankmill.ranks import Ranks, join_ids
from rankmill.result import Result
from rankmill.running_result import RunningResult, Summary
from rankmill.tables.attributes import one_value, split
from rankmill.tables.batches import MixedError, Users, stream_users
from rankmill.tables.excluding import Excluded
from rankmill.tables.pairs import Table
from rankmill.threads import in_order, thread_count

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_Made = TypeVar("_Made")
_Kept = TypeVar("_Kept")
_Attributes = dict[str, NumpyArray]


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

    def result(self) -> Result:
        """Keep the Ranks of all users, and measure them."""
        parts: list[tuple[Ranks, _Attributes]] = self._read(self._ranked, list, list.append)
        ranks = Ranks.concat([ranks for ranks, _ in parts])
        result = self._measure(ranks, self.options["n_threads"])
        columns = {role: join_ids([values[role] for _, values in parts]) for role in parts[0][1]}
        result.weights, result.segments = split(columns)
        return result

    def summary(self) -> Summary:
        """Keep sums of the values."""
        return self._read(self._measured, RunningResult, RunningResult.update).result()

    def _read(
        self,
        work: Callable[[Users], _Made],
        start: Callable[[], _Kept],
        add: Callable[[_Kept, _Made], object],
    ) -> _Kept:
        """Read the table as it stands; where that proves to mix users, once more, sorted."""
        columns = self.names | self.attributes
        table = Table.of(self.connection, "table", self.table, columns, reads_values=False)
        if not table.n_rows:
            raise InputError("table: got no rows; wanted at least one")
        try:
            kept = self._gather(table, work, start(), add, by_user=False)
        except MixedError:
            kept = self._gather(table, work, start(), add, by_user=True)
        if self.excluded is not None:
            self.excluded.check_met()
        return kept

    def _gather(
        self,
        table: Table,
        work: Callable[[Users], _Made],
        kept: _Kept,
        add: Callable[[_Kept, _Made], object],
        *,
        by_user: bool,
    ) -> _Kept:
        bar = Bar("sort and rank" if by_user else "rank", table.n_rows)
        threads = thread_count(self.options["n_threads"])
        try:
            with (
                closing(stream_users(self.connection, table, by_user=by_user)) as batches,
                closing(in_order(work, _counted(batches, bar), threads)) as parts,
            ):
                for part in parts:
                    add(kept, part)
        except (InputError, InputTypeError):
            table.check_values()  # it knows the number of the row
            if self.excluded is not None:
                self.excluded.check_items(table.kind("item"))
            raise
        finally:
            bar.close()
        return kept

    def _ranked(self, users: Users) -> tuple[Ranks, _Attributes]:
        """Rank some users by one thread, as many batches are ranked at once."""
        ranks = rank(
            users.columns["score"],
            users.columns["label"],
            offsets=users.offsets,
            items=users.columns.get("item"),
            exclude=None if self.excluded is None else self.excluded.of(users.ids.tolist()),
            ties=self.wanted.order or "average",
            **(self.options | {"n_threads": 1}),
        )
        rows = {role: users.columns[role] for role in self.attributes}
        values = one_value(rows, users.offsets, lambda user: users.ids[user])
        return replace(ranks, users=_ids(users.ids)), values

    def _measured(self, users: Users) -> Result:
        ranks, values = self._ranked(users)
        result = self._measure(ranks, n_threads=1)
        result.weights, _ = split(values)
        return result

    def _measure(self, ranks: Ranks, n_threads: int | None) -> Result:
        return measure(
            ranks,
            self.wanted.metrics,
            conventions=self.wanted.rules,
            n_threads=n_threads,
            isa=self.options["isa"],
        )


def _counted(batches: Iterable[Users], bar: Bar) -> Iterator[Users]:
    for users in batches:
        yield users
        bar.advance(int(users.offsets[-1]))


def _ids(ids: NumpyArray) -> NumpyArray:
    """Return ids in one type for all batches."""
    if ids.dtype.kind in "iu" and (ids.dtype != np.uint64 or ids.max(initial=0) < 2**63):
        return ids.astype(np.int64)
    return ids
