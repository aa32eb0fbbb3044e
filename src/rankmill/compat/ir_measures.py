"""A provider for ir_measures, release 0.4.3: `provider`, and `Provider`, its class.

Give it to ir_measures where it takes providers, or ask it directly:
``provider.calc_aggregate([nDCG @ 10, AP], qrels, run)``. Measures, aggregators and the values of
queries without results are those of the measures themselves. Everything comes from one ranking,
that of trec_eval: 32-bit scores, ties by document id, descending. The names of measures are
accepted as texts by every function of rankmill, too.

Known differences: ties of Judged and of RR with a cutoff are broken as those of all others, where
ir_measures turns them round; NaN scores are an error; measures that ir_measures takes from gdeval
have all digits here, where that program has five.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from rankmill.compat.trec_measures import COUNTED
from rankmill.compat.trec_ranks import Judgements, Qrels, Run, rank_trec
from rankmill.conventions import Conventions
from rankmill.errors import InputError
from rankmill.evaluate import measure as measure_ranks
from rankmill.judged import judged_at_k
from rankmill.metrics import Metric as OurMetric
from rankmill.running import Floats

__all__ = ["CalcResults", "Evaluator", "Metric", "Provider", "provider"]

_CONVENTIONS: Final = Conventions.ir_measures()
_CAPPED: Final = {"recall_denominator": "min(k, relevant)"}


class Metric(NamedTuple):
    """The value of a measure for a query."""

    query_id: str
    measure: Any
    value: float


class CalcResults(NamedTuple):
    """Aggregates, and the values of queries."""

    aggregated: dict[Any, float]
    per_query: list[Metric]


class _Asked:
    """A measure's parameters, None where they are not provided."""

    def __init__(self, measure: Any) -> None:
        self.name: str = measure.NAME
        known = {name: measure[name] for name in measure.SUPPORTED_PARAMS}
        plain = (bool, int, float, str, dict)
        self.params: dict[str, Any] = {
            name: value if isinstance(value, plain) else None for name, value in known.items()
        }

    def get(self, name: str) -> Any:
        return self.params.get(name)

    @property
    def k(self) -> int | None:
        return self.params.get("cutoff")

    @property
    def level(self) -> int:
        return int(self.params.get("rel") or 1)

    @property
    def ranking(self) -> tuple[bool, tuple[tuple[int, int], ...]]:
        """What must be known before ranking: judged documents only, and grades to replace."""
        gains = self.params.get("gains") or {}
        return bool(self.params.get("judged_only")), tuple(sorted(gains.items()))


def _metric(name: str, **params: Any) -> Callable[[_Asked], OurMetric]:
    return lambda asked: OurMetric(name, asked.k, params)


_METRICS: Final[Mapping[str, Callable[[_Asked], OurMetric]]] = {
    "P": _metric("precision"),
    "R": _metric("recall"),
    "RR": _metric("mrr"),
    "AP": _metric("map"),
    "Rprec": _metric("r_precision"),
    "Success": _metric("hit"),
    "ERR": _metric("err"),
    "SetR": _metric("recall"),
    "SetP": lambda asked: (
        OurMetric("recall", None, _CAPPED) if asked.get("relative") else OurMetric("precision")
    ),
    "nDCG": lambda asked: OurMetric(
        "ndcg", asked.k, {"gain": "exp2" if asked.get("dcg") == "exp-log2" else "linear"}
    ),
    "RBP": lambda asked: OurMetric("rbp", asked.k, {"persistence": asked.get("p")}),
    "IPrec": lambda asked: OurMetric("iprec", None, {"recall": asked.get("recall")}),
}


def _set_f(judged: Judgements, asked: _Asked) -> Floats:
    """Weigh the harmonic mean of set precision and set recall by beta, as trec_eval does."""
    weight = asked.get("beta")
    part = (weight + 1.0) * judged.hits
    whole = judged.retrieved + weight * judged.relevant
    values: Floats = np.divide(part, whole, out=np.zeros(len(part)), where=judged.hits > 0)
    return values


def _judged(judged: Judgements, asked: _Asked) -> Floats:
    k = asked.k or int(judged.ranks.candidates.max(initial=1))
    return np.nan_to_num(judged_at_k(judged.ranks, judged.others, k))


def _set_ap(judged: Judgements, asked: _Asked) -> Floats:
    return COUNTED["set_map"](judged)


_COUNTED: Final[Mapping[str, Callable[[Judgements, _Asked], Floats]]] = {
    "Bpref": lambda judged, asked: judged.bpref,
    "infAP": lambda judged, asked: judged.inferred_ap(),
    "Judged": _judged,
    "SetAP": _set_ap,
    "SetF": _set_f,
    "NumQ": lambda judged, asked: np.ones(len(judged.ranks)),
    "NumRel": lambda judged, asked: judged.relevant,
    "NumRet": lambda judged, asked: judged.hits if asked.get("rel") else judged.retrieved,
}


