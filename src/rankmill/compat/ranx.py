"""ranx: `Qrels`, `Run` and `evaluate`, release 0.3.21.

Documents that tie stand in the order in which they were added, where ranx's sort keeps that order
in lists of up to 15, and for dicts reverses it. Queries of qrels and run are matched by their ids,
where ranx pairs those of plain dicts by their order. bpref of a query without judged documents that
are not relevant is 1, where ranx divides by 0.

Not covered: ir-datasets, the hub of runs, numba's typed lists, and lz4 files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

import numpy as np

from rankmill.compat.ranx_data import Qrels, Run
from rankmill.conventions import Conventions
from rankmill.errors import InputError, MetricError
from rankmill.evaluate import measure
from rankmill.inputs_dicts import dict_rows
from rankmill.judged import bpref
from rankmill.metrics import Metric
from rankmill.ranking import rank_dicts
from rankmill.ranks import Ranks
from rankmill.running import Floats
from rankmill.threads import make_run

__all__ = ["Qrels", "Run", "evaluate"]

_CONVENTIONS: Final = Conventions.ranx().replace(min_grade=None)  # levels are cut before
_METRICS: Final = {
    "hits": ("cg", {"gain": "binary"}),
    "hit_rate": ("hit", {}),
    "precision": ("precision", {}),
    "recall": ("recall", {}),
    "f1": ("f1", {}),
    "mrr": ("mrr", {}),
    "map": ("map", {}),
    "dcg": ("dcg", {}),
    "dcg_burges": ("dcg", {"gain": "exp2"}),
    "ndcg": ("ndcg", {}),
    "ndcg_burges": ("ndcg", {"gain": "exp2"}),
}
_OTHERS: Final = ("r-precision", "bpref", "rbp")

_Truth = Mapping[str, Mapping[str, float]]


class _Asked(NamedTuple):
    """A metric as ranx reads it: "ndcg@10-l2"."""

    name: str
    k: int | None
    persistence: float
    level: int


@dataclass
class _Ranked:
    """A run against its qrels, and the Ranks of every relevance level that was asked for."""

    run: _Truth
    truth: _Truth
    threads: int | None
    levels: dict[int, Ranks] = field(default_factory=dict)

    def ranks(self, truth: Mapping[str, Mapping[str, float]]) -> Ranks:
        """Rank all documents of some truth."""
        run = make_run(self.threads, None)
        return rank_dicts(dict_rows(self.run, truth, None), "input_order", run)

    def at(self, level: int) -> Ranks:
        """Return the Ranks of documents of at least a level."""
        if level not in self.levels:
            whole = self.levels.setdefault(1, self.ranks(self.truth))
            self.levels[level] = _cut(whole, level) if level > 1 else whole
        return self.levels[level]

    def others(self, level: int) -> Ranks:
        """Return the Ranks of the documents judged below a level."""
        below = {
            query: {document: 1.0 for document, grade in grades.items() if grade < level}
            for query, grades in self.truth.items()
        }
        return self.ranks(below)

    def values(self, asked: _Asked) -> Floats:
        """Return the values of a metric, one per query."""
        ranks = self.at(asked.level)
        if asked.name == "bpref":
            return np.nan_to_num(bpref(ranks, self.others(asked.level)))
        if asked.name == "rbp":
            return self._biased(ranks, asked)
        if asked.name == "r-precision":
            metric = Metric("r_precision")
        else:
            name, params = _METRICS[asked.name]
            metric = Metric(name, asked.k, params)
        return measure(ranks, metric, conventions=_CONVENTIONS, n_threads=self.threads)[metric]

    def _biased(self, ranks: Ranks, asked: _Asked) -> Floats:
        """Rank-biased precision weighs by the grade there, which is the sum of its levels."""
        greatest = int(ranks.grade.max(initial=0.0))
        levels = range(asked.level, greatest + 1)
        params = [{"persistence": asked.persistence, "min_grade": float(level)} for level in levels]
        metrics = [Metric("rbp", None, one) for one in params] or [Metric("rbp")]
        found = measure(ranks, metrics, conventions=_CONVENTIONS, n_threads=self.threads).values
        total: Floats = found.sum(axis=0) + (asked.level - 1) * found[0]
        return total


def evaluate(
    qrels: Qrels | Mapping[str, Mapping[str, float]] | np.ndarray[Any, Any],
    run: Run | Mapping[str, Mapping[str, float]] | np.ndarray[Any, Any],
    metrics: list[str] | str,
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """Compute metrics of a run: a number, or {metric: number} if there are several.

    Parameters
    ----------
    qrels, run : Qrels and Run, or {query: {document: value}}, or arrays (queries, documents, 2)
        Of the same queries. An array holds pairs of a document number and its value.
    metrics : str or list of str
        Such as ``"ndcg@10"``, ``"map-l2"`` (relevant from grade 2 on), ``"rbp.95"``.
    return_mean, return_std : bool
        Return means over queries, and {"mean": .., "std": ..}; or else arrays of their values.
    threads : int
        0 for all.
    save_results_in_run : bool
        Keep results in ``run.scores``, ``run.mean_scores`` and ``run.std_scores``.
    make_comparable : bool
        Give a Run empty results for queries it lacks, and take those out that the Qrels lack.

    Examples
    --------
    >>> qrels = Qrels({"q1": {"d1": 1, "d2": 3}})
    >>> evaluate(qrels, Run({"q1": {"d2": 0.9, "d3": 0.5}}), ["mrr", "recall@2"])
    {'mrr': 1.0, 'recall@2': 0.5}
    """
    if make_comparable and isinstance(qrels, Qrels) and isinstance(run, Run):
        run = run.make_comparable(qrels)
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names:
        raise MetricError("metrics: got none; wanted at least one")
    asked = [_read(name) for name in names]
    truth, rows = _dicts("qrels", qrels), _dicts("run", run)
    if truth.keys() != rows.keys():
        raise InputError(
            "run: its queries are not those of qrels; make_comparable=True adds empty results for "
            "queries missing from the run and removes those not in qrels"
        )
    ranked = _Ranked(rows, truth, threads or None)
    values = {name: ranked.values(one) for name, one in zip(names, asked, strict=True)}
    if isinstance(run, Run) and save_results_in_run:
        run.keep(values, list(truth), with_std=return_std and return_mean)
    return _output(values, return_mean, return_std)


def _output(values: dict[str, Floats], return_mean: bool, return_std: bool) -> Any:
    found: dict[str, Any] = dict(values)
    if return_mean:
        found = {name: float(scores.mean()) for name, scores in values.items()}
    if return_mean and return_std:
        stds = {name: float(scores.std()) for name, scores in values.items()}
        found = {name: {"mean": mean, "std": stds[name]} for name, mean in found.items()}
    return next(iter(found.values())) if len(found) == 1 else found


def _read(text: Any) -> _Asked:
    """Read a metric's text, as ranx does."""
    if not isinstance(text, str):
        raise MetricError(f"metrics: got {text!r}; wanted a text such as 'ndcg@10'")
    base, mark, level = text.partition("-l")
    name, at, cut = base.partition("@")
    if name.startswith("rbp"):
        name, _, digits = base.replace("@", ".").partition(".")
        if name == "rbp" and digits.isdecimal():
            return _Asked(name, None, float(f"0.{digits}"), _whole(text, level, mark))
        raise MetricError(f"metrics: got {text!r}; wanted a persistence, such as 'rbp.95'")
    if name not in _METRICS and name not in _OTHERS:
        raise MetricError(
            f"metrics: got {text!r}; wanted one of {', '.join([*_METRICS, *_OTHERS])}"
        )
    return _Asked(name, _whole(text, cut, at) if at else None, 0.0, _whole(text, level, mark))


