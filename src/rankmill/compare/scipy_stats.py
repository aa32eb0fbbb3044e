"""scipy.stats, which the core does without."""

from __future__ import annotations

from typing import Any

from rankmill.errors import MissingDependencyError


def load_stats() -> Any:
    """Import `scipy.stats`."""
    try:
        from scipy import stats
    except ImportError:
        raise MissingDependencyError(
            "comparing models needs scipy; wanted: pip install 'rankmill[stats]'"
        ) from None
    return stats
