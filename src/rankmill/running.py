"""`RunningMean`: the same bits for any split of the values, in any order."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rankmill._engine import N_LIMBS, exact_add, exact_moments
from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import any_array

Floats = npt.NDArray[np.float64]

#: The engine's sums are integers in units of 2^-1074, the smallest double.
UNIT: Final = 1 << 1074
#: Half of a 95 % interval in standard errors, of the normal distribution.
HALF_WIDTH: Final = 1.959963984540054


def exact_sum(values: Floats, weights: Floats | None = None) -> tuple[int, int]:
    """Return the sum of the values that are not NaN in units of 2^-1074, and their number."""
    limbs = np.zeros(N_LIMBS, dtype=np.int64)
    count = np.zeros(1, dtype=np.int64)
    exact_add(values, weights, limbs, count)
    return whole(limbs), int(count[0])


def whole(limbs: npt.NDArray[np.int64]) -> int:
    """Return the integer that the engine's limbs stand for."""
    used = np.flatnonzero(limbs).tolist()
    return sum(int(limbs[place]) << (32 * place) for place in used)


def ratio(total: int, other: int) -> float:
    """Return total / other, correctly rounded; NaN for 0 / 0."""
    return total / other if other else float("nan")


def variance(total: int, squares: int, count: int) -> float:
    """Return the variance (n - 1) of values from their exact sums, rounded once; NaN of one."""
    return _spread(total, squares, count, 1)


def standard_error(total: int, squares: int, count: int) -> float:
    """Return the standard error of the mean of values from their exact sums; NaN of one."""
    return math.sqrt(_spread(total, squares, count, count))


def _spread(total: int, squares: int, count: int, divisor: int) -> float:
    """Return the variance over a divisor, rounded once."""
    if count < 2:
        return float("nan")
    spread = squares * UNIT * count - total * total  # in units of 2^-2148 / count
    return spread / (UNIT * UNIT * count * (count - 1) * divisor) if spread > 0 else 0.0


class Moments:
    """Exact sums of values and of their squares, a row each, the same for any blocks of users.

    NaN is left out.
    """

    def __init__(self, rows: int) -> None:
        self.counts = np.zeros(rows, dtype=np.int64)
        self._sums, self._squares = np.zeros((2, rows, N_LIMBS), dtype=np.int64)

    def add(self, values: Floats) -> None:
        """Add a block of users, a column each."""
        exact_moments(values, self._sums, self._squares, self.counts)

    def rows(self) -> list[tuple[int, int, int]]:
        """Return of each row the sum and the sum of the squares, in UNITs, and the count."""
        sums, squares = map(whole, self._sums), map(whole, self._squares)
        return list(zip(sums, squares, self.counts.tolist(), strict=True))

    def means(self) -> Floats:
        """Return the mean of each row."""
        return np.array([ratio(total, count * UNIT) for total, _, count in self.rows()])

    def standard_errors(self) -> Floats:
        """Return the standard error of each mean."""
        return np.array([standard_error(*row) for row in self.rows()])


class RunningMean:
    """Mean of a stream of per-user values; NaN values (undefined) are left out.

    The sum is exact, so the mean is the correctly rounded one and does not depend on how the
    values were split into batches, on their order, or on the order of merging.

    Examples
    --------
    >>> whole = RunningMean().update([0.1, 0.2, float("nan"), 0.3])
    >>> parts = RunningMean().update([0.3, 0.1]).merge(RunningMean().update([0.2]))
    >>> whole.mean == parts.mean, whole.count
    (True, 3)
    """

    __slots__ = ("_count", "_total")

    def __init__(self) -> None:
        self._total = 0
        self._count = 0

    @property
    def count(self) -> int:
        """Number of values that were not NaN."""
        return self._count

    @property
    def mean(self) -> float:
        """Mean of them; NaN while there is none."""
        return ratio(self._total, self._count * UNIT)

    def update(self, values: Any) -> RunningMean:
        """Add a batch of values, or one value; returns itself."""
        total, count = exact_sum(finite_values("values", values))
        self._total += total
        self._count += count
        return self

    def merge(self, other: RunningMean) -> RunningMean:
        """Add what another one has seen; returns itself."""
        if not isinstance(other, RunningMean):
            raise InputTypeError(f"other: got {type(other).__name__}; wanted a RunningMean")
        self._total += other._total
        self._count += other._count
        return self

    def __repr__(self) -> str:
        return f"RunningMean(mean={self.mean!r}, count={self.count})"


def finite_values(name: str, values: Any) -> Floats:
    """Return a 1-D float64 array of finite values or NaN."""
    array = any_array(name, values)
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name}: got dtype {array.dtype}; wanted real numbers")
    flat = np.ascontiguousarray(array, dtype=np.float64).reshape(-1)
    if np.isinf(flat).any():
        at = int(np.argmax(np.isinf(flat)))
        raise InputError(
            f"{name}: got {flat[at]} at {at}; wanted finite values (NaN where undefined)"
        )
    return flat
