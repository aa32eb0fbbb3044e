"""What a table says of the users: weights and segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import NumpyArray
from rankmill.running import Floats
from rankmill.tables.connecting import quoted
from rankmill.tables.pairs import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def segment_names(segment: str | Sequence[str] | None) -> list[str]:
    """Return the columns that hold segments."""
    if segment is None:
        return []
    names = [segment] if isinstance(segment, str) else list(segment)
    for name in names:
        if not isinstance(name, str):
            raise InputTypeError(f"segment: got {name!r}; wanted names of columns")
    return names


def attribute_table(
    connection: DuckDBPyConnection,
    users: Any,
    user: str,
    weight: str | None,
    segment: str | Sequence[str] | None,
) -> Table | None:
    """Make a view of the table ``users``, one row per user."""
    names = segment_names(segment)
    if users is None:
        if weight is not None or names:
            raise InputError(
                "weight, segment: got the name of a column; wanted users=, the table that has it"
            )
        return None
    columns = {"user": user} | {f"segment {name}": name for name in names}
    if weight is not None:
        columns["weight"] = weight
    table = Table.of(connection, "users", users, columns)
    table.check_distinct("user")
    return table


def read_attributes(table: Table) -> tuple[Floats | None, dict[str, NumpyArray]]:
    """Return weights and segments of all users of ``numbered``, in its order."""
    connection = table.connection
    lost = connection.execute(
        f'SELECT id FROM numbered ANTI JOIN {table.view} ON "user" = id ORDER BY id LIMIT 1'
    ).fetchone()
    if lost is not None:
        raise InputError(f"users: no row of user {lost[0]!r}, who is in truth; wanted every user")
    roles = [role for role in table.types if role != "user"]
    if not roles:
        return None, {}
    picked = ", ".join(map(quoted, roles))
    found = connection.execute(
        f'SELECT {picked} FROM numbered JOIN {table.view} ON "user" = id ORDER BY number'
    ).fetchnumpy()
    columns = {role: np.ma.getdata(found[role]) for role in roles}
    weights = columns.pop("weight", None)
    return (
        None if weights is None else weights.astype(np.float64),
        {role.removeprefix("segment "): column for role, column in columns.items()},
    )
