"""Tables of users and items, checked: types, values, and every pair but once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rankmill.errors import InputError, InputTypeError
from rankmill.tables.connecting import quoted
from rankmill.tables.kinds import is_integer, is_number, is_text, plain
from rankmill.tables.sources import add_view

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_IDS: Final = ("user", "item")
_NAMES: Final = (*_IDS, "event")
_NUMBERS: Final = ("score", "grade", "label", "weight")
_SORTED_HERE: Final = 1 << 24  # rows whose hashes are fetched: 128 MiB


@dataclass(frozen=True)
class Table:
    """A view of a connection, whose columns are named by their roles.

    Attributes
    ----------
    name : str
        Of the view as it came, and what messages call the table.
    columns : mapping
        The caller's name of each role that there is.
    types : mapping
        DuckDB's type of each role.
    n_rows : int
    """

    connection: DuckDBPyConnection
    name: str
    columns: Mapping[str, str]
    types: Mapping[str, str]
    n_rows: int

    @classmethod
    def of(
        cls,
        connection: DuckDBPyConnection,
        name: str,
        table: Any,
        columns: Mapping[str, str],
        optional: Sequence[str] = (),
        *,
        reads_values: bool = True,
    ) -> Table:
        """Make a view of a caller's table, with a value of the right type in every row.

        reads_values: False leaves it to the caller to find rows without a value.
        """
        types = add_view(connection, name, table, columns, optional)
        found = {role: columns[role] for role in types}
        n_rows = connection.execute(f"SELECT count(*) FROM {quoted(name)}").fetchall()[0][0]
        made = cls(connection, name, found, types, n_rows)
        if n_rows:  # an empty file has no types either
            made._check_types()
            if reads_values:
                made.check_values()
        connection.execute(
            f"CREATE TEMP VIEW {made.view} AS SELECT {', '.join(map(made._plain, types))} "
            f"FROM {quoted(name)}"
        )
        return made

    @property
    def view(self) -> str:
        """The name of a view where all text is VARCHAR and decimals are floats."""
        return f"{self.name}_plain"

    def _check_types(self) -> None:
        for role, kind in self.types.items():
            wanted = None
            if role in _NAMES and not (is_integer(kind) or is_text(kind)):
                wanted = "integers or text"
            elif role in _NUMBERS and not is_number(kind):
                wanted = "numbers"
            if wanted is not None:
                raise InputTypeError(
                    f"{self.name}, {role}: column {self.columns[role]!r} holds {kind[:40]}"
                    f"{self._such_as(role)}; wanted {wanted}"
                )

    def _such_as(self, role: str) -> str:
        found = self.connection.execute(
            f'SELECT "{role}"::VARCHAR FROM {quoted(self.name)} WHERE "{role}" IS NOT NULL LIMIT 1'
        ).fetchone()
        return f", such as {found[0]!r}" if found else ""

    def check_values(self) -> None:
        """Refuse rows that lack a value, NaN, and grades or weights that are not finite."""
        tests = {role: self._wrong(role) for role in self.types}
        counts = ", ".join(f"count(*) FILTER ({test})" for test in tests.values())
        found = self.connection.execute(f"SELECT {counts} FROM {quoted(self.name)}").fetchall()[0]
        for role, count in zip(tests, found, strict=True):
            if count:
                self.refuse_row(role, tests[role], _WANTED.get(role, "a value in every row"))

    def _wrong(self, role: str) -> str:
        """Return the SQL that finds wrong values."""
        tests = [f'"{role}" IS NULL']
        if role in _NUMBERS and self.types[role] in ("FLOAT", "DOUBLE"):
            tests.append(f"isnan({role})" if role == "score" else f"NOT isfinite({role})")
        if role == "weight":
            tests.append("weight < 0")
        return " OR ".join(tests)

    def refuse_row(self, role: str, test: str, wanted: str) -> None:
        """Raise an error about the first row that passes a test."""
        # WHERE finds no NaN: DuckDB asks the statistics of Parquet files, which leave it out.
        row, value, user = self.connection.execute(
            f'SELECT unnest(min({{row: "row", value: "{role}"::VARCHAR, user: "user"::VARCHAR}}) '
            f'FILTER ({test})) FROM (SELECT row_number() OVER () - 1 AS "row", * FROM '
            f"{quoted(self.name)})"
        ).fetchall()[0]
        got = "no value" if value is None else f"got {value}"
        whose = "" if role == "user" else f" (user {user})"
        raise InputError(
            f"{self.name}, {role}: {got} at row {row}{whose} of column {self.columns[role]!r}; "
            f"wanted {wanted}"
        )

    def check_distinct(self, *roles: str) -> None:
        """Refuse values of the roles, such as a user and an item, that stand in two rows."""
        keys = ", ".join(f'"{role}"' for role in roles)
        if not self._may_repeat(keys):
            return
        rows = self.connection.execute(
            f'SELECT {keys}, "row" FROM (SELECT row_number() OVER () - 1 AS "row", * FROM '
            f"{self.view}) SEMI JOIN (SELECT {keys} FROM {self.view} GROUP BY ALL HAVING "
            f'count(*) > 1 ORDER BY ALL LIMIT 1) USING ({keys}) ORDER BY "row" LIMIT 2'
        ).fetchall()
        if rows:
            named = zip(roles, rows[0], strict=False)
            what = " of ".join(f"{role} {value!r}" for role, value in reversed(list(named)))
            raise InputError(
                f"{self.name}: {what} stands at rows {rows[0][-1]} and {rows[1][-1]}; wanted one"
            )

    def _may_repeat(self, keys: str) -> bool:
        """Tell by hashes; up to some size numpy sorts these faster than DuckDB counts them."""
        hashes = f"SELECT hash({keys}) AS mix FROM {self.view}"
        if self.n_rows <= _SORTED_HERE:
            mix = self.connection.execute(hashes).fetchnumpy()["mix"]
            mix.sort()
            return bool((mix[1:] == mix[:-1]).any())
        distinct = self.connection.execute(f"SELECT count(DISTINCT mix) FROM ({hashes})")
        return bool(distinct.fetchall()[0][0] < self.n_rows)

    def kind(self, role: str) -> str:
        """Return whether ids or events are integers or text."""
        return "integers" if is_integer(self.types[role]) else "text"

    def _plain(self, role: str) -> str:
        """Return SQL for a column without types that would order otherwise or numpy lacks."""
        if role in _NAMES and self.kind(role) == "text":
            return f'"{role}"::VARCHAR AS "{role}"'
        return f'{plain(role, self.types[role])} AS "{role}"'

    def example(self, role: str) -> Any:
        """Return one value."""
        found = self.connection.execute(f'SELECT "{role}" FROM {self.view} LIMIT 1')
        return found.fetchall()[0][0]


_WANTED: Final = {
    "score": "a number in every row (infinities are fine)",
    "grade": "a finite grade in every row",
    "label": "a finite grade in every row",
    "weight": "a finite number >= 0 in every row",
}


def check_same_ids(tables: Sequence[Table]) -> None:
    """Refuse ids that could never be equal, as they are text in one table and numbers in another.

    Empty tables have no ids.
    """
    first, *others = (table for table in tables if table.n_rows)
    for other in others:
        for role in set(_IDS) & first.types.keys() & other.types.keys():
            if first.kind(role) != other.kind(role):
                raise InputTypeError(
                    f"{role}: {first.name} has {first.kind(role)}, such as "
                    f"{first.example(role)!r}, and {other.name} has {other.kind(role)}, such as "
                    f"{other.example(role)!r}; wanted ids of one type"
                )
