"""Measures of TREC files, per query and over all, and the lines that trec_eval prints of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from rankmill.compat.trec_measures import read_measures
from rankmill.compat.trec_ranks import Judgements
from rankmill.conventions import Conventions
from rankmill.errors import MetricError
from rankmill.evaluate import measure
from rankmill.inputs import NumpyArray, whole_number
from rankmill.judged import UNSEEN
from rankmill.ranking import rank
from rankmill.ranks import Ranks
from rankmill.running import Floats
from rankmill.trec.reading import Rows, read

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
_PERSISTENCE: Final = 0.9
_UNJUDGED_CUTOFFS: Final = (5, 10, 20)
_SHOWN: Final = 10  # characters of relstring
_LOWEST: Final = float(np.finfo(np.float64).min)


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
    """Evaluate a run file against a file of relevance judgements.

    Parameters
    ----------
    qrels, run : path
        TREC files, plain or compressed: query, iteration, document, grade; and query, Q0,
        document, place, score, name. The place is not read.
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
        Without DuckDB, which reads, joins and sorts.
    """
    level = whole_number("relevance_level", relevance_level, 1)
    own, theirs = _split(measures)
    metrics, counted = read_measures(theirs) if theirs else ({}, {})
    rows = read(Path(qrels), Path(run), complete=complete, n_threads=n_threads)
    if depth is not None:
        within = rows.place < whole_number("depth", depth, 1)
        rows = replace(rows, retrieved=rows.retrieved & within)
    judged = _judgements(rows, level, n_threads)
    values = {name: calculate(judged) for name, calculate in counted.items()}
    if metrics:
        rules = Conventions.trec_eval().replace(min_grade=level, recall_level="nearest")
        result = measure(
            judged.ranks, list(metrics.values()), conventions=rules, n_threads=n_threads
        )
        values |= {name: result[metric] for name, metric in metrics.items()}
    for name in own:
        values |= _OWN[name](rows)
    values = dict(sorted(values.items(), key=lambda pair: _place(pair[0])))
    summary = {name: _over_all(name, v) for name, v in values.items() if name not in _ONLY_QUERY}
    return TrecResult(rows.queries.tolist(), values, summary, rows.run_id, _strings(rows))


def _split(measures: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the measures that only this release has, and those that it shares with the last."""
    names = list(measures)
    if not names:
        raise MetricError("measures: got none; wanted at least one, such as 'official'")
    own = [*_OWN] if "all_trec" in names else [name for name in names if name in _OWN]
    return own, [name for name in names if name not in _OWN]


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


def _judgements(rows: Rows, level: int, n_threads: int | None) -> Judgements:
    """Rank by place: no two documents tie, and those not retrieved are no candidates."""
    scores = np.where(rows.retrieved, -rows.place.astype(np.float64), -np.inf)
    grades = np.nan_to_num(rows.grade)

    def ranked(labels: Floats) -> Ranks:
        return rank(scores, labels, offsets=rows.offsets, min_score=_LOWEST, n_threads=n_threads)

    def others() -> Ranks:
        judged = ~np.isnan(rows.grade) & (rows.grade < level)
        kinds = np.where(rows.grade < 0, UNSEEN, 1.0)
        return ranked(np.where(judged, kinds, 0.0))

    return Judgements(level, ranked(np.maximum(grades, 0.0)), others)


def _per_query(rows: Rows, worth: Floats) -> Floats:
    sums = np.bincount(rows.owner, weights=worth, minlength=len(rows.queries))
    return sums.astype(np.float64)


def _weights(rows: Rows) -> Floats:
    """Weigh each retrieved document as rank-biased precision does."""
    weights = (1 - _PERSISTENCE) * _PERSISTENCE ** rows.place.astype(np.float64)
    kept: Floats = np.where(rows.retrieved, weights, 0.0)
    return kept


def _biased(rows: Rows) -> dict[str, Floats]:
    """Rank-biased precision; grades above 1 are divided by the greatest of the query."""
    grades = np.maximum(np.nan_to_num(rows.grade), 0.0)
    greatest = np.ones(len(rows.queries))
    np.maximum.at(greatest, rows.owner, grades)
    return {"rbp": _per_query(rows, _weights(rows) * grades / greatest[rows.owner])}


def _unjudged(rows: Rows) -> NumpyArray:
    unjudged: NumpyArray = rows.retrieved & (np.isnan(rows.grade) | (rows.grade < 0))
    return unjudged


def _residual(rows: Rows) -> dict[str, Floats]:
    """Tell what rank-biased precision would gain if all that was not judged were relevant."""
    unjudged = _unjudged(rows)
    lengths = _per_query(rows, rows.retrieved.astype(np.float64))
    gain = _PERSISTENCE**lengths + _per_query(rows, _weights(rows) * unjudged)
    any_unjudged = _per_query(rows, unjudged.astype(np.float64)) > 0
    return {"rbp_resid": np.where(any_unjudged, gain, 0.0)}


def _unjudged_share(rows: Rows) -> dict[str, Floats]:
    """Share of the first places that hold a document without a judgement."""
    unjudged, place = _unjudged(rows), rows.place
    return {
        f"unj_{k}": _per_query(rows, (unjudged & (place < k)).astype(np.float64)) / k
        for k in _UNJUDGED_CUTOFFS
    }


_OWN: Final[dict[str, Callable[[Rows], dict[str, Floats]]]] = {
    "rbp": _biased,
    "rbp_resid": _residual,
    "unj": _unjudged_share,
}


def _strings(rows: Rows) -> list[str]:
    """Show the first retrieved documents: a grade, - for no judgement, . for pooled only."""
    shown = rows.retrieved & (rows.place < _SHOWN)
    marks = [_mark(grade) for grade in rows.grade[shown].tolist()]
    ends = np.cumsum(_per_query(rows, shown.astype(np.float64))).astype(np.int64).tolist()
    return ["".join(marks[start:end]) for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _mark(grade: float) -> str:
    if math.isnan(grade):
        return "-"
    if grade < 0:
        return "."
    return ">" if grade > 9 else str(int(grade))
