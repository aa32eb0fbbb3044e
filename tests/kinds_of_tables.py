"""One table as every kind of object that rankmill reads."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet


class Stream:
    """Nothing but an Arrow stream, which is read once."""

    def __init__(self, table: pa.Table) -> None:
        self.reader = table.to_reader()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.reader.__arrow_c_stream__(requested_schema)


def chunked(table: pa.Table) -> pa.Table:
    third = len(table) // 3
    return pa.concat_tables([table.slice(0, third), table.slice(third, 1), table.slice(third + 1)])


def csv(table: pa.Table, path: Path) -> Path:
    with pa.output_stream(path, compression="detect") as stream:
        pa.csv.write_csv(table, stream)
    return path


def json_lines(table: pa.Table, path: Path) -> str:
    lines = "".join(json.dumps(row, default=str) + "\n" for row in table.to_pylist())
    with pa.output_stream(path, compression="detect") as stream:
        stream.write(lines.encode())
    return str(path)


def parquet(table: pa.Table, path: Path) -> str:
    """Row groups that part users."""
    pa.parquet.write_table(table, path, row_group_size=100)
    return str(path)


def parts(table: pa.Table, path: Path) -> list[str]:
    half = len(table) // 2
    name = f"{path}{{}}.parquet".format
    return [parquet(table.slice(0, half), name(1)), parquet(table.slice(half), name(2))]  # type: ignore[arg-type]


#: Makes a table of some kind, given a path without suffix that files may have.
KINDS: dict[str, Callable[[pa.Table, Path], Any]] = {
    "pandas": lambda table, path: table.to_pandas(),
    "polars": lambda table, path: pl.from_arrow(table),
    "polars in pieces": lambda table, path: pl.from_arrow(chunked(table), rechunk=False),
    "polars lazy": lambda table, path: pl.LazyFrame(pl.from_arrow(table)),
    "pyarrow": lambda table, path: table,
    "pyarrow in pieces": lambda table, path: chunked(table),
    "dictionaries": lambda table, path: encoded(table),
    "record batch": lambda table, path: table.combine_chunks().to_batches()[0],
    "reader": lambda table, path: chunked(table).to_reader(),
    "dataset": lambda table, path: pa.dataset.dataset(table),
    "stream": lambda table, path: Stream(chunked(table)),
    "duckdb": lambda table, path: duckdb.from_arrow(table),
    "parquet": lambda table, path: parquet(table, path.with_suffix(".parquet")),
    "csv": lambda table, path: csv(table, path.with_suffix(".csv")),
    "csv, gzip": lambda table, path: csv(table, path.with_suffix(".csv.gz")),
    "csv, zstd": lambda table, path: csv(table, path.with_suffix(".csv.zst")),
    "json lines": lambda table, path: json_lines(table, path.with_suffix(".jsonl")),
    "json lines, gzip": lambda table, path: json_lines(table, path.with_suffix(".json.gz")),
    "files": lambda table, path: parts(table, path),
    "pattern": lambda table, path: (parts(table, path), f"{path}*.parquet")[1],
}


def encoded(table: pa.Table) -> pa.Table:
    """Text columns as dictionaries."""
    return pa.table(
        {
            name: column.dictionary_encode() if pa.types.is_string(column.type) else column
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
    )