def _whole(text: str, digits: str, mark: str) -> int:
    if not mark:
        return 1
    if not digits.isdecimal() or int(digits) < 1:
        raise MetricError(f"metrics: got {text!r}; wanted whole numbers >= 1 behind @ and -l")
    return int(digits)


def _dicts(name: str, data: Any) -> dict[Any, Mapping[Any, float]]:
    """Return {query: {document: value}}; those of Qrels and Run by ascending query, as in ranx."""
    if isinstance(data, (Qrels, Run)):
        rows = data.data
        return {query: rows[query] for query in sorted(rows)}
    if isinstance(data, Mapping):
        return dict(data)
    if isinstance(data, np.ndarray) and data.ndim == 3 and data.shape[2] == 2:
        return {query: dict(pairs.tolist()) for query, pairs in enumerate(data)}
    if isinstance(data, Sequence) and all(isinstance(row, np.ndarray) for row in data):
        return {query: dict(pairs.tolist()) for query, pairs in enumerate(data)}
    raise InputError(f"{name}: got {type(data).__name__}; wanted Qrels and Run, dicts or arrays")


def _cut(ranks: Ranks, level: int) -> Ranks:
    """Keep the entries of at least a grade."""
    kept = ranks.grade >= level
    counts = np.concatenate([[0], np.cumsum(kept)])
    position = ranks.position
    return replace(
        ranks,
        offsets=counts[ranks.offsets],
        ahead=ranks.ahead[kept],
        tied=ranks.tied[kept],
        position=None if position is None else position[kept],
        grade=ranks.grade[kept],
    )
