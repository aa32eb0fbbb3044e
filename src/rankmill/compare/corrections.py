"""P-values of many tests at once: Holm, and Benjamini and Hochberg."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankmill.compare.scipy_stats import load_stats
from rankmill.running import Floats


def holm(p_values: Floats) -> Floats:
    """Correct so that the chance of any false discovery is kept (Holm 1979).

    The i-th smallest of m becomes the greatest of ``(m - j + 1) p_j`` for j <= i, at most 1. NaN
    stays NaN and counts for nothing.

    Examples
    --------
    >>> import numpy as np
    >>> holm(np.array([0.01, 0.04, 0.03, np.nan])).tolist()
    [0.03, 0.06, 0.06, nan]
    """
    return _defined(_holm, p_values)


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Correct so that the share of false discoveries is kept (Benjamini and Hochberg 1995).

    By `scipy.stats.false_discovery_control`. NaN stays NaN and counts for nothing.

    Examples
    --------
    >>> import numpy as np
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03, np.nan])).tolist()
    [0.03, 0.04, 0.04, nan]
    """
    return _defined(load_stats().false_discovery_control, p_values)


def _holm(p_values: Floats) -> Floats:
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p_values[order]), 1.0)
    return adjusted


def _defined(correct: Callable[[Floats], Floats], p_values: Floats) -> Floats:
    """Correct those that are defined."""
    adjusted = np.full(len(p_values), np.nan)
    known = ~np.isnan(p_values)
    if known.any():
        adjusted[known] = correct(p_values[known])
    return adjusted
