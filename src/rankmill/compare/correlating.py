"""`correlate`: how metrics move together, over users or over models."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rankmill.compare.pairing import check_results
from rankmill.compare.scipy_stats import load_stats
from rankmill.errors import InputError, MetricError
from rankmill.inputs import Int64s
from rankmill.notes import table_lines
from rankmill.result import Result
from rankmill.running import Floats

_METHODS = ("pearson", "spearman", "kendall")


@dataclass(frozen=True)
class Correlation:
    """Correlations of every two metrics.

    Attributes
    ----------
    names : tuple of str
        The metrics: rows and columns of each matrix.
    over : {"users", "models"}
        What the values are of.
    pearson, spearman, kendall : float64 (metrics, metrics)
        Symmetric, 1 on the diagonal. NaN where fewer than two values are defined, or one of the
        two metrics does not vary.
    n : int64 (metrics, metrics)
        Users, or models, for whom both are defined.
    """

    names: tuple[str, ...]
    over: Literal["users", "models"]
    pearson: Floats
    spearman: Floats
    kendall: Floats
    n: Int64s

    def __str__(self) -> str:
        lines = []
        for method in _METHODS:
            rows = [
                (name, *(f"{value:.3f}" for value in row))
                for name, row in zip(self.names, getattr(self, method).tolist(), strict=True)
            ]
            lines += table_lines([(f"{method} over {self.over}", *self.names), *rows])
        return "\n".join(lines)


def correlate(results: Result | Mapping[str, Result]) -> Correlation:
    """Correlate every two metrics, over users or over models.

    Parameters
    ----------
    results : Result or mapping of str to Result
        One result: over its users' values. A mapping of two models or more with the same metrics:
        over the models' means.

    Returns
    -------
    Correlation
        Pearson's r, Spearman's rho (ties share their mean rank) and Kendall's tau-b, by
        `scipy.stats`, each over the users (models) for whom both metrics are defined.

    Raises
    ------
    InputError, InputTypeError
        Results of other metrics, or no result at all.
    MissingDependencyError
        Without scipy.

    Examples
    --------
    >>> import rankmill as rm
    >>> scores, relevance = [[3, 2, 1]] * 3, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> print(rm.correlate(rm.evaluate(scores, relevance, "mrr auc")))
    pearson over users    mrr    auc
    mrr                 1.000  0.961
    auc                 0.961  1.000
    spearman over users    mrr    auc
    mrr                  1.000  1.000
    auc                  1.000  1.000
    kendall over users    mrr    auc
    mrr                 1.000  1.000
    auc                 1.000  1.000
    """
    if isinstance(results, Result):
        return _correlation(results.names, "users", results.values)
    check_results(results)
    baseline, first = next(iter(results.items()))
    for name, result in results.items():
        if result.names != first.names:
            raise MetricError(
                f"results: {name} has {', '.join(result.names)} and {baseline} "
                f"{', '.join(first.names)}; wanted the same metrics in the same order"
            )
    means = np.array([[result.means[name] for result in results.values()] for name in first.names])
    return _correlation(first.names, "models", means)


def _correlation(
    names: tuple[str, ...], over: Literal["users", "models"], values: Floats
) -> Correlation:
    stats = load_stats()
    infinite = np.isinf(values)
    if infinite.any():
        row, at = np.argwhere(infinite)[0].tolist()
        raise InputError(
            f"{names[row]}: got {values[row, at]} at {over[:-1]} row {at}; wanted finite values"
        )
    by = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    found = {method: np.full((len(names), len(names)), np.nan) for method in by}
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    for i, j in itertools.combinations_with_replacement(range(len(names)), 2):
        both = ~(np.isnan(values[i]) | np.isnan(values[j]))
        counts[i, j] = counts[j, i] = both.sum()
        for method, function in by.items():
            value = 1.0 if i == j else None
            value = _one(function, values[i, both], values[j, both], value)
            found[method][i, j] = found[method][j, i] = value
    return Correlation(names, over, n=counts, **found)


def _one(function: Callable[..., Any], x: Floats, y: Floats, known: float | None) -> float:
    """Correlate two that vary; a metric with itself is 1."""
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return float("nan")
    return float(function(x, y).statistic) if known is None else known
