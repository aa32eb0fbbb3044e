"""A truth from a log: grades of events, a split in time, and leakage."""

from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmill as rm
from kinds_of_tables import KINDS

GRADES = {"view": 1, "favourite": 2, "cart": 3, "purchase": 5, "impression": 0}
USERS, ITEMS = ["u", "v", "w"], ["a", "b", "c", "d", "e"]
RUN = pd.DataFrame(
    [
        (user, item, (3 * at + 5 * to) % 4)
        for at, user in enumerate(USERS)
        for to, item in enumerate(ITEMS)
    ],
    columns=["user", "item", "score"],
)
METRICS = "ndcg@2 map recall@3 dcg"

Event = tuple[str, str, str, int]


def dicts(
    log: list[Event], after: int | None, excludes: bool
) -> tuple[dict[str, Any], dict[str, Any], dict[str, set[str]]]:
    """The meaning, in plain Python: run, truth and exclusion."""
    run: dict[str, Any] = {}
    for user, item, score in RUN.itertuples(index=False):
        run.setdefault(user, {})[item] = score
    truth: dict[str, dict[str, int]] = {}
    gone: dict[str, set[str]] = {}
    for user, item, event, time in log:
        if after is None or time > after:
            row = truth.setdefault(user, {})
            row[item] = max(row.get(item, 0), GRADES[event])
        elif excludes and GRADES[event] > 0:
            gone.setdefault(user, set()).add(item)
    return run, truth, {user: items for user, items in gone.items() if user in truth}


def by_user(result: rm.Result) -> dict[Any, bytes]:
    assert result.users is not None
    values = np.ascontiguousarray(result.values.T)
    return {user: row.tobytes() for user, row in zip(result.users.tolist(), values, strict=True)}


events = st.tuples(
    st.sampled_from(USERS),
    st.sampled_from(ITEMS),
    st.sampled_from(sorted(GRADES)),
    st.integers(0, 9),
)


@settings(max_examples=30)
@given(
    log=st.lists(events, min_size=1, max_size=30),
    after=st.none() | st.integers(-1, 9),
    excludes=st.booleans(),
    limit=st.sampled_from([None, "200MB"]),
)
def test_meaning(log: list[Event], after: int | None, excludes: bool, limit: str | None) -> None:
    frame = pd.DataFrame(log, columns=["user", "item", "event", "time"])
    excludes = excludes and after is not None
    options: dict[str, Any] = {"grades": GRADES, "after": after, "memory_limit": limit}
    if excludes:
        options["exclude"] = "before"
    run, truth, gone = dicts(log, after, excludes)
    if not truth:
        with pytest.raises(rm.InputError, match=f"after: got {after}; wanted a time before the la"):
            rm.evaluate_runs(RUN, frame, METRICS, n_threads=1, **options)
        return
    found = rm.evaluate_runs(RUN, frame, METRICS, n_threads=1, **options)
    assert by_user(found) == by_user(rm.evaluate(run, truth, METRICS, exclude=gone or None))


LOG = pa.table(
    {
        "user": [1, 1, 1, 2, 2],
        "item": [7, 7, 8, 7, 9],
        "event": ["view", "purchase", "view", "cart", "view"],
        "time": [datetime(2024, 1, day) for day in (1, 2, 3, 3, 4)],
    }
)
LIST = pa.table({"user": [1, 1, 2, 2], "item": [7, 8, 7, 9], "score": [1.0, 0.5, 1.0, 0.5]})
AFTER = datetime(2024, 1, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind: str, tmp_path: Path) -> None:
    """After the second of January: 8 for user 1, to whom 7 is shown no more; 7 and 9 for user 2."""
    log = KINDS[kind](LOG, tmp_path / "log")
    found = rm.evaluate_runs(
        LIST, log, "mrr cg(gain=linear)", grades=GRADES, after=AFTER, exclude="before"
    )
    assert found.values.tolist() == [[1, 1], [1, 4]]


def test_the_highest_grade_of_a_pair_counts() -> None:
    found = rm.evaluate_runs(LIST, LOG, "cg@1(gain=linear)", grades=GRADES)
    assert found.values.tolist() == [[5, 3]]
    # Without events, too: with after= the rows are a log.
    stars = LOG.append_column("grade", pa.array([1.0, 4.0, 1.0, 3.0, 1.0]))
    found = rm.evaluate_runs(LIST, stars, "cg@1(gain=linear)", after=datetime(2023, 1, 1))
    assert found.values.tolist() == [[4, 3]]


