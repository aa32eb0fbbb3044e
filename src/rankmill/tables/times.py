"""`after=`: a date, a datetime or a number, compared with a column of the same type."""

from __future__ import annotations

import datetime as dt
import math
import numbers
import re
from typing import Any, Final

import numpy as np

from rankmill.errors import InputError, InputTypeError

_NUMBER: Final = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\)")
_NAIVE: Final = re.compile(r"TIMESTAMP(_S|_MS|_NS)?")
_AWARE: Final = ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS")
_NANOSECONDS: Final = re.compile(r"\.\d{6}(\d{1,3})")
_WANTED: Final = {
    "dates": "a date, or text such as '2024-01-31'",
    "datetimes": "a datetime without time zone, or text such as '2024-01-31 12:00:00'",
    "datetimes with time zone": "a datetime with time zone, or text such as "
    "'2024-01-31 12:00:00+00:00'",
    "numbers": "a number",
}


def family(kind: str) -> str | None:
    """Return what a column of one of DuckDB's types can be compared with.

    Examples
    --------
    >>> family("TIMESTAMP_NS"), family("DATE"), family("VARCHAR")
    ('datetimes', 'dates', None)
    """
    if kind == "DATE":
        return "dates"
    if _NAIVE.fullmatch(kind):
        return "datetimes"
    if kind in _AWARE:
        return "datetimes with time zone"
    return "numbers" if _NUMBER.fullmatch(kind) else None


def later(after: Any, kind: str, column: str) -> str:
    """Return the SQL condition that ``"time"``, a column of a type, is later than `after`.

    Parameters
    ----------
    after : date, datetime, str, int or float
        Of numpy and pandas, too. Text is ISO 8601. A day is no moment: dates go with a column of
        dates, where rows of that day are not later, and datetimes with datetimes, where they would
        be if it were midnight; both have a time zone or none.
    kind : str
        DuckDB's type of the column.
    column : str
        The caller's name of it, for messages.

    Examples
    --------
    >>> print(later("2024-01-31", "DATE", "day"))
    "time" > DATE '2024-01-31'
    """
    wanted = family(kind)
    if wanted is None:
        raise InputTypeError(
            f"time: column {column!r} holds {kind}; wanted dates, datetimes or numbers"
        )
    moment, rest = _read(after)
    if wanted == "numbers" and isinstance(moment, (int, float)):
        return f'"time" > {_number(moment, kind)}'
    if wanted == "dates" and type(moment) is dt.date:
        return f"\"time\" > DATE '{moment.isoformat()}'"
    if isinstance(moment, dt.datetime):
        zone = "" if moment.tzinfo is None else " with time zone"
        if wanted == f"datetimes{zone}":
            return _timestamp(moment, rest, kind)
    if type(moment) is dt.date and wanted.startswith("datetimes"):
        zone = "+00:00" if wanted.endswith("zone") else ""
        raise InputTypeError(
            f"after: got the day {moment} for column {column!r}, which holds {kind}; wanted a "
            f"time: '{moment} 00:00:00{zone}' if rows of that day are to count, else "
            f"'{moment} 23:59:59.999999{zone}'"
        )
    raise InputTypeError(
        f"after: got {after!r} for column {column!r}, which holds {kind}; wanted {_WANTED[wanted]}"
    )


def _read(after: Any) -> tuple[Any, int]:
    """Return a plain date, datetime or number, and nanoseconds that a datetime cannot hold."""
    if isinstance(after, str):
        return _text(after)
    if isinstance(after, np.datetime64):
        if np.isnat(after):
            raise InputError("after: got NaT; wanted a time")
        unit = np.datetime_data(after.dtype)[0]
        return _text(np.datetime_as_string(after, unit="D" if unit in "YMWD" else "ns"))
    if isinstance(after, (numbers.Real, np.number)) and not isinstance(after, (bool, np.bool_)):
        number = after.item() if isinstance(after, np.generic) else after
        if not isinstance(number, (int, float)) or not math.isfinite(number):
            raise InputError(f"after: got {after!r}; wanted a finite number")
        return number, 0
    if isinstance(after, dt.date):
        if after != after:  # NaT of pandas
            raise InputError("after: got NaT; wanted a time")
        return after, int(getattr(after, "nanosecond", 0))
    raise InputTypeError(f"after: got {after!r}; wanted a date, a datetime, their text or a number")


def _text(text: str) -> tuple[Any, int]:
    try:
        return dt.date.fromisoformat(text), 0
    except ValueError:
        pass
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"after: got {text!r}; wanted a time as in '2024-01-31' or '2024-01-31 12:00:00'"
        ) from None
    found = _NANOSECONDS.search(text)
    return moment, int(found[1].ljust(3, "0")) if found else 0


def _number(number: float, kind: str) -> str:
    """Return a number as SQL; whole numbers are compared as such."""
    if kind in ("FLOAT", "DOUBLE"):
        return f"{float(number)!r}::DOUBLE"
    if kind.startswith("DECIMAL"):
        return repr(number) if isinstance(number, int) else f"{number!r}::DOUBLE"
    return str(math.floor(number))


def _timestamp(moment: dt.datetime, nanoseconds: int, kind: str) -> str:
    """Compare as finely as the column does; what is finer still changes nothing."""
    zone = ""
    if moment.tzinfo is not None:
        moment, zone = moment.astimezone(dt.UTC).replace(tzinfo=None), "+00:00"
    text = moment.isoformat(" ", "microseconds")
    if kind.endswith("_NS"):
        return f"\"time\" > '{text}{nanoseconds:03d}{zone}'::{kind}"
    if zone:
        return f"\"time\" > TIMESTAMPTZ '{text}{zone}'"
    return f"\"time\"::TIMESTAMP > TIMESTAMP '{text}'"
