"""What `compare` returns: `Comparison`, its `Difference`s and `TukeyPair`s."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rankmill.errors import InputError, MetricError
from rankmill.metrics import Metric
from rankmill.notes import table_lines
from rankmill.result import Result

#: The tests of every difference, as `Difference.p_values` names them.
TESTS = ("t", "wilcoxon", "bootstrap", "randomization")

#: The corrections of every p-value, as `Difference.adjusted` names them.
CORRECTIONS = ("holm", "benjamini_hochberg")


@dataclass(frozen=True)
class Difference:
    """One metric of one model against the baseline, over all users or one segment.

    Attributes
    ----------
    model, baseline, metric : str
        What is compared.
    by, segment : str
        ``""`` for all users, else the name of the segment and ``"name=value"``.
    users : int
        Pairs: users for whom both have the metric (and whose weight is > 0).
    means : tuple of float
        Means over the pairs: of the baseline, of the model.
    difference : float
        Mean of model - baseline over the pairs.
    relative : float
        ``difference`` / mean of the baseline; NaN where that is 0.
    interval, bootstrap_interval : tuple of float
        95 % intervals of ``difference``: by Student's t, by percentiles of the bootstrap.
    p_values : dict
        Two-sided, by ``"t"``, ``"wilcoxon"``, ``"bootstrap"`` and ``"randomization"``.
    adjusted : dict of dict
        The same after correction by ``"holm"`` and ``"benjamini_hochberg"``.
    better, equal, worse : float
        Shares of the pairs; they sum to 1.
    detectable : float
        The smallest true difference that the t-test would find in 80 of 100 such samples.
    share : float
        Part of the pairs over all users, or of their weight, that is in the segment.
    contribution : float
        ``share * difference``: what the segment adds to the difference over all users. Those of
        all values of a segment sum to it.
    """

    model: str
    baseline: str
    metric: str
    by: str
    segment: str
    users: int
    means: tuple[float, float]
    difference: float
    relative: float
    interval: tuple[float, float]
    bootstrap_interval: tuple[float, float]
    p_values: dict[str, float]
    adjusted: dict[str, dict[str, float]]
    better: float
    equal: float
    worse: float
    detectable: float
    share: float
    contribution: float


@dataclass(frozen=True)
class TukeyPair:
    """Two models by Tukey's honestly significant difference over all pairs of models.

    Attributes
    ----------
    first, second, metric : str
        What is compared.
    users : int
        Users for whom every model has the metric.
    difference : float
        Mean of second - first over those users.
    interval : tuple of float
        95 % interval, simultaneous over all pairs of models.
    p_value : float
        Two-sided, corrected for all pairs of models.
    """

    first: str
    second: str
    metric: str
    users: int
    difference: float
    interval: tuple[float, float]
    p_value: float


@dataclass(frozen=True)
class Comparison:
    """Models against a baseline over the same users; made by `compare`.

    Attributes
    ----------
    models : tuple of str
        The baseline first.
    baseline : str
        What the others are compared with.
    metrics : tuple of str
        What was compared.
    differences : tuple of Difference
        By model, then segment (all users first), then metric.
    results : dict of str to Result
        The paired users of every model, in one order.
    unpaired : dict of str to int
        Users of each model that some other lacks; they were left out.
    tukey : tuple of TukeyPair
        Every pair of models per metric, where there are three models or more.
    seed, resamples : int
        Of the bootstrap and the randomization test.
    """

    models: tuple[str, ...]
    baseline: str
    metrics: tuple[str, ...]
    differences: tuple[Difference, ...]
    results: dict[str, Result]
    unpaired: dict[str, int]
    tukey: tuple[TukeyPair, ...]
    seed: int
    resamples: int

    def find(self, metric: str | Metric, model: str | None = None, segment: str = "") -> Difference:
        """Return one difference.

        Parameters
        ----------
        metric : str or Metric
            One of `metrics`.
        model : str, optional
            Needed where more than one is compared with the baseline.
        segment : str
            Such as ``"device=phone"``; default: all users.
        """
        others = self.models[1:]
        if model is None and len(others) > 1:
            raise InputError(f"model: got None; wanted one of {', '.join(others)}")
        name, model = str(metric), others[0] if model is None else model
        with contextlib.suppress(MetricError):  # other spellings of a metric
            name = str(Metric.parse(name))
        for found in self.differences:
            if (found.metric, found.model, found.segment) == (name, model, segment):
                return found
        segments = dict.fromkeys(found.segment for found in self.differences)
        raise InputError(
            f"find: got metric {name!r}, model {model!r}, segment {segment!r}; wanted one of "
            f"{', '.join(self.metrics)}; {', '.join(others)}; {', '.join(map(repr, segments))}"
        )

    def carriers(
        self, metric: str | Metric, model: str | None = None, name: str | None = None
    ) -> tuple[Difference, ...]:
        """Return the segments that carry a change: largest contribution in its direction first.

        Those that work against it come last, with a `contribution` of the other sign.

        Parameters
        ----------
        metric, model
            As `find` takes them.
        name : str, optional
            Only the segments of this name, whose contributions sum to the whole change; needed
            where `compare` was given several.

        Examples
        --------
        >>> import rankmill as rm
        >>> device = ["phone", "phone", "desk", "desk"]
        >>> relevance = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]]
        >>> a = rm.evaluate([[3, 2, 1]] * 4, relevance, "mrr")
        >>> b = rm.evaluate([[2, 3, 1], [1, 2, 0], [0, 1, 2], [1, 2, 0]], relevance, "mrr")
        >>> for part in rm.compare(a, b, by={"device": device}).carriers("mrr"):
        ...     print(part.segment, round(part.contribution, 4))
        device=desk 0.2917
        device=phone 0.0
        """
        whole = self.find(metric, model)
        parts = [
            found
            for found in self.differences
            if found.segment and (found.metric, found.model) == (whole.metric, whole.model)
        ]
        names = list(dict.fromkeys(part.by for part in parts))
        if (name is None and len(names) != 1) or (name is not None and name not in names):
            raise InputError(
                f"name: got {name!r}; wanted one of the segments of compare(by=...): "
                f"{', '.join(names) or 'none was given'}"
            )
        chosen = names[0] if name is None else name
        parts = [part for part in parts if part.by == chosen]
        sign = -1.0 if whole.difference < 0 else 1.0
        # Segments without a pair have no difference (NaN) and carry nothing.
        return tuple(
            sorted(parts, key=lambda part: -sign * part.contribution if part.users else 0.0)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the results, as plain data."""
        return {
            "models": list(self.models),
            "baseline": self.baseline,
            "metrics": list(self.metrics),
            "users": next(iter(self.results.values())).n_users,
            "unpaired": dict(self.unpaired),
            "seed": self.seed,
            "resamples": self.resamples,
            "differences": [_plain(found) for found in self.differences],
            "tukey": [_plain(pair) for pair in self.tukey],
        }

    def __str__(self) -> str:
        header = ("metric", *self.models[:1], "model", "difference", "relative", "95 % interval")
        header = (*header, "p", "p (Holm)", "users")
        several = len(self.models) > 2
        rows = [header, *(_row(found, several) for found in self.differences)]
        lines = table_lines(rows)
        lines += [
            f"{count} users of {name} are not in every model and were left out"
            for name, count in self.unpaired.items()
            if count
        ]
        return "\n".join(lines)


def _row(found: Difference, several: bool) -> tuple[str, ...]:
    parts = (found.metric, found.model if several else "", found.segment)
    low, high = found.interval
    return (
        " ".join(part for part in parts if part),
        f"{found.means[0]:.4f}",
        f"{found.means[1]:.4f}",
        f"{found.difference:+.4f}",
        f"{found.relative:+.2%}",
        f"{low:+.4f} to {high:+.4f}",
        f"{found.p_values['randomization']:.4f}",
        f"{found.adjusted['holm']['randomization']:.4f}",
        str(found.users),
    )


def _plain(value: Any) -> dict[str, Any]:
    """Make a dict of a dataclass, its tuples lists."""
    return {
        name: list(item) if isinstance(item, tuple) else _copy(item)
        for name, item in asdict(value).items()
    }


def _copy(item: Any) -> Any:
    return {key: _copy(part) for key, part in item.items()} if isinstance(item, Mapping) else item
