"""The two stages that both commands share: rank, then measure."""

from __future__ import annotations

from typing import Any

from rankmill.cli.stages import Stages
from rankmill.conventions import Conventions
from rankmill.evaluate import measure
from rankmill.metrics import Metric
from rankmill.plan import read_wanted
from rankmill.ranking import rank
from rankmill.result import Result


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
    ties = read_wanted(metrics, conventions).order or "average"
    with stages.stage("rank"):
        ranks = rank(scores, relevance, ties=ties, n_threads=n_threads, **rows)
    with stages.stage("measure"):
        result = measure(ranks, metrics, conventions=conventions, n_threads=n_threads)
        _ = result.means  # kept by the result; their time belongs here
    return result
