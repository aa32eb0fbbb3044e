"""The choices on which ranking libraries disagree, as data: `Conventions` and its profiles."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, get_args

from rankmill.errors import InputError
from rankmill.profiles import PROFILES

Ties: TypeAlias = Literal["average", "worst", "best", "input_order", "id_descending"]
GainName: TypeAlias = Literal["exp2", "linear", "binary"]
GainTable: TypeAlias = tuple[tuple[float, float], ...]
Discount: TypeAlias = Literal["log2", "ln", "jarvelin", "reciprocal"]
Ideal: TypeAlias = Literal["all", "uncut", "retrieved", "full"]
Empty: TypeAlias = Literal["skip", "zero", "half", "one"]
WithoutRelevant: TypeAlias = Literal["by_formula", "undefined"]
PrecisionDenominator: TypeAlias = Literal["k", "min(k, candidates)"]
RelevantDenominator: TypeAlias = Literal["relevant", "min(k, relevant)"]
RecallLevel: TypeAlias = Literal["above", "nearest"]
ApDenominator: TypeAlias = Literal["relevant", "min(k, relevant)", "k", "hits"]

#: The named values of every field that has some.
CHOICES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "ties": get_args(Ties),
        "gain": get_args(GainName),
        "discount": get_args(Discount),
        "ideal": get_args(Ideal),
        "empty": get_args(Empty),
        "without_relevant": get_args(WithoutRelevant),
        "precision_denominator": get_args(PrecisionDenominator),
        "recall_denominator": get_args(RelevantDenominator),
        "ap_denominator": get_args(ApDenominator),
        "recall_level": get_args(RecallLevel),
    }
)

# Words other tools use for our values. They only improve the error text: none is accepted.
_SYNONYMS: Final[Mapping[str, str]] = {
    "mean": "average",
    "expected": "average",
    "pessimistic": "worst",
    "optimistic": "best",
    "stable": "input_order",
    "docid_desc": "id_descending",
    "exp": "exp2",
    "exponential": "exp2",
    "identity": "linear",
    "nan": "skip",
    "drop": "skip",
    "n": "min(k, candidates)",
    "candidates": "min(k, candidates)",
    "r": "relevant",
    "k": "min(k, relevant)",
}


def did_you_mean(word: str, known: Iterable[str], synonyms: Mapping[str, str]) -> str:
    """Return "; did you mean '...'?" for the known name nearest to `word`, or "" if none is near.

    Examples
    --------
    >>> did_you_mean("lineer", ["exp2", "linear"], {})
    "; did you mean 'linear'?"
    """
    import difflib  # loads slowly, and only errors need it

    names = list(known)
    lowered = word.strip().lower()
    match = synonyms.get(lowered)
    if match not in names:
        match = next(iter(difflib.get_close_matches(lowered, names, n=1)), None)
    return f"; did you mean {match!r}?" if match else ""


def _profile(name: str) -> classmethod[Conventions, [], Conventions]:
    """Make the method of a profile, with what is known of it as docstring."""

    def make(cls: type[Conventions]) -> Conventions:
        return cls(**PROFILES[name].choices)

    make.__name__, make.__qualname__ = name, f"Conventions.{name}"
    make.__doc__ = PROFILES[name].text(name)
    return classmethod(make)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conventions:
    """How to settle what the name of a metric leaves open. Immutable and hashable.

    Parameters
    ----------
    ties : {"average", "worst", "best", "input_order", "id_descending"}
        Order of items with equal scores. ``average``: the exact expected value over all orders;
        ``worst``, ``best``: ascending, descending grade within the tie; ``input_order``: as the
        rows came; ``id_descending``: larger item id first (needs ``items=``). Used by every
        metric but auc, pr_auc and max_f1.
    gain : {"exp2", "linear", "binary"} or mapping of grade to gain
        Worth of a grade > 0: ``2**grade - 1``, the grade itself, 1 (from `min_grade` on), or what
        the table says. A table is kept as a sorted tuple of pairs; its gains are finite, >= 0 and
        do not fall as the grade rises, and grades <= 0 have gain 0. Used by cg, dcg, idcg and ndcg.
    discount : {"log2", "ln", "jarvelin", "reciprocal"}
        Worth of a rank, from 1: ``1 / log2(rank + 1)``, ``1 / ln(rank + 1)``,
        ``1 / max(1, log2(rank))``, ``1 / rank``. Used by dcg, idcg and ndcg.
    ideal : {"all", "uncut", "retrieved", "full"}
        Ideal order of ndcg and idcg: all relevant items, cut at k; all of them, not cut; those in
        the first k places; or k items as good as the best one, whether there are so many or not.
    empty : {"skip", "zero", "half", "one"}
        A user for whom the metric is undefined: NaN and left out of the mean, or counted as 0,
        1/2 or 1. Used by every metric.
    without_relevant : {"by_formula", "undefined"}
        A user without relevant items: undefined only where the formula is 0 / 0, or under every
        metric. Only precision, hit, mrr, cg, dcg and idcg have a value by formula, which is 0.
    precision_denominator : {"k", "min(k, candidates)"}
        Used by precision and f1.
    recall_denominator : {"relevant", "min(k, relevant)"}
        Used by recall and f1.
    ap_denominator : {"relevant", "min(k, relevant)", "k", "hits"}
        Used by map; ``hits`` are those in the first k places, and without any the value is 0.
    recall_level : {"above", "nearest"}
        Relevant items that reach a recall r: ``floor(r R + 0.9)``, as in trec_eval up to version
        9, or the whole number nearest to ``r R``, as in version 10. Used by iprec.
    min_grade : float or None
        Least grade that counts as relevant for the binary metrics precision, recall, f1, hit, mrr,
        map, r_precision, auc, pr_auc, max_f1, rbp and iprec, and of the binary gain; None: any
        grade > 0.

    Raises
    ------
    InputError
        If a value is not one of these; the message names the field, the value and what is wanted.

    Examples
    --------
    >>> Conventions(gain="linear", empty="zero").gain
    'linear'
    >>> Conventions(gain={2: 5, 1: 1}).gain
    ((1.0, 1.0), (2.0, 5.0))
    >>> Conventions(precision_denominator="min(k,candidates)").precision_denominator
    'min(k, candidates)'
    >>> Conventions(ties="averge")
    Traceback (most recent call last):
        ...
    rankmill.errors.InputError: ties: got 'averge'; wanted one of 'average', 'worst', 'best', \
