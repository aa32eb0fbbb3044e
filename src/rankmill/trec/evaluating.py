"""Measures of TREC files, per query and over all, and the lines that trec_eval prints of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from rankmill.compat.trec_measures import read_measures
from rankmill.compat.trec_ranks import Judgements
from rankmill.conventions import Conventions
from rankmill.evaluate import measure
from rankmill.inputs import whole_number
from rankmill.running import Floats
from rankmill.trec.asked import Asked, read_asked
from rankmill.trec.judging import judgements
from rankmill.trec.own import ALWAYS, first_judgements, values_of
from rankmill.trec.reading import Rows, read

_ONLY_ALL: Final = ("runid", "num_q", "gm_map", "gm_bpref")
_STRING: Final = "relstring"  # with a length behind it perhaps


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
        elif name.startswith(_STRING):
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
        trec_eval's names, such as ``"map"``, ``"official"``, ``"all_trec"``, and with parameters
        ``"P.5,10"``, ``"ndcg.1=3,2=7"``, ``"set_F.0.5"``, ``"rbp.p=0.8"``.
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
    wanted = read_asked(measures)
    rows = read(Path(qrels), Path(run), complete=complete, n_threads=n_threads)
    if depth is not None:
        rows = rows.cut(whole_number("depth", depth, 1))
    judged = judgements(rows, level)
    rules = Conventions.trec_eval().replace(min_grade=level, recall_level="nearest")
    values = _values(rows, judged, wanted, rules, n_threads)
    summary = {name: _over_all(name, v) for name, v in values.items() if _STRING not in name}
    strings = [first_judgements(rows, asked) for asked in wanted if asked.base == _STRING]
    return TrecResult(rows.queries, values, summary, rows.run_id, strings[0] if strings else [])


def _values(
    rows: Rows,
    judged: Judgements,
    wanted: list[Asked],
    rules: Conventions,
    n_threads: int | None,
) -> dict[str, Floats]:
    """Return the values of each measure, in their order; metrics of ours in one pass."""
    shared = {asked.base: read_measures([_spelled(asked)]) for asked in wanted if _is_shared(asked)}
    metrics = {name: metric for part, _ in shared.values() for name, metric in part.items()}
    result = (
        measure(judged.ranks, list(metrics.values()), conventions=rules, n_threads=n_threads)
        if metrics
        else None
    )
    values: dict[str, Floats] = {}
    for asked in wanted:
        if asked.base not in shared:
            values |= values_of(rows, judged, asked, rules)
            continue
        part, counted = shared[asked.base]
        values |= {name: calculate(judged) for name, calculate in counted.items()}
        if result is not None:
            values |= {name: result[metric] for name, metric in part.items()}
    return values


def _is_shared(asked: Asked) -> bool:
    """Tell whether the release before has the measure, with these parameters."""
    return asked.base not in ALWAYS and (asked.has_cutoffs or not asked.text)


def _spelled(asked: Asked) -> str:
    cutoffs = ",".join(f"{number:.17g}" for number in asked.numbers)
    return f"{asked.base}.{cutoffs}" if cutoffs else asked.base


def _over_all(name: str, values: Floats) -> float:
    """Add up query after query, as trec_eval does: ties of rounding go as its sums err."""
    total = float(np.cumsum(values)[-1])
    if name.startswith("num_"):
        return total
    mean = total / len(values)
    return math.exp(mean) if name.startswith("gm_") else mean
