"""Results made of plain arrays, for the tests of `compare`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

import rankmill as rm

Floats = npt.NDArray[np.float64]


def result_of(
    values: Any,
    metrics: str = "ndcg@10 recall@10 mrr",
    *,
    users: Any = None,
    weights: Any = None,
    segments: Mapping[str, Any] | None = None,
    conventions: rm.Conventions | None = None,
) -> rm.Result:
    """A Result with these values, one row per metric."""
    array = np.atleast_2d(np.asarray(values, dtype=np.float64))
    return rm.Result(
        array,
        rm.parse_metrics(metrics)[: len(array)],
        np.isnan(array).sum(axis=1),
        conventions=conventions or rm.Conventions(),
        users=None if users is None else np.asarray(users),
        weights=None if weights is None else np.asarray(weights, dtype=np.float64),
        segments={name: np.asarray(column) for name, column in (segments or {}).items()},
    )


def skewed(rng: np.random.Generator, n_users: int, n_metrics: int = 3) -> Floats:
    """Values like those of real users: many zeros, some ones, the rest skewed."""
    values = rng.beta(0.6, 3.0, (n_metrics, n_users))
    kind = rng.random((n_metrics, n_users))
    values[kind < 0.6] = 0.0
    values[kind > 0.95] = 1.0
    return np.round(values * 1024) / 1024  # so that differences are exact, ties included


def two_models(seed: int, n_users: int, n_metrics: int = 3) -> tuple[Floats, Floats]:
    """Two models that agree on most users, the second a little better."""
    rng = np.random.default_rng(seed)
    base = skewed(rng, n_users, n_metrics)
    other = np.where(rng.random(base.shape) < 0.3, skewed(rng, n_users, n_metrics), base)
    gained = rng.random(base.shape) < 0.03
    return base, np.where(gained, np.minimum(other + 0.25, 1.0), other)


def compared(a: rm.Result, b: rm.Result, **options: Any) -> rm.Comparison:
    """`compare` with few resamples."""
    return rm.compare(a, b, **{"resamples": 200, **options})
