"""Conditions on a comparison, such as ``ndcg@10 < -0.5%``, by which a command can fail."""

from __future__ import annotations

import operator
import re
from argparse import ArgumentTypeError
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from rankmill.compare import Comparison, Difference
from rankmill.errors import RankmillError
from rankmill.metrics import Metric

_OPERATORS: Final[dict[str, Callable[[float, float], bool]]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_CONDITION: Final = re.compile(
    r"\s*(?P<metric>.+?)\s*(?P<sign><=|>=|<|>)\s*(?P<bound>\S+?)(?P<of>%?)\s*"
)


@dataclass(frozen=True)
class Condition:
    """The change of a metric against the baseline, absolute or relative, beyond a bound."""

    text: str
    metric: str
    sign: str
    bound: float
    is_relative: bool

    def holds(self, difference: Difference) -> bool:
        """Tell whether a difference meets the condition."""
        change = difference.relative if self.is_relative else difference.difference
        return _OPERATORS[self.sign](change, self.bound)

    def failures(self, comparison: Comparison) -> list[Difference]:
        """Return the differences over all users that meet it."""
        return [
            found
            for model in comparison.models[1:]
            if self.holds(found := comparison.find(self.metric, model))
        ]


def condition(text: str) -> Condition:
    """Read ``METRIC < CHANGE``: also <=, >, >=; with % the change is relative.

    Examples
    --------
    >>> condition("ndcg@10 < -0.5%").bound
    -0.005
    """
    found = _CONDITION.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        scale = 100.0 if found["of"] else 1.0
        bound = float(found["bound"]) / scale
        metric = str(Metric.parse(found["metric"]))
    except ValueError as error:
        reason = f": {error}" if isinstance(error, RankmillError) else ""
        raise ArgumentTypeError(
            f"got {text!r}{reason}; wanted METRIC < CHANGE, such as 'ndcg@10 < -0.5%'"
        ) from None
    return Condition(text.strip(), metric, found["sign"], bound, bool(found["of"]))
