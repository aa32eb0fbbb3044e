"""Metrics and conventions -> what they ask for, and the plan that the engine measures by."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from rankmill._engine import Plan
from rankmill.conventions import Conventions
from rankmill.errors import InputError, InputTypeError
from rankmill.metrics import METRICS, Metric, Metrics, parse_metrics
from rankmill.ranks import Order

# The engine's numbers for each kind of metric, rule for ties, and value of an undefined user.
KINDS: Final = {
    name: number
    for number, name in enumerate(
        (
            "cg", "dcg", "idcg", "ndcg", "precision", "recall", "f1", "hit", "mrr", "map",
            "r_precision", "auc", "pr_auc", "max_f1", "rbp", "err", "iprec",
        )
    )
}  # fmt: skip
_TIES: Final = {"average": 0, "worst": 1, "best": 2, "input_order": 3, "id_descending": 3}
_UNTIED: Final = {"input_order": 0, "id_descending": 0}
EMPTY: Final = {"skip": math.nan, "zero": 0.0, "half": 0.5, "one": 1.0}
_GAINS: Final = {"exp2": 0, "linear": 1, "binary": 2}
_TABLE: Final = 3
_DISCOUNTS: Final = {"log2": 0, "ln": 1, "jarvelin": 2, "reciprocal": 3}
_IDEALS: Final = {"all": 0, "uncut": 1, "retrieved": 2, "full": 3}
_DENOMINATORS: Final = {"relevant": 0, "min(k, relevant)": 1, "k": 2, "hits": 3}
_DEFAULT: Final = Conventions()
_WHOLE_LIST: Final = 2**63 - 1


@dataclass(frozen=True, eq=False)
class Wanted:
    """The metrics of a call, under conventions that are known to go together."""

    metrics: tuple[Metric, ...]
    rules: Conventions

    @cached_property
    def order(self) -> Order | None:
        """The order of ties that must be settled while ranking, if some metric asks for one.

        Examples
        --------
        >>> read_wanted("mrr(ties=input_order) auc", Conventions(ties="worst")).order
        'input_order'
        """
        orders = sorted(
            {order for metric in self.metrics if (order := ties_of(metric, self.rules))}
        )
        if len(orders) > 1:
            raise InputError(
                f"ties: metrics ask for {' and '.join(orders)}; wanted one of them per call, "
                "as the places are settled once"
            )
        return orders[0] if orders else None

    @cached_property
    def needs_all(self) -> bool:
        """Whether some metric needs to know all candidates."""
        return any(metric.name == "auc" for metric in self.metrics)

    @cached_property
    def fills(self) -> dict[int, float]:
        """What undefined users of a metric, by its row, count as, where that is a number."""
        empty = [EMPTY[metric.conventions(self.rules).empty] for metric in self.metrics]
        return {row: value for row, value in enumerate(empty) if not math.isnan(value)}

    @cached_property
    def settled(self) -> Plan:
        """The plan for Ranks that hold places."""
        return _make_plan(self.metrics, self.rules, _TIES)

    @cached_property
    def unsettled(self) -> Plan:
        """The plan for Ranks that do not: then there are no ties to settle."""
        return _make_plan(self.metrics, self.rules, _TIES | _UNTIED)


def read_wanted(metrics: Metrics, conventions: Conventions | None) -> Wanted:
    """Read what a call asks for; the same again is looked up, as small calls are all overhead."""
    rules = check_conventions(conventions)
    if isinstance(metrics, (str, Metric)):
        return _read_wanted((metrics,), rules)
    if isinstance(metrics, (list, tuple)) and all(type(entry) is str for entry in metrics):
        return _read_wanted(tuple(metrics), rules)
    return Wanted(parse_metrics(metrics), rules)


@functools.lru_cache(maxsize=256)
def _read_wanted(metrics: tuple[str | Metric, ...], rules: Conventions) -> Wanted:
    return Wanted(parse_metrics(metrics), rules)


def check_conventions(conventions: Conventions | None) -> Conventions:
    """Return the conventions, default ones for None."""
    if conventions is None:
        return _DEFAULT
    if not isinstance(conventions, Conventions):
        raise InputTypeError(f"conventions: got {conventions!r}; wanted Conventions(...)")
    return conventions


def ties_of(metric: Metric, rules: Conventions) -> Order | None:
    """Return the order that settles the metric's ties, if it is one of the items'."""
    if "ties" not in METRICS[metric.name].conventions:
        return None
    ties = metric.conventions(rules).ties
    return ties if ties in ("input_order", "id_descending") else None


def _make_plan(metrics: tuple[Metric, ...], base: Conventions, ties: Mapping[str, int]) -> Plan:
    """Describe each metric, under its own conventions, in the engine's numbers."""
    gains: dict[tuple[object, float], int] = {}
    discounts: dict[str, int] = {}
    rows = []
    for metric in metrics:
        rules, fields = metric.conventions(base), METRICS[metric.name].conventions
        divided = rules.ap_denominator if metric.name == "map" else rules.recall_denominator
        graded = "min_grade" not in fields or ("gain" in fields and rules.gain != "binary")
        least = 0.0 if graded else rules.min_grade or 0.0
        rows.append(
            (
                KINDS[metric.name],
                ties[rules.ties] if "ties" in fields else 0,
                gains.setdefault((rules.gain, least), len(gains)),
                discounts.setdefault(rules.discount, len(discounts)),
                _IDEALS[rules.ideal],
                int(rules.precision_denominator != "k"),
                _DENOMINATORS[divided],
                int(rules.without_relevant == "undefined"),
                int(rules.recall_level == "nearest"),
                metric.k or _WHOLE_LIST,
                least,
                metric.parameter,
            )
        )
    numbers = [_DISCOUNTS[discount] for discount in discounts]
    return Plan(rows, [_gain(*gain) for gain in gains], numbers)


def _gain(gain: object, least: float) -> tuple[int, tuple[np.ndarray, np.ndarray] | None, float]:
    if isinstance(gain, str):
        return _GAINS[gain], None, least
    positive = [(grade, value) for grade, value in gain if grade > 0]  # type: ignore[attr-defined]
    grades, values = np.array(positive, dtype=np.float64).reshape(-1, 2).T
    return _TABLE, (np.ascontiguousarray(grades), np.ascontiguousarray(values)), least
