"""Data frames of pandas as relations of DuckDB, but for the types that it would misread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmill.database import load_duckdb
from rankmill.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


@dataclass(frozen=True)
class Names:
    """Columns that are wanted, and those of them that must be there."""

    wanted: set[str]
    needed: set[str]

    def of(self, known: Sequence[str]) -> list[str]:
        """Return what to read; all where one is missing, to say which there are."""
        if not self.needed <= set(known):
            return list(known)
        return [name for name in known if name in self.wanted] or list(known[:1])


def pandas_relation(
    connection: DuckDBPyConnection, argument: str, table: Any, names: Names
) -> DuckDBPyRelation:
    """Return the columns of a data frame as a relation, not copied where DuckDB can read them."""
    frame = _pandas(argument, table, names)
    try:
        return connection.from_df(frame)
    except load_duckdb().NotImplementedException:
        # Before release 2 it does not know the text of pandas 3.
        text = [name for name, dtype in frame.dtypes.items() if str(dtype) == "str"]
        return connection.from_df(frame.astype(dict.fromkeys(text, object)))


def _pandas(argument: str, table: Any, names: Names) -> Any:
    """Return the columns that are wanted; others may be of types DuckDB lacks."""
    import pandas

    known = list(map(str, table.columns))
    if not names.needed <= set(known):
        return pandas.DataFrame(columns=known)
    columns = {}
    for name in names.of(known):
        column = table[name]
        if column.ndim != 1:
            raise InputError(
                f"{argument}: the table has {column.shape[1]} columns {name!r}; wanted one"
            )
        if hasattr(column, "cat"):  # as an enumeration of a million values takes DuckDB minutes
            kind = object if column.isna().any() else column.cat.categories.dtype
            column = column.astype(kind)
        if column.dtype == object:
            _check_objects(argument, name, column)
        if column.dtype == "float16":
            column = column.astype("float32")
        elif isinstance(column.dtype, np.dtype) and column.to_numpy().strides[0] < 0:
            # Before release 2 DuckDB takes no reversed arrays.
            column = pandas.Series(np.ascontiguousarray(column), index=column.index)
        columns[name] = column
    return pandas.DataFrame(columns, copy=False)


def _check_objects(argument: str, name: str, column: Any) -> None:
    """Refuse a mixture of types, which DuckDB would make text of."""
    import pandas

    kind = pandas.api.types.infer_dtype(column, skipna=True)
    if kind.startswith("mixed"):
        whole = column.dropna()
        types = whole.map(type)
        at = (types != types.iloc[0]).argmax()
        raise InputTypeError(
            f"{argument}: got {whole.iloc[0]!r} and {whole.iloc[at]!r} in column {name!r}; "
            "wanted values of one type"
        )
