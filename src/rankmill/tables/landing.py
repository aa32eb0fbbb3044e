"""A run joined with the truth by DuckDB, and the Ranks of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from rankmill._engine import Run
from rankmill.inputs import Int64s, NumpyArray
from rankmill.inputs_scored import flat_scored
from rankmill.ranking import rank_scored
from rankmill.ranks import Order, Ranks, add_missed
from rankmill.status import explainer
from rankmill.tables.pairs import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ROWS_AT_ONCE: Final = 1 << 22  # what numpy holds of the joined rows, about 30 bytes each


def number_users(connection: DuckDBPyConnection) -> NumpyArray:
    """Make ``numbered``: id and number of the users of ``truth_pairs``; return the ids."""
    connection.execute(
        "CREATE TEMP TABLE numbered AS SELECT id, (row_number() OVER (ORDER BY id) - 1)::INTEGER "
        'AS number FROM (SELECT DISTINCT "user" AS id FROM truth_pairs)'
    )
    ids = connection.execute("SELECT id FROM numbered ORDER BY number").fetchnumpy()["id"]
    ids = np.ma.getdata(ids)
    if ids.dtype.kind in "iu" and (ids.dtype != np.uint64 or ids.max(initial=0) < 2**63):
        return ids.astype(np.int64)
    return ids


@dataclass(frozen=True)
class Landing:
    """Joins ``run_plain``, ``truth_pairs``, ``numbered`` and perhaps ``exclude_pairs``."""

    connection: DuckDBPyConnection
    run: Table
    ids: NumpyArray
    excludes: bool
    order: Order | None

    def ranks(self, run: Run) -> Ranks:
        """Rank all users, some millions of rows at a time."""
        self._join()
        parts = [self._rank(first, last, run) for first, last in self._ranges()]
        return replace(Ranks.concat(parts), users=self.ids)

    def _join(self) -> None:
        """Make the table ``landed``: every candidate and every item of the truth, by user."""
        rows, by = "run_plain", ""
        key = ", key" if self.order == "id_descending" else ""
        if not self.run.n_rows:  # an empty table may have no types
            rows = '(SELECT "user", item, 0::DOUBLE AS score, 0 AS key FROM truth_pairs LIMIT 0)'
        elif self.order == "input_order":
            rows = '(SELECT *, row_number() OVER () AS "row" FROM run_plain)'
            by = ', "row"'
        elif self.order == "id_descending":
            if self.run.kind("item") == "integers" and self.run.types["item"] != "UBIGINT":
                rows = "(SELECT *, item::BIGINT AS key FROM run_plain)"
            else:
                rows = (
                    "(SELECT * FROM run_plain JOIN (SELECT item, row_number() OVER (ORDER BY item)"
                    " AS key FROM (SELECT DISTINCT item FROM run_plain)) USING (item))"
                )
        anti = 'ANTI JOIN exclude_pairs USING ("user", item)' if self.excludes else ""
        self.connection.execute(
            f"CREATE TEMP TABLE landed AS SELECT number, score, coalesce(grade::DOUBLE, 0) AS "
            f'grade{key} FROM (SELECT * FROM {rows} FULL JOIN truth_pairs USING ("user", item)) '
            f'{anti} JOIN numbered ON numbered.id = "user" ORDER BY number{by}'
        )

    def _ranges(self) -> Iterator[tuple[int, int]]:
        """Part the users, so that each part has some millions of rows, or one user."""
        found = self.connection.execute(
            "SELECT number, count(*) AS n FROM landed GROUP BY number"
        ).fetchnumpy()
        counts = np.zeros(len(self.ids), dtype=np.int64)
        counts[np.ma.getdata(found["number"])] = np.ma.getdata(found["n"])
        part = np.cumsum(counts) // _ROWS_AT_ONCE
        firsts = np.flatnonzero(np.diff(part, prepend=-1)).tolist()
        return itertools.pairwise([*firsts, len(counts)])

    def _rank(self, first: int, end: int, run: Run) -> Ranks:
        found = self.connection.execute(
            "SELECT * FROM landed WHERE number >= $first AND number < $end",
            {"first": first, "end": end},
        ).fetchnumpy()
        rows = {name: np.ma.getdata(column) for name, column in found.items()}
        numbers = rows["number"] - first
        missed = np.ma.getmaskarray(found["score"])
        if missed.any():
            kept = ~missed
            lost = _descending(numbers[missed], rows["grade"][missed])
            rows = {name: column[kept] for name, column in rows.items()}
            numbers = numbers[kept]
        else:
            lost = numbers[:0], rows["grade"][:0]
        n_users = end - first
        scored = flat_scored(
            rows["score"],
            rows["grade"],
            np.concatenate([[0], np.cumsum(np.bincount(numbers, minlength=n_users))]),
            rows.get("key"),
            self.order,
        )
        scored = replace(scored, explain=explainer(user=lambda at: f"user {self._id(first + at)}"))
        ranks = rank_scored(scored, self.order, run, complete=True)
        return add_missed(ranks, np.bincount(lost[0], minlength=n_users), lost[1])

    def _id(self, number: int) -> str:
        return repr(self.ids[number : number + 1].tolist()[0])


def _descending(numbers: NumpyArray, grades: NumpyArray) -> tuple[Int64s, NumpyArray]:
    """Return the grades > 0 of each user, descending, and whose they are."""
    relevant = grades > 0
    numbers, grades = numbers[relevant], grades[relevant]
    order = np.lexsort((-grades, numbers))
    return numbers[order], grades[order]
