"""One difference: its mean, interval, p-values by formula, and what it could have shown."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankmill.compare.scipy_stats import load_stats
from rankmill.inputs import Int64s
from rankmill.running import UNIT, Floats, exact_sum, ratio

LEVEL = 0.95
POWER = 0.8
_TIE_BITS = 40  # differences that agree in as many bits tie
_MOST_SIGNED = 13  # users for whom scipy, too, tries all signs where differences tie


@dataclass(frozen=True)
class Estimate:
    """A mean over users and its standard error; NaN where there are too few."""

    users: int
    mean: float
    error: float

    @property
    def t(self) -> float:
        """Student's t against a mean of 0; infinite if all differ alike, 0 if none differs."""
        if self.error > 0:
            return self.mean / self.error
        return math.copysign(math.inf, self.mean) if self.mean else self.error

    @property
    def p_value(self) -> float:
        """Two-sided p-value of the t-test; NaN for fewer than two users."""
        return float(2 * load_stats().t.sf(abs(self.t), self._freedom))

    @property
    def interval(self) -> tuple[float, float]:
        """Student's interval at `LEVEL`."""
        half = float(load_stats().t.ppf((1 + LEVEL) / 2, self._freedom)) * self.error
        return self.mean - half, self.mean + half

    @property
    def detectable(self) -> float:
        """The smallest effect found with chance `POWER` at level 1 - `LEVEL` (Bloom 1995)."""
        t = load_stats().t
        freedom = self._freedom
        return float(t.ppf((1 + LEVEL) / 2, freedom) + t.ppf(POWER, freedom)) * self.error

    @property
    def _freedom(self) -> float:
        return self.users - 1 if self.users > 1 else math.nan


def mean_of(values: Floats, weights: Floats | None = None) -> float:
    """Return the mean, weighted or not, correctly rounded; NaN of none."""
    if weights is None:
        total, count = exact_sum(values)
        return ratio(total, count << 1074)
    return ratio(exact_sum(values, weights)[0], exact_sum(weights)[0])


def estimate(values: Floats, weights: Floats | None = None) -> Estimate:
    """Return the mean and its standard error, s / sqrt(n).

    A weighted mean is a ratio of two means, sum(w d) / sum(w); s is then that of
    ``w (d - mean) / mean(w)`` (the linearised ratio estimator, Cochran 1977, chapter 6).
    """
    mean, users = mean_of(values, weights), len(values)
    if users < 2:
        return Estimate(users, mean, math.nan)
    apart = values - mean
    if weights is not None:
        apart = apart * (weights / mean_of(weights))
    return Estimate(users, mean, root_of_squares(apart) / math.sqrt((users - 1) * users))


def root_of_squares(values: Floats) -> float:
    """Return sqrt(sum(v^2)) of at least one value, without overflow or underflow."""
    size = int(np.frexp(np.abs(values).max())[1])
    scaled = np.ldexp(values, -size)
    return math.ldexp(math.sqrt(ratio(exact_sum(scaled * scaled)[0], UNIT)), size)


def wilcoxon_p(differences: Floats) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test, by `scipy.stats.wilcoxon`.

    Zeros are left out (Wilcoxon 1945); tied magnitudes share their mean rank. The null
    distribution is exact for at most 50 differences without ties or 13 with ties; beyond it is
    normal, with the variance corrected for ties and no correction for continuity. Values that
    agree in 40 bits tie: 0.3 - 0.2 and 0.2 - 0.1 are one difference. 1 if all are zero.
    """
    if not len(differences):
        return math.nan
    mantissas, exponents = np.frexp(differences[differences != 0])
    if not len(mantissas):
        return 1.0
    rounded = np.ldexp(np.rint(np.ldexp(mantissas, _TIE_BITS)), exponents - _TIE_BITS)
    stats = load_stats()
    ranks = stats.rankdata(np.abs(rounded))
    if len(rounded) > _MOST_SIGNED or len(np.unique(ranks)) == len(ranks):
        return float(stats.wilcoxon(rounded).pvalue)
    doubled = (2 * ranks).astype(np.int64)[:, np.newaxis]  # mean ranks are halves
    signed = int((np.sign(rounded) * doubled[:, 0]).sum())
    # What scipy does, too, but a hundred times as fast.
    return float(np.mean(np.abs(all_signs(doubled)) >= abs(signed)))


def all_signs(values: Int64s) -> Int64s:
    """Return the sums of (users, metrics) under each choice of the users' signs."""
    users = len(values)
    chosen = (np.arange(2**users)[:, np.newaxis] >> np.arange(users)) & 1
    sums: Int64s = (2 * chosen - 1) @ values
    return sums


def bootstrap_p(means: Floats, mean: float) -> float:
    """Return how often resampled means lie as far from the mean as the mean does from 0.

    The bootstrap test under a shifted null (Efron and Tibshirani 1993, section 16.4), two-sided;
    the sample itself counts as one more resample.
    """
    slack = 1e-12 * abs(mean)
    as_far = int((np.abs(means - mean) >= abs(mean) - slack).sum())
    return (as_far + 1) / (len(means) + 1)


def percentile_interval(means: Floats) -> tuple[float, float]:
    """Return the percentiles of resampled means that hold `LEVEL` between them."""
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return low, high
