"""Tables of any library, and files, as views of one DuckDB connection."""

from __future__ import annotations

import glob
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rankmill.conventions import did_you_mean
from rankmill.database import load_duckdb
from rankmill.errors import InputError, InputTypeError, MissingDependencyError, RankmillError
from rankmill.tables.connecting import first_lines, literal, quoted
from rankmill.tables.frames import Names, pandas_relation

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_PARQUET: Final = b"PAR1"
_JSON: Final = (".json", ".jsonl", ".ndjson")
_COMPRESSED: Final = (".gz", ".zst")


def add_view(
    connection: DuckDBPyConnection,
    argument: str,
    table: Any,
    columns: Mapping[str, str],
    optional: Collection[str] = (),
) -> dict[str, str]:
    """Make a view of some columns of a table, named by their roles; return their types.

    DuckDB scans the table where it lies, as often as it is asked to. What can be read only once,
    such as a stream, and text files, which are slow to read, are first read into a table of the
    connection, which spills.

    Parameters
    ----------
    connection : DuckDB connection
        From `connecting.connect`.
    argument : str
        The view's name, and what messages call the table.
    table : table of pandas, polars, pyarrow or DuckDB, Arrow stream, or paths
        As in `evaluate_table`.
    columns : mapping
        Column name of each role.
    optional : collection of str
        Roles whose columns may be missing; the view lacks them then.

    Returns
    -------
    dict
        DuckDB's name of the type of each role's column. Missing values are NULL, and so is NaN
        in a data frame of pandas.

    Raises
    ------
    InputError, InputTypeError
        If a column is missing, or `table` is no table.
    MissingDependencyError
        If pyarrow is needed and not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"who": [1, 2], "points": [0.5, 0.25]})
    >>> from rankmill.tables.connecting import connect
    >>> with connect() as connection:
    ...     add_view(connection, "run", frame, {"user": "who", "score": "points"})
    ...     connection.execute("SELECT max(score) FROM run").fetchall()
    {'user': 'BIGINT', 'score': 'DOUBLE'}
    [(0.5,)]
    """
    names = Names(
        set(columns.values()), {name for role, name in columns.items() if role not in optional}
    )
    try:
        relation, once = _relation(connection, argument, table, names)
        picked, types = _project(argument, relation, columns, names)
        if once:
            picked.create(argument)
        else:
            picked.create_view(argument)
    except load_duckdb().Error as trouble:
        raise RankmillError(f"{argument}: {first_lines(trouble)}") from None
    return types


def _project(
    argument: str, relation: DuckDBPyRelation, columns: Mapping[str, str], names: Names
) -> tuple[DuckDBPyRelation, dict[str, str]]:
    """Name columns by their roles; return their types, too."""
    known = dict(zip(relation.columns, map(str, relation.types), strict=True))
    found = {role: name for role, name in columns.items() if name in known or name in names.needed}
    for role, name in found.items():
        check_known(f"{argument}, {role}", name, known)
    picked = relation.project(
        ", ".join(f"{quoted(name)} AS {quoted(role)}" for role, name in found.items())
    )
    return picked, {role: known[name] for role, name in found.items()}


def _relation(
    connection: DuckDBPyConnection, argument: str, table: Any, names: Names
) -> tuple[DuckDBPyRelation, bool]:
    """Return a relation with the columns, and whether it can be read only once."""
    if isinstance(table, (str, os.PathLike)):
        table = [table]
    if isinstance(table, (list, tuple)):
        files = find_files(argument, table)
        return read_files(connection, argument, files), kind_of(argument, files) != "Parquet"
    if hasattr(table, "iloc"):
        return pandas_relation(connection, argument, table, names), False
    if hasattr(table, "fetchnumpy"):  # of a connection of the caller's
        picked = ", ".join(map(quoted, names.of(table.columns)))
        table, once = reader(table.project(picked)), True
    else:
        table, once = _arrow(argument, table, names)
    return connection.from_arrow(table), once


