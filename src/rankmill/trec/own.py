"""What only this release of trec_eval has, and measures with parameters of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from rankmill.compat.trec_measures import harmonic_mean
from rankmill.compat.trec_ranks import Judgements
from rankmill.conventions import Conventions
from rankmill.evaluate import measure
from rankmill.inputs import NumpyArray
from rankmill.metrics import Metric
from rankmill.running import Floats
from rankmill.trec.asked import Asked
from rankmill.trec.gains import MEASURES, by_gain, gains_of, levels, n_levels
from rankmill.trec.reading import Rows

_PERSISTENCE: Final = 0.9
_UNJUDGED_CUTOFFS: Final = (5, 10, 20)
_SHOWN: Final = 10  # characters of relstring


def _per_query(rows: Rows, worth: NumpyArray) -> Floats:
    sums = np.bincount(rows.owner, weights=worth, minlength=len(rows.queries))
    return sums.astype(np.float64)


def _powers(rows: Rows, persistence: float) -> Floats:
    """Return the weight of each place, and of the one behind the longest list.

    One is made of the one before, and sums are weighed last, as trec_eval does: it may tell how
    the last digit printed is rounded.
    """
    longest = int(rows.lengths.max(initial=0))
    powers: Floats = np.cumprod(np.concatenate([[1.0], np.full(longest, persistence)]))
    return powers


def _persistence(asked: Asked) -> float:
    return _PERSISTENCE if asked.persistence is None else asked.persistence


def _biased(rows: Rows, asked: Asked) -> Floats:
    """Rank-biased precision; gains above 1 are divided by the greatest of the query."""
    p, gains = _persistence(asked), asked.gains or {}
    if gains:
        counts = n_levels(rows)
        greatest = np.ones(len(counts))
        for count in np.unique(counts).tolist():
            most = max(gain for _, gain in levels(gains, count))
            greatest[counts == count] = max(most, 1.0)
    else:
        greatest = _greatest_grade(rows)
    worth = gains_of(rows.grade, gains) / greatest[rows.owner] * _powers(rows, p)[rows.place]
    return (1 - p) * _per_query(rows, worth)


def _greatest_grade(rows: Rows) -> Floats:
    greatest = np.ones(len(rows.queries))
    np.maximum.at(greatest, rows.owner, np.nan_to_num(rows.grade))
    np.maximum.at(greatest, rows.missed_owner, rows.missed_grade)
    return greatest


def _unjudged(rows: Rows) -> NumpyArray:
    unjudged: NumpyArray = np.isnan(rows.grade) | (rows.grade < 0)
    return unjudged


def _residual(rows: Rows, asked: Asked) -> Floats:
    """Tell what rank-biased precision would gain if all that was not judged were relevant."""
    p = _persistence(asked)
    unjudged, powers = _unjudged(rows), _powers(rows, p)
    within = (1 - p) * _per_query(rows, unjudged * powers[rows.place])
    any_unjudged = _per_query(rows, unjudged) > 0
    return np.where(any_unjudged, powers[rows.lengths] + within, 0.0)


def _unjudged_shares(rows: Rows, asked: Asked) -> dict[str, Floats]:
    """Share of the first places that hold a document without a judgement."""
    unjudged, place = _unjudged(rows), rows.place
    return {
        f"unj_{k:.0f}": _per_query(rows, unjudged & (place < k)) / k
        for k in asked.numbers or _UNJUDGED_CUTOFFS
    }


def _smoothed(judged: Judgements) -> Floats:
    """Average precision as its author smooths it: the logarithm of what are odds of relevance."""
    total = judged.ap * judged.relevant
    return np.log((1.0 + total) / (1.0 + judged.relevant - total))


def _utility(rows: Rows, judged: Judgements, asked: Asked) -> Floats:
    """Weigh what was retrieved, relevant, both and none; 0 for a query that the run lacks."""
    hit, extra, missed, rest = asked.numbers
    hits, retrieved, relevant = judged.hits, judged.retrieved, judged.relevant
    found = hit * hits + extra * (retrieved - hits) + missed * (relevant - hits)
    found += rest * (hits - retrieved - relevant)  # the collection counts as empty, without -N
    return np.where(rows.lengths > 0, found, 0.0)


def _mean_at_levels(judged: Judgements, asked: Asked, rules: Conventions) -> Floats:
    names = {x: Metric.parse(f"iprec(recall={x!r})") for x in asked.numbers}
    result = measure(judged.ranks, list(names.values()), conventions=rules)
    at_levels = [result[names[x]] for x in reversed(asked.numbers)]
    total: Floats = np.cumsum(at_levels, axis=0)[-1]
    return total / len(at_levels)


_OWN: Final[dict[str, Callable[[Rows, Judgements, Asked, Conventions], Floats]]] = {
    "rbp": lambda rows, _judged, asked, _rules: _biased(rows, asked),
    "rbp_resid": lambda rows, _judged, asked, _rules: _residual(rows, asked),
    "yaap": lambda _rows, judged, _asked, _rules: _smoothed(judged),
    "utility": lambda rows, judged, asked, _rules: _utility(rows, judged, asked),
    "set_F": lambda _rows, judged, asked, _rules: harmonic_mean(judged, asked.numbers[0]),
    "relstring": lambda rows, _judged, _asked, _rules: np.zeros(len(rows.queries)),
    "11pt_avg": lambda _rows, judged, asked, rules: _mean_at_levels(judged, asked, rules),
}
#: Measures that are computed here whether they have parameters or not.
ALWAYS: Final = ("dcg", "ideal_dcg", "yaap", "rbp", "rbp_resid", "unj")


def values_of(
    rows: Rows, judged: Judgements, asked: Asked, rules: Conventions
) -> dict[str, Floats]:
    """Return the values of a measure for each query, by the names that are printed."""
    if asked.base == "unj":
        return _unjudged_shares(rows, asked)
    if asked.base in MEASURES:
        return {asked.name: by_gain(rows, judged, asked.base, asked.gains or {})}
    return {asked.name: _OWN[asked.base](rows, judged, asked, rules)}


def first_judgements(rows: Rows, asked: Asked) -> list[str]:
    """Show the first retrieved documents: a grade, - for no judgement, . for pooled only."""
    length = int(asked.numbers[0]) if asked.numbers else _SHOWN
    shown = rows.place < length
    marks = [_mark(grade) for grade in rows.grade[shown].tolist()]
    ends = np.cumsum(np.minimum(rows.lengths, length)).tolist()
    return ["".join(marks[start:end]) for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _mark(grade: float) -> str:
    if math.isnan(grade):
        return "-"
    if grade < 0:
        return "."
    return ">" if grade > 9 else str(int(grade))