def test_numbers_as_events_and_other_names() -> None:
    log = pa.table({"user": [1, 1], "item": [7, 7], "kind": [10, 20], "day": [1.5, 2.5]})
    options = {"event": "kind", "grades": {10: 1, np.int64(20): np.float32(0.5)}, "time": "day"}
    for after, grade in ((1, 1.0), (1.5, 0.5)):
        found = rm.evaluate_runs(LIST, log, "cg(gain=linear)", after=after, **options)
        assert found.values.tolist() == [[grade]]


def test_what_counts_for_nothing_excludes_nothing() -> None:
    log = pa.table(
        {
            "user": [1, 1],
            "item": [7, 8],
            "event": ["impression", "view"],
            "time": [date(2024, 1, 1), date(2024, 1, 2)],
        }
    )
    found = rm.evaluate_runs(LIST, log, "mrr", grades=GRADES, after="2024-01-01", exclude="before")
    assert found.values.tolist() == [[1 / 2]]


def refused(
    message: str, log: Any = LOG, error: type[Exception] = ValueError, **options: Any
) -> None:
    with pytest.raises(rm.RankmillError, match=message) as caught:
        rm.evaluate_runs(LIST, log, "mrr", **options)
    assert isinstance(caught.value, error)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("grades", "message"),
    [
        ({"view": 1}, r"truth, event: got purchase at row 1 \(user 1\) .*a grade for: view"),
        ({}, r"grades: got \{\}; wanted \{event: grade\}"),
        ([1], r"grades: got \[1\]"),
        ({"view": None}, "grades: got None for 'view'; wanted a number"),
        ({"view": True}, "grades: got True for 'view'"),
        ({"view": float("nan")}, "grades: got nan for 'view'; wanted a finite grade"),
        ({"view": 1, 2: 1}, "grades: got the event 'view'; wanted text, or integers"),
        ({1.5: 1}, "grades: got the event 1.5"),
        ({1: 1}, "grades: got events such as 1, but truth, event: .* has text, such as 'view'"),
    ],
)
def test_grades_that_are_none(grades: Any, message: str) -> None:
    refused(message, error=Exception, grades=grades)


def test_events_that_are_missing() -> None:
    gap = LOG.set_column(2, "event", pa.array(["view", None, "view", "view", "view"]))
    refused(r"truth, event: no value at row 1 \(user 1\)", gap, grades=GRADES)
    refused("truth, event: no column 'what'", grades=GRADES, event="what")
    floats = LOG.set_column(2, "event", pa.array([1.0] * 5))
    refused("truth, event: column 'event' holds DOUBLE", floats, TypeError, grades={1: 1})
    gap = LOG.set_column(3, "time", pa.array([None] * 5, pa.timestamp("us")))
    refused("truth, time: no value at row 0", gap, after=AFTER)
    refused("truth, time: no column 'when'", after=AFTER, time="when")


TRAIN = pa.table(
    {
        "user": [1, 1, 2, 5],
        "item": [1, 1, 1, 1],
        "time": [datetime(2024, 1, day) for day in (1, 3, 1, 9)],
    }
)


def test_leakage_is_noted() -> None:
    """User 1 was trained on until the third: three of its rows are not later. Pairs may repeat."""
    found = rm.evaluate_runs(LIST, LOG, "mrr", grades=GRADES, exclude=TRAIN, time="time")
    (note,) = found.notes
    assert (note.rule, note.figures) == ("leakage", {"rows": 3, "users": 1})
    assert note.examples == ((1, 7, "2024-01-01 00:00:00", "2024-01-03 00:00:00"),)
    assert str(found).splitlines()[-1] == note.text
    later = {"grades": GRADES, "exclude": TRAIN, "after": datetime(2024, 1, 2)}
    (note,) = rm.evaluate_runs(LIST, LOG, "mrr", **later).notes
    assert note.figures == {"rows": 1, "users": 1}
    later["after"] = datetime(2024, 1, 3)
    assert [note.rule for note in rm.evaluate_runs(LIST, LOG, "mrr", **later).notes] == ["ignored"]


def test_leakage_needs_times_of_one_type() -> None:
    days = TRAIN.set_column(2, "time", TRAIN["time"].cast(pa.date32()))
    refused(
        "exclude, time: column 'time' holds DATE; wanted datetimes",
        error=TypeError,
        grades=GRADES,
        exclude=days,
        time="time",
    )
    plain = TRAIN.select(["user", "item"])
    assert rm.evaluate_runs(LIST, LOG, "mrr", grades=GRADES, exclude=plain, time="time").notes == ()
