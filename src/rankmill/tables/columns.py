"""Columns of a table of any library as arrays, without a copy where the library allows it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankmill.errors import InputError, InputTypeError, MissingDependencyError
from rankmill.inputs import NumpyArray
from rankmill.tables.connecting import quoted
from rankmill.tables.files import read_rows, whole_columns
from rankmill.tables.sources import check_known, find_files


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
        return _pandas(table, names)
    if hasattr(table, "fetchnumpy"):
        return _duckdb(table, names)
    return _arrow(_arrow_table(table, list(names.values())), names)


def _pandas(table: Any, names: Mapping[str, str]) -> dict[str, Any]:
    columns = {}
    for role, name in names.items():
        check_known(role, name, table.columns)
        column = table[name]
        if column.ndim != 1:
            raise InputError(
                f"{role}: the table has {column.shape[1]} columns {name!r}; wanted one"
            )
        _check_whole(role, name, np.asarray(column.isna()), allow_nan=column.dtype.kind == "f")
        columns[role] = column if hasattr(column, "cat") else column.to_numpy()
    return columns


def _duckdb(relation: Any, names: Mapping[str, str]) -> dict[str, Any]:
    for role, name in names.items():
        check_known(role, name, relation.columns)
    picked = relation.project(
        ", ".join(f"{quoted(name)} AS {role}" for role, name in names.items())
    )
    return whole_columns(picked.fetchnumpy(), names)


def _arrow_table(table: Any, names: Sequence[str]) -> Any:
    """Return a pyarrow or polars table of at least the columns."""
    if hasattr(table, "collect") and hasattr(table, "lazy"):  # a lazy frame of polars
        known = table.collect_schema().names()
        return table.select([name for name in names if name in known]).collect()
    if hasattr(table, "get_column"):  # a frame of polars
        return table
    if hasattr(table, "read_all"):  # a reader of record batches
        return table.read_all()
    if hasattr(table, "to_table"):  # a dataset
        return table.to_table(columns=[name for name in names if name in table.schema.names])
    if hasattr(table, "column") and hasattr(table, "schema"):  # a table or a record batch
        return table
    if hasattr(table, "__arrow_c_stream__"):
        try:
            import pyarrow
        except ImportError:
            raise MissingDependencyError(
                "table: an Arrow stream needs pyarrow; wanted: pip install pyarrow"
            ) from None
        return pyarrow.RecordBatchReader.from_stream(table).read_all()
    raise InputTypeError(
        f"table: got {type(table).__name__}; wanted a table of pandas, polars, pyarrow or DuckDB, "
        "an Arrow stream, or paths of files"
    )


def _arrow(table: Any, names: Mapping[str, str]) -> dict[str, Any]:
    """Return columns of a table of pyarrow or polars."""
    is_polars = hasattr(table, "get_column")
    known = table.columns if is_polars else table.schema.names
    columns = {}
    for role, name in names.items():
        check_known(role, name, known)
        column = table.get_column(name) if is_polars else table.column(name)
        nulls = column.null_count() if is_polars else column.null_count
        if nulls:
            missing = column.is_null().to_numpy() if is_polars else _nulls(column)
            _check_whole(role, name, missing, allow_nan=False)
        columns[role] = column.to_numpy() if is_polars else _values(column)
    return columns


def _nulls(column: Any) -> NumpyArray:
    return np.array([value is None for value in column.to_pylist()])


def _values(column: Any) -> NumpyArray:
    """Return an Arrow column; one chunk of plain numbers is not copied."""
    if hasattr(column, "combine_chunks"):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if hasattr(column, "dictionary_decode"):
        column = column.dictionary_decode()
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _check_whole(role: str, name: str, missing: NumpyArray, *, allow_nan: bool) -> None:
    """Refuse a missing value; NaN among floats is left to those who read them."""
    if missing.any() and not allow_nan:
        raise InputError(
            f"{role}: no value at row {int(np.argmax(missing))} of column {name!r}; wanted one in "
            "every row"
        )
