"""Gains that are chosen by grade, as in "ndcg.1=3.5,2=9": documents, and their best order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from rankmill.compat import trec_gains
from rankmill.compat.trec_gains import Line, Lines, in_order
from rankmill.compat.trec_ranks import Judgements, ratio
from rankmill.errors import InputError
from rankmill.inputs import Int64s
from rankmill.running import Floats
from rankmill.trec.reading import Rows

_UNJUDGED, _POOLED = -1, -2  # what trec_eval takes for their grades
_MOST: Final = 1000  # a grade; levels are counted up to it

Gains = Mapping[int, float]
_Levels = list[tuple[int, float]]


def levels(gains: Gains, n_levels: int) -> _Levels:
    """Return grades with their gains, ascending as trec_eval sorts them.

    It compares gains by their difference as a whole number, so that which of two that are less
    than 1 apart comes first is up to the sort: the merge sort of the GNU C library.
    """
    given = list(gains.items())
    return _sorted(
        given + [(grade, float(grade)) for grade in range(n_levels) if grade not in gains]
    )


def _sorted(some: _Levels) -> _Levels:
    middle = len(some) // 2
    if not middle:
        return some
    first, second = _sorted(some[:middle]), _sorted(some[middle:])
    merged = []
    while first and second:
        before = int(first[0][1] - second[0][1]) <= 0
        merged.append((first if before else second).pop(0))
    return merged + first + second


def n_levels(rows: Rows) -> Int64s:
    """Return the greatest grade of each query, and 1."""
    found = np.ones(len(rows.queries))
    np.maximum.at(found, rows.owner, np.nan_to_num(rows.grade, nan=-1.0) + 1)
    np.maximum.at(found, rows.missed_owner, rows.missed_grade + 1)
    if found.max(initial=0) > _MOST + 1:
        raise InputError(
            f"measures: got gains by grade, and a grade {found.max() - 1:.0f}; wanted grades up to "
            f"{_MOST}"
        )
    return found.astype(np.int64)


def gains_of(grades: Floats, gains: Gains) -> Floats:
    """Return the gain of each document: its grade, where none is given."""
    level = np.where(np.isnan(grades), _UNJUDGED, np.where(grades < 0, _POOLED, grades))
    found = np.maximum(level, 0.0)
    for grade, worth in gains.items():
        found[level == grade] = worth
    return found


def _best(rows: Rows, gains: Gains) -> Line:
    """Return the judged documents, best first, up to the first without a gain."""
    grades = np.concatenate([rows.grade, rows.missed_grade])
    owners = np.concatenate([rows.owner, rows.missed_owner])
    judged = grades >= 0
    grades, owners = grades[judged].astype(np.int64), owners[judged]
    place = np.empty(len(grades), dtype=np.int64)
    counts = n_levels(rows)
    for count in np.unique(counts).tolist():
        order = levels(gains, count)[::-1]
        places = {grade: at for at, (grade, _) in enumerate(order)}
        table = np.array([places[grade] for grade in range(count)], dtype=np.int64)
        some = counts[owners] == count
        # Nothing is ideal where the best of all grades gains nothing.
        place[some] = table[grades[some]] if order[0][1] > 0 else -1
    kept = np.lexsort((place, owners))
    kept = kept[place[kept] >= 0]
    line = in_order(owners[kept], gains_of(grades[kept].astype(np.float64), gains))
    ended = np.flatnonzero(line.gain <= 0)
    first = np.full(len(rows.queries), np.iinfo(np.int64).max)
    np.minimum.at(first, line.query[ended], line.rank[ended])
    whole = line.rank < first[line.query]
    return Line(line.query[whole], line.rank[whole], line.gain[whole])


def lines_of(rows: Rows, judged: Judgements, gains: Gains) -> Lines:
    """Return the documents of a gain as they were retrieved, and in the best order."""
    worth = gains_of(rows.grade, gains)
    kept = np.flatnonzero(worth)
    found = Line(rows.owner[kept], rows.place[kept] + 1, worth[kept])
    return Lines(found, _best(rows, gains), judged.retrieved, judged.relevant)


def _dcg(lines: Lines, line: Line) -> Floats:
    return lines.per_query(line, line.gain / np.log2(line.rank + 1.0))


#: What is made of them.
MEASURES: Final[dict[str, Callable[[Lines], Floats]]] = {
    "dcg": lambda lines: _dcg(lines, lines.found),
    "ideal_dcg": lambda lines: _dcg(lines, lines.ideal),
    "ndcg": lambda lines: ratio(_dcg(lines, lines.found), _dcg(lines, lines.ideal)),
    "ndcg_rel": trec_gains.ndcg_at_relevant,
    "Rndcg": trec_gains.ndcg_at_levels,
    "G": trec_gains.gain,
}


def by_gain(rows: Rows, judged: Judgements, base: str, gains: Gains) -> Floats:
    """Return a measure of chosen gains for each query."""
    with np.errstate(divide="ignore", invalid="ignore"):  # negative gains; what comes of them is 0
        return MEASURES[base](lines_of(rows, judged, gains))
