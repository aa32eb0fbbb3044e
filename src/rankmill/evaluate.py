"""`evaluate`, which is `rank` and `measure` at once, and `measure`: any metric from Ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from rankmill._engine import evaluate as engine_evaluate
from rankmill._engine import measure as engine_measure
from rankmill.conventions import Conventions
from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import Int64s
from rankmill.inputs_scored import scored_input
from rankmill.metrics import METRICS, Metric, parse_metrics
from rankmill.plan import make_plan
from rankmill.ranking import rank, rank_scored
from rankmill.ranks import Order, Ranks
from rankmill.result import Result
from rankmill.running import Floats
from rankmill.status import explainer
from rankmill.threads import make_run

_DEFAULT: Final = Conventions()

Metrics: TypeAlias = str | Metric | Iterable[str | Metric]


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
    wanted = parse_metrics(metrics)
    rules = check_conventions(conventions)
    order = settled_order(wanted, rules)
    for metric in wanted:
        _check_complete(metric, min_score is None)
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
        return measure(ranks, wanted, conventions=rules, **threads)
    run = make_run(n_threads, isa)
    scored = scored_input(scores, relevance, **where, order=order, run=run)
    if scored.mixed is not None:
        ranks = rank_scored(scored, order, run, complete=min_score is None)
        return measure(ranks, wanted, conventions=rules, **threads)
    values, undefined = _room(wanted, scored.n_users)
    plan = make_plan(wanted, rules, places=order is not None)
    engine_evaluate(scored.input, plan, run, values, undefined, scored.explain)
    return Result(values, wanted, undefined, conventions=rules, users=scored.users)


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
    wanted = parse_metrics(metrics)
    rules = check_conventions(conventions)
    for metric in wanted:
        _check_places(metric, rules, ranks)
        _check_complete(metric, ranks.complete)
    run = make_run(n_threads, isa)
    values, undefined = _room(wanted, ranks.n_users)
    plan = make_plan(wanted, rules, places=ranks.position is not None)
    engine_measure(
        ranks.entries(), plan, run, values, undefined, explainer(user=_user_namer(ranks))
    )
    return Result(
        values, wanted, undefined, conventions=rules, users=ranks.users, ignored=ranks.ignored
    )


def check_conventions(conventions: Conventions | None) -> Conventions:
    """Return the conventions, default ones for None."""
    if conventions is None:
        return _DEFAULT
    if not isinstance(conventions, Conventions):
        raise InputTypeError(f"conventions: got {conventions!r}; wanted Conventions(...)")
    return conventions


def _ties_of(metric: Metric, rules: Conventions) -> Order | None:
    if "ties" not in METRICS[metric.name].conventions:
        return None
    ties = metric.conventions(rules).ties
    return ties if ties in ("input_order", "id_descending") else None


def settled_order(metrics: tuple[Metric, ...], rules: Conventions) -> Order | None:
    """Return the order of ties that must be settled while ranking, if some metric asks for one.

    Examples
    --------
    >>> settled_order(parse_metrics("mrr(ties=input_order) auc"), Conventions(ties="worst"))
    'input_order'
    """
    orders = sorted({order for metric in metrics if (order := _ties_of(metric, rules))})
    if len(orders) > 1:
        raise InputError(
            f"ties: metrics ask for {' and '.join(orders)}; wanted one of them per call, "
            "as the places are settled once"
        )
    return orders[0] if orders else None


def _check_places(metric: Metric, rules: Conventions, ranks: Ranks) -> None:
    order = _ties_of(metric, rules)
    if order is not None and order != ranks.order and (ranks.tied > 1).any():
        raise InputError(
            f"{metric}: ties={order!r} needs places that these Ranks do not hold "
            f"(theirs: {ranks.order}); wanted rank(..., ties={order!r})"
        )


def _check_complete(metric: Metric, complete: bool) -> None:
    if metric.name == "auc" and not complete:
        raise InputError(
            "auc: not all candidates are known (ranked lists, or min_score); wanted rank() over "
            "all candidates, or a metric of the list such as map or ndcg"
        )


def _room(metrics: tuple[Metric, ...], n_users: int) -> tuple[Floats, Int64s]:
    values = np.empty((len(metrics), n_users), dtype=np.float64)
    return values, np.empty(len(metrics), dtype=np.int64)


def _user_namer(ranks: Ranks) -> Any:
    if ranks.users is None:
        return "user row {}".format
    users = ranks.users
    return lambda row: f"user {users[row : row + 1].tolist()[0]!r}"
