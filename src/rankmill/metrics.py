"""`Metric`, a metric with its cutoff and parameters, and `parse_metrics`, which reads them."""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final, TypeAlias

from rankmill.conventions import Conventions, did_you_mean
from rankmill.errors import InputError, InputTypeError, MetricError
from rankmill.metric_names import SYNONYMS, translate
from rankmill.metric_syntax import read_metrics
from rankmill.metric_table import METRICS, MetricInfo

__all__ = ["METRICS", "Metric", "MetricInfo", "parse_metrics"]

_MAX_K: Final = 2**63 - 1  # the engine counts in 64 bits


@dataclass(frozen=True, slots=True, init=False)
class Metric:
    """One metric, its cutoff, and the conventions it sets for itself. Immutable and hashable.

    Parameters
    ----------
    name : str
        A name in `METRICS`, in any case.
    k : int, optional
        Cutoff >= 1; without it the whole list counts.
    params : mapping or iterable of pairs, optional
        Convention fields this metric sets for itself, such as ``{"gain": "linear"}``, and the
        parameter of its own, if it has one. Kept as a tuple of (field, value) pairs in the order
        of the fields' names.

    Raises
    ------
    MetricError
        If the name or a parameter is unknown, does not concern this metric, or has a bad value.

    Examples
    --------
    >>> str(Metric("ndcg", 10, {"gain": "linear"}))
    'ndcg@10(gain=linear)'
    >>> Metric("NDCG", 10) == Metric.parse("ndcg@10")
    True
    >>> Metric("auc", 10)
    Traceback (most recent call last):
        ...
    rankmill.errors.MetricError: auc takes no cutoff, got k=10; it looks at the whole list. \
Metrics with a cutoff: cg, dcg, idcg, ndcg, precision, recall, f1, hit, mrr, map, rbp, err
    """

    name: str
    k: int | None
    params: tuple[tuple[str, Any], ...]

    def __init__(
        self,
        name: str,
        k: int | None = None,
        params: Mapping[str, Any] | Iterable[tuple[str, Any]] = (),
    ) -> None:
        info = _info(name)
        object.__setattr__(self, "name", info.name)
        object.__setattr__(self, "k", _cutoff(info, k))
        object.__setattr__(self, "params", _params(info, params))

    @classmethod
    def parse(cls, text: str) -> Metric:
        """Read one metric; the reverse of ``str(metric)``.

        Examples
        --------
        >>> Metric.parse("ndcg@10(gain=linear)").params
        (('gain', 'linear'),)
        >>> Metric.parse("ndcg@10(gain={1: 1, 2: 5})").params
        (('gain', ((1.0, 1.0), (2.0, 5.0))),)
        """
        found = _read(text)
        if len(found) != 1:
            raise MetricError(f"got {text!r}; wanted one metric (parse_metrics reads several)")
        return found[0]

    @property
    def info(self) -> MetricInfo:
        """The row of `METRICS` for this metric.

        Examples
        --------
        >>> Metric("ndcg", 10).info.title
        'Normalised discounted cumulative gain'
        """
        return METRICS[self.name]

    def conventions(self, base: Conventions) -> Conventions:
        """Return `base` with this metric's own parameters applied.

        Examples
        --------
        >>> Metric.parse("ndcg@10(gain=linear)").conventions(Conventions(ties="worst")).gain
        'linear'
        """
        fields = {name: value for name, value in self.params if name in self.info.conventions}
        return base.replace(**fields) if fields else base

    @property
    def parameter(self) -> float:
        """The number that only this metric reads; NaN if there is none.

        Examples
        --------
        >>> Metric.parse("rbp@10(persistence=0.95)").parameter, Metric("rbp").parameter
        (0.95, 0.8)
        """
        own = self.info.parameter
        return math.nan if own is None else float(dict(self.params).get(own.name, own.default))

    def __str__(self) -> str:
        """Return the key, such as 'ndcg@10(gain=linear)'."""
        cutoff = "" if self.k is None else f"@{self.k}"
        params = ", ".join(f"{field}={_text(value)}" for field, value in self.params)
        return f"{self.name}{cutoff}({params})" if params else f"{self.name}{cutoff}"


Metrics: TypeAlias = str | Metric | Iterable[str | Metric]