def _arrow(argument: str, table: Any, names: Names) -> tuple[Any, bool]:
    """Return an Arrow object that DuckDB can scan, and whether only once."""
    if hasattr(table, "collect") and hasattr(table, "lazy"):  # a lazy frame of polars
        load_pyarrow(argument)
        known = table.collect_schema().names()
        if not names.needed <= set(known):
            table = table.head(0)
        table = table.select(names.of(known)).collect()
    if hasattr(table, "get_column"):  # a frame of polars
        load_pyarrow(argument)
        return table.select(names.of(table.columns)).to_arrow(), False
    if hasattr(table, "read_all"):  # a reader of record batches
        return table, True
    if hasattr(table, "to_batches") and hasattr(table, "schema"):  # a dataset or a table
        return table, False
    if hasattr(table, "to_struct_array"):  # a record batch
        return load_pyarrow(argument).Table.from_batches([table]), False
    if hasattr(table, "__arrow_c_stream__"):
        return load_pyarrow(argument).RecordBatchReader.from_stream(table), True
    raise InputTypeError(
        f"{argument}: got {type(table).__name__}; wanted a table of pandas, polars, pyarrow or "
        "DuckDB, an Arrow stream, or paths of files"
    )


def reader(relation: DuckDBPyRelation, n_rows: int = 1_000_000) -> Any:
    """Return a stream of a relation, whatever this release of DuckDB calls it."""
    if hasattr(relation, "to_arrow_reader"):
        return relation.to_arrow_reader(n_rows)
    return relation.fetch_arrow_reader(n_rows)


def load_pyarrow(argument: str) -> Any:
    """Import pyarrow, which reads Arrow streams."""
    try:
        import pyarrow.compute
    except ImportError:
        raise MissingDependencyError(
            f"{argument}: polars and Arrow streams need pyarrow; wanted: pip install pyarrow"
        ) from None
    return pyarrow


def find_files(argument: str, paths: Sequence[Any]) -> list[Path]:
    """Return the files of some paths and patterns, in their order."""
    files: list[Path] = []
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise InputTypeError(f"{argument}: got {path!r} among the paths; wanted paths only")
        text = os.fspath(path)
        # A pattern may be absolute, which Path.glob does not take.
        found = sorted(glob.glob(text)) if glob.has_magic(text) else [text]  # noqa: PTH207
        if not found:
            raise InputError(f"{argument}: no file is named like {text}")
        files += map(Path, found)
    if not files:
        raise InputError(f"{argument}: got no paths; wanted at least one")
    return files


def read_files(
    connection: DuckDBPyConnection, argument: str, files: Sequence[Path]
) -> DuckDBPyRelation:
    """Return the rows of files, one below the other: Parquet, or CSV or JSON lines (gzip, zstd).

    Raises
    ------
    InputError
        If one is missing, or they are of several kinds; `RankmillError` if one is damaged.
    """
    names = [str(file) for file in files]
    kind = kind_of(argument, files)
    try:
        if kind == "Parquet":
            return connection.read_parquet(names)
        if kind == "JSON":
            listed = ", ".join(map(literal, names))
            return connection.sql(f"SELECT * FROM read_json_auto([{listed}])")
        return connection.read_csv(names)
    except load_duckdb().Error as trouble:
        raise RankmillError(f"{', '.join(names)}: {first_lines(trouble)}") from None


def kind_of(argument: str, files: Sequence[Path]) -> str:
    """Return CSV, JSON or Parquet: what all the files are."""
    kinds = sorted({_kind(file) for file in files})
    if len(kinds) > 1:
        raise InputError(f"{argument}: got both {' and '.join(kinds)}; wanted files of one kind")
    return kinds[0]


def _kind(file: Path) -> str:
    """Tell Parquet by its first bytes, and JSON by its name."""
    if not file.is_file():
        trouble = "not a file" if file.exists() else "no such file"
        raise InputError(f"{file}: {trouble}; wanted CSV, JSON lines or Parquet")
    with file.open("rb") as stream:
        start = stream.read(len(_PARQUET))
    if start == _PARQUET:
        return "Parquet"
    if not start:
        raise InputError(f"{file}: an empty file; wanted CSV, JSON lines or Parquet")
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if suffixes[-1:] == [".parquet"]:
        raise InputError(f"{file}: not a Parquet file, whatever its name; wanted one, or CSV")
    while suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return "JSON" if suffixes[-1:] and suffixes[-1] in _JSON else "CSV"


def check_known(role: str, name: str, known: Iterable[str]) -> None:
    """Refuse a column that is not there, or there more than once."""
    check_is_name(role, name)
    names = list(map(str, known))
    if name not in names:
        hint = did_you_mean(name, names, {})
        raise InputError(f"{role}: no column {name!r}; the columns are {', '.join(names)}{hint}")
    if names.count(name) > 1:
        raise InputError(f"{role}: the table has {names.count(name)} columns {name!r}; wanted one")


def check_is_name(role: str, name: object) -> None:
    """Refuse what cannot be the name of a column."""
    if not isinstance(name, str):
        raise InputTypeError(f"{role}: got {name!r}; wanted the name of a column")
