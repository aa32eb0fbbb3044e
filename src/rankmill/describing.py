"""How the users' values of a metric are spread."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rankmill.errors import InputError
from rankmill.inputs import NumpyArray
from rankmill.metrics import Metric
from rankmill.notes import table_lines
from rankmill.running import HALF_WIDTH, UNIT, Floats, Moments, exact_sum, ratio

QUANTILES: Final = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True)
class Spread:
    """How the values of one metric are spread over users.

    Attributes
    ----------
    mean : float
        As `Result.mean` gives it, weighted where the result is.
    standard_error : float
        Of the mean: s / sqrt(n), s the standard deviation over n - 1. With weights w that of a
        ratio: sqrt(n / (n - 1) sum(w² (v - mean)²)) / sum(w) (Cochran 1977, Sampling Techniques,
        section 2.11). NaN for fewer than two users.
    interval : tuple of float
        mean ± 1.96 standard errors: the 95 % interval of a mean of many users.
    quantiles : mapping of float to float
        For each share q of `QUANTILES` the least value that at least a share q of the users, or
        of their weight, does not exceed.
    users, undefined : int
        For whom the metric is defined, and is not.
    why : str
        When it is undefined; empty if it is for no one.
    """

    mean: float
    standard_error: float
    interval: tuple[float, float]
    quantiles: Mapping[float, float]
    users: int
    undefined: int
    why: str


@dataclass(frozen=True)
class Description(Mapping[str, Spread]):
    """The `Spread` of each metric, by its name; printed as a table."""

    spreads: Mapping[str, Spread]

    def __getitem__(self, metric: str) -> Spread:
        return self.spreads[metric]

    def __iter__(self) -> Any:
        return iter(self.spreads)

    def __len__(self) -> int:
        return len(self.spreads)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return plain data, a flat row per metric."""
        return {
            name: {
                "mean": spread.mean,
                "standard_error": spread.standard_error,
                "low": spread.interval[0],
                "high": spread.interval[1],
                **{f"q{round(q * 100)}": value for q, value in spread.quantiles.items()},
                "users": spread.users,
                "undefined": spread.undefined,
                "why": spread.why,
            }
            for name, spread in self.spreads.items()
        }

    def __str__(self) -> str:
        shares = [f"{round(q * 100)} %" for q in QUANTILES]
        header = ("metric", "mean", "95 % interval", *shares, "users", "undefined")
        rows = [
            (
                name,
                f"{spread.mean:.4f}",
                "{:.4f} to {:.4f}".format(*spread.interval),
                *(f"{value:.4f}" for value in spread.quantiles.values()),
                str(spread.users),
                str(spread.undefined),
            )
            for name, spread in self.spreads.items()
        ]
        reasons = [f"{name}: {s.why}" for name, s in self.spreads.items() if s.why]
        return "\n".join([*table_lines([header, *rows]), *reasons])


def spread_of(
    metric: Metric, values: Floats, weights: Floats | None, mean: float, undefined: int
) -> Spread:
    """Describe values, NaN left out, whose mean is known already."""
    counts = ~np.isnan(values)
    kept = values[counts]
    error = _standard_error(kept, None if weights is None else weights[counts], mean)
    half = HALF_WIDTH * error
    return Spread(
        mean,
        error,
        (mean - half, mean + half),
        {q: quantile(kept, q, None if weights is None else weights[counts]) for q in QUANTILES},
        len(values) - undefined,
        undefined,
        metric.info.empty if undefined else "",
    )


def _standard_error(values: Floats, weights: Floats | None, mean: float) -> float:
    n = len(values)
    if n < 2:
        return math.nan
    if weights is None:
        moments = Moments(1)
        moments.add(values[np.newaxis])
        return float(moments.standard_errors()[0])
    squares, _ = exact_sum((weights * (values - mean)) ** 2)
    over = ratio(exact_sum(weights)[0], UNIT)
    return math.sqrt(ratio(squares * n, (n - 1) * UNIT)) / over if over else math.nan


def quantile(values: Floats, q: float, weights: Floats | None = None) -> float:
    """Return the least value that at least a share q of the values, or weight, does not exceed."""
    if len(values) == 0:
        return math.nan
    if weights is None:
        return float(np.quantile(values, q, method="inverted_cdf"))
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    if reached[-1] == 0:
        return math.nan
    at = np.searchsorted(reached, q * reached[-1], side="left")
    return float(values[order[min(at, len(order) - 1)]])


def worst_rows(values: Floats, n: int) -> np.ndarray[Any, Any]:
    """Return the rows of the n least values, ties as they come, NaN left out."""
    if not hasattr(n, "__index__") or n is True or n < 1:
        raise InputError(f"n: got {n!r}; wanted a whole number >= 1")
    rows = np.flatnonzero(~np.isnan(values))
    if n < len(rows):
        bound = np.partition(values[rows], n - 1)[n - 1]
        rows = rows[values[rows] <= bound]
    order = np.argsort(values[rows], kind="stable")
    found: np.ndarray[Any, Any] = rows[order[:n]]
    return found


class Described:
    """The methods of `Result` that show how values are spread."""

    metrics: tuple[Metric, ...]
    users: NumpyArray | None
    weights: Floats | None

    @property
    def names(self) -> tuple[str, ...]:
        """The metrics."""
        return tuple(map(str, self.metrics))

    @property
    def means(self) -> dict[str, float]:
        """Mean of each metric."""
        raise NotImplementedError

    @property
    def undefined(self) -> dict[str, int]:
        """Users for whom each metric is undefined."""
        raise NotImplementedError

    def __getitem__(self, metric: str | Metric) -> Floats:
        raise NotImplementedError

    def describe(self) -> Description:
        """Return mean, standard error, interval, quantiles and counts of each metric.

        See `Spread` for the formulas.

        Examples
        --------
        >>> import rankmill as rm
        >>> result = rm.evaluate([[3, 2, 1], [1, 2, 3]], [[0, 1, 0], [0, 0, 1]], "mrr")
        >>> print(result.describe())
        metric    mean     95 % interval    10 %    25 %    50 %    75 %    90 %  users  undefined
        mrr     0.7500  0.2600 to 1.2400  0.5000  0.5000  0.5000  1.0000  1.0000      2          0
        """
        return Description(
            {
                name: spread_of(
                    metric, self[name], self.weights, self.means[name], self.undefined[name]
                )
                for name, metric in zip(self.names, self.metrics, strict=True)
            }
        )

    def worst(self, metric: str | Metric, n: int = 10) -> list[tuple[Any, float]]:
        """Return the n users with the least values of a metric, and the values, ascending.

        Users whose value is NaN are left out; equal ones stand as in the result. Where there are
        no ids, the numbers of the rows stand for them.

        Examples
        --------
        >>> import rankmill as rm
        >>> result = rm.evaluate([1, 2, 3], [1, 0, 1], "mrr", groups=["a", "a", "b"])
        >>> result.worst("mrr", 1)
        [('a', 0.5)]
        """
        values = self[metric]
        rows = worst_rows(values, n)
        users = rows if self.users is None else self.users[rows]
        return list(zip(users.tolist(), values[rows].tolist(), strict=True))

    def histogram(
        self, metric: str | Metric, bins: int | Sequence[float] = 10
    ) -> tuple[Floats, Floats]:
        """Return how many users, or how much of their weight, fall into bins, and the edges.

        As `numpy.histogram`; NaN is left out.
        """
        values = self[metric]
        kept = ~np.isnan(values)
        weights = None if self.weights is None else self.weights[kept]
        heights, edges = np.histogram(values[kept], bins=bins, weights=weights)
        return heights.astype(np.float64), edges
