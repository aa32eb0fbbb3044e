"""trec_eval's measures: which metric of ours each is, or what it is computed from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from rankmill.compat import trec_gains
from rankmill.compat.trec_ranks import Judgements, ratio
from rankmill.conventions import did_you_mean
from rankmill.errors import InputTypeError, MetricError
from rankmill.judged import judged_retrieved
from rankmill.metrics import Metric
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
}


def _log(values: Floats) -> Floats:
    logs: Floats = np.log(np.maximum(values, _LEAST_MEAN))
    return logs


def harmonic_mean(query: Judgements, weight: float = 1.0) -> Floats:
    """F of all that was retrieved, with a weight of recall, rounded as trec_eval rounds it."""
    precision, recall = ratio(query.hits, query.retrieved), ratio(query.hits, query.relevant)
    return ratio((weight + 1.0) * precision * recall, weight * precision + recall)


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
    "G": lambda query: trec_gains.gain(trec_gains.lines_of(query)),
    "ndcg_rel": lambda query: trec_gains.ndcg_at_relevant(trec_gains.lines_of(query)),
    "Rndcg": lambda query: trec_gains.ndcg_at_levels(trec_gains.lines_of(query)),
    "set_F": harmonic_mean,
    "set_map": lambda query: ratio(query.hits**2, query.retrieved * query.relevant),
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
    "all_trec": SUPPORTED,
}
_NOT_COVERED: Final = ("prefs", "all_prefs", "qrels_jg")


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
