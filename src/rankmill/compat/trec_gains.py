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
class Line:
    """Documents of all queries in some order, each with its rank from 1, and running sums."""

    query: Int64s
    rank: Int64s
    gain: Floats

    @property
    def dcg(self) -> Floats:
        """The gains so far, discounted."""
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


@dataclass(frozen=True)
class Lines:
    """The documents of a gain as they were retrieved, and in the best order."""

    found: Line
    ideal: Line
    retrieved: Floats
    relevant: Floats

    def per_query(self, line: Line, worth: NumpyArray) -> Floats:
        """Sum over the documents of each query what each is worth."""
        sums = np.bincount(line.query, weights=worth, minlength=len(self.retrieved))
        return sums.astype(np.float64)

    def n_ideal(self) -> Int64s:
        """Documents of each query in the best order."""
        return np.bincount(self.ideal.query, minlength=len(self.retrieved))

    def whole(self, line: Line, sums: Floats) -> Floats:
        """Return a running sum at the end of every query."""
        queries = np.arange(len(self.retrieved))
        return line.upto(sums, queries, np.full(len(queries), _WIDTH - 1))


def lines_of(judged: Judgements) -> Lines:
    """Take the grades as gains."""
    grades, owners, places = judged.ranks.grade, judged.owners, places_of(judged.ranks)
    listed = np.flatnonzero(places != UNRANKED)
    listed = listed[np.lexsort((places[listed], owners[listed]))]
    found = Line(owners[listed], places[listed].astype(np.int64) + 1, grades[listed])
    best = np.lexsort((-grades, owners))
    return Lines(found, in_order(owners[best], grades[best]), judged.retrieved, judged.relevant)


def in_order(queries: Int64s, gains: Floats) -> Line:
    """Return documents that stand in the order of their queries and ranks."""
    ranks = np.arange(len(queries)) - np.searchsorted(queries, queries) + 1
    return Line(queries, ranks, gains)


def gain(lines: Lines) -> Floats:
    """Gains by the logarithm of what an ideal reader would have gained more, over all gains.

    The ideal reader gains at least 1 at every rank.
    """
    found, ideal = lines.found, lines.ideal
    cost = _running(np.maximum(ideal.gain, 1.0), ideal.query)
    beyond = np.maximum(found.rank - lines.n_ideal()[found.query], 0)
    ahead = ideal.upto(cost, found.query, found.rank) + beyond - _running(found.gain, found.query)
    sums = lines.per_query(found, found.gain / np.log2(2.0 + ahead))
    return ratio(sums, lines.per_query(ideal, ideal.gain))


def ndcg_at_relevant(lines: Lines) -> Floats:
    """NDCG at the rank of each relevant document, or of the whole list, averaged over them."""
    found, ideal = lines.found, lines.ideal
    dcg, best = found.dcg, ideal.dcg
    here = dcg / ideal.upto(best, found.query, found.rank)
    counts = found.gain > 0
    n_ideal = lines.n_ideal().astype(np.float64)
    whole = ratio(lines.whole(found, dcg), lines.whole(ideal, best))
    missed = n_ideal - lines.per_query(found, counts)
    sums = lines.per_query(found, np.where(counts, here, 0.0)) + missed * whole
    return ratio(np.where(sums > 0, sums, 0.0), n_ideal)


def ndcg_at_levels(lines: Lines) -> Floats:
    """NDCG at as many ranks as there are documents of each gain and better ones, averaged.

    A list that goes on beyond counts with its whole NDCG, too.
    """
    found, ideal = lines.found, lines.ideal
    dcg, best = found.dcg, ideal.dcg
    last = np.ones(len(ideal.gain), dtype=bool)  # of its gain
    same = (ideal.query[1:] == ideal.query[:-1]) & (ideal.gain[1:] == ideal.gain[:-1])
    last[:-1] = ~same
    query, rank = ideal.query[last], ideal.rank[last]
    here = found.upto(dcg, query, rank) / best[last]
    beyond = lines.retrieved > lines.n_ideal() + 1
    whole = ratio(lines.whole(found, dcg), lines.whole(ideal, best))
    sums = np.bincount(query, weights=here, minlength=len(beyond)).astype(np.float64)
    sums += np.where(beyond, whole, 0.0)
    points = np.bincount(query, minlength=len(beyond)) + beyond
    return np.where(lines.relevant > 0, ratio(sums, points.astype(np.float64)), 0.0)
