"""Measures that know which items were judged not relevant, and which were not judged at all.

They take two `Ranks` of the same users and candidates: one of the relevant items, as ever, and one
made with the other judged items in the place of the relevant. Both must hold places: rank with
``ties="input_order"`` or ``"id_descending"``, or give lists.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmill.errors import InputError
from rankmill.inputs import Int64s, NumpyArray
from rankmill.ranks import UNRANKED, Ranks
from rankmill.running import Floats

#: The grade, among the other judged items, of those that were pooled and never looked at.
UNSEEN: Final = 2.0
_SMALL: Final = 1e-5  # keeps a precision of nothing from being 0 / 0


def bpref(relevant: Ranks, others: Ranks, *, min_grade: float = 0.0) -> Floats:
    """Return binary preference, float64 (users,): 1 - min(n, R) / min(N, R), averaged over R.

    n counts the items judged not relevant that stand above a relevant one, N all of them. A
    relevant item that was not ranked counts 0. NaN without a relevant item. Range 0 to 1.

    References
    ----------
    Buckley & Voorhees 2004, SIGIR; as trec_eval computes it.

    Examples
    --------
    >>> import rankmill as rm
    >>> lists = [["a", "x", "b", "y"]]
    >>> relevant = rm.rank_lists(lists, [{"a", "b"}])
    >>> bpref(relevant, rm.rank_lists(lists, [{"x", "y"}]))
    array([0.75])
    """
    found = _Found(relevant, others, min_grade)
    seen = np.bincount(_owners(others)[others.grade != UNSEEN], minlength=len(relevant))
    least = np.minimum(seen, found.relevant)[found.users]
    above = np.minimum(found.above(others, others.grade != UNSEEN), found.relevant[found.users])
    lost = np.divide(above, least, out=np.zeros(len(above)), where=above > 0)
    return found.share(1.0 - lost)


def inferred_ap(relevant: Ranks, others: Ranks, *, min_grade: float = 0.0) -> Floats:
    """Return average precision estimated from a judged sample of a pool, float64 (users,).

    Items of `others` of grade `UNSEEN` were pooled and not judged; what neither Ranks has was not
    pooled, and counts as not relevant. NaN without a relevant item. Range 0 to 1.

    References
    ----------
    Yilmaz & Aslam 2006, CIKM; as trec_eval computes it (infAP).

    Examples
    --------
    >>> import rankmill as rm
    >>> lists = [["a", "x", "b"]]
    >>> relevant = rm.rank_lists(lists, [{"a", "b"}])
    >>> inferred_ap(relevant, rm.rank_lists(lists, [{"x": 1}])).round(4)
    array([0.8333])
    """
    found = _Found(relevant, others, min_grade)
    hits = found.above(relevant, found.counted)
    nonrelevant = found.above(others, others.grade != UNSEEN)
    pooled = hits + nonrelevant + found.above(others, others.grade == UNSEEN)
    before = found.places.astype(np.float64)
    share = (hits + _SMALL) / (hits + nonrelevant + 2 * _SMALL)
    expected = 1.0 / (before + 1.0) + pooled / (before + 1.0) * share
    return found.share(np.where(before == 0, 1.0, expected))


def judged_at_k(relevant: Ranks, others: Ranks, k: int) -> Floats:
    """Return the share of the first k places, or of all if fewer, that hold a judged item.

    NaN for a user without candidates. Range 0 to 1.

    Examples
    --------
    >>> import rankmill as rm
    >>> lists = [["a", "x", "u"]]
    >>> judged_at_k(rm.rank_lists(lists, [{"a"}]), rm.rank_lists(lists, [{"x"}]), 3)
    array([0.66666667])
    """
    places = np.minimum(relevant.candidates, k).astype(np.float64)
    within = np.zeros(len(relevant))
    for ranks, counted in ((relevant, True), (others, others.grade != UNSEEN)):
        keep = (places_of(ranks) < k) & counted
        within += np.bincount(_owners(ranks)[keep], minlength=len(ranks))
    return _share(within, places)


def judged_retrieved(others: Ranks) -> Int64s:
    """Return how many items judged not relevant were ranked, per user."""
    keep = (places_of(others) != UNRANKED) & (others.grade != UNSEEN)
    counts: Int64s = np.bincount(_owners(others)[keep], minlength=len(others))
    return counts


def places_of(ranks: Ranks) -> NumpyArray:
    """Return the 0-based place of every entry; `UNRANKED` if it was no candidate."""
    if ranks.position is not None:
        return ranks.position
    if (ranks.tied > 1).any():
        raise InputError("Ranks: scores tie; wanted ties='input_order' or 'id_descending'")
    return ranks.ahead


def _owners(ranks: Ranks) -> Int64s:
    return np.repeat(np.arange(len(ranks)), np.diff(ranks.offsets))


def _share(part: Floats, whole: NumpyArray) -> Floats:
    """Divide; NaN where there is no whole."""
    shares: Floats = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
    return shares


class _Found:
    """The relevant items that were ranked: whose they are, and where they stand."""

    def __init__(self, relevant: Ranks, others: Ranks, min_grade: float) -> None:
        if len(relevant) != len(others):
            raise InputError(f"others: got {len(others)} users; wanted {len(relevant)}, the same")
        owners = _owners(relevant)
        self.counted = relevant.grade >= min_grade
        self.relevant: Int64s = np.bincount(owners[self.counted], minlength=len(relevant))
        places = places_of(relevant)
        here = self.counted & (places != UNRANKED)
        self.users, self.places = owners[here], places[here]

    def above(self, ranks: Ranks, counted: NumpyArray) -> Int64s:
        """Count, for each of these, the entries of the same user that stand above it."""
        width = np.int64(2**32)
        keys = np.sort(_owners(ranks)[counted] * width + places_of(ranks)[counted])
        starts = np.searchsorted(keys, self.users * width)
        above: Int64s = np.searchsorted(keys, self.users * width + self.places) - starts
        return above

    def share(self, worth: Floats) -> Floats:
        """Sum what each is worth per user, over R."""
        sums = np.bincount(self.users, weights=worth, minlength=len(self.relevant))
        return _share(sums.astype(np.float64), self.relevant)
