"""Columns of a table of any library as arrays, without a copy where the library allows it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import NumpyArray
from rankmill.tables.connecting import quoted
from rankmill.tables.files import NUMBERS, TextIds, read_rows, whole_columns
from rankmill.tables.kinds import plain
from rankmill.tables.sources import check_known, find_files, load_pyarrow


def read_columns(table: Any, names: Mapping[str, str], n_threads: int | None) -> dict[str, Any]:
    """Return the column of each role, every row with a value.

    Parameters
    ----------
    table : table of pandas, polars, pyarrow or DuckDB, Arrow stream, or paths
        See `evaluate_table`.
    names : mapping
        Column name of each role.
    n_threads : int, optional
        Threads that read files.
    """
    if isinstance(table, (str, os.PathLike)):
        return read_rows(find_files("table", [table]), names, n_threads)
    if isinstance(table, (list, tuple)):
        return read_rows(find_files("table", table), names, n_threads)
    if hasattr(table, "iloc"):
        columns = _pandas(table, names)
    elif hasattr(table, "fetchnumpy"):
        columns = _duckdb(table, names)
    else:
        columns = _arrow(_arrow_table(table, names), names)
    for role, name in names.items():
        if isinstance(columns[role], np.ndarray):
            _check_kind(role, name, columns[role])
    return columns


def _check_kind(role: str, name: str, column: NumpyArray) -> None:
    """Refuse no rows, and values that are no ids or no numbers."""
    if not len(column):
        raise InputError("table: got no rows; wanted at least one")
    wanted = {"user": "integers or text", "item": "integers or text"}.get(role)
    right = "iuSUOT"
    if role in NUMBERS:
        wanted, right = "numbers", "biuf"
    if wanted and column.dtype.kind not in right:
        raise InputTypeError(
            f"{role}: column {name!r} holds {column.dtype}, such as {column[0]!s}; wanted {wanted}"
        )


def _check_names(names: Mapping[str, str], known: Iterable[Any]) -> None:
    known = list(known)
    for role, name in names.items():
        check_known(role, name, known)


def _pandas(table: Any, names: Mapping[str, str]) -> dict[str, Any]:
    _check_names(names, table.columns)
    columns = {}
    for role, name in names.items():
        column = table[name]
        _check_whole(role, name, np.asarray(column.isna()))
        if hasattr(column, "cat"):
            columns[role] = column if role == "user" else np.asarray(column)
        else:
            columns[role] = column.to_numpy(dtype=getattr(column.dtype, "numpy_dtype", None))
    return columns


def _duckdb(relation: Any, names: Mapping[str, str]) -> dict[str, Any]:
    _check_names(names, relation.columns)
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    picked = ", ".join(
        f"{plain(name, kinds[name])} AS {quoted(role)}" for role, name in names.items()
    )
    return whole_columns(relation.project(picked).fetchnumpy(), names)


def _arrow_table(table: Any, names: Mapping[str, str]) -> Any:
    """Return a pyarrow or polars table of at least the columns."""
    needed = sorted(set(names.values()))
    if hasattr(table, "collect") and hasattr(table, "lazy"):  # a lazy frame of polars
        _check_names(names, table.collect_schema().names())
        return table.select(needed).collect()
    if hasattr(table, "get_column"):  # a frame of polars
        return table
    if hasattr(table, "read_all"):  # a reader of record batches
        return table.read_all()
    if hasattr(table, "to_table"):  # a dataset
        _check_names(names, table.schema.names)
        return table.to_table(columns=needed)
    if hasattr(table, "column") and hasattr(table, "schema"):  # a table or a record batch
        return table
    if hasattr(table, "__arrow_c_stream__"):
        return load_pyarrow("table").RecordBatchReader.from_stream(table).read_all()
    raise InputTypeError(
        f"table: got {type(table).__name__}; wanted a table of pandas, polars, pyarrow or DuckDB, "
        "an Arrow stream, or paths of files"
    )


def _arrow(table: Any, names: Mapping[str, str]) -> dict[str, Any]:
    """Return columns of a table of pyarrow or polars."""
    is_polars = hasattr(table, "get_column")
    _check_names(names, table.columns if is_polars else table.schema.names)
    columns = {}
    for role, name in names.items():
        column = table.get_column(name) if is_polars else table.column(name)
        if column.null_count() if is_polars else column.null_count:
            nulls = column.is_null()
            _check_whole(role, name, np.asarray(nulls.to_numpy() if is_polars else nulls))
        columns[role] = _polars_values(column) if is_polars else _arrow_values(role, column)
    return columns


def _polars_values(column: Any) -> NumpyArray:
    if column.dtype.is_decimal():
        column = column.cast(float)
    return np.asarray(column.to_numpy())


def _arrow_values(role: str, column: Any) -> Any:
    """Return an Arrow column; one chunk of plain numbers is not copied."""
    if hasattr(column, "combine_chunks"):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if str(column.type).startswith("decimal"):
        column = column.cast("float64")
    if hasattr(column, "dictionary_decode"):
        names = np.array(column.dictionary.to_pylist(), dtype=object)
        if role == "user" and None not in names and len(set(names)) == len(names):
            return TextIds(column.indices.to_numpy(), names)
        column = column.dictionary_decode()
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _check_whole(role: str, name: str, missing: NumpyArray) -> None:
    """Refuse a missing value."""
    if missing.any():
        raise InputError(
            f"{role}: no value at row {int(np.argmax(missing))} of column {name!r}; wanted one in "
            "every row"
        )
