"""`PooledAUC`: the AUC of the rows of all users together, from counts that merge."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import Int64s, label_array, numeric_array

_BITS = 20
_SIGN_FREE = 0x7FFFFFFF


class PooledAUC:
    """AUC over all rows at once, users set aside, of rows that come in batches, on any machine.

    Scores are counted by the leading bits of their float32 values, which order as the scores do;
    pairs of a relevant and another row whose scores fall into one bin are ties here, whatever they
    are. `auc` counts a tie as one half, and is off by no more than half of the share of such pairs:
    the exact AUC lies in [`low`, `high`]. The counts, and so the three, are the same for any split,
    order and merging. `auc_score` has the exact value where all rows fit in memory.

    Parameters
    ----------
    bits : int
        Leading bits kept, 10 to 24: sign, 8 bits of the exponent, the rest of the mantissa.
        Memory is 16 bytes times 2**bits, 16 MiB by default, where scores less than 1 / 2,048 apart
        may share a bin.

    Examples
    --------
    >>> import rankmill as rm
    >>> pooled = rm.PooledAUC().update([0.9, 0.1, 0.5], [1, 0, 0])
    >>> pooled.merge(rm.PooledAUC().update([0.2, 0.7], [1, 0])).auc
    0.6666666666666666
    """

    def __init__(self, bits: int = _BITS) -> None:
        if bits not in range(10, 25):
            raise InputError(f"bits: got {bits!r}; wanted an integer from 10 to 24")
        self.bits = bits
        self._counts = np.zeros((2, 1 << bits), dtype=np.int64)  # others, relevant

    def update(self, scores: Any, labels: Any) -> PooledAUC:
        """Add rows: scores and labels of one shape, label > 0 is relevant; returns itself."""
        values, grades = numeric_array("scores", scores), label_array("labels", labels)
        if values.shape != grades.shape:
            raise InputError(f"labels: got shape {grades.shape}; wanted {values.shape}, of scores")
        if values.dtype.kind == "f" and np.isnan(values).any():
            at = int(np.argmax(np.isnan(values.reshape(-1))))
            raise InputError(f"scores: NaN at row {at}; wanted a number (infinities are fine)")
        if grades.dtype.kind == "f" and np.isnan(grades).any():
            at = int(np.argmax(np.isnan(grades.reshape(-1))))
            raise InputError(f"labels: NaN at row {at}; wanted a grade")
        bins = self._bins(values.reshape(-1))
        relevant = grades.reshape(-1) > 0
        for kind in (0, 1):
            self._counts[kind] += np.bincount(bins[relevant == kind], minlength=1 << self.bits)
        return self

    def _bins(self, values: np.ndarray[Any, Any]) -> Int64s:
        with np.errstate(over="ignore"):  # rounding keeps the order; too large is infinite
            single = values.astype(np.float32) + np.float32(0.0)  # -0.0 is 0.0
        signed = single.view(np.int32)
        ordered = np.where(signed < 0, signed ^ _SIGN_FREE, signed).astype(np.int64)
        return (ordered + (1 << 31)) >> (32 - self.bits)

    def merge(self, other: PooledAUC) -> PooledAUC:
        """Add what another one has counted; returns itself."""
        if not isinstance(other, PooledAUC):
            raise InputTypeError(f"other: got {type(other).__name__}; wanted a PooledAUC")
        if other.bits != self.bits:
            raise InputError(f"other: got {other.bits} bits; wanted {self.bits}")
        self._counts += other._counts
        return self

    @property
    def n_relevant(self) -> int:
        """Relevant rows."""
        return int(self._counts[1].sum())

    @property
    def n_others(self) -> int:
        """Other rows."""
        return int(self._counts[0].sum())

    @property
    def auc(self) -> float:
        """Share of pairs in the right order, those of one bin as one half; NaN without pairs."""
        return self._share(1, 2)

    @property
    def low(self) -> float:
        """The least that the exact AUC can be."""
        return self._share(0, 1)

    @property
    def high(self) -> float:
        """The most that the exact AUC can be."""
        return self._share(1, 1)

    def _share(self, tied: int, over: int) -> float:
        """Count pairs as Python integers, which do not overflow."""
        used = np.flatnonzero(self._counts.any(axis=0))
        others, relevant = self._counts[:, used]
        below = np.cumsum(others) - others
        right = sum(map(int.__mul__, relevant.tolist(), below.tolist()))
        shared = sum(map(int.__mul__, relevant.tolist(), others.tolist()))
        pairs = self.n_relevant * self.n_others
        return (right * over + shared * tied) / (pairs * over) if pairs else float("nan")

    def __repr__(self) -> str:
        return f"PooledAUC(auc={self.auc!r}, low={self.low!r}, high={self.high!r})"
