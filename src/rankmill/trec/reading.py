"""TREC files, joined and sorted by DuckDB: the documents of each query, in trec_eval's order."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankmill.database import interruptible, load_duckdb
from rankmill.errors import InputError, RankmillError
from rankmill.inputs import Int64s, NumpyArray
from rankmill.running import Floats

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SNIFFED: Final = 1 << 16  # bytes whose separators decide how a file is read


@dataclass(frozen=True)
class _Kind:
    """What the lines of a file hold, in order, what their values are, and which are none."""

    name: str
    columns: tuple[str, ...]
    value: str
    wrong: str


_QRELS: Final = _Kind(
    "qrels", ("query", "iteration", "document", "value"), "a whole grade", "value <> trunc(value)"
)
_RUN: Final = _Kind(
    "run", ("query", "q0", "document", "place", "value", "tag"), "a score", "isnan(value)"
)


@dataclass(frozen=True)
class Rows:
    """Documents of all queries, ascending by query; the retrieved first, best first.

    Attributes
    ----------
    queries : object (queries,)
        Their names.
    offsets : int64 (queries + 1,)
        Where the documents of each start.
    grade : float64 (documents,)
        NaN where there is no judgement; below 0 where one was pooled and not judged.
    retrieved : bool (documents,)
        Whether the run has it.
    run_id : str
        The name in the run's last column.
    """

    queries: NumpyArray
    offsets: Int64s
    grade: Floats
    retrieved: NumpyArray
    run_id: str

    @property
    def owner(self) -> Int64s:
        """The query of each document."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.offsets))

    @property
    def place(self) -> Int64s:
        """The place of each document in its query, from 0."""
        return np.arange(len(self.grade)) - np.repeat(self.offsets[:-1], np.diff(self.offsets))


def read(qrels: Path, run: Path, *, complete: bool, n_threads: int | None) -> Rows:
    """Read both files; queries of both, or with `complete` all of the qrels."""
    duckdb = load_duckdb()
    try:
        with duckdb.connect() as connection:
            if n_threads is not None:
                connection.execute(f"SET threads = {n_threads}")

            def load() -> Rows:
                for kind, file in ((_QRELS, qrels), (_RUN, run)):
                    _load(connection, duckdb.Error, kind, file)
                return _joined(connection, complete)

            return interruptible(connection, load)
    except duckdb.Error as error:
        raise RankmillError(f"{qrels}, {run}: {str(error).splitlines()[0]}") from None


def _load(
    connection: DuckDBPyConnection, failure: type[Exception], kind: _Kind, file: Path
) -> None:
    """Make a table of a file: at once where all separators are alike, else line by line."""
    if not file.is_file():
        raise InputError(f"{file}: {'not a file' if file.exists() else 'no such file'}")
    separator = _separator(file, len(kind.columns))
    if separator is not None:
        types = dict.fromkeys(kind.columns, "VARCHAR") | {"value": "DOUBLE"}
        try:
            connection.execute(
                f"CREATE TABLE {kind.name} AS SELECT query, document, value{_tag(kind)} "
                f"FROM {_scan(types, separator)}",
                [str(file)],
            )
        except failure:
            pass  # the slow way says which line it is
        else:
            _check_rows(connection, kind, file)
            return
    _load_lines(connection, kind, file)
    _check_rows(connection, kind, file)


def _tag(kind: _Kind) -> str:
    return ", tag" if "tag" in kind.columns else ""


def _scan(types: Mapping[str, str], separator: str) -> str:
    columns = ", ".join(f"'{name}': '{type_}'" for name, type_ in types.items())
    return (
        f"read_csv(?, delim = '{separator}', columns = {{{columns}}}, header = false, quote = '', "
        "escape = '', auto_detect = false, null_padding = false)"
    )


def _separator(file: Path, width: int) -> str | None:
    """Return the blank or tab that separates all columns of the first lines, one at a time."""
    opener: Any = gzip.open if file.suffix == ".gz" else open
    with opener(file, "rb") as stream:
        start = stream.read(_SNIFFED)
    lines = start.splitlines()[: -1 if len(start) == _SNIFFED else None]
    for separator in (b" ", b"\t"):
        pattern = re.compile(
            rb"[^ \t]+(?:" + separator + rb"[^ \t]+){" + str(width - 1).encode() + b"}"
        )
        if lines and all(pattern.fullmatch(line) for line in lines):
            return separator.decode()
    return None


