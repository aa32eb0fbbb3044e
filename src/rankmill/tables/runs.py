"""`evaluate_runs`: metrics of a run against a truth, two tables that DuckDB joins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankmill.conventions import Conventions
from rankmill.database import interruptible
from rankmill.evaluate import measure
from rankmill.metrics import Metrics
from rankmill.plan import read_wanted
from rankmill.result import Result
from rankmill.tables.connecting import connect
from rankmill.tables.joining import Reading, Request
from rankmill.threads import make_run


def evaluate_runs(
    run: Any,
    truth: Any,
    metrics: Metrics,
    *,
    exclude: Any = None,
    user: str = "user",
    item: str = "item",
    score: str = "score",
    grade: str | None = None,
    grades: Mapping[str, float] | Mapping[int, float] | None = None,
    event: str = "event",
    after: Any = None,
    time: str | None = None,
    users: Any = None,
    weight: str | None = None,
    segment: str | Sequence[str] | None = None,
    conventions: Conventions | None = None,
    n_threads: int | None = None,
    memory_limit: int | str | None = None,
    isa: str | None = None,
) -> Result:
    """Evaluate scored items of users against a table of what was relevant.

    The values are the same bits as those of
    ``evaluate({user: {item: score}}, {user: {item: grade}}, metrics)``, whatever the kinds of the
    tables and the order of their rows. DuckDB joins the tables and spills to disk; no row becomes
    a Python object.

    Parameters
    ----------
    run : table or paths
        A row per user and candidate: user, item, score. Tables are those of `evaluate_table`.
    truth : table or paths
        A row per user and item: user, item and perhaps a grade, > 0 is relevant; or a log of
        events, see `grades` and `after`. Users of its rows are those that count: one that is not
        in the run has an empty list, and an item that is not in the run was missed.
    metrics, conventions, n_threads, isa
        As in `evaluate`. ``auc`` is that of the run's candidates, and an error if any relevant item
        is not among them.
    exclude : table, paths or "before", optional
        A row per user and item that is neither a candidate nor relevant, such as the training
        interactions; with `grades`, `after` or `time` it may be a log, too, and rows of a user and
        item may repeat. ``"before"``: the rows of the truth that are not later than `after` and
        have a grade > 0.
    user, item, score : str
        Names of columns, the same in all tables: ids, integers or text; numbers, higher is better.
    grade : str, optional
        Column of the truth's grades. Default: ``"grade"`` if there is one, else each row has
        grade 1.
    grades : mapping, optional
        ``{"view": 1, "purchase": 5}``: the grade of each event of a truth that is a log. Of the
        rows of a user and item the highest grade counts. An event of grade 0 is not relevant.
    event : str
        Column of the events, text or integers, for `grades`.
    after : date, datetime, str or number, optional
        Only later rows of the truth count. Of the type of the column `time`: a date for dates, a
        datetime or its text (ISO 8601) for datetimes, with a time zone if those have one, or a
        number. As with `grades`, rows of a user and item may repeat, and the highest grade counts.
    time : str, optional
        Column of the times. Default: ``"time"``, if `after` is given. If `exclude` is a table that
        has it too, rows of the truth that are not later than the last excluded row of their user
        are noted as possible leakage.
    users : table or paths, optional
        A row per user: user and columns for `weight` and `segment`. It may have more users.
    weight : str, optional
        Column of `users` by which means are weighted, >= 0.
    segment : str or sequence of str, optional
        Columns of `users`, kept as `Result.segments`.
    memory_limit : int or str, optional
        Bytes, or text such as ``"2GB"``: what DuckDB holds before it spills into a temporary
        folder. Beside it there are the Ranks, and 4 million rows at a time.

    Returns
    -------
    Result
        `Result.users` holds the users of the truth, ascending. `Result.ignored` counts the users
        of the run that the truth lacks. `Result.notes` names some of them, says if no relevant
        item is a candidate at all, and has possible leakage.

    Raises
    ------
    InputError, InputTypeError
        Naming the table, the column and the row: no such column, a wrong type, no value or NaN, a
        pair of user and item that stands twice (unless the tables are logs), ids that are integers
        in one table and text in another, an event without a grade, no user in common.
    MissingDependencyError
        Without DuckDB, or without pyarrow where Arrow or polars tables are given.

    Examples
    --------
    >>> import pandas as pd, rankmill as rm
    >>> run = pd.DataFrame({"user": [1, 1, 2], "item": ["a", "b", "a"], "score": [0.5, 0.9, 0.1]})
    >>> log = pd.DataFrame(
    ...     {
    ...         "user": [1, 1, 1, 3],
    ...         "item": ["b", "a", "a", "a"],
    ...         "event": ["buy", "view", "buy", "view"],
    ...         "time": [10, 20, 30, 20],
    ...     }
    ... )
    >>> print(rm.evaluate_runs(run, log, "mrr", grades={"view": 1, "buy": 5}, after=15))
    metric    mean  users  undefined
    mrr     0.2500      2          0
    user 2 of the run is not in truth, and was left out
    >>> options = {"grades": {"view": 1, "buy": 5}, "after": 15, "exclude": "before"}
    >>> rm.evaluate_runs(run, log, "mrr", **options)["mrr"]
    array([1., 0.])
    """
    wanted = read_wanted(metrics, conventions)
    engine = make_run(n_threads, isa)
    request = Request(
        run=run,
        truth=truth,
        exclude=exclude,
        users=users,
        ids={"user": user, "item": item},
        score=score,
        grade=grade,
        grades=grades,
        event=event,
        after=after,
        time=time,
        weight=weight,
        segment=segment,
    )
    request.check()
    with connect(n_threads, memory_limit) as connection:
        reading = Reading(connection, request, wanted.order, engine)
        found = interruptible(connection, reading.read)
    result = measure(
        found.ranks, wanted.metrics, conventions=wanted.rules, n_threads=n_threads, isa=isa
    )
    result.weights, result.segments, result.notes = found.weights, found.segments, found.notes
    return result
