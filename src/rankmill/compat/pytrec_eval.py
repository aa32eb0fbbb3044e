"""pytrec_eval: trec_eval's measures of {query: {document: score}}, release 0.5.11.

Scores are compared as 32-bit floats, and ties by document id, descending, as trec_eval does; ids
are text. Measures without a cutoff of their own come at trec_eval's cutoffs: ``"P"`` is P_5 to
P_1000. The mean over queries is yours, or that of `compute_aggregated_measure`.

Not covered: the measures of preferences and of several judges, and NaN scores.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

import numpy as np

from rankmill.compat.trec_measures import NICKNAMES, SUPPORTED, read_measures
from rankmill.compat.trec_ranks import Qrels, Run, check_texts, rank_trec
from rankmill.conventions import Conventions
from rankmill.errors import InputError
from rankmill.evaluate import measure
from rankmill.inputs import whole_number

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

_Number = TypeVar("_Number", int, float)

#: The measures that can be asked for, by their base names, and names that stand for several.
supported_measures: Final = SUPPORTED
supported_nicknames: Final = NICKNAMES


class RelevanceEvaluator:
    """Evaluates runs against the relevance of documents to queries.

    Parameters
    ----------
    query_relevance : {query: {document: grade}}
        Grades are whole numbers; below 0 a document was pooled and not judged. A query without
        documents is left out.
    measures : iterable of str
        Such as ``"map"``, ``"P_10"``, ``"ndcg_cut.5,10"``, or a name of several, ``"official"``.
    relevance_level : int
        The least grade that counts as relevant, >= 1. The gain of NDCG is the grade in any case.
    judged_docs_only_flag : bool
        Take documents that were not judged out of the runs.

    Examples
    --------
    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 0, "d2": 1}}, {"map", "P_5"})
    >>> found = evaluator.evaluate({"q1": {"d1": 1.0, "d2": 0.5}})
    >>> found["q1"]["map"], found["q1"]["P_5"]
    (0.5, 0.2)
    """

    def __init__(
        self,
        query_relevance: Qrels,
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        check_texts("query_relevance", query_relevance)
        self._truth = {query: truth for query, truth in query_relevance.items() if truth}
        self._level = whole_number("relevance_level", relevance_level, 1)
        self._metrics, self._counted = read_measures(measures)
        self._judged_only = judged_docs_only_flag

    def evaluate(self, scores: Run) -> dict[str, dict[str, float]]:
        """Return {query: {measure: value}} for the queries of a run that have relevance."""
        truth = {query: self._truth[query] for query in scores if query in self._truth}
        if not truth:
            return {}
        judged = rank_trec(scores, truth, self._level, judged_only=self._judged_only)
        columns = {name: calculate(judged) for name, calculate in self._counted.items()}
        if self._metrics:
            rules = Conventions.trec_eval().replace(min_grade=self._level)
            result = measure(judged.ranks, list(self._metrics.values()), conventions=rules)
            columns |= {name: result[metric] for name, metric in self._metrics.items()}
        rows = np.array(list(columns.values())).T.tolist()
        pairs = zip(truth, rows, strict=True)
        return {query: dict(zip(columns, row, strict=True)) for query, row in pairs}


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """Aggregate a measure over queries: counts add up, gm_ is a geometric mean, others are means.

    Examples
    --------
    >>> compute_aggregated_measure("num_ret", [3.0, 4.0]), compute_aggregated_measure("map", [0, 1])
    (7.0, 0.5)
    """
    if not len(values):
        raise InputError("values: got none; wanted at least one")
    total = math.fsum(values)
    if measure.startswith("num_"):
        return total
    mean = total / len(values)
    return math.exp(mean) if measure.startswith("gm_") else mean


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of a TREC run: query, Q0, document, rank, score, name.

    Examples
    --------
    >>> dict(parse_run(["q1 Q0 d7 1 2.5 mine"]))
    {'q1': {'d7': 2.5}}
    """
    return _parse(f_run, 6, 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read the lines of TREC relevance judgements: query, 0, document, grade.

    Examples
    --------
    >>> dict(parse_qrel(["q1 0 d7 2"]))
    {'q1': {'d7': 2}}
    """
    return _parse(f_qrel, 4, 3, int)


def _parse(
    lines: Iterable[str], width: int, at: int, number: Callable[[str], _Number]
) -> dict[str, dict[str, _Number]]:
    found: dict[str, dict[str, _Number]] = defaultdict(dict)
    for row, line in enumerate(lines, start=1):
        words = line.split()
        if len(words) != width:
            raise InputError(f"line {row}: got {len(words)} columns; wanted {width}")
        query, document = words[0], words[2]
        if document in found[query]:
            raise InputError(f"line {row}: document {document!r} came before in query {query!r}")
        try:
            found[query][document] = number(words[at])
        except ValueError:
            raise InputError(f"line {row}: got {words[at]!r}; wanted a number") from None
    return found
