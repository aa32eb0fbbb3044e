"""Sums of resampled users by the engine, of values as whole numbers."""

from __future__ import annotations

import numpy as np

from rankmill._engine import Run, resample
from rankmill.compare.statistics import all_signs
from rankmill.inputs import Int64s
from rankmill.running import Floats
from rankmill.status import explainer

_LANES = 4  # metrics of a group
TOGETHER = 12  # metrics that the engine sums at once
_USERS_AT_ONCE = 1 << 18
_SUM_BITS = 61  # of a sum over all users, which the engine keeps in 64


def bootstrap_sums(rows: Floats, resamples: int, seed: int, run: Run) -> Floats:
    """Return (resamples, metrics): the sums over as many users, drawn with replacement.

    Parameters
    ----------
    rows : float64 (metrics, users)
        Finite. Rounded to a multiple of 2^-61 of the power of two above users x the greatest.
    """
    parts = [
        _unscaled(_sums(values, False, resamples, seed, run), exponents)
        for values, exponents in _packed(rows)
    ]
    return np.concatenate(parts, axis=1)


def randomization_p(rows: Floats, resamples: int, seed: int, run: Run) -> Floats:
    """Return (metrics,): the chance that random signs give a sum as far from 0, or farther.

    Sums that differ by less than the rounding of the values count as equal. With at most
    ``resamples`` ways to choose the signs all of them are looked at; otherwise the sums as they
    are count as one more resample, so that no p-value is 0 (Phipson and Smyth 2010).
    """
    parts = [_randomization(values, resamples, seed, run) for values, _ in _packed(rows)]
    return np.concatenate(parts)[: len(rows)]


def _randomization(values: Int64s, resamples: int, seed: int, run: Run) -> Floats:
    n_users = values.shape[1]
    total = values.sum(axis=1).reshape(-1)
    is_small = 2**n_users <= resamples
    if is_small:
        sums = np.concatenate([all_signs(group) for group in values], axis=1)
    else:
        sums = 2 * _sums(values, True, resamples, seed, run) - total
    as_far = (np.abs(sums) >= np.abs(total) - n_users).sum(axis=0)
    chance: Floats = (as_far + (not is_small)) / (len(sums) + (not is_small))
    return chance


def _packed(rows: Floats) -> list[tuple[Int64s, Int64s]]:
    """Round to whole numbers in the engine's layout, a dozen metrics at a time."""
    return [_pack(rows[at : at + TOGETHER]) for at in range(0, len(rows), TOGETHER)]


def _pack(rows: Floats) -> tuple[Int64s, Int64s]:
    n_rows, n_users = rows.shape
    shape = (-(-n_rows // _LANES), n_users, _LANES)
    values = _aligned(shape)
    greatest = [
        max(float(numbers.max(initial=0.0)), -float(numbers.min(initial=0.0))) for numbers in rows
    ]
    exponents = _SUM_BITS - n_users.bit_length() - np.frexp(greatest)[1].astype(np.int64)
    for first in range(0, n_users, _USERS_AT_ONCE):  # Ctrl-C is heard between two of them
        users = slice(first, first + _USERS_AT_ONCE)
        values[-1, users] = 0
        for row, numbers in enumerate(rows):
            scaled = np.rint(np.ldexp(numbers[users], exponents[row]))
            values[row // _LANES, users, row % _LANES] = scaled
    return values, exponents


def _aligned(shape: tuple[int, ...]) -> Int64s:
    """Make room that starts a cache line, which no vector of the engine then straddles."""
    size = int(np.prod(shape))
    room = np.empty(size + 8, dtype=np.int64)
    start = -room.ctypes.data // 8 % 8
    return room[start : start + size].reshape(shape)


def _sums(values: Int64s, coins: bool, resamples: int, seed: int, run: Run) -> Int64s:
    sums = np.empty((resamples, len(values), _LANES), dtype=np.int64)
    resample(values, coins, seed, 0, run, sums, explainer())
    return sums.reshape(resamples, -1)


def _unscaled(sums: Int64s, exponents: Int64s) -> Floats:
    floats: Floats = np.ldexp(sums[:, : len(exponents)].astype(np.float64), -exponents)
    return floats
