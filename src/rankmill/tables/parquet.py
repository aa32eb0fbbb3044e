"""Row groups of Parquet files of plain numbers, which pyarrow reads in half of DuckDB's time.

DuckDB decides what a file is: this reads only what needs no deciding, and gives up otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rankmill.tables.pairs import Table
from rankmill.tables.sources import find_files, kind_of, load_pyarrow

_MOST_BYTES: Final = 32 << 20  # of a row group: each thread holds one, or two
_ROWS_AT_ONCE: Final = 1 << 19  # smaller groups are read together, as each time costs some calls
_FEWEST_ROWS: Final = 1 << 17  # what DuckDB reads before pyarrow.parquet is imported
_TYPES: Final = {
    "BOOLEAN": "bool",
    "TINYINT": "int8",
    "SMALLINT": "int16",
    "INTEGER": "int32",
    "BIGINT": "int64",
    "UTINYINT": "uint8",
    "USMALLINT": "uint16",
    "UINTEGER": "uint32",
    "UBIGINT": "uint64",
    "FLOAT": "float",
    "DOUBLE": "double",
}


class UnreadError(Exception):
    """pyarrow does not read the file; DuckDB may, or says what is wrong with it."""


@dataclass(frozen=True)
class RowGroups:
    """Row groups of a file, one after the other."""

    path: str
    footer: Any
    numbers: Sequence[int]
    columns: Mapping[str, str]  # the file's name of each role

    def read(self) -> Any:
        """Return the rows as one batch, whose columns are named by their roles.

        Raises
        ------
        UnreadError
        """
        pyarrow = load_pyarrow("table")
        names = list(self.columns.values())
        try:
            with pyarrow.OSFile(self.path) as file:  # which takes less time to open than a path
                reader = pyarrow.parquet.ParquetFile(file, metadata=self.footer)
                rows = reader.read_row_groups(self.numbers, columns=names, use_threads=False)
        except (OSError, pyarrow.ArrowException) as trouble:
            raise UnreadError from trouble
        return pyarrow.RecordBatch.from_arrays(
            [_whole(rows.column(name)) for name in names], names=list(self.columns)
        )


def _whole(column: Any) -> Any:
    """Return a column as one array; pyarrow copies even a single chunk to combine it."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def row_groups(given: Any, table: Table) -> list[RowGroups]:
    """Return the row groups of a caller's files; none where DuckDB is to read them."""
    if isinstance(given, (str, os.PathLike)):
        given = [given]
    if not isinstance(given, (list, tuple)) or table.n_rows < _FEWEST_ROWS:
        return []
    files = find_files(table.name, given)
    paths = [str(file) for file in files]
    if kind_of(table.name, files) != "Parquet" or any("=" in path for path in paths):
        return []  # folders named country=at are columns to DuckDB
    groups: list[RowGroups] = []
    for path in paths:
        found = _groups_of(path, table)
        if not found:
            return []
        groups += found
    return groups


def _groups_of(path: str, table: Table) -> list[RowGroups]:
    """Return the row groups of a file whose columns are numbers of the types DuckDB sees."""
    try:
        import pyarrow.parquet
    except ImportError:  # a pyarrow that was built without it
        return []
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            schema, footer = file.schema_arrow, file.metadata
    except (OSError, pyarrow.ArrowException):
        return []
    names = [name.lower() for name in schema.names]  # which DuckDB does not tell apart
    row_bytes = 0
    for role, name in table.columns.items():
        wanted = _TYPES.get(table.types[role])
        if names.count(name.lower()) != 1 or str(schema.field(name).type) != wanted:
            return []
        row_bytes += max(1, schema.field(name).type.bit_width // 8)
    sizes = [footer.row_group(number).num_rows for number in range(footer.num_row_groups)]
    if max(sizes, default=0) * row_bytes > _MOST_BYTES:
        return []
    return [RowGroups(path, footer, numbers, table.columns) for numbers in _together(sizes)]


def _together(sizes: list[int]) -> Iterator[range]:
    """Part groups of some numbers of rows into those to be read at once.

    Examples
    --------
    >>> list(_together([400_000, 100_000, 100_000, 900_000]))
    [range(0, 2), range(2, 3), range(3, 4)]
    """
    first = n_rows = 0
    for number, size in enumerate(sizes):
        if number > first and n_rows + size > _ROWS_AT_ONCE:
            yield range(first, number)
            first, n_rows = number, 0
        n_rows += size
    if n_rows:
        yield range(first, len(sizes))
