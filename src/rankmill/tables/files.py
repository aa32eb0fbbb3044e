"""Columns of CSV and Parquet files as arrays, read by DuckDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from rankmill.database import interruptible, load_duckdb
from rankmill.errors import InputError, InputTypeError, RankmillError
from rankmill.tables.connecting import first_lines, quoted
from rankmill.tables.kinds import is_integer, is_number, is_text, plain
from rankmill.tables.sources import check_known, read_files
from rankmill.threads import default_threads

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_IDS: Final = ("user", "item")
#: Roles whose columns hold numbers. Those of other roles than these and ids hold anything.
NUMBERS: Final = ("score", "label", "weight")


@dataclass(frozen=True)
class TextIds:
    """A column of text as a categorical: rows hold a number, so that no text is held twice."""

    codes: npt.NDArray[Any]
    categories: npt.NDArray[np.object_]


def read_rows(
    files: Sequence[Path],
    columns: Mapping[str, str],
    n_threads: int | None = None,
    flag: str = "",
) -> dict[str, Any]:
    """Return the columns of the files, one below the other, rows in their order.

    Parameters
    ----------
    files : sequence of Path
        All CSV or all Parquet.
    columns : mapping
        Column name of each role: ``user``, ``score``, ``label`` and perhaps others.
    n_threads : int, optional
        Threads that read.
    flag : str
        What stands before the name of a role in messages, such as ``--``.

    Returns
    -------
    dict
        Array of each role; a `TextIds` where users are text. Text items are numbers that order
        as the text does.

    Raises
    ------
    InputError, InputTypeError
        If a column is missing, has the wrong type, or lacks a value.
    MissingDependencyError
        If DuckDB is not installed.
    """
    duckdb = load_duckdb()
    try:
        with duckdb.connect() as connection:
            connection.execute(f"SET threads = {n_threads or default_threads()}")
            source = read_files(connection, "FILE", files)
            types = dict(zip(source.columns, map(str, source.types), strict=True))
            for role, name in columns.items():
                check_known(flag + role, name, types)
            picked = [
                f"{plain(name, types[name])} AS {quoted(role)}" for role, name in columns.items()
            ]
            source.project(", ".join(picked)).create_view("log")
            kinds = {role: types[name] for role, name in columns.items()}
            return interruptible(connection, _Reader(connection, columns, kinds, flag).read)
    except duckdb.Error as error:
        raise RankmillError(f"{', '.join(map(str, files))}: {first_lines(error)}") from None


class _Reader:
    """Reads the view ``log``, whose columns are named by their roles."""

    def __init__(
        self,
        connection: DuckDBPyConnection,
        columns: Mapping[str, str],
        kinds: Mapping[str, str],
        flag: str,
    ) -> None:
        self._connection, self._columns, self._kinds = connection, columns, kinds
        self._flag = flag

    def read(self) -> dict[str, Any]:
        """Return what `read_rows` returns."""
        if not self._connection.execute("SELECT 1 FROM log LIMIT 1").fetchone():
            raise InputError("FILE: got no rows; wanted at least one")
        for role, kind in self._kinds.items():
            self._check(role, kind)
        texts = [role for role, kind in self._kinds.items() if role in _IDS and is_text(kind)]
        arrays = self._with_numbers(texts) if texts else self._select("SELECT * FROM log")
        if "user" in texts:
            names = self._select("SELECT id FROM user_ids ORDER BY code")["id"]
            arrays["user"] = TextIds(arrays["user"], names)
        return arrays

    def _check(self, role: str, kind: str) -> None:
        """Complain about a column that holds the wrong kind of value."""
        name = self._columns[role]
        if role in _IDS:
            if not (is_integer(kind) or is_text(kind)):
                raise InputTypeError(
                    f"{self._flag}{role}: column {name!r} holds {kind}; wanted integers or text"
                )
        elif role in NUMBERS and not is_number(kind):
            strange = self._first_strange(role)
            raise InputTypeError(
                f"{self._flag}{role}: column {name!r} holds {kind}{strange}; wanted numbers"
            )

    def _first_strange(self, role: str) -> str:
        """Point at the first value that is no number."""
        found = self._connection.execute(
            "SELECT row, value "
            f"FROM (SELECT row_number() OVER () - 1 AS row, {role}::VARCHAR AS value FROM log) "
            "WHERE value IS NOT NULL AND TRY_CAST(value AS DOUBLE) IS NULL ORDER BY row LIMIT 1"
        ).fetchone()
        return f", such as {found[1]!r} at row {found[0]}" if found else ""

    def _with_numbers(self, texts: Sequence[str]) -> dict[str, Any]:
        """Select all columns, those of text as numbers that order as the text does."""
        for role in texts:
            self._connection.execute(
                f"CREATE TEMP TABLE {role}_ids AS "
                "SELECT id, (row_number() OVER (ORDER BY id) - 1)::INTEGER AS code "
                f"FROM (SELECT DISTINCT {role}::VARCHAR AS id FROM log) WHERE id IS NOT NULL"
            )
        picked = [
            f"{role}_ids.code AS {role}" if role in texts else quoted(role)
            for role in self._columns
        ]
        joins = [f"LEFT JOIN {role}_ids ON {role}_ids.id = {role}::VARCHAR" for role in texts]
        # A join shuffles rows, so each brings its number along.
        return self._select(
            f"SELECT row, {', '.join(picked)} "
            f"FROM (SELECT row_number() OVER () - 1 AS row, * FROM log) {' '.join(joins)}"
        )

    def _select(self, query: str) -> dict[str, Any]:
        arrays = self._connection.execute(query).fetchnumpy()
        return whole_columns(arrays, self._columns, self._flag)


def whole_columns(
    arrays: Mapping[str, Any], names: Mapping[str, str], flag: str = ""
) -> dict[str, Any]:
    """Return columns without their masks and in the order of the column `row`, if it is there.

    Parameters
    ----------
    arrays : mapping
        Array of each role, masked where values are missing, and perhaps ``row``: the place of
        each value.
    names : mapping
        The columns of the roles, for messages.
    flag : str
        What stands before the name of a role in them.

    Raises
    ------
    InputError
        If a value is missing; the message names the first row.

    Examples
    --------
    >>> whole_columns({"row": np.array([1, 0]), "score": np.array([0.5, 0.25])}, {})
    {'score': array([0.25, 0.5 ])}
    """
    places = arrays.get("row")
    columns = {}
    for role in [name for name in arrays if name != "row"]:
        missing = np.flatnonzero(np.ma.getmask(arrays[role]))
        if len(missing):
            row = np.min(missing if places is None else places[missing])
            raise InputError(
                f"{flag}{role}: no value at row {row} of column {names[role]!r}; "
                "wanted one in every row"
            )
        columns[role] = np.ma.getdata(arrays[role])
        if places is not None:
            columns[role] = np.empty_like(columns[role])
            columns[role][places] = np.ma.getdata(arrays[role])
    return columns
