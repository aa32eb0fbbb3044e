"""What rankmill can measure: one row per metric, for the parser, the docs and error texts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A number that only one metric reads, such as the persistence of rbp.

    Parameters
    ----------
    name : str
        Its name in ``"rbp@10(persistence=0.9)"``.
    default : float
        Its value where none is given; NaN where that is not a number.
    least, most : float
        The values it can have.
    meaning : str
        What it says.

    Examples
    --------
    >>> METRICS["rbp"].parameter.default
    0.8
    """

    name: str
    default: float
    least: float
    most: float
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricInfo:
    """One metric: what it means and which conventions concern it.

    In formulas, h(k) is the number of relevant items in the first k places, R the number of
    relevant items, n the number of candidates; without a cutoff k is n.

    Parameters
    ----------
    name : str
        The name used in ``"ndcg@10"``.
    takes_k : bool
        Whether ``@k`` makes sense.
    conventions : tuple of str
        The fields of `Conventions` it reads; these are parameters of it.
    parameter : Parameter or None
        One more parameter, of its own.
    title : str
        Its full name.
    formula : str
        The value for one user.
    range : str
        Least and greatest value.
    empty : str
        When it is undefined, so that the convention ``empty`` decides.
    source : str
        The paper or tool that defines it.
    summary : str
        One sentence of meaning.

    Examples
    --------
    >>> METRICS["ndcg"].conventions
    ('gain', 'min_grade', 'discount', 'ideal', 'ties', 'empty')
    >>> METRICS["auc"].takes_k
    False
    """

    name: str
    takes_k: bool = True
    conventions: tuple[str, ...]
    parameter: Parameter | None = None
    title: str
    formula: str
    range: str = "0 to 1"
    empty: str
    source: str
    summary: str

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of all its parameters."""
        return self.conventions + ((self.parameter.name,) if self.parameter else ())


_ZERO = "0 without relevant items; undefined if without_relevant says so"
_NO_RELEVANT = "undefined without relevant items"
_WITHOUT = ("without_relevant", "empty")
_JARVELIN = "Järvelin & Kekäläinen 2002, ACM TOIS 20(4)"
_BURGES = "exp2 gain: Burges et al. 2005, ICML"
_TIES = "tied scores: McSherry & Najork 2008, ECIR"
_RIJSBERGEN = "van Rijsbergen 1979, Information Retrieval, 2nd edition"

_ROWS: Final = (
    MetricInfo(
        name="cg",
        conventions=("gain", "min_grade", "ties", *_WITHOUT),
        title="Cumulative gain",
        formula="sum of gain(grade) over the first k places",
        range="0 upwards",
        empty=_ZERO,
        source=f"{_JARVELIN}; {_BURGES}; {_TIES}",
        summary="Total worth of the first k items, whatever their order.",
    ),
    MetricInfo(
        name="dcg",
        conventions=("gain", "min_grade", "discount", "ties", *_WITHOUT),
        title="Discounted cumulative gain",
        formula="sum of gain(grade) / log2(rank + 1), or another discount, over ranks 1 to k",
        range="0 upwards",
        empty=_ZERO,
        source=f"{_JARVELIN}; {_BURGES}; {_TIES}",
        summary="Worth of the first k items, where later places count less.",
    ),
    MetricInfo(
        name="idcg",
        conventions=("gain", "min_grade", "discount", "ideal", "ties", *_WITHOUT),
        title="Ideal discounted cumulative gain",
        formula="dcg@k of the best order: of all relevant items, or what ideal says",
        range="0 upwards",
        empty=_ZERO,
        source=f"{_JARVELIN}; {_BURGES}",
        summary="The best dcg@k any order of the items could reach.",
    ),
    MetricInfo(
        name="ndcg",
        conventions=("gain", "min_grade", "discount", "ideal", "ties", "empty"),
        title="Normalised discounted cumulative gain",
        formula="dcg@k / idcg@k",
        empty="undefined if the best order of all relevant items has idcg@k 0",
        source=f"{_JARVELIN}; {_BURGES}; {_TIES}",
        summary="Share of the ideal dcg that the ranking reaches.",
    ),
    MetricInfo(
        name="precision",
        conventions=("precision_denominator", "min_grade", "ties", *_WITHOUT),
        title="Precision",
        formula="h(k) / k, or h(k) / min(k, n); without a cutoff h(n) / n",
        empty="undefined if the denominator is 0: no candidates, without @k or with min(k, n)",
        source=f"{_RIJSBERGEN}; {_TIES}",
        summary="Share of the first k places that hold a relevant item.",
    ),
    MetricInfo(
        name="recall",
        conventions=("recall_denominator", "min_grade", "ties", "empty"),
        title="Recall",
        formula="h(k) / R, or h(k) / min(k, R)",
        empty=_NO_RELEVANT,
        source=f"{_RIJSBERGEN}; {_TIES}",
        summary="Share of the relevant items found in the first k places.",
    ),
    MetricInfo(
        name="f1",
        conventions=(
            "precision_denominator",
            "recall_denominator",
            "min_grade",
            "ties",
            "empty",
        ),
        title="F1 score",
        formula="2 h(k) / (denominator of precision@k + denominator of recall@k)",
        empty=_NO_RELEVANT,
        source=f"{_RIJSBERGEN}; {_TIES}",
        summary="Harmonic mean of precision@k and recall@k.",
    ),
    MetricInfo(
        name="hit",
        conventions=("min_grade", "ties", *_WITHOUT),
        title="Hit rate",
        formula="1 if h(k) >= 1, else 0",
        empty=_ZERO,
        source=f"Deshpande & Karypis 2004, ACM TOIS 22(1); {_TIES}",
        summary="Whether any relevant item stands in the first k places.",
    ),
    MetricInfo(
        name="mrr",
        conventions=("min_grade", "ties", *_WITHOUT),
        title="Mean reciprocal rank",
        formula="1 / rank of the first relevant item if that is within k, else 0",
        empty=_ZERO,
        source=f"Voorhees 1999, TREC-8 Question Answering Track Report; {_TIES}",
        summary="How early the first relevant item comes; per user its reciprocal rank.",
    ),
    MetricInfo(
        name="map",
        conventions=("ap_denominator", "min_grade", "ties", "empty"),
        title="Mean average precision",
        formula="sum of h(rank) / rank over relevant items at ranks <= k, / R or min(k, R)",
        empty=_NO_RELEVANT,
        source=f"Buckley & Voorhees 2000, SIGIR; {_TIES}",
        summary="Precision at each relevant item, averaged; per user its average precision.",
    ),
    MetricInfo(
        name="r_precision",
        takes_k=False,
        conventions=("min_grade", "ties", "empty"),
        parameter=Parameter(
            name="multiple",
            default=1.0,
            least=0.0,
            most=1e6,
            meaning="look at floor(multiple * R + 0.9) places instead of R",
        ),
        title="R-precision",
        formula="h(R) / R",
        empty=_NO_RELEVANT,
        source=f"Buckley & Voorhees 2000, SIGIR; {_TIES}",
        summary="Precision at as many places as there are relevant items.",
    ),
    MetricInfo(
        name="auc",
        takes_k=False,
        conventions=("min_grade", "empty"),
        title="Area under the ROC curve",
        formula="(pairs in which the positive scores higher + tied pairs / 2) / pairs",
        empty="undefined without a relevant or without a non-relevant candidate",
        source="Hanley & McNeil 1982, Radiology 143; weighted by user (GAUC): Zhu et al. 2017, "
        "KDD, and Zhou et al. 2018 (DIN), KDD",
        summary="Chance that a relevant candidate outscores one that is not; ties count half.",
    ),
    MetricInfo(
        name="pr_auc",
        takes_k=False,
        conventions=("min_grade", "empty"),
        title="Area under the precision-recall curve",
        formula="sum of (recall step) * precision over the distinct scores, descending",
        empty=_NO_RELEVANT,
        source="Davis & Goadrich 2006, ICML; Boyd, Eng & Page 2013, ECML PKDD (step-wise)",
        summary="Average precision with one step per distinct score.",
    ),
    MetricInfo(
        name="max_f1",
        takes_k=False,
        conventions=("min_grade", "empty"),
        title="Best F1 score",
        formula="greatest 2 h / (items at or above the threshold + R) over the distinct scores",
        empty=_NO_RELEVANT,
        source="Lipton, Elkan & Naryanaswamy 2014, ECML PKDD",
        summary="F1 score at the best score threshold.",
    ),
    MetricInfo(
        name="rbp",
        conventions=("min_grade", "ties", *_WITHOUT),
        parameter=Parameter(
            name="persistence",
            default=0.8,
            least=0.0,
            most=1.0,
            meaning="chance that a reader goes on to the next place",
        ),
        title="Rank-biased precision",
        formula="(1 - persistence) * sum of persistence^(rank - 1) over relevant items at "
        "ranks <= k",
        empty=_ZERO,
        source=f"Moffat & Zobel 2008, ACM TOIS 27(1); {_TIES}",
        summary="Precision that a reader meets who gives up at any place with the same chance.",
    ),
    MetricInfo(
        name="err",
        conventions=("ties", *_WITHOUT),
        parameter=Parameter(
            name="max_grade",
            default=4.0,
            least=0.0,
            most=1000.0,
            meaning="the greatest grade there is; a greater one is an error",
        ),
        title="Expected reciprocal rank",
        formula="sum over ranks <= k of 1 / rank * chance to stop there, where an item of grade g "
        "stops who comes to it with chance (2^g - 1) / 2^max_grade",
        empty=_ZERO,
        source=f"Chapelle, Metzler, Zhang & Grinspan 2009, CIKM; {_TIES}",
        summary="Reciprocal rank of where a reader is content, who is content sooner with better.",
    ),
    MetricInfo(
        name="iprec",
        takes_k=False,
        conventions=("recall_level", "min_grade", "ties", "empty"),
        parameter=Parameter(
            name="recall",
            default=math.nan,
            least=0.0,
            most=1.0,
            meaning="one level of recall; without it, the mean over 0, 0.1, ..., 1",
        ),
        title="Interpolated precision",
        formula="greatest h(rank) / rank where h(rank) >= floor(recall * R + 0.9), or the whole "
        "number nearest to recall * R. Tied scores "
        "are an error under ties=average, which no formula averages",
        empty=_NO_RELEVANT,
        source="Buckley & Voorhees 2005, TREC: Experiment and Evaluation; trec_eval "
        "(iprec_at_recall, 11pt_avg)",
        summary="The best precision at a level of recall or beyond it.",
    ),
)

#: Every metric by name.
METRICS: Final[Mapping[str, MetricInfo]] = MappingProxyType({row.name: row for row in _ROWS})