'input_order', 'id_descending'; did you mean 'average'?
    """

    ties: Ties = "average"
    gain: GainName | GainTable | Mapping[float, float] = "exp2"
    discount: Discount = "log2"
    ideal: Ideal = "all"
    empty: Empty = "skip"
    without_relevant: WithoutRelevant = "by_formula"
    precision_denominator: PrecisionDenominator = "k"
    recall_denominator: RelevantDenominator = "relevant"
    ap_denominator: ApDenominator = "relevant"
    recall_level: RecallLevel = "above"
    min_grade: float | None = None

    def __post_init__(self) -> None:
        """Check every field and store its one normal form."""
        for field in CHOICES:
            value = getattr(self, field)
            if field == "gain" and isinstance(value, (Mapping, tuple)):
                value = _gain_table(value)
            else:
                value = _choice(field, value)
            object.__setattr__(self, field, value)
        object.__setattr__(self, "min_grade", _min_grade(self.min_grade))

    @property
    def gain_table(self) -> GainTable | None:
        """The (grade, gain) pairs in ascending grade if `gain` is a table, else None.

        Examples
        --------
        >>> Conventions(gain={1: 1, 3: 7}).gain_table
        ((1.0, 1.0), (3.0, 7.0))
        >>> Conventions(gain="exp2").gain_table is None
        True
        """
        return self.gain if isinstance(self.gain, tuple) else None

    def replace(self, **changes: Any) -> Conventions:
        """Return a copy with some fields changed.

        Examples
        --------
        >>> Conventions.trec_eval().replace(gain="exp2").ties
        'id_descending'
        """
        known = [field.name for field in dataclasses.fields(self)]
        for name in changes:
            if name not in known:
                hint = did_you_mean(name, known, {})
                raise InputError(f"unknown convention {name!r}; known: {', '.join(known)}{hint}")
        return dataclasses.replace(self, **changes)

    scikit_learn = _profile("scikit_learn")
    trec_eval = _profile("trec_eval")
    ir_measures = _profile("ir_measures")
    ranx = _profile("ranx")
    recometrics = _profile("recometrics")
    implicit = _profile("implicit")
    rectools = _profile("rectools")
    replay = _profile("replay")
    recommenders = _profile("recommenders")
    torchmetrics = _profile("torchmetrics")
    lightgbm = _profile("lightgbm")
    xgboost = _profile("xgboost")
    catboost = _profile("catboost")
    lenskit = _profile("lenskit")
    rs_metrics = _profile("rs_metrics")
    recbole = _profile("recbole")
    spark_mllib = _profile("spark_mllib")
    pytrec_eval = trec_eval


def _choice(field: str, value: object) -> str:
    """Return the normal form of a named value."""
    options = CHOICES[field]
    hint = ""
    if isinstance(value, str):
        if type(value) is str and value in options:
            return value
        # "min( k,candidates )" and "min(k, candidates)" are the same words.
        text = re.sub(r"\s*([(),])\s*", r"\1", value.strip()).replace(",", ", ")
        if text in options:
            return text
        hint = did_you_mean(text, options, _SYNONYMS)
    wanted = ", ".join(map(repr, options))
    table = " or a table {grade: gain}" if field == "gain" else ""
    raise InputError(f"{field}: got {value!r}; wanted one of {wanted}{table}{hint}")


def _number(value: object) -> float | None:
    """Return a finite real number as float (numpy scalars too, bool not), else None."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return None
    # + 0.0 turns -0.0 into 0.0, so that equal settings also print alike.
    return number + 0.0 if math.isfinite(number) else None