def _load_lines(connection: DuckDBPyConnection, kind: _Kind, file: Path) -> None:
    """Split every line at blanks and tabs of any number."""
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE lines AS SELECT row_number() OVER () AS row, "
        "regexp_split_to_array(trim(line, ' ' || chr(9) || chr(13)), '[ \\t]+') AS words FROM "
        + _scan({"line": "VARCHAR"}, "\x01"),
        [str(file)],
    )
    width, at = len(kind.columns), kind.columns.index("value") + 1
    wrong = connection.execute(
        f"SELECT row, len(words), words[{at}] FROM lines WHERE words IS NULL "
        f"OR len(words) <> {width} OR try_cast(words[{at}] AS DOUBLE) IS NULL "
        "ORDER BY row LIMIT 1"
    ).fetchone()
    if wrong is not None:
        row, found, word = wrong
        trouble = f"got {found or 0} columns; wanted {width}"
        if found == width:
            trouble = f"got {word!r}; wanted a number"
        raise InputError(f"{file}, line {row}: {trouble}")
    tag = f", words[{width}] AS tag" if "tag" in kind.columns else ""
    connection.execute(
        f"CREATE OR REPLACE TABLE {kind.name} AS SELECT words[1] AS query, words[3] AS document, "
        f"CAST(words[{at}] AS DOUBLE) AS value{tag} FROM lines ORDER BY row"
    )


def _check_rows(connection: DuckDBPyConnection, kind: _Kind, file: Path) -> None:
    """Refuse a file without rows, NaN, and a document that stands twice in a query."""
    n, distinct, n_wrong = connection.execute(
        "SELECT count(*), count(DISTINCT hash(query, document)), "
        f"count(*) FILTER (isnan(value) OR {kind.wrong}) FROM {kind.name}"
    ).fetchall()[0]
    if n == 0:
        raise InputError(f"{file}: got no lines; wanted at least one")
    if n_wrong:
        query, document, value = connection.execute(
            f"SELECT query, document, value FROM {kind.name} "
            f"WHERE isnan(value) OR {kind.wrong} LIMIT 1"
        ).fetchall()[0]
        raise InputError(
            f"{file}: got {value} for document {document!r} in query {query!r}; wanted {kind.value}"
        )
    if distinct != n:
        twice = connection.execute(
            f"SELECT query, document FROM {kind.name} GROUP BY ALL HAVING count(*) > 1 LIMIT 1"
        ).fetchone()
        if twice is not None:
            raise InputError(
                f"{file}: document {twice[1]!r} stands twice in query {twice[0]!r}; wanted it once"
            )


def _joined(connection: DuckDBPyConnection, complete: bool) -> Rows:
    """Sort the documents of each query: by score in 32 bits, then by name, both descending."""
    both = "" if complete else " AND query IN (SELECT query FROM run)"
    connection.execute(
        "CREATE TEMP TABLE sorted AS SELECT query, qrels.value AS grade, "
        "run.value IS NOT NULL AS retrieved FROM run FULL JOIN qrels USING (query, document) "
        f"WHERE query IN (SELECT query FROM qrels){both} "
        "ORDER BY query, run.value::FLOAT DESC NULLS LAST, document DESC"
    )
    counts = connection.execute(
        "SELECT query, count(*) AS n FROM sorted GROUP BY query ORDER BY query"
    ).fetchnumpy()
    if not len(counts["n"]):
        raise InputError("run: no query of it is in the qrels; wanted at least one")
    rows = connection.execute(
        "SELECT coalesce(grade::DOUBLE, 'nan'::DOUBLE) AS grade, retrieved FROM sorted"
    ).fetchnumpy()
    run_id = connection.execute("SELECT tag FROM run LIMIT 1").fetchall()[0][0]
    offsets = np.concatenate([[0], np.cumsum(counts["n"])]).astype(np.int64)
    return Rows(
        np.asarray(counts["query"], dtype=object),
        offsets,
        np.asarray(rows["grade"], dtype=np.float64),
        np.asarray(rows["retrieved"], dtype=bool),
        str(run_id),
    )
