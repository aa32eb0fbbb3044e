"""The Ranks that trec_eval's measures are made of: scores of 32 bits, ties by id descending."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankmill.conventions import Conventions
from rankmill.errors import InputTypeError
from rankmill.evaluate import measure
from rankmill.inputs import NumpyArray
from rankmill.inputs_dicts import dict_rows
from rankmill.judged import UNSEEN, bpref, inferred_ap, places_of
from rankmill.ranking import rank_dicts
from rankmill.ranks import UNRANKED, Ranks
from rankmill.running import Floats
from rankmill.threads import make_run

Run = Mapping[str, Mapping[str, float]]
Qrels = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Judgements:
    """Ranks of the relevant, and of the other judged documents, of all queries.

    Parameters
    ----------
    level : int
        The least grade that counts as relevant.
    ranks : Ranks
        Of all documents of a grade above 0, with places.
    make_others : callable
        Makes the Ranks of the others, which few measures need.
    """

    level: int
    ranks: Ranks
    make_others: Callable[[], Ranks]

    @cached_property
    def owners(self) -> NumpyArray:
        """The query of each entry of the Ranks."""
        queries = np.arange(len(self.ranks))
        return np.repeat(queries, np.diff(self.ranks.offsets))

    @cached_property
    def is_relevant(self) -> NumpyArray:
        """Which entries are of the level."""
        relevant: NumpyArray = self.ranks.grade >= self.level
        return relevant

    @cached_property
    def is_hit(self) -> NumpyArray:
        """Which of those were retrieved."""
        hits: NumpyArray = self.is_relevant & (self.ranks.ahead != UNRANKED)
        return hits

    def per_query(self, kept: NumpyArray, worth: NumpyArray | None = None) -> Floats:
        """Sum over the kept entries of each query what each is worth, 1 by default."""
        sums = np.bincount(self.owners[kept], weights=worth, minlength=len(self.ranks))
        return sums.astype(np.float64)

    @cached_property
    def retrieved(self) -> Floats:
        """Documents in the run."""
        return self.ranks.candidates.astype(np.float64)

    @cached_property
    def relevant(self) -> Floats:
        """Relevant documents there are."""
        return self.per_query(self.is_relevant)

    @cached_property
    def hits(self) -> Floats:
        """Relevant documents in the run."""
        return self.per_query(self.is_hit)

    @cached_property
    def others(self) -> Ranks:
        """The Ranks of the other judged documents."""
        return self.make_others()

    @cached_property
    def bpref(self) -> Floats:
        """Binary preference, 0 without relevant documents."""
        return np.nan_to_num(bpref(self.ranks, self.others, min_grade=self.level))

    @cached_property
    def ap(self) -> Floats:
        """Average precision."""
        rules = Conventions.trec_eval().replace(min_grade=self.level)
        return measure(self.ranks, "map", conventions=rules)["map"]

    def inferred_ap(self) -> Floats:
        """Inferred average precision, 0 without relevant documents."""
        return np.nan_to_num(inferred_ap(self.ranks, self.others, min_grade=self.level))

    def binary_gain(self) -> Floats:
        """Mean over the relevant of 1 / log2(2 + others above)."""
        places = places_of(self.ranks)[self.is_hit].astype(np.int64)
        owners = self.owners[self.is_hit]
        by_place = np.lexsort((places, owners))
        first = np.searchsorted(owners, owners)  # owners ascend: of each, the first
        before = np.empty(len(places), dtype=np.int64)
        before[by_place] = np.arange(len(places)) - first
        worth = 1.0 / np.log2(2 + places - before)
        return ratio(self.per_query(self.is_hit, worth), self.relevant)


def rank_trec(run: Run, truth: Qrels, level: int, *, judged_only: bool = False) -> Judgements:
    """Rank the queries of some truth as trec_eval does; the run has all of them."""
    check_texts("scores", run)
    if judged_only:
        run = {query: _only_judged(run[query], truth[query]) for query in truth}

    def others() -> Ranks:
        """Rank what was judged not relevant, or pooled and not judged."""
        kinds = {
            query: {
                document: 1.0 if grade >= 0 else UNSEEN
                for document, grade in grades.items()
                if grade < level
            }
            for query, grades in truth.items()
        }
        return _rank(run, kinds)

    return Judgements(level, _rank(run, truth), others)


def _rank(scores: Run, truth: Mapping[str, Mapping[str, float]]) -> Ranks:
    run = {query: scores[query] for query in truth}
    rows = dict_rows(run, truth, None)
    return rank_dicts(rows, "id_descending", make_run(None, None), np.float32)


def _only_judged(row: Mapping[str, float], truth: Mapping[str, int]) -> dict[str, float]:
    return {document: score for document, score in row.items() if truth.get(document, -1) >= 0}


def check_texts(name: str, queries: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse ids that are no text: they would be compared as numbers."""
    if not isinstance(queries, Mapping):
        raise InputTypeError(f"{name}: got {type(queries).__name__}; wanted {{query: {{...}}}}")
    for query, row in queries.items():
        if not isinstance(row, Mapping):
            raise InputTypeError(f"{name}: got {row!r} for query {query!r}; wanted a dict")
        if type(query) is not str or not set(map(type, row)) <= {str}:
            strange = (
                query if type(query) is not str else next(d for d in row if type(d) is not str)
            )
            raise InputTypeError(f"{name}: got id {strange!r} in query {query!r}; wanted text")


def ratio(part: Floats, whole: Floats) -> Floats:
    """Divide; 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
