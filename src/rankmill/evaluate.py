"""`evaluate`, which is `rank` and `measure` at once, and `measure`: any metric from Ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rankmill._engine import Run
from rankmill._engine import evaluate as engine_evaluate
from rankmill._engine import measure as engine_measure
from rankmill.conventions import Conventions
from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import Int64s, NumpyArray
from rankmill.inputs_scored import Scored, scored_input
from rankmill.metrics import Metrics
from rankmill.plan import Wanted, read_wanted, ties_of
from rankmill.ranking import rank, rank_scored
from rankmill.ranks import Ranks
from rankmill.result import Result
from rankmill.running import Floats
from rankmill.status import explainer
from rankmill.threads import make_run


def evaluate(
    scores: Any,
    relevance: Any,
    metrics: Metrics,
    *,
    groups: Any = None,
    offsets: Any = None,
    items: Any = None,
    exclude: Any = None,
    min_score: float | None = None,
    conventions: Conventions | None = None,
    n_threads: int | None = None,
    isa: str | None = None,
) -> Result:
    """Rank every user's items and measure the ranking.

    Parameters
    ----------
    scores, relevance, groups, offsets, items, exclude, min_score, n_threads, isa
        As in `rank`.
    metrics : str, Metric, or iterable of them
        Such as ``"ndcg@10"``, ``"recall@{5,10,20}"``, ``"ndcg@10(gain=linear)"``; see `METRICS`.
    conventions : Conventions, optional
        What the metrics' names leave open; default ``Conventions()``.

    Returns
    -------
    Result
        The values of `measure` on the Ranks of `rank`, in one go and without keeping the Ranks:
        8 bytes per user and metric.

    Raises
    ------
    MetricError
        If a metric or one of its parameters is unknown.
    InputError, InputTypeError, UnavailableError
        As in `rank` and `measure`.

    Examples
    --------
    >>> import rankmill as rm
    >>> result = rm.evaluate([[0.9, 0.1, 0.5], [1, 2, 3]], [[0, 1, 1], [0, 0, 1]], "ndcg@2 auc")
    >>> result.means["auc"]
    0.5
    """
    wanted = read_wanted(metrics, conventions)
    order = wanted.order
    check_complete(wanted, min_score is None)
    where: dict[str, Any] = {
        "groups": groups,
        "offsets": offsets,
        "items": items,
        "exclude": exclude,
        "min_score": min_score,
    }
    threads: dict[str, Any] = {"n_threads": n_threads, "isa": isa}
    if isinstance(scores, Mapping):
        ranks = rank(scores, relevance, ties=order or "average", **where, **threads)
        return measure(ranks, wanted.metrics, conventions=wanted.rules, **threads)
    run = make_run(n_threads, isa)
    scored = scored_input(scores, relevance, **where, order=order, run=run)
    if scored.mixed is not None:
        ranks = rank_scored(scored, order, run, complete=min_score is None)
        return measure(ranks, wanted.metrics, conventions=wanted.rules, **threads)
    return evaluate_scored(scored, wanted, run)


def evaluate_scored(scored: Scored, wanted: Wanted, run: Run) -> Result:
    """Rank and measure an input that was checked, whose users are not mixed."""
    values, undefined = _room(wanted, scored.n_users)
    plan = wanted.settled if wanted.order else wanted.unsettled
    engine_evaluate(scored.input, plan, run, values, undefined, scored.explain)
    return Result(
        values,
        wanted.metrics,
        undefined,
        conventions=wanted.rules,
        users=scored.users,
        filled=_fill(wanted, values),
    )


def measure(
    ranks: Ranks,
    metrics: Metrics,
    *,
    conventions: Conventions | None = None,
    n_threads: int | None = None,
    isa: str | None = None,
) -> Result:
    """Measure Ranks by any metrics, in one pass over them and without the scores.

    Parameters
    ----------
    ranks : Ranks
        From `rank`, `rank_lists` or `Ranks.concat`.
    metrics, conventions, n_threads, isa
        As in `evaluate`.

    Returns
    -------
    Result

    Raises
    ------
    InputError
        If ``ties`` needs places that the Ranks do not hold, AUC is asked of lists, or a gain is
        not finite or not in the table.

    Examples
    --------
    >>> import rankmill as rm
    >>> ranks = rm.rank([[0.5, 0.5, 0.1]], [[1, 0, 0]])
    >>> rm.measure(ranks, "mrr").means, rm.measure(ranks, "mrr(ties=worst)").means
    ({'mrr': 0.75}, {'mrr(ties=worst)': 0.5})
    """
    if not isinstance(ranks, Ranks):
        raise InputTypeError(
            f"ranks: got {type(ranks).__name__}; wanted Ranks, from rank or rank_lists"
        )
    wanted = read_wanted(metrics, conventions)
    _check_places(wanted, ranks)
    check_complete(wanted, ranks.complete)
    run = make_run(n_threads, isa)
    values, undefined = _room(wanted, ranks.n_users)
    plan = wanted.unsettled if ranks.position is None else wanted.settled
    engine_measure(
        ranks.entries(), plan, run, values, undefined, explainer(user=user_namer(ranks.users))
    )
    return Result(
        values,
        wanted.metrics,
        undefined,
        conventions=wanted.rules,
        users=ranks.users,
        ignored=ranks.ignored,
        filled=_fill(wanted, values),
    )


def _check_places(wanted: Wanted, ranks: Ranks) -> None:
    for metric in wanted.metrics:
        order = ties_of(metric, wanted.rules)
        if order is not None and order != ranks.order and (ranks.tied > 1).any():
            raise InputError(
                f"{metric}: ties={order!r} needs places that these Ranks do not hold "
                f"(theirs: {ranks.order}); wanted rank(..., ties={order!r})"
            )


def check_complete(wanted: Wanted, complete: bool) -> None:
    """Refuse metrics that need to know all candidates where they are not known."""
    if wanted.needs_all and not complete:
        raise InputError(
            "auc: not all candidates are known (ranked lists, or min_score); wanted rank() over "
            "all candidates, or a metric of the list such as map or ndcg"
        )


def _room(wanted: Wanted, n_users: int) -> tuple[Floats, Int64s]:
    values = np.empty((len(wanted.metrics), n_users), dtype=np.float64)
    return values, np.empty(len(wanted.metrics), dtype=np.int64)


def _fill(wanted: Wanted, values: Floats) -> dict[int, NumpyArray]:
    """Count undefined users as the conventions say; return who they are, a bit each."""
    filled = {}
    for row, value in wanted.fills.items():
        missing = np.isnan(values[row])
        values[row, missing] = value
        filled[row] = np.packbits(missing)
    return filled


def user_namer(users: NumpyArray | None) -> Callable[[int], str]:
    """Return what names the user of a row in messages, by the id if there are ids."""
    if users is None:
        return "user row {}".format
    return lambda row: f"user {users[row : row + 1].tolist()[0]!r}"
