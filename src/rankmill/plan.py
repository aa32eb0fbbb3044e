"""Metrics and conventions -> the plan that the engine measures by."""

from __future__ import annotations

import functools
import math
from typing import Final

import numpy as np

from rankmill._engine import Plan
from rankmill.conventions import Conventions
from rankmill.metrics import METRICS, Metric

# The engine's numbers for each kind of metric, rule for ties, and value of an undefined user.
_KINDS: Final = {
    name: number
    for number, name in enumerate(
        (
            "cg", "dcg", "idcg", "ndcg", "precision", "recall", "f1", "hit", "mrr", "map",
            "r_precision", "auc", "pr_auc", "max_f1",
        )
    )
}  # fmt: skip
_TIES: Final = {"average": 0, "worst": 1, "best": 2, "input_order": 3, "id_descending": 3}
_UNTIED: Final = {"input_order": 0, "id_descending": 0}
_EMPTY: Final = {"skip": math.nan, "zero": 0.0, "one": 1.0}
_GAINS: Final = {"exp2": 0, "linear": 1}
_TABLE: Final = 2
_WHOLE_LIST: Final = 2**63 - 1


@functools.lru_cache(maxsize=256)
def make_plan(metrics: tuple[Metric, ...], base: Conventions, *, places: bool) -> Plan:
    """Return the plan of some metrics, each under its own conventions.

    Without `places`, the settled order of ties, there are no ties to settle.
    """
    ties = _TIES if places else _TIES | _UNTIED
    gains: dict[object, int] = {}
    rows = []
    for metric in metrics:
        rules = metric.conventions(base)
        capped = rules.ap_denominator if metric.name == "map" else rules.recall_denominator
        rows.append(
            (
                _KINDS[metric.name],
                ties[rules.ties] if "ties" in METRICS[metric.name].conventions else 0,
                gains.setdefault(rules.gain, len(gains)),
                int(rules.ideal == "retrieved"),
                int(rules.precision_denominator != "k"),
                int(capped != "relevant"),
                metric.k or _WHOLE_LIST,
                rules.min_grade or 0.0,
                _EMPTY[rules.empty],
            )
        )
    return Plan(rows, [_gain(gain) for gain in gains])


def _gain(gain: object) -> tuple[int, tuple[np.ndarray, np.ndarray] | None]:
    if isinstance(gain, str):
        return _GAINS[gain], None
    positive = [(grade, value) for grade, value in gain if grade > 0]  # type: ignore[attr-defined]
    grades, values = np.array(positive, dtype=np.float64).reshape(-1, 2).T
    return _TABLE, (np.ascontiguousarray(grades), np.ascontiguousarray(values))
