"""`evaluate_table`: metrics of the scored rows of a table or of files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

from rankmill.conventions import Conventions
from rankmill.database import interruptible
from rankmill.evaluate import evaluate
from rankmill.metrics import Metrics
from rankmill.plan import read_wanted
from rankmill.result import Result
from rankmill.running_result import Summary
from rankmill.tables.attributes import SEGMENT, segment_names, split, values_of_users
from rankmill.tables.columns import read_columns
from rankmill.tables.connecting import connect
from rankmill.tables.excluding import Excluded
from rankmill.tables.sources import check_is_name
from rankmill.tables.streaming import Stream
from rankmill.threads import make_run


@overload
def evaluate_table(
    table: Any, metrics: Metrics, *, per_user: Literal[True] = True, **options: Any
) -> Result: ...
@overload
def evaluate_table(
    table: Any, metrics: Metrics, *, per_user: Literal[False], **options: Any
) -> Summary: ...
def evaluate_table(  # type: ignore[misc]  # which options there are, the overloads do not repeat
    table: Any,
    metrics: Metrics,
    *,
    user: str = "user",
    score: str = "score",
    label: str = "label",
    item: str | None = None,
    weight: str | None = None,
    segment: str | Sequence[str] | None = None,
    exclude: Any = None,
    min_score: float | None = None,
    conventions: Conventions | None = None,
    n_threads: int | None = None,
    isa: str | None = None,
    memory_limit: int | str | None = None,
    per_user: bool = True,
) -> Result | Summary:
    """Evaluate a table that has one row per user and candidate, in any order.

    Parameters
    ----------
    table : table or paths
        A data frame of pandas; of polars, eager or lazy; a pyarrow Table, RecordBatch,
        RecordBatchReader or Dataset; a relation of DuckDB; anything with ``__arrow_c_stream__``;
        or a path, a pattern such as ``"logs/*.parquet"``, or a list of them, of Parquet, CSV or
        JSON lines files, which may be compressed (DuckDB reads them). Columns of plain numbers are
        not copied where they lie in one piece, and rows that stand together by user are not
        sorted.
    metrics, exclude, min_score, conventions, n_threads, isa
        As in `evaluate`; with `memory_limit`, or not `per_user`, `exclude` must be a dict
        {user: collection}.
    user, score, label : str
        Names of columns: whose row it is, integers or text; numbers, higher is better; grades,
        > 0 is relevant, or booleans.
    item : str, optional
        Name of the column of item ids, for ``ties="id_descending"`` and `exclude`.
    weight : str, optional
        Name of a column of numbers >= 0 by which means are weighted: `Result.weights`.
    segment : str or sequence of str, optional
        Names of columns of any type: `Result.segments`. Both must be the same in all rows of a
        user.
    memory_limit : int or str, optional
        Bytes, or text such as ``"2GB"``: read the rows in batches, of which only the values are
        kept. Where the rows of a user do not stand together, DuckDB sorts them, and spills into a
        temporary folder what is more than this. Beside it there are the values, 16 bytes per user
        and metric, and about 150 MB, more with many threads. Needs pyarrow.
    per_user : bool
        False: keep no values either, only what `RunningResult` keeps, and return its summary.

    Returns
    -------
    Result, or Summary if not `per_user`
        The same bits as `evaluate` gives for the columns as arrays. `Result.users` holds the ids,
        in order of first appearance, or ascending where the rows had to be sorted.

    Raises
    ------
    InputError, InputTypeError
        Naming the column, the row and what was wanted: a missing column or value, or a wrong type.
    MissingDependencyError
        If files are to be read without DuckDB, or a stream without pyarrow.

    Examples
    --------
    >>> import pandas as pd, rankmill as rm
    >>> log = pd.DataFrame({"user": ["a", "b", "a"], "score": [1, 2, 3], "label": [1, 1, 0]})
    >>> result = rm.evaluate_table(log, "mrr")
    >>> result.users.tolist(), result["mrr"].tolist()
    (['a', 'b'], [0.5, 1.0])
    """
    names = {"user": user, "score": score, "label": label}
    if item is not None:
        names["item"] = item
    attributes = {SEGMENT + name: name for name in segment_names(segment)}
    if weight is not None:
        attributes["weight"] = weight
    for role, name in (names | attributes).items():
        check_is_name(role, name)
    options: dict[str, Any] = {"min_score": min_score, "n_threads": n_threads, "isa": isa}
    if memory_limit is not None or not per_user:
        excluded = None if exclude is None else Excluded(exclude, item)
        wanted = read_wanted(metrics, conventions)
        with connect(n_threads, memory_limit) as connection:
            stream = Stream(connection, table, names, attributes, excluded, wanted, options)
            if per_user:
                return interruptible(stream, stream.result)
            return interruptible(stream, stream.summary)
    columns = read_columns(table, names | attributes, n_threads)
    result = evaluate(
        columns["score"],
        columns["label"],
        metrics,
        groups=columns["user"],
        items=columns.get("item"),
        exclude=exclude,
        conventions=conventions,
        **options,
    )
    if attributes:
        rows = {role: columns[role] for role in attributes}
        found = values_of_users(columns["user"], rows, make_run(n_threads, isa))
        result.weights, result.segments = split(found)
    return result
