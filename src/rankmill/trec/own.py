"""What only this release of trec_eval has: measures that look at each retrieved document."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from rankmill.inputs import NumpyArray
from rankmill.running import Floats
from rankmill.trec.reading import Rows

_PERSISTENCE: Final = 0.9
_UNJUDGED_CUTOFFS: Final = (5, 10, 20)
_SHOWN: Final = 10  # characters of relstring


def _per_query(rows: Rows, worth: NumpyArray) -> Floats:
    sums = np.bincount(rows.owner, weights=worth, minlength=len(rows.queries))
    return sums.astype(np.float64)


def _powers(rows: Rows) -> Floats:
    """Return the weight of each place, and of the one behind the longest list.

    One is made of the one before, and sums are weighed last, as trec_eval does: it may tell how
    the last digit printed is rounded.
    """
    longest = int(rows.lengths.max(initial=0))
    powers: Floats = np.cumprod(np.concatenate([[1.0], np.full(longest, _PERSISTENCE)]))
    return powers


def _biased(rows: Rows) -> dict[str, Floats]:
    """Rank-biased precision; grades above 1 are divided by the greatest of the query."""
    grades = np.maximum(np.nan_to_num(rows.grade), 0.0)
    greatest = np.ones(len(rows.queries))
    np.maximum.at(greatest, rows.owner, grades)
    np.maximum.at(greatest, rows.missed_owner, rows.missed_grade)
    worth = grades / greatest[rows.owner] * _powers(rows)[rows.place]
    return {"rbp": (1 - _PERSISTENCE) * _per_query(rows, worth)}


def _unjudged(rows: Rows) -> NumpyArray:
    unjudged: NumpyArray = np.isnan(rows.grade) | (rows.grade < 0)
    return unjudged


def _residual(rows: Rows) -> dict[str, Floats]:
    """Tell what rank-biased precision would gain if all that was not judged were relevant."""
    unjudged, powers = _unjudged(rows), _powers(rows)
    within = (1 - _PERSISTENCE) * _per_query(rows, unjudged * powers[rows.place])
    any_unjudged = _per_query(rows, unjudged) > 0
    return {"rbp_resid": np.where(any_unjudged, powers[rows.lengths] + within, 0.0)}


def _unjudged_share(rows: Rows) -> dict[str, Floats]:
    """Share of the first places that hold a document without a judgement."""
    unjudged, place = _unjudged(rows), rows.place
    return {f"unj_{k}": _per_query(rows, unjudged & (place < k)) / k for k in _UNJUDGED_CUTOFFS}


OWN: Final[dict[str, Callable[[Rows], dict[str, Floats]]]] = {
    "rbp": _biased,
    "rbp_resid": _residual,
    "unj": _unjudged_share,
}


def first_judgements(rows: Rows) -> list[str]:
    """Show the first retrieved documents: a grade, - for no judgement, . for pooled only."""
    shown = rows.place < _SHOWN
    marks = [_mark(grade) for grade in rows.grade[shown].tolist()]
    ends = np.cumsum(np.minimum(rows.lengths, _SHOWN)).tolist()
    return ["".join(marks[start:end]) for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _mark(grade: float) -> str:
    if math.isnan(grade):
        return "-"
    if grade < 0:
        return "."
    return ">" if grade > 9 else str(int(grade))
