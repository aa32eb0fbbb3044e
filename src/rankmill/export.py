"""Ways out of a `Result`: tables of other libraries, and files."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from rankmill.conventions import Conventions
from rankmill.errors import InputError, MissingDependencyError
from rankmill.info import build_info
from rankmill.inputs import NumpyArray
from rankmill.metrics import Metric
from rankmill.notes import Note
from rankmill.running import Floats
from rankmill.writing import replacing, utf8

Columns = Mapping[str, NumpyArray]

#: What `Result.write` writes, by the end of the name.
ENDINGS: Final = (".parquet", ".csv", ".csv.gz", ".csv.zst", ".json")
_METADATA: Final = b"rankmill"
_FORMAT: Final = 1  # of the JSON


class Exports:
    """The methods of `Result` that hand it on."""

    values: Floats
    metrics: tuple[Metric, ...]
    users: NumpyArray | None
    conventions: Conventions
    ignored: int
    weights: Floats | None
    segments: dict[str, NumpyArray]
    notes: tuple[Note, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return means, counts and undefined users per metric."""
        raise NotImplementedError

    def columns(self) -> dict[str, NumpyArray]:
        """Return one column per user id, weight, segment and metric, a row per user.

        ``"user"`` holds the ids, or the numbers of the rows where there are none.

        Raises
        ------
        InputError
            If a segment has the name of another column.
        """
        n_users = self.values.shape[1]
        columns = {"user": np.arange(n_users) if self.users is None else self.users}
        if self.weights is not None:
            columns["weight"] = self.weights
        named = (*self.segments.items(), *zip(map(str, self.metrics), self.values, strict=True))
        for name, column in named:
            if name in columns:
                raise InputError(f"segments: {name!r} is the name of another column as well")
            columns[name] = column
        return {
            name: column.astype(column.dtype.newbyteorder("="), copy=False)
            for name, column in columns.items()
        }

    def provenance(self) -> dict[str, Any]:
        """Return means and counts with all that they depend on, as plain data.

        Version, build and threads of this installation, conventions, users, and for each metric
        its mean (None where no user counts), users and undefined users.
        """
        rows = {
            name: row | {"mean": None if math.isnan(row["mean"]) else row["mean"]}
            for name, row in self.to_dict().items()
        }
        return {
            "rankmill": build_info(),
            "format": _FORMAT,
            "conventions": dataclasses.asdict(self.conventions),
            "users": self.values.shape[1],
            "ignored": self.ignored,
            "weighted": self.weights is not None,
            "segments": list(self.segments),
            "notes": [note.text for note in self.notes],
            "metrics": rows,
        }

    def to_json(self) -> str:
        """Return `provenance` as JSON.

        Examples
        --------
        >>> import json, rankmill as rm
        >>> text = rm.evaluate([[3, 2, 1]], [[0, 1, 0]], "mrr").to_json()
        >>> json.loads(text)["metrics"]
        {'mrr': {'mean': 0.5, 'users': 1, 'undefined': 0}}
        """
        return json.dumps(self.provenance(), indent=2, allow_nan=False)

    def to_arrow(self) -> Any:
        """Return a pyarrow Table of `columns`, undefined values as null.

        Its schema's metadata holds `to_json` under ``b"rankmill"``.
        """
        return arrow_table(self.columns(), self.to_json())

    def to_pandas(self) -> Any:
        """Return a data frame of pandas of `columns`, undefined values as NaN.

        Examples
        --------
        >>> import rankmill as rm
        >>> result = rm.evaluate([1, 2, 3], [1, 0, 0], "mrr recall@1", groups=["a", "a", "b"])
        >>> result.to_pandas()
          user  mrr  recall@1
        0    a  0.5       0.0
        1    b  0.0       NaN
        """
        return pandas_frame(self.columns())

    def to_polars(self) -> Any:
        """Return a data frame of polars of `columns`, undefined values as null."""
        return polars_frame(self.columns())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file, which appears under its name when it is whole.

        By the end of the name: ``.parquet`` or ``.csv`` (also ``.csv.gz``, ``.csv.zst``) a row
        per user, as in `to_arrow`; ``.json`` what `to_json` returns.

        Raises
        ------
        InputError
            If the name ends otherwise.
        MissingDependencyError
            Without pyarrow, but for JSON.
        OSError
            If the file cannot be written; then there is none.
        """
        name = os.fspath(path)
        if name.endswith(".json"):
            with replacing(path) as whole:
                whole.write_text(self.to_json() + "\n", encoding="utf-8")
        elif name.endswith(".parquet"):
            write_parquet(path, self.to_arrow())
        elif name.endswith(ENDINGS):
            write_csv(path, self.to_arrow())
        else:
            raise InputError(f"path: got {name!r}; wanted a name that ends in {', '.join(ENDINGS)}")


def arrow_table(columns: Columns, metadata: str) -> Any:
    """Return a pyarrow Table, NaN as null."""
    pyarrow = _load("pyarrow", "rankmill[all]")
    arrays = {}
    with _clear_errors(columns):
        for name, values in columns.items():
            mask = np.isnan(values) if values.dtype.kind == "f" else None
            try:
                arrays[name] = pyarrow.array(values, mask=mask)
            except pyarrow.ArrowException as error:
                raise InputError(f"{name}: {error}; wanted values of one type") from None
        return pyarrow.table(arrays).replace_schema_metadata({_METADATA: metadata.encode()})


def pandas_frame(columns: Columns) -> Any:
    """Return a data frame of pandas."""
    pandas = _load("pandas", "pandas")
    with _clear_errors(columns):
        return pandas.DataFrame(dict(columns))


def polars_frame(columns: Columns) -> Any:
    """Return a data frame of polars, NaN as null."""
    polars = _load("polars", "polars")
    with _clear_errors(columns):
        return polars.DataFrame(
            [polars.Series(name, values, nan_to_null=True) for name, values in columns.items()]
        )


@contextlib.contextmanager
def _clear_errors(columns: Columns) -> Iterator[None]:
    """Name the text that a library cannot hold."""
    try:
        yield
    except UnicodeError:
        for name, values in columns.items():
            utf8("segments", name)
            for text in values.tolist() if values.dtype.kind in "UO" else ():
                utf8(name, str(text))
        raise


def write_parquet(path: str | os.PathLike[str], table: Any) -> None:
    """Write a pyarrow Table; the file appears when it is whole."""
    from pyarrow import parquet

    with replacing(path) as name:
        parquet.write_table(table, name)


def write_csv(path: str | os.PathLike[str], table: Any) -> None:
    """Do so as CSV, compressed if the name ends in .gz or .zst."""
    import pyarrow
    from pyarrow import csv

    with (
        replacing(path) as name,
        pyarrow.output_stream(name, compression="detect") as stream,
    ):
        csv.write_csv(table, stream)


def _load(library: str, wanted: str) -> Any:
    try:
        return __import__(library)
    except ImportError:
        raise MissingDependencyError(
            f"this needs {library}; wanted: pip install '{wanted}'"
        ) from None
