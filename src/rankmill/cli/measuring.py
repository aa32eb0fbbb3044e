"""The two stages that both commands share: rank, then measure."""

from __future__ import annotations

from typing import Any

from rankmill.cli.stages import Stages
from rankmill.conventions import Conventions
from rankmill.evaluate import measure
from rankmill.metrics import Metric
from rankmill.ranking import place_order, rank
from rankmill.result import Result


def orders_asked(metrics: tuple[Metric, ...], conventions: Conventions) -> list[str]:
    """Return the ways to settle ties that need a place per item while ranking.

    Examples
    --------
    >>> from rankmill.metrics import parse_metrics
    >>> orders_asked(parse_metrics("mrr(ties=input_order) auc"), Conventions(ties="worst"))
    ['input_order']
    """
    concerned = [metric for metric in metrics if "ties" in metric.info.conventions]
    orders = {place_order(metric.conventions(conventions).ties) for metric in concerned}
    return sorted(order for order in orders if order)


def measure_rows(
    stages: Stages,
    scores: Any,
    relevance: Any,
    *,
    metrics: tuple[Metric, ...],
    conventions: Conventions,
    n_threads: int | None,
    **rows: Any,
) -> Result:
    """Do what `evaluate` does, timing its two stages; `rows` are more arguments of `rank`."""
    ties = next(iter(orders_asked(metrics, conventions)), "average")
    with stages.stage("rank"):
        ranks = rank(scores, relevance, ties=ties, n_threads=n_threads, **rows)
    with stages.stage("measure"):
        result = measure(ranks, metrics, conventions=conventions, n_threads=n_threads)
        _ = result.means  # kept by the result; their time belongs here
    return result
