"""The truth from a log of events: grades of what users did, and a split in time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankmill.errors import InputError, InputTypeError
from rankmill.notes import Note
from rankmill.tables.pairs import Table
from rankmill.tables.times import family, later

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_WANTED: Final = "{event: grade}, such as {'view': 1, 'purchase': 5}"


def add_grades(connection: DuckDBPyConnection, truth: Table, grades: Any) -> None:
    """Make the table ``event_grades``, which has a grade for every event of the truth."""
    kind = _check_grades(grades)
    if truth.n_rows and truth.kind("event") != kind:
        raise InputTypeError(
            f"grades: got events such as {next(iter(grades))!r}, but truth, event: column "
            f"{truth.columns['event']!r} has {truth.kind('event')}, such as "
            f"{truth.example('event')!r}; wanted events of one type"
        )
    names = np.array(list(grades), dtype=np.int64 if kind == "integers" else object)
    connection.execute(
        "CREATE TEMP TABLE event_grades AS SELECT unnest($events) AS event, unnest($grades) AS "
        "grade",
        {"events": names.tolist(), "grades": [float(grade) for grade in grades.values()]},
    )
    strange = "event NOT IN (SELECT event FROM event_grades)"
    if connection.execute(f"SELECT 1 FROM {truth.view} WHERE {strange} LIMIT 1").fetchone():
        known = ", ".join(map(str, grades))
        truth.refuse_row("event", strange, f"an event that grades= has a grade for: {known}")


def _check_grades(grades: Any) -> str:
    """Return the type of the events."""
    if not isinstance(grades, Mapping) or not grades:
        raise InputTypeError(f"grades: got {grades!r}; wanted {_WANTED}")
    for event, grade in grades.items():
        if isinstance(grade, bool) or not isinstance(grade, (int, float, np.integer, np.floating)):
            raise InputTypeError(f"grades: got {grade!r} for {event!r}; wanted a number")
        if not math.isfinite(grade):
            raise InputError(f"grades: got {grade!r} for {event!r}; wanted a finite grade")
    if all(isinstance(event, str) for event in grades):
        return "text"
    for event in grades:
        if isinstance(event, bool) or not isinstance(event, (int, np.integer)):
            raise InputTypeError(f"grades: got the event {event!r}; wanted text, or integers")
    return "integers"


def add_truth(connection: DuckDBPyConnection, truth: Table, *, by_event: bool, after: Any) -> None:
    """Make ``truth_log``, each row with its grade, and ``truth_pairs``, each pair once."""
    source, grade = truth.view, "grade" if "grade" in truth.types else "1::DOUBLE"
    if by_event:
        source, grade = f"{truth.view} JOIN event_grades USING (event)", "grade"
    is_later = "true"
    if after is not None:
        is_later = later(after, truth.types["time"], truth.columns["time"])
    times = ', "time"' if "time" in truth.types else ""
    connection.execute(
        f'CREATE TEMP VIEW truth_log AS SELECT "user", item, {grade} AS grade{times}, '
        f"{is_later} AS later FROM {source}"
    )
    if not by_event and after is None:
        truth.check_distinct("user", "item")
        connection.execute(
            'CREATE TEMP VIEW truth_pairs AS SELECT "user", item, grade FROM truth_log'
        )
        return
    connection.execute(
        'CREATE TEMP TABLE truth_pairs AS SELECT "user", item, max(grade) AS grade FROM truth_log '
        'WHERE later GROUP BY "user", item'
    )
    if connection.execute("SELECT 1 FROM truth_pairs LIMIT 1").fetchone() is None:
        last = connection.execute('SELECT max("time")::VARCHAR FROM truth_log').fetchall()[0][0]
        raise InputError(f"after: got {after!r}; wanted a time before the last of truth, {last}")


def add_earlier(connection: DuckDBPyConnection) -> None:
    """Make ``exclude_pairs`` of the rows of the truth that are not later and have a grade > 0."""
    connection.execute(
        'CREATE TEMP TABLE exclude_pairs AS SELECT DISTINCT "user", item FROM truth_log '
        "WHERE NOT later AND grade > 0"
    )


def leakage(connection: DuckDBPyConnection, truth: Table, exclude: Table) -> Note | None:
    """Note rows of the truth that are not later than their user's last training row."""
    kinds = [table.types["time"] for table in (truth, exclude)]
    families = list(map(family, kinds))
    for table, kind, held in zip((truth, exclude), kinds, families, strict=True):
        if held is None or held != families[0]:
            raise InputTypeError(
                f"{table.name}, time: column {table.columns['time']!r} holds {kind}; wanted "
                f"{families[0] or 'dates, datetimes or numbers'}"
            )
    connection.execute(
        'CREATE TEMP TABLE leaks AS SELECT "user", item, "time", trained FROM truth_log JOIN '
        f'(SELECT "user", max("time") AS trained FROM {exclude.view} GROUP BY "user") '
        'USING ("user") WHERE later AND "time" <= trained'
    )
    rows, users = connection.execute(
        'SELECT count(*), count(DISTINCT "user") FROM leaks'
    ).fetchall()[0]
    if not rows:
        return None
    user, item, time, trained = connection.execute(
        'SELECT "user", item, "time"::VARCHAR, trained::VARCHAR FROM leaks '
        'ORDER BY "user", leaks."time", item LIMIT 1'
    ).fetchall()[0]
    text = (
        f"possible leakage: {rows} rows of truth, of {users} users, are not later than the last "
        f"training row of their user, such as item {item!r} of user {user!r}, at {time} where "
        f"training ends at {trained}"
    )
    return Note("leakage", text, {"rows": rows, "users": users}, ((user, item, time, trained),))
