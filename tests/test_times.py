"""`after=`: what it can be compared with, and that later means strictly later."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmill as rm
from rankmill.tables.times import later

LIST = pa.table({"user": [1, 1], "item": [7, 8], "score": [1.0, 0.5]})

BASE = datetime(2024, 1, 31, 12)
NAIVE = (
    BASE,
    "2024-01-31 12:00:00",
    "2024-01-31T12:00",
    np.datetime64("2024-01-31T12:00"),
    pd.Timestamp(BASE),
)
AWARE = (
    BASE.replace(tzinfo=UTC),
    BASE.replace(hour=14, tzinfo=timezone(timedelta(hours=2))),
    "2024-01-31T12:00:00Z",
    "2024-01-31 07:00:00-05:00",
    pd.Timestamp(BASE, tz="UTC"),
)
DAYS = (date(2024, 1, 31), "2024-01-31", np.datetime64("2024-01-31"))
NUMBERS = (12, 12.0, np.int8(12), np.float32(12), 12.25)

#: Columns of three times: just before, at and just after, and what they can be compared with.
TIMES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    **{
        f"timestamp {unit}": (
            pa.array(
                [int(BASE.replace(tzinfo=UTC).timestamp()) * 10**power + d for d in (-1, 0, 1)]
            ).cast(pa.timestamp(unit)),
            NAIVE,
        )
        for unit, power in (("s", 0), ("ms", 3), ("us", 6), ("ns", 9))
    },
    "time zone": (
        pa.array([BASE + timedelta(microseconds=d) for d in (-1, 0, 1)]).cast(
            pa.timestamp("us", "UTC")
        ),
        AWARE,
    ),
    "time zone ns": (
        pa.array([int(BASE.replace(tzinfo=UTC).timestamp()) * 10**9 + d for d in (-1, 0, 1)]).cast(
            pa.timestamp("ns", "UTC")
        ),
        AWARE,
    ),
    "another zone": (
        pa.array([BASE + timedelta(microseconds=d) for d in (-1, 0, 1)]).cast(
            pa.timestamp("us", "Asia/Tokyo")
        ),
        AWARE,
    ),
    "dates": (pa.array([date(2024, 1, 30), date(2024, 1, 31), date(2024, 2, 1)]), DAYS),
    "integers": (pa.array([11, 12, 13], pa.int16()), NUMBERS),
    "floats": (pa.array([11.9, 12.0, 12.5], pa.float32()), NUMBERS),
    "decimals": (pa.array([11.9, 12, 12.5]).cast(pa.decimal128(8, 2)), NUMBERS),
}
ALL = (*NAIVE, *AWARE, *DAYS, *NUMBERS)


def timed(times: Any) -> pa.Table:
    return pa.table({"user": [1, 1, 1], "item": [7, 8, 9], "time": times})


#: DuckDB's types of these columns.
TYPES = {
    "timestamp s": "TIMESTAMP_S",
    "timestamp ms": "TIMESTAMP_MS",
    "timestamp us": "TIMESTAMP",
    "timestamp ns": "TIMESTAMP_NS",
    "time zone": "TIMESTAMP WITH TIME ZONE",
    "time zone ns": "TIMESTAMPTZ_NS",
    "another zone": "TIMESTAMP WITH TIME ZONE",
    "dates": "DATE",
    "integers": "SMALLINT",
    "floats": "FLOAT",
    "decimals": "DECIMAL(8,2)",
}


@pytest.mark.parametrize(
    ("kind", "after"), [(kind, after) for kind, (_, fitting) in TIMES.items() for after in fitting]
)
def test_later_is_strictly_later(kind: str, after: Any) -> None:
    """Only 9 is, which is not in the list."""
    log = timed(TIMES[kind][0])
    assert rm.evaluate_runs(LIST, log, "recall", after=after, n_threads=1).values.tolist() == [[0]]


@pytest.mark.parametrize("kind", TIMES)
def test_other_tables(kind: str) -> None:
    times, fitting = TIMES[kind]
    for log in (timed(times).to_pandas(), pl.from_arrow(timed(times))):
        if kind == "time zone ns" and isinstance(log, pd.DataFrame):
            continue  # DuckDB reads those in microseconds
        found = rm.evaluate_runs(LIST, log, "recall", after=fitting[0], n_threads=1)
        assert found.values.tolist() == [[0]]


@pytest.mark.parametrize("kind", TIMES)
def test_times_of_another_type(kind: str) -> None:
    """Nothing is compared that would need a guess: the hour of a day, or a time zone."""
    for after in (*NAIVE, *AWARE, *DAYS, *NUMBERS):
        if any(after is fitting for fitting in TIMES[kind][1]):
            continue
        with pytest.raises(rm.InputTypeError, match=r"after: got .* which holds .*; wanted a "):
            later(after, TYPES[kind], "time")


@pytest.mark.parametrize(
    ("kind", "zone"), [("TIMESTAMP_NS", ""), ("TIMESTAMP WITH TIME ZONE", "+00:00")]
)
def test_a_day_for_a_column_of_datetimes(kind: str, zone: str) -> None:
    """Midnight would part the log a day before where the same text does in a column of dates."""
    wanted = (
        f"after: got the day 2024-01-31 for column 'time', which holds {kind}; wanted a time: "
        f"'2024-01-31 00:00:00{zone}' if rows of that day are to count, else "
        f"'2024-01-31 23:59:59.999999{zone}'"
    )
    for day in DAYS:
        with pytest.raises(rm.InputTypeError) as caught:
            later(day, kind, "time")
        assert str(caught.value) == wanted
    for text in re.findall(r"'(2024[^']*)'", wanted):
        later(text, kind, "time")


@pytest.mark.parametrize(
    ("after", "message"),
    [
        ("yesterday", "after: got 'yesterday'; wanted a time as in '2024-01-31'"),
        (np.datetime64("NaT"), "after: got NaT"),
        (pd.NaT, "after: got NaT"),
        (float("nan"), "after: got nan; wanted a finite number"),
        (True, "after: got True; wanted a date"),
        ([1], r"after: got \[1\]; wanted a date"),
    ],
)
def test_no_times(after: Any, message: str) -> None:
    with pytest.raises(rm.RankmillError, match=message):
        later(after, "TIMESTAMP", "time")


def test_nanoseconds() -> None:
    base = pd.Timestamp("2024-01-31 12:00:00.000000005")
    log = pd.DataFrame(
        {"user": 1, "item": [7, 8, 9], "time": [base + pd.Timedelta(d, "ns") for d in (-1, 0, 1)]}
    )
    text = "2024-01-31 12:00:00.000000005"
    for after in (base, text, np.datetime64(text)):
        assert rm.evaluate_runs(LIST, log, "recall", after=after).values.tolist() == [[0]]


def test_columns_that_hold_no_times() -> None:
    with pytest.raises(rm.InputTypeError, match="time: column 'time' holds VARCHAR; wanted dates"):
        rm.evaluate_runs(LIST, timed(["a", "b", "c"]), "recall", after="2024-01-31")


def test_nothing_is_later() -> None:
    with pytest.raises(rm.InputError, match=r"after: got 13; wanted a time before the last .*, 13"):
        rm.evaluate_runs(LIST, timed([11, 12, 13]), "recall", after=13)
