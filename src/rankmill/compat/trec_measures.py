"""trec_eval's measures: which metric of ours each is, or what it is computed from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from rankmill.conventions import Conventions, did_you_mean
from rankmill.errors import InputTypeError, MetricError
from rankmill.evaluate import measure
from rankmill.inputs import NumpyArray
from rankmill.judged import bpref, inferred_ap, judged_retrieved, places_of
from rankmill.metrics import Metric
from rankmill.ranks import UNRANKED, Ranks
from rankmill.running import Floats

_CUTOFFS: Final = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_TENTHS: Final = tuple(f"{i / 10:.2f}" for i in range(11))
_FIFTHS: Final = tuple(f"{i / 5:.2f}" for i in range(1, 11))
_LEAST_MEAN: Final = 1e-5  # what a geometric mean takes for 0


@dataclass(frozen=True)
class _Cut:
    """A measure at several cutoffs, or levels: their defaults, and ours at one of them."""

    defaults: tuple[str, ...]
    metric: str
    digits: int = 0  # of the cutoff in the measure's name


_CUT: Final[dict[str, _Cut]] = {
    "P": _Cut(_CUTOFFS, "precision@{}"),
    "recall": _Cut(_CUTOFFS, "recall@{}"),
    "relative_P": _Cut(_CUTOFFS, "recall@{}(recall_denominator=min(k, relevant))"),
    "map_cut": _Cut(_CUTOFFS, "map@{}"),
    "ndcg_cut": _Cut(_CUTOFFS, "ndcg@{}"),
    "success": _Cut(("1", "5", "10"), "hit@{}"),
    "iprec_at_recall": _Cut(_TENTHS, "iprec(recall={})", digits=2),
    "Rprec_mult": _Cut(_FIFTHS, "r_precision(multiple={})", digits=2),
}
_WHOLE: Final = {
    "map": "map",
    "Rprec": "r_precision",
    "recip_rank": "mrr",
    "11pt_avg": "iprec",
    "ndcg": "ndcg",
    "set_P": "precision",
    "set_recall": "recall",
    "set_relative_P": "recall(recall_denominator=min(k, relevant))",
    "set_F": "f1",
}


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
        return _ratio(self.per_query(self.is_hit, worth), self.relevant)


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Divide; 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def _log(values: Floats) -> Floats:
    logs: Floats = np.log(np.maximum(values, _LEAST_MEAN))
    return logs


COUNTED: Final[dict[str, Callable[[Judgements], Floats]]] = {
    "runid": lambda query: np.zeros(len(query.ranks)),
    "relstring": lambda query: np.zeros(len(query.ranks)),
    "num_q": lambda query: np.ones(len(query.ranks)),
    "num_ret": lambda query: query.retrieved,
    "num_rel": lambda query: query.relevant,
    "num_rel_ret": lambda query: query.hits,
    "num_nonrel_judged_ret": lambda query: judged_retrieved(query.others).astype(np.float64),
    "bpref": lambda query: query.bpref,
    "gm_bpref": lambda query: _log(query.bpref),
    "gm_map": lambda query: _log(query.ap),
    "infAP": Judgements.inferred_ap,
    "binG": Judgements.binary_gain,
    "set_map": lambda query: _ratio(query.hits**2, query.retrieved * query.relevant),
    "utility": lambda query: 2 * query.hits - query.retrieved,
}

#: The measures that can be asked for, by their base names.
SUPPORTED: Final = frozenset({*_CUT, *_WHOLE, *COUNTED})
_COUNTS: Final = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
#: Names that stand for several of them.
NICKNAMES: Final[Mapping[str, frozenset[str]]] = {
    "official": frozenset(
        {*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"}
    ),
    "set": frozenset(
        {*_COUNTS, "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"}
    ),
}
_NOT_COVERED: Final = ("G", "ndcg_rel", "Rndcg", "prefs", "all_prefs", "all_trec", "qrels_jg")


def read_measures(
    measures: Iterable[str],
) -> tuple[dict[str, Metric], dict[str, Callable[[Judgements], Floats]]]:
    """Return what is asked for as metrics of ours, and the rest, by name."""
    if isinstance(measures, (str, bytes)):
        raise InputTypeError(f"measures: got {measures!r}; wanted a collection of names")
    metrics: dict[str, Metric] = {}
    counted = {}
    for measure_name in measures:
        for name in NICKNAMES.get(measure_name, (measure_name,)):
            if name in COUNTED:
                counted[name] = COUNTED[name]
            elif name in _WHOLE:
                metrics[name] = Metric.parse(_WHOLE[name])
            else:
                metrics.update(_at_cutoffs(name))
    if not metrics and not counted:
        raise MetricError("measures: got none; wanted at least one of supported_measures")
    return metrics, counted


def _at_cutoffs(name: str) -> dict[str, Metric]:
    """Read "P", "P_10" or "P.5,10"."""
    base, cut = name, _CUT.get(name)
    cutoffs = cut.defaults if cut else ()
    if match := re.fullmatch(r"(\w+?)[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)", name):
        base, cut = match[1], _CUT.get(match[1])
        cutoffs = tuple(match[2].split(","))
    if cut is None:
        hint = did_you_mean(base, SUPPORTED, {})
        more = "; it is not covered" if base in _NOT_COVERED else hint
        raise MetricError(f"measures: unsupported measure {name!r}{more}")
    return {
        f"{base}_{float(cutoff):.{cut.digits}f}": Metric.parse(cut.metric.format(cutoff))
        for cutoff in cutoffs
    }
