"""The engine's side of every comparison, under the other side's conventions."""

from __future__ import annotations

from typing import Any

from workloads import Data, Dense, Dicts, Factors

import rankmill as rm
from sides import Call, Values


def engine(
    data: Data, n_threads: int, metrics: tuple[str, ...], conventions: dict[str, Any]
) -> Call:
    """Prepare nothing but the conventions; the call does the work."""
    if metrics == ("top_k",):
        return lambda: {"top_k": rm.top_k(data.scores, 10, n_threads=n_threads)[0]}
    rules = rm.Conventions(**conventions)

    def call() -> Values:
        result = _evaluate(data, n_threads, metrics, rules)
        return {name: result[name] for name in result.names}

    return call


def _evaluate(
    data: Data, n_threads: int, metrics: tuple[str, ...], rules: rm.Conventions
) -> rm.Result:
    if isinstance(data, Factors):
        ranks = rm.rank_factors(
            data.users, data.items, data.relevant, exclude=data.exclude, n_threads=n_threads
        )
        return rm.measure(ranks, metrics, conventions=rules, n_threads=n_threads)
    if isinstance(data, Dicts):
        return rm.evaluate(data.run, data.qrels, metrics, conventions=rules, n_threads=n_threads)
    relevance = data.relevant if isinstance(data, Dense) else data.labels
    offsets = None if isinstance(data, Dense) else data.offsets
    return rm.evaluate(
        data.scores, relevance, metrics,
        offsets=offsets, conventions=rules, n_threads=n_threads,
    )  # fmt: skip