def parse_metrics(spec: Metrics) -> tuple[Metric, ...]:
    """Return the metrics that a text, a `Metric`, or several of either name.

    Several metrics in one text stand apart by commas or blanks. ``@{5,10,20}`` stands for one
    metric per cutoff. A metric named twice is kept once, where it came first.

    Parameters
    ----------
    spec : str, Metric, or iterable of them
        Such as ``"ndcg@10"``, ``"ndcg@10 auc"``, ``["ndcg@10", Metric("recall", 5)]``.

    Raises
    ------
    MetricError
        If there is no metric in it, or one of them is unknown or malformed.
    InputTypeError
        If something in it is neither a text nor a Metric.

    Examples
    --------
    >>> [str(metric) for metric in parse_metrics(["recall@{5,10}(min_grade=2)", "auc", "auc"])]
    ['recall@5(min_grade=2)', 'recall@10(min_grade=2)', 'auc']
    """
    if isinstance(spec, (str, Metric)):
        spec = (spec,)
    elif isinstance(spec, (Mapping, bytes)) or not isinstance(spec, Iterable):
        raise InputTypeError(f"metrics: got {spec!r}; wanted a text, a Metric, or a list of them")
    found: dict[Metric, None] = {}
    for entry in spec:
        metrics = (entry,) if isinstance(entry, Metric) else _read(entry)
        found.update(dict.fromkeys(metrics))
    if not found:
        raise MetricError(f"metrics: got none; wanted at least one of {_listed(METRICS)}")
    return tuple(found)


def _read(text: object) -> tuple[Metric, ...]:
    if not isinstance(text, str):
        raise InputTypeError(f"metrics: got {text!r}; wanted a text or a Metric")
    return _parse_text(text)


@functools.lru_cache(maxsize=1024)  # a small call would spend most of its time here
def _parse_text(text: str) -> tuple[Metric, ...]:
    if not text.strip():
        raise MetricError(f"got {text!r}; wanted at least one of {_listed(METRICS)}")
    # Metric checks the type of k: a cutoff that is no whole number arrives as it was written.
    return tuple(
        Metric(name, k, params)  # type: ignore[arg-type]
        for name, cutoffs, params in map(translate, read_metrics(text))
        for k in cutoffs
    )


def _info(name: object) -> MetricInfo:
    """Return the row of METRICS for a name in any case."""
    if not isinstance(name, str):
        raise InputTypeError(f"metric name: got {name!r}; wanted a text such as 'ndcg'")
    lowered = name.lower()
    if lowered in METRICS:
        return METRICS[lowered]
    # "ndcg_cut_10", "precision_at_k", "p10": the cutoff is no part of the name.
    bare = re.sub(r"(_at|_cut)?(@.*|_k|_?[0-9]+)?$", "", lowered.replace("-", "_"))
    hint = did_you_mean(bare, METRICS, SYNONYMS) or did_you_mean(lowered, METRICS, {})
    raise MetricError(f"unknown metric {name!r}; known: {_listed(METRICS)}{hint}")


def _cutoff(info: MetricInfo, k: object) -> int | None:
    """Return the cutoff as int."""
    if k is None:
        return None
    if not info.takes_k:
        able = [row.name for row in METRICS.values() if row.takes_k]
        raise MetricError(
            f"{info.name} takes no cutoff, got k={k!r}; it looks at the whole list. "
            f"Metrics with a cutoff: {_listed(able)}"
        )
    try:
        number = 0 if isinstance(k, bool) else operator.index(k)  # type: ignore[arg-type]
    except TypeError:
        number = 0
    if not 1 <= number <= _MAX_K:
        raise MetricError(f"{info.name}: got k={k!r}; wanted a whole number from 1 to {_MAX_K}")
    return number


def _params(info: MetricInfo, params: object) -> tuple[tuple[str, Any], ...]:
    """Return the parameters in their normal form, sorted by field."""
    items = params.items() if isinstance(params, Mapping) else params
    checked: dict[str, Any] = {}
    try:
        pairs = [(field, value) for field, value in items]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise MetricError(
            f"{info.name}: got parameters {params!r}; wanted a mapping or (name, value) pairs, "
            f"with names from {_listed(info.parameters)}"
        ) from None
    for field, value in pairs:
        if field not in info.parameters:
            hint = did_you_mean(str(field), info.parameters, {})
            raise MetricError(
                f"{info.name} has no parameter {field!r}; known: {_listed(info.parameters)}{hint}"
            )
        if field in checked:
            raise MetricError(f"{info.name}: parameter {field!r} is given twice")
        if field not in info.conventions:
            checked[str(field)] = _own_parameter(info, value)
            continue
        try:
            checked[str(field)] = getattr(Conventions(**{field: value}), field)
        except InputError as error:
            raise MetricError(f"{info.name}: parameter {error}") from None
    return tuple(sorted(checked.items()))


def _own_parameter(info: MetricInfo, value: object) -> float:
    own = info.parameter
    assert own is not None
    number = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    if not own.least <= number <= own.most:
        raise MetricError(
            f"{info.name}: parameter {own.name}: got {value!r}; wanted a number from "
            f"{own.least:g} to {own.most:g}"
        )
    return number


def _text(value: object) -> str:
    """Write a parameter's value so that the parser reads the same value back."""
    if isinstance(value, tuple):
        return "{" + ", ".join(f"{_text(grade)}: {_text(gain)}" for grade, gain in value) + "}"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return "none" if value is None else str(value)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
