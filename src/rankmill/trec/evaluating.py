"""Measures of TREC files, per query and over all, and the lines that trec_eval prints of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from rankmill.compat.trec_measures import read_measures
from rankmill.conventions import Conventions
from rankmill.errors import InputTypeError, MetricError
from rankmill.evaluate import measure
from rankmill.inputs import whole_number
from rankmill.running import Floats
from rankmill.trec.judging import judgements
from rankmill.trec.own import OWN, first_judgements
from rankmill.trec.reading import read

#: What trec_eval prints, in its order: names without cutoffs.
_ORDER: Final = tuple(
    """
    runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P
    relstring recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G ndcg ndcg_rel Rndcg ndcg_cut
    map_cut relative_P success set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret
    rbp rbp_resid unj
    """.split()  # noqa: SIM905
)
_ONLY_ALL: Final = ("runid", "num_q", "gm_map", "gm_bpref")
_ONLY_QUERY: Final = ("relstring",)


@dataclass(frozen=True)
class TrecResult:
    """The values of every measure for every query.

    Attributes
    ----------
    queries : list of str
        Ascending.
    values : {measure: float64 (queries,)}
        In the order in which trec_eval prints them.
    summary : {measure: float}
        Over all queries: sums of counts, geometric means, and means.
    run_id : str
        The name of the run.
    strings : list of str
        The judgements of the first documents of each query, a character each.
    """

    queries: list[str]
    values: dict[str, Floats]
    summary: dict[str, float]
    run_id: str
    strings: list[str]

    def text(self, *, per_query: bool = False, summary: bool = True) -> str:
        """Return the lines that trec_eval prints."""
        lines = []
        if per_query:
            for at, query in enumerate(self.queries):
                lines += [
                    self._line(name, query, at) for name in self.values if name not in _ONLY_ALL
                ]
        if summary:
            lines += [self._line(name, "all", None) for name in self.summary]
        return "".join(f"{line}\n" for line in lines)

    def _line(self, name: str, query: str, at: int | None) -> str:
        if name == "runid":
            value = self.run_id
        elif name == "relstring":
            value = f"'{self.strings[at or 0]}'"
        else:
            number = self.summary[name] if at is None else float(self.values[name][at])
            value = f"{number:.0f}" if name.startswith("num_") else f"{number:6.4f}"
        return f"{name:<22}\t{query}\t{value}"


def evaluate(
    qrels: str | Path,
    run: str | Path,
    measures: Iterable[str] = ("official",),
    *,
    relevance_level: int = 1,
    complete: bool = False,
    depth: int | None = None,
    n_threads: int | None = None,
) -> TrecResult:
    """Evaluate a run file against a file of relevance judgements, as trec_eval 10.0 does.

    Scores are compared as doubles, ties by document, descending by bytes. (trec_eval 9, of which
    `rankmill.compat.pytrec_eval` gives the numbers, compares scores as 32-bit floats.)

    Parameters
    ----------
    qrels, run : path
        TREC files, plain or, by the ending ``.gz`` or ``.zst``, compressed: query, iteration,
        document, grade; and query, Q0, document, place, score, name. The place is not read.
    measures : iterable of str
        trec_eval's names, such as ``"map"``, ``"P.5,10"``, ``"official"``, ``"all_trec"``.
    relevance_level : int
        Least grade that counts as relevant.
    complete : bool
        Count queries that the run lacks as 0, where else they are left out.
    depth : int, optional
        Documents per query to look at.
    n_threads : int, optional
        Default: all.

    Raises
    ------
    InputError
        Naming the file and the line, or the query and the document.
    MissingDependencyError
        For a ``.zst`` file without pyarrow.
    """
    level = whole_number("relevance_level", relevance_level, 1)
    own, theirs = _split(measures)
    metrics, counted = read_measures(theirs) if theirs else ({}, {})
    rows = read(Path(qrels), Path(run), complete=complete, n_threads=n_threads)
    if depth is not None:
        rows = rows.cut(whole_number("depth", depth, 1))
    judged = judgements(rows, level)
    values = {name: calculate(judged) for name, calculate in counted.items()}
    if metrics:
        rules = Conventions.trec_eval().replace(min_grade=level, recall_level="nearest")
        result = measure(
            judged.ranks, list(metrics.values()), conventions=rules, n_threads=n_threads
        )
        values |= {name: result[metric] for name, metric in metrics.items()}
    for name in own:
        values |= OWN[name](rows)
    values = dict(sorted(values.items(), key=lambda pair: _place(pair[0])))
    summary = {name: _over_all(name, v) for name, v in values.items() if name not in _ONLY_QUERY}
    strings = first_judgements(rows) if "relstring" in values else []
    return TrecResult(rows.queries, values, summary, rows.run_id, strings)


def _split(measures: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the measures that only this release has, and those that it shares with the last."""
    if isinstance(measures, (str, bytes)) or not isinstance(measures, Iterable):
        raise InputTypeError(f"measures: got {measures!r}; wanted a collection of names")
    names = list(measures)
    if not names:
        raise MetricError("measures: got none; wanted at least one, such as 'official'")
    own = [*OWN] if "all_trec" in names else [name for name in names if name in OWN]
    return own, [name for name in names if name not in OWN]


def _place(name: str) -> tuple[int, float]:
    """Return where trec_eval prints a measure: by name, then by cutoff."""
    base, _, cutoff = name.rpartition("_")
    if name in _ORDER:
        return _ORDER.index(name), 0.0
    return _ORDER.index(base), float(cutoff)


def _over_all(name: str, values: Floats) -> float:
    """Add up query after query, as trec_eval does: ties of rounding go as its sums err."""
    total = float(np.cumsum(values)[-1])
    if name.startswith("num_"):
        return total
    mean = total / len(values)
    return math.exp(mean) if name.startswith("gm_") else mean
