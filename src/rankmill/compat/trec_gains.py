"""trec_eval's experimental measures of gains: G, ndcg_rel and Rndcg, of all queries at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmill.compat.trec_ranks import Judgements, ratio
from rankmill.inputs import Int64s, NumpyArray
from rankmill.judged import places_of
from rankmill.ranks import UNRANKED
from rankmill.running import Floats

_WIDTH = np.int64(2**32)  # more than any place


def _running(values: NumpyArray, queries: Int64s) -> Floats:
    """Sum the values of each query up to each of them; queries ascend."""
    if not len(values):
        return np.zeros(0)
    total = np.cumsum(values, dtype=np.longdouble)  # so that queries before cost no digits
    first = np.searchsorted(queries, queries)
    sums: Floats = (total - total[first] + values[first]).astype(np.float64)
    return sums


@dataclass(frozen=True)
class _Line:
    """Documents of all queries in some order, each with its rank from 1, and running sums."""

    query: Int64s
    rank: Int64s
    gain: Floats

    @property
    def dcg(self) -> Floats:
        return _running(self.gain / np.log2(self.rank + 1.0), self.query)

    def at(self, query: Int64s, rank: NumpyArray) -> Int64s:
        """Return which document is the last of a query up to a rank; -1 if there is none."""
        keys = self.query * _WIDTH + self.rank
        found = np.searchsorted(keys, query * _WIDTH + rank, side="right") - 1
        first = np.searchsorted(self.query, query)
        return np.where(found >= first, found, -1)

    def upto(self, sums: Floats, query: Int64s, rank: NumpyArray) -> Floats:
        """Return a running sum of a query at a rank, 0 before the first document."""
        return np.append(sums, 0.0)[self.at(query, rank)]


def _lines(judged: Judgements) -> tuple[_Line, _Line]:
    """Return the relevant documents as they were retrieved, and in the best order."""
    grades, owners, places = judged.ranks.grade, judged.owners, places_of(judged.ranks)
    listed = np.flatnonzero(places != UNRANKED)
    listed = listed[np.lexsort((places[listed], owners[listed]))]
    ranks = places[listed].astype(np.int64) + 1
    best = np.lexsort((-grades, owners))
    queries = owners[best]
    best_ranks = np.arange(len(best)) - np.searchsorted(queries, queries) + 1
    return _Line(owners[listed], ranks, grades[listed]), _Line(queries, best_ranks, grades[best])


def _per_query(judged: Judgements, query: Int64s, worth: Floats) -> Floats:
    return np.bincount(query, weights=worth, minlength=len(judged.ranks)).astype(np.float64)


def _whole(judged: Judgements, line: _Line, sums: Floats) -> Floats:
    """Return a running sum at the end of every query."""
    queries = np.arange(len(judged.ranks))
    return line.upto(sums, queries, np.full(len(queries), _WIDTH - 1))


def gain(judged: Judgements) -> Floats:
    """Gains by the logarithm of what an ideal reader would have gained more, over all gains.

    The ideal reader gains at least 1 at every rank.
    """
    found, ideal = _lines(judged)
    cost = _running(np.maximum(ideal.gain, 1.0), ideal.query)
    n_ideal = np.bincount(ideal.query, minlength=len(judged.ranks))[found.query]
    spent = ideal.upto(cost, found.query, found.rank) + np.maximum(found.rank - n_ideal, 0)
    ahead = spent - _running(found.gain, found.query)
    sums = _per_query(judged, found.query, found.gain / np.log2(2.0 + ahead))
    return ratio(sums, _per_query(judged, ideal.query, ideal.gain))


def ndcg_at_relevant(judged: Judgements) -> Floats:
    """NDCG at the rank of each relevant document, or of the whole list, averaged over them."""
    found, ideal = _lines(judged)
    dcg, best = found.dcg, ideal.dcg
    here = dcg / ideal.upto(best, found.query, found.rank)
    n_found = np.bincount(found.query, minlength=len(judged.ranks))
    n_ideal = np.bincount(ideal.query, minlength=len(judged.ranks)).astype(np.float64)
    whole = ratio(_whole(judged, found, dcg), _whole(judged, ideal, best))
    sums = _per_query(judged, found.query, here) + (n_ideal - n_found) * whole
    return ratio(sums, n_ideal)


def ndcg_at_levels(judged: Judgements) -> Floats:
    """NDCG at as many ranks as there are documents of each grade and better ones, averaged.

    A list that goes on beyond counts with its whole NDCG, too.
    """
    found, ideal = _lines(judged)
    dcg, best = found.dcg, ideal.dcg
    last = np.ones(len(ideal.gain), dtype=bool)  # of its grade
    same = (ideal.query[1:] == ideal.query[:-1]) & (ideal.gain[1:] == ideal.gain[:-1])
    last[:-1] = ~same
    query, rank = ideal.query[last], ideal.rank[last]
    here = found.upto(dcg, query, rank) / best[last]
    beyond = judged.retrieved > np.bincount(ideal.query, minlength=len(judged.ranks)) + 1
    whole = ratio(_whole(judged, found, dcg), _whole(judged, ideal, best))
    sums = _per_query(judged, query, here) + np.where(beyond, whole, 0.0)
    points = np.bincount(query, minlength=len(judged.ranks)) + beyond
    return np.where(judged.relevant > 0, ratio(sums, points.astype(np.float64)), 0.0)
