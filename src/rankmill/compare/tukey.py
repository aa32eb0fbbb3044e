"""Tukey's honestly significant difference of models over the same users."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping

import numpy as np

from rankmill.compare.model import TukeyPair
from rankmill.compare.scipy_stats import load_stats
from rankmill.compare.statistics import LEVEL, mean_of, root_of_squares
from rankmill.result import Result
from rankmill.running import Floats


def tukey_pairs(results: Mapping[str, Result], metric: str) -> list[TukeyPair]:
    """Compare every pair of models with the studentized range.

    Users are blocks: what is left after taking out the mean of each user and of each model
    estimates the error, ``s^2 = sum(left^2) / ((m - 1) (n - 1))`` for m models and n users, and
    ``|difference| / (s / sqrt(n))`` is compared with the range of m means (Tukey 1953; Carterette
    2012; `scipy.stats.studentized_range`). `scipy.stats.tukey_hsd` is for models that
    were measured on different users. It takes the differences of all pairs to vary alike.
    """
    values = np.stack([result[metric] for result in results.values()])
    values = np.ascontiguousarray(values[:, ~np.isnan(values).any(axis=0)])
    error, freedom = _error(values)
    spread = load_stats().studentized_range
    models = len(values)
    reach = _critical(models, freedom) * error if freedom > 0 else math.nan
    pairs = []
    for (i, first), (j, second) in itertools.combinations(enumerate(results), 2):
        difference = mean_of(values[j] - values[i])
        if error > 0:
            p_value = float(np.clip(spread.sf(abs(difference) / error, models, freedom), 0, 1))
        else:
            p_value = math.nan if freedom <= 0 else float(difference == 0)
        interval = (difference - reach, difference + reach)
        pairs.append(
            TukeyPair(first, second, metric, values.shape[1], difference, interval, p_value)
        )
    return pairs


@functools.cache
def _critical(models: int, freedom: int) -> float:
    """Return the range that m means reach with chance 1 - `LEVEL`; it takes a while."""
    return float(load_stats().studentized_range.ppf(LEVEL, models, freedom))


def _error(values: Floats) -> tuple[float, int]:
    """Return the standard error of a model's mean within users, and its degrees of freedom."""
    models, users = values.shape
    freedom = (models - 1) * (users - 1)
    if freedom <= 0:
        return math.nan, 0
    apart = values - values[0]  # the models share most of a user's value
    left = apart - apart.mean(axis=0)
    left -= np.array([[mean_of(row)] for row in left])
    return root_of_squares(left.reshape(-1)) / math.sqrt(freedom * users), freedom
