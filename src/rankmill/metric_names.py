"""Names of other tools: those of ir_measures are read, "nDCG(dcg='exp-log2')@10"; others are hints.

What a measure of ir_measures leaves open comes from the conventions in force, as for any metric:
under `Conventions.ir_measures` it means what it means there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from rankmill.errors import MetricError
from rankmill.metric_syntax import MetricText

Translated = tuple[str, object]


class _Measure(NamedTuple):
    """Our metric, its parameters under their name there, and the one that @ sets, if not k."""

    metric: str
    params: Mapping[str, str] = {"rel": "min_grade"}
    at: str | None = None


_MEASURES: Final[Mapping[str, _Measure]] = {
    "P": _Measure("precision"),
    "Precision": _Measure("precision"),
    "R": _Measure("recall"),
    "Recall": _Measure("recall"),
    "RR": _Measure("mrr"),
    "MRR": _Measure("mrr"),
    "AP": _Measure("map"),
    "MAP": _Measure("map"),
    "nDCG": _Measure("ndcg", {"dcg": "gain"}),
    "NDCG": _Measure("ndcg", {"dcg": "gain"}),
    "Success": _Measure("hit"),
    "Rprec": _Measure("r_precision"),
    "RPrec": _Measure("r_precision"),
    "ERR": _Measure("err", {}),
    "RBP": _Measure("rbp", {"rel": "min_grade", "p": "persistence"}),
    "IPrec": _Measure("iprec", {"rel": "min_grade", "recall": "recall"}, at="recall"),
    "SetP": _Measure("precision"),
    "SetR": _Measure("recall"),
    "SetF": _Measure("f1"),
}
_GAINS: Final = {"log2": "linear", "exp-log2": "exp2"}

# What other tools call our metrics. This only improves the error text: none is accepted.
SYNONYMS: Final[Mapping[str, str]] = {
    "p": "precision",
    "prec": "precision",
    "r": "recall",
    "sensitivity": "recall",
    "f": "f1",
    "f1_score": "f1",
    "f_score": "f1",
    "f_measure": "f1",
    "hit_rate": "hit",
    "hit_ratio": "hit",
    "hitrate": "hit",
    "hr": "hit",
    "success": "hit",
    "rr": "mrr",
    "recip_rank": "mrr",
    "reciprocal_rank": "mrr",
    "mean_reciprocal_rank": "mrr",
    "ap": "map",
    "average_precision": "map",
    "mean_average_precision": "map",
    "rprec": "r_precision",
    "rp": "r_precision",
    "roc_auc": "auc",
    "auroc": "auc",
    "roc": "auc",
    "gauc": "auc",
    "average_precision_score": "pr_auc",
    "aupr": "pr_auc",
    "auprc": "pr_auc",
    "best_f1": "max_f1",
    "rank_biased_precision": "rbp",
    "expected_reciprocal_rank": "err",
    "iprec_at_recall": "iprec",
    "11pt_avg": "iprec",
    "normalized_dcg": "ndcg",
    "normalised_dcg": "ndcg",
}


def translate(text: MetricText) -> MetricText:
    """Return a metric of ours for a measure of ir_measures; any other as it is.

    Examples
    --------
    >>> translate(MetricText("nDCG", (10,), (("dcg", "exp-log2"),)))
    MetricText(name='ndcg', cutoffs=(10,), params=(('gain', 'exp2'),))
    """
    measure = _MEASURES.get(text.name)
    if measure is None:
        return text
    params = [_parameter(text.name, measure, *pair) for pair in text.params]
    cutoffs = text.cutoffs
    if measure.at is not None and cutoffs != (None,):
        if len(cutoffs) != 1:
            raise MetricError(
                f"{text.name}: got several levels; wanted one, such as {text.name}@0.1"
            )
        params.append((measure.params[measure.at], _number(cutoffs[0])))
        cutoffs = (None,)
    return MetricText(measure.metric, cutoffs, tuple(params))


def _parameter(name: str, measure: _Measure, field: str, value: object) -> Translated:
    if field not in measure.params:
        return field, value  # one of ours, or an error that names ours
    if field == "dcg":
        if value not in _GAINS:
            raise MetricError(f"{name}: dcg: got {value!r}; wanted 'log2' or 'exp-log2'")
        value = _GAINS[str(value)]
    return measure.params[field], value


def _number(text: object) -> object:
    try:
        return float(str(text))
    except ValueError:
        return text
