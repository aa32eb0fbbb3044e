"""A table of any size: ranked in batches, of which only Ranks or running sums stay."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankmill.errors import InputError
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
from rankmill.tables.pairs import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_T = TypeVar("_T")
_Attributes = dict[str, NumpyArray]
_Add = Callable[[_T, Ranks, _Attributes], None]


@dataclass(frozen=True)
class Stream:
    """The arguments of `evaluate_table`, over one connection."""

    connection: DuckDBPyConnection
    table: Any
    names: dict[str, str]
    attributes: dict[str, str]
    wanted: Wanted
    options: dict[str, Any]

    def result(self) -> Result:
        """Keep the Ranks of all users, and measure them."""

        def keep(parts: list[tuple[Ranks, _Attributes]], ranks: Ranks, values: _Attributes) -> None:
            parts.append((ranks, values))

        parts = self._read(list, keep)
        result = self._measured(Ranks.concat([ranks for ranks, _ in parts]))
        columns = {role: join_ids([values[role] for _, values in parts]) for role in parts[0][1]}
        result.weights, result.segments = split(columns)
        return result

    def summary(self) -> Summary:
        """Keep sums of the values."""

        def add(running: RunningResult, ranks: Ranks, values: _Attributes) -> None:
            result = self._measured(ranks)
            result.weights, _ = split(values)
            running.update(result)

        return self._read(RunningResult, add).result()

    def _measured(self, ranks: Ranks) -> Result:
        threads = {name: self.options[name] for name in ("n_threads", "isa")}
        return measure(ranks, self.wanted.metrics, conventions=self.wanted.rules, **threads)

    def _read(self, make: Callable[[], _T], add: _Add[_T]) -> _T:
        """Read the table as it stands; where that proves to mix users, once more, sorted."""
        columns = self.names | self.attributes
        table = Table.of(self.connection, "table", self.table, columns, reads_values=False)
        if not table.n_rows:
            raise InputError("table: got no rows; wanted at least one")
        try:
            return self._gather(table, make(), add, by_user=False)
        except MixedError:
            return self._gather(table, make(), add, by_user=True)

    def _gather(
        self,
        table: Table,
        kept: _T,
        add: _Add[_T],
        *,
        by_user: bool,
    ) -> _T:
        bar = Bar("sort and rank" if by_user else "rank", table.n_rows)
        batches = stream_users(self.connection, table, by_user=by_user)
        try:
            with closing(batches):
                for users in batches:
                    add(kept, self._rank(users), self._values(users))
                    bar.advance(int(users.offsets[-1]))
        except InputError:
            table.check_values()  # it knows the number of the row
            raise
        finally:
            bar.close()
        return kept

    def _values(self, users: Users) -> _Attributes:
        rows = {role: users.columns[role] for role in self.attributes}
        return one_value(rows, users.offsets, lambda user: users.ids[user])

    def _rank(self, users: Users) -> Ranks:
        ranks = rank(
            users.columns["score"],
            users.columns["label"],
            offsets=users.offsets,
            items=users.columns.get("item"),
            ties=self.wanted.order or "average",
            **self.options,
        )
        return replace(ranks, users=_ids(users.ids))


def _ids(ids: NumpyArray) -> NumpyArray:
    """Return ids in one type for all batches."""
    if ids.dtype.kind in "iu" and (ids.dtype != np.uint64 or ids.max(initial=0) < 2**63):
        return ids.astype(np.int64)
    return ids
