"""A run joined with the truth by DuckDB, and the Ranks of it."""

from __future__ import annotations

import itertools
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
        offsets = self._offsets()
        part = offsets[1:] // _ROWS_AT_ONCE
        firsts = np.flatnonzero(np.diff(part, prepend=-1)).tolist()
        parts = [
            self._rank(first, offsets[first : end + 1], run)
            for first, end in itertools.pairwise([*firsts, len(part)])
        ]
        missed = self.connection.execute(
            "SELECT number, grade FROM landed WHERE score IS NULL AND grade > 0 "
            "ORDER BY number, grade DESC"
        ).fetchnumpy()
        numbers, grades = (np.ma.getdata(missed[name]) for name in ("number", "grade"))
        counts = np.bincount(numbers, minlength=len(self.ids))
        return replace(add_missed(Ranks.concat(parts), counts, grades), users=self.ids)

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

    def _offsets(self) -> Int64s:
        """Return where the candidates of each user start."""
        found = self.connection.execute(
            "SELECT number, count(score) AS n FROM landed GROUP BY number"
        ).fetchnumpy()
        offsets = np.zeros(len(self.ids) + 1, dtype=np.int64)
        offsets[np.ma.getdata(found["number"]) + 1] = np.ma.getdata(found["n"])
        return np.cumsum(offsets, out=offsets)

    def _rank(self, first: int, offsets: Int64s, run: Run) -> Ranks:
        """Rank users from the first on, whose candidates lie between the offsets."""
        key = ", key" if self.order == "id_descending" else ""
        found = self.connection.execute(
            f"SELECT score, grade{key} FROM landed "
            "WHERE score IS NOT NULL AND number >= $first AND number < $end",
            {"first": first, "end": first + len(offsets) - 1},
        ).fetchnumpy()
        rows = {name: np.ma.getdata(column) for name, column in found.items()}
        scored = flat_scored(
            rows["score"], rows["grade"], offsets - offsets[0], rows.get("key"), self.order
        )

        def name(at: int) -> str:
            return f"user {self.ids[first + at : first + at + 1].tolist()[0]!r}"

        scored = replace(scored, explain=explainer(user=name))
        return rank_scored(scored, self.order, run, complete=True)
