"""Counts of values by their leading bits: mergeable, the same for any split and order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from rankmill.inputs import Int64s
from rankmill.running import Floats

#: Bits of the mantissa that tell buckets apart: a bucket spans less than 1 / 1024 of its values.
MANTISSA_BITS = 10
_DROPPED = 52 - MANTISSA_BITS
_AT_ONCE: Final = 1 << 15  # values that wait to be counted, which small batches would do dearly
_NARROW: Final = 1 << 16


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

    __slots__ = ("_counts", "_n_waiting", "_waiting")

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self._waiting: list[Int64s] = []
        self._n_waiting = 0

    def update(self, values: Floats) -> Sketch:
        """Add values, NaN left out; returns itself."""
        kept = values[~np.isnan(values)] + 0.0  # -0.0 counts as 0.0
        self._wait(kept.view(np.int64) >> _DROPPED)
        return self

    def merge(self, other: Sketch) -> Sketch:
        """Add what another one has seen; returns itself."""
        self._add(other._counts.items())
        for buckets in other._waiting:
            self._wait(buckets)
        return self

    def _wait(self, buckets: Int64s) -> None:
        self._waiting.append(buckets)
        self._n_waiting += len(buckets)
        if self._n_waiting >= _AT_ONCE:
            self._count()

    def _count(self) -> None:
        """Count what waits."""
        if self._waiting:
            self._add(_counted(np.concatenate(self._waiting)))
        self._waiting, self._n_waiting = [], 0

    def _add(self, counts: Iterable[tuple[int, int]]) -> None:
        for bucket, count in counts:
            self._counts[bucket] = self._counts.get(bucket, 0) + count

    def quantile(self, q: float) -> float:
        """Return the least value that at least a share q of the values does not exceed.

        That of its bucket; NaN if there are no values.
        """
        self._count()
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


def _counted(buckets: Int64s) -> list[tuple[int, int]]:
    """Return how often each bucket stands there.

    Those of most metrics lie so close together, but for 0, that they need no sorting.
    """
    others = buckets[buckets != 0]
    n_zeros = len(buckets) - len(others)
    found = [(0, n_zeros)] if n_zeros else []
    if not len(others):
        return found
    first = others.min()
    if others.max() - first < _NARROW:
        counts = np.bincount(others - first)
        used = np.flatnonzero(counts)
        others, counts = used + first, counts[used]
    else:
        others, counts = np.unique(others, return_counts=True)
    return found + list(zip(others.tolist(), counts.tolist(), strict=True))
