"""Metrics in numpy from where the relevant items landed, for data without ties."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Values: TypeAlias = dict[str, npt.NDArray[np.float64]]
Ints: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Landed:
    """Where the relevant items landed: one entry each, by user, then 0-based rank."""

    user: Ints
    rank: Ints
    grade: npt.NDArray[Any]
    candidates: Ints

    @property
    def n_users(self) -> int:
        return len(self.candidates)


def measure(landed: Landed, metrics: Iterable[str]) -> Values:
    """Every metric from where the relevant items landed."""
    n = landed.n_users
    counts = np.bincount(landed.user, minlength=n)
    before = np.cumsum(counts) - counts
    hits = np.arange(1, len(landed.user) + 1) - before[landed.user]
    relevant = counts.astype(np.float64)
    result: Values = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for metric in metrics:
            name, _, cutoff = metric.partition("@")
            k = int(cutoff) if cutoff else int(landed.candidates.max())
            result[metric] = _MEASURES[name](landed, relevant, hits, k)
    return result


def _sums(landed: Landed, weights: npt.NDArray[Any], mask: npt.NDArray[np.bool_]) -> Any:
    return np.bincount(landed.user[mask], weights[mask], landed.n_users)


def _precision(landed: Landed, relevant: Any, hits: Any, k: int) -> Any:
    return np.bincount(landed.user[landed.rank < k], minlength=landed.n_users) / k


def _recall(landed: Landed, relevant: Any, hits: Any, k: int) -> Any:
    return np.bincount(landed.user[landed.rank < k], minlength=landed.n_users) / relevant


def _hit(landed: Landed, relevant: Any, hits: Any, k: int) -> Any:
    value = np.zeros(landed.n_users)
    value[landed.user[landed.rank < k]] = 1.0
    return value


def _mrr(landed: Landed, relevant: Any, hits: Any, k: int) -> Any:
    value = np.zeros(landed.n_users)
    leading = (hits == 1) & (landed.rank < k)
    value[landed.user[leading]] = 1.0 / (landed.rank[leading] + 1)
    return value


def _map(landed: Landed, relevant: Any, hits: Any, k: int) -> Any:
    return _sums(landed, hits / (landed.rank + 1), landed.rank < k) / relevant


def _auc(landed: Landed, relevant: Any, hits: Any, k: int) -> Any:
    others = landed.candidates - relevant
    ranks = np.bincount(landed.user, landed.rank, landed.n_users)
    above = ranks - relevant * (relevant - 1) / 2
    return 1.0 - above / (relevant * others)


def _ndcg(landed: Landed, relevant: Any, hits: Any, k: int) -> Any:
    discount = 1.0 / np.log2(np.arange(k) + 2.0)
    near = landed.rank < k
    gain = np.exp2(landed.grade[near]) - 1.0
    dcg = np.bincount(landed.user[near], gain * discount[landed.rank[near]], landed.n_users)
    return dcg / _ideal(landed, discount)


def _ideal(landed: Landed, discount: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The best DCG: the places of each grade follow from how many items have a higher one."""
    total = np.concatenate([[0.0], np.cumsum(discount)])
    top = int(landed.grade.max(initial=0))
    better = np.zeros(landed.n_users, dtype=np.int64)
    value = np.zeros(landed.n_users)
    for grade in range(top, 0, -1):
        here = np.bincount(landed.user[landed.grade == grade], minlength=landed.n_users)
        until = np.minimum(better + here, len(discount))
        value += (2.0**grade - 1.0) * (total[until] - total[np.minimum(better, len(discount))])
        better += here
    return value


_MEASURES: dict[str, Callable[[Landed, Any, Any, int], Any]] = {
    "precision": _precision,
    "recall": _recall,
    "hit": _hit,
    "mrr": _mrr,
    "map": _map,
    "auc": _auc,
    "ndcg": _ndcg,
}
