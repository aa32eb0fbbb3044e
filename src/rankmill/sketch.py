"""Counts of values by their leading bits: mergeable, the same for any split and order."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rankmill.inputs import Int64s
from rankmill.running import Floats

#: Bits of the mantissa that tell buckets apart: a bucket spans less than 1 / 1024 of its values.
MANTISSA_BITS = 10
_DROPPED = 52 - MANTISSA_BITS


class Sketch:
    """How often values fall into buckets, from which quantiles follow.

    A bucket holds the numbers of one sign, one exponent and the same 10 leading bits after the
    first. Its least number in size, which stands for all, is off by less than 1 / 1024 of the
    value, and exact for 0, 1, 1/2, 3/4 and all that needs no more bits. There are 1,024 buckets for
    each power of two that values reach, whatever their number.

    Examples
    --------
    >>> sketch = Sketch().update(np.array([0.0, 0.5, 1.0, 1 / 3]))
    >>> sketch.quantile(0.5), sketch.quantile(0.75)
    (0.333251953125, 0.5)
    """

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def update(self, values: Floats) -> Sketch:
        """Add values, NaN left out; returns itself."""
        kept = values[~np.isnan(values)] + 0.0  # -0.0 counts as 0.0
        buckets, counts = np.unique(kept.view(np.int64) >> _DROPPED, return_counts=True)
        self._add(zip(buckets.tolist(), counts.tolist(), strict=True))
        return self

    def merge(self, other: Sketch) -> Sketch:
        """Add what another one has seen; returns itself."""
        self._add(other._counts.items())
        return self

    def _add(self, counts: Iterable[tuple[int, int]]) -> None:
        for bucket, count in counts:
            self._counts[bucket] = self._counts.get(bucket, 0) + count

    def quantile(self, q: float) -> float:
        """Return the least value that at least a share q of the values does not exceed.

        That of its bucket; NaN if there are no values.
        """
        if not self._counts:
            return float("nan")
        values, counts = self._sorted()
        reached = np.cumsum(counts)
        return float(values[np.searchsorted(reached, q * reached[-1], side="left")])

    def _sorted(self) -> tuple[Floats, Int64s]:
        buckets = np.fromiter(self._counts, dtype=np.int64, count=len(self._counts))
        counts = np.fromiter(self._counts.values(), dtype=np.int64, count=len(buckets))
        values = (buckets << _DROPPED).view(np.float64)
        order = np.argsort(values)
        return values[order], counts[order]