def _min_grade(value: object) -> float | None:
    """Return min_grade as float or None."""
    number = _number(value)
    if value is not None and (number is None or number <= 0):
        raise InputError(f"min_grade: got {value!r}; wanted None or a finite number > 0")
    return number


def _gain_table(table: Mapping[Any, Any] | tuple[Any, ...]) -> GainTable:
    """Return a table of gains as pairs in ascending grade."""
    gains: dict[float, float] = {}
    for pair in table.items() if isinstance(table, Mapping) else table:
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise InputError(f"gain: got {pair!r} in the table; wanted pairs (grade, gain)")
        grade, gain = _number(pair[0]), _number(pair[1])
        if grade is None or grade in gains:
            raise InputError(f"gain: got grade {pair[0]!r}; wanted finite numbers, each once")
        if gain is None or gain < 0:
            raise InputError(f"gain: got {pair[1]!r} for grade {pair[0]!r}; wanted finite, >= 0")
        if grade <= 0 and gain != 0:
            raise InputError(f"gain: got {pair[1]!r} for grade {pair[0]!r}; wanted 0 up to grade 0")
        gains[grade] = gain
    if not gains:
        raise InputError("gain: got an empty table; wanted {grade: gain} with at least one grade")
    pairs = tuple(sorted(gains.items()))
    for (low, less), (high, more) in itertools.pairwise(pairs):
        if more < less:
            raise InputError(
                f"gain: got {more:g} for grade {high:g} but {less:g} for grade {low:g}; "
                "wanted gains that do not fall as the grade rises"
            )
    return pairs
