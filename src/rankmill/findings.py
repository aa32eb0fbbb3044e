"""`findings`: what the figures of a result or a comparison say, in plain words, by stated rules."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from rankmill.compare import Comparison, Difference
from rankmill.errors import InputError, InputTypeError
from rankmill.evaluate import measure
from rankmill.metrics import METRICS, Metric
from rankmill.notes import Note
from rankmill.ranks import Ranks
from rankmill.result import Result

#: From this mean on, NDCG is suspected of knowing the answers.
LEAKAGE: Final = 0.98
#: From this share of users on, those for whom a metric is undefined are many.
UNDEFINED: Final = 0.2
#: From this distance of the best and the worst order of ties on, a mean is arbitrary.
TIED: Final = 0.01

_OPPOSED: Final = (("precision", "recall"), ("auc", "ndcg"))


def findings(
    data: Result | Comparison, ranks: Ranks | Mapping[str, Ranks] | None = None
) -> tuple[Note, ...]:
    """Return what a reader of the means should know, each with its figures.

    A difference counts as up or down where its 95 % interval (`Difference.interval`) leaves out 0.

    ==============  ==================================================================
    rule            when
    ==============  ==================================================================
    leakage         a mean NDCG is at least 0.98
    undefined       a metric is undefined for at least 20 % of the users
    short lists     more than half of the users have fewer candidates than the cutoff
                    (with `ranks`)
    ties            the mean under the best and the worst order of ties differ by more
                    than 0.01, or by more than the difference of the models
                    (with `ranks`)
    opposed         precision@k is up and recall at any k down, or auc up and ndcg
                    down, or the other way round
    cutoffs         a metric is up at one cutoff and down at another
    segments        a metric is up over all users and down in a segment, or the other
                    way round; the segment that carries the change is named
    ==============  ==================================================================

    Parameters
    ----------
    data : Result or Comparison
        Of a comparison, every difference from the baseline is looked at.
    ranks : Ranks or mapping of model to Ranks, optional
        What was measured, for the rules that need it.

    Returns
    -------
    tuple of Note
        First what `Result.notes` has, then in the order of the table.

    Examples
    --------
    >>> import rankmill as rm
    >>> result = rm.evaluate([[3, 2, 1], [1, 2, 3]], [[1, 0, 0], [0, 0, 1]], "ndcg@2")
    >>> for note in rm.findings(result):
    ...     print(note.text)
    ndcg@2 is 1.0000: nearly perfect, which mostly means that the scores know the answers (leakage)
    """
    if isinstance(data, Result):
        models = {"": data}
    elif isinstance(data, Comparison):
        models = dict(data.results)
    else:
        raise InputTypeError(
            f"data: got {type(data).__name__}; wanted a Result or a Comparison, from compare"
        )
    by_model = _ranks_of(ranks, models)
    found: list[Note] = []
    for name, result in models.items():
        found += result.notes
        for rule in (_leakage, _undefined):
            found += rule(name, result)
        if name in by_model:
            found += _short_lists(name, result, by_model[name])
    found += _ties(data, models, by_model)
    if isinstance(data, Comparison):
        for differences in _by_model(data).values():
            for compare in (_opposed, _cutoffs, _segments):
                found += compare(differences)
    return tuple(found)


def _ranks_of(ranks: Any, models: Mapping[str, Result]) -> dict[str, Ranks]:
    if ranks is None:
        return {}
    found = {"": ranks} if isinstance(ranks, Ranks) else dict(ranks)
    strange = [name for name in found if name not in models]
    if strange:
        raise InputError(
            f"ranks: got those of {strange[0]!r}; wanted Ranks by model: {', '.join(models)}"
        )
    return found


def _named(model: str, metric: str) -> str:
    return f"{metric} of {model}" if model else metric


def _leakage(model: str, result: Result) -> Iterator[Note]:
    for metric, mean in result.means.items():
        if Metric.parse(metric).name == "ndcg" and mean >= LEAKAGE:
            yield Note(
                "leakage",
                f"{_named(model, metric)} is {mean:.4f}: nearly perfect, which mostly means that "
                "the scores know the answers (leakage)",
                {"mean": mean},
            )


def _undefined(model: str, result: Result) -> Iterator[Note]:
    for metric, missing in result.undefined.items():
        share = missing / result.n_users if result.n_users else 0.0
        if share >= UNDEFINED:
            yield Note(
                "undefined",
                f"{_named(model, metric)} is undefined for {missing} of {result.n_users} users "
                f"({share:.0%}): {METRICS[Metric.parse(metric).name].empty}",
                {"undefined": missing, "users": result.n_users},
            )


def _short_lists(model: str, result: Result, ranks: Ranks) -> Iterator[Note]:
    for metric in result.metrics:
        if metric.k is None:
            continue
        short = int(np.count_nonzero(ranks.candidates < metric.k))
        if 2 * short > ranks.n_users:
            yield Note(
                "short lists",
                f"{short} of {ranks.n_users} users have fewer than the {metric.k} candidates of "
                f"{_named(model, str(metric))}",
                {"users": short, "k": metric.k},
            )


def _ties(
    data: Result | Comparison, models: Mapping[str, Result], ranks: Mapping[str, Ranks]
) -> Iterator[Note]:
    """Measure the best and the worst order; of a comparison the gain is the measure of both."""
    for name, of_model in ranks.items():
        result = models[name]
        concerned = [m for m in result.metrics if "ties" in METRICS[m.name].conventions]
        if not concerned or not (of_model.tied > 1).any():
            continue
        plain = [Metric(m.name, m.k, [p for p in m.params if p[0] != "ties"]) for m in concerned]
        best, worst = (
            measure(of_model, plain, conventions=result.conventions.replace(ties=ties)).means
            for ties in ("best", "worst")
        )
        for metric, (low, high) in zip(
            concerned, zip(worst.values(), best.values(), strict=True), strict=True
        ):
            bound = TIED
            if isinstance(data, Comparison):
                gains = [
                    abs(d.difference)
                    for d in data.differences
                    if d.metric == str(metric) and not d.segment and name in (d.model, d.baseline)
                ]
                bound = min(gains, default=TIED)
            if high - low > bound:
                yield Note(
                    "ties",
                    f"{_named(name, str(metric))} is {low:.4f} to {high:.4f} by the order of tied "
                    f"scores, more than {bound:.4f}: ties make it arbitrary",
                    {"worst": low, "best": high, "bound": bound},
                )


def _by_model(data: Comparison) -> dict[str, list[Difference]]:
    found: dict[str, list[Difference]] = {}
    for difference in data.differences:
        found.setdefault(difference.model, []).append(difference)
    return found


def _direction(difference: Difference) -> int:
    """Return 1 for up, -1 for down, 0 where the interval holds 0."""
    low, high = difference.interval
    return int(low > 0) - int(high < 0)


def _change(difference: Difference) -> str:
    where = f" in {difference.segment}" if difference.segment else ""
    return f"{difference.metric}{where} {difference.difference:+.4f}"


def _pair(
    rule: str,
    first: Difference,
    second: Difference,
    what: str,
    figures: Mapping[str, float] | None = None,
) -> Note:
    return Note(
        rule,
        f"{first.model} against {first.baseline}: {_change(first)}, but {_change(second)}: {what}",
        {"first": first.difference, "second": second.difference, **(figures or {})},
    )


def _opposite(
    differences: list[Difference], alike: Callable[[Metric, Metric], bool]
) -> Iterator[tuple[Difference, Difference]]:
    """Give pairs over all users that go opposite ways, the one that is up first."""
    whole = [d for d in differences if not d.segment and _direction(d)]
    for first, second in itertools.combinations(whole, 2):
        if _direction(first) == -_direction(second) and alike(
            Metric.parse(first.metric), Metric.parse(second.metric)
        ):
            yield (first, second) if _direction(first) > 0 else (second, first)


def _opposed(differences: list[Difference]) -> Iterator[Note]:
    def alike(one: Metric, other: Metric) -> bool:
        return (one.name, other.name) in _OPPOSED or (other.name, one.name) in _OPPOSED

    for up, down in _opposite(differences, alike):
        yield _pair("opposed", up, down, "they should be judged together")


def _cutoffs(differences: list[Difference]) -> Iterator[Note]:
    def alike(one: Metric, other: Metric) -> bool:
        return (one.name, one.params) == (other.name, other.params)

    for up, down in _opposite(differences, alike):
        yield _pair("cutoffs", up, down, "the cutoff decides who wins")


def _segments(differences: list[Difference]) -> Iterator[Note]:
    whole = {d.metric: d for d in differences if not d.segment}
    for part in differences:
        all_users = whole[part.metric]
        if not part.segment or _direction(part) * _direction(all_users) >= 0:
            continue
        alike = [d for d in differences if (d.metric, d.by) == (part.metric, part.by) and d.users]
        carrier = max(alike, key=lambda d: _direction(all_users) * d.contribution)
        yield _pair(
            "segments",
            all_users,
            part,
            f"{carrier.segment} carries the change, {carrier.contribution:+.4f} of it",
            {"carrier": carrier.contribution},
        )