class Evaluator:
    """Scores runs for some measures and qrels."""

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        self.measures = list(measures)
        self._qrels: Qrels = _dicts("qrels", qrels, "relevance")
        self.qrel_qids = set(self._qrels)

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Yield the value of every measure for every query of the qrels."""
        rows: Run = _dicts("run", run, "score")
        queries = [query for query in rows if query in self._qrels]
        rankings: dict[Any, Judgements] = {}
        for measure in self.measures:
            asked = _Asked(measure)
            values = self._values(rankings, asked, queries, rows) if queries else np.empty(0)
            for query, value in zip(queries, values.tolist(), strict=True):
                yield Metric(query, measure, value)
            for query in self._qrels:
                if query not in rows:
                    yield Metric(query, measure, measure.DEFAULT)

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """Return the aggregate of every measure."""
        return self.calc(run).aggregated

    def calc(self, run: Any) -> CalcResults:
        """Return aggregates and the values of queries."""
        aggregators = {measure: measure.aggregator() for measure in self.measures}
        found = list(self.iter_calc(run))
        for metric in found:
            aggregators[metric.measure].add(metric.value)
        aggregated = {measure: each.result() for measure, each in aggregators.items()}
        return CalcResults(aggregated, found)

    def _values(
        self, rankings: dict[Any, Judgements], asked: _Asked, queries: list[str], rows: Run
    ) -> Floats:
        key = (asked.ranking, asked.level)
        if key not in rankings:
            rankings[key] = self._rank(asked, queries, rows)
        judged = rankings[key]
        if asked.name in _COUNTED:
            return _COUNTED[asked.name](judged, asked)
        metric = _METRICS[asked.name](asked)
        rules = _CONVENTIONS.replace(min_grade=asked.level)
        return measure_ranks(judged.ranks, metric, conventions=rules)[metric]

    def _rank(self, asked: _Asked, queries: list[str], rows: Run) -> Judgements:
        judged_only, gains = asked.ranking
        truth = {query: self._qrels[query] for query in queries}
        if gains:
            table = dict(gains)
            truth = {
                query: {document: table.get(grade, grade) for document, grade in grades.items()}
                for query, grades in truth.items()
            }
        return rank_trec(rows, truth, asked.level, judged_only=judged_only)


class Provider:
    """What ir_measures asks of a provider."""

    NAME = "rankmill"

    def supports(self, measure: Any) -> bool:
        """Say whether a measure and its parameters are covered; graded RBP is not."""
        measure.validate_params()
        asked = _Asked(measure)
        if asked.name == "RBP":
            return asked.get("rel") is not None
        return asked.name in _METRICS or asked.name in _COUNTED

    def is_available(self) -> bool:
        """Say that nothing is missing."""
        return True

    def initialize(self) -> None:
        """Do nothing."""

    def install_instructions(self) -> str | None:
        """Return nothing: it is there."""
        return None

    def run_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Return the columns of a run."""
        return ["query_id", "doc_id", "score"]

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Return the columns of qrels."""
        return ["query_id", "doc_id", "relevance"]

    def evaluator(self, measures: Iterable[Any], qrels: Any) -> Evaluator:
        """Return an evaluator of several runs."""
        measures = list(measures)
        for measure in measures:
            if not self.supports(measure):
                raise InputError(f"measures: {measure} is not covered by rankmill")
        return Evaluator(measures, qrels)

    def iter_calc(self, measures: Iterable[Any], qrels: Any, run: Any) -> Iterator[Metric]:
        """Yield the values of queries."""
        return self.evaluator(measures, qrels).iter_calc(run)

    def calc_aggregate(self, measures: Iterable[Any], qrels: Any, run: Any) -> dict[Any, float]:
        """Return aggregates."""
        return self.evaluator(measures, qrels).calc_aggregate(run)

    def calc(self, measures: Iterable[Any], qrels: Any, run: Any) -> CalcResults:
        """Return aggregates and the values of queries."""
        return self.evaluator(measures, qrels).calc(run)


#: The provider: ``ir_measures.providers.register(provider)``, or use it as it is.
provider: Final = Provider()


def _dicts(name: str, data: Any, column: str) -> dict[str, dict[str, Any]]:
    """Return {query: {document: value}} of that, of a data frame, or of named tuples."""
    if isinstance(data, Mapping):
        return dict(data)
    rows: Iterable[Any] = data
    if hasattr(data, "itertuples"):
        missing = [c for c in ("query_id", "doc_id", column) if c not in data.columns]
        if missing:
            raise InputError(f"{name}: no column {', '.join(missing)}; it has {list(data.columns)}")
        columns = (data[c].tolist() for c in ("query_id", "doc_id", column))
        rows = map(_Row._make, zip(*columns, strict=True))
        column = "value"
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        try:
            found.setdefault(row.query_id, {})[row.doc_id] = getattr(row, column)
        except AttributeError:
            raise InputError(
                f"{name}: got {row!r}; wanted dicts, a data frame, or named tuples with query_id, "
                f"doc_id and {column}"
            ) from None
    return found


class _Row(NamedTuple):
    query_id: str
    doc_id: str
    value: Any
