"""What a table says of the users: weights and segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankmill._engine import Run
from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import Int64s, NumpyArray
from rankmill.inputs_ids import group_rows
from rankmill.running import Floats
from rankmill.tables.connecting import quoted
from rankmill.tables.pairs import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: What stands before the name of a column of segments in its role.
SEGMENT: Final = "segment "


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
    columns = {"user": user} | {SEGMENT + name: name for name in names}
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
    return split({role: np.ma.getdata(found[role]) for role in roles})


def split(columns: dict[str, NumpyArray]) -> tuple[Floats | None, dict[str, NumpyArray]]:
    """Part the weights, if there are any, from the segments."""
    weights = columns.get("weight")
    return (
        None if weights is None else weights.astype(np.float64),
        {
            role.removeprefix(SEGMENT): column
            for role, column in columns.items()
            if role.startswith(SEGMENT)
        },
    )


def values_of_users(users: Any, columns: dict[str, NumpyArray], run: Run) -> dict[str, NumpyArray]:
    """Return the value of each user, in order of first appearance, which all its rows have."""
    n_rows = len(next(iter(columns.values())))
    grouping = group_rows("user", users, n_rows, run)
    offsets = grouping.offsets
    if offsets is None:
        rows, offsets = grouping.together(run)
        columns = {role: column[rows] for role, column in columns.items()}
    return one_value(columns, offsets, lambda user: grouping.users[user])


def one_value(
    columns: dict[str, NumpyArray], offsets: Int64s, id_of: Callable[[int], Any]
) -> dict[str, NumpyArray]:
    """Return the value of each user that all its rows have, user after user.

    Raises
    ------
    InputError
        If a user has two values, or a weight is negative or not finite.
    """

    def user_at(row: int) -> str:
        return f"user {id_of(int(np.searchsorted(offsets, row, side='right')) - 1)!s}"

    found = {}
    for role, column in columns.items():
        if role == "weight":
            right = (column >= 0) & np.isfinite(column)
            if not right.all():
                row = int(np.argmin(right))
                raise InputError(
                    f"weight: got {column[row]} for {user_at(row)}; wanted a finite number >= 0"
                )
        found[role] = column[offsets[:-1]]
        differs = column != np.repeat(found[role], np.diff(offsets))
        if differs.any():
            row = int(np.argmax(differs))
            first = column[offsets[np.searchsorted(offsets, row, side="right") - 1]]
            raise InputError(
                f"{role}: got {first} and {column[row]} for {user_at(row)}; wanted one value in "
                "all rows of a user"
            )
    return found
