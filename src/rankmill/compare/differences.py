"""The differences of one segment: users of each metric paired, estimated and resampled."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rankmill._engine import Run
from rankmill.compare.corrections import benjamini_hochberg, holm
from rankmill.compare.model import TESTS, Difference
from rankmill.compare.pairing import Paired
from rankmill.compare.resampling import TOGETHER, bootstrap_sums, randomization_p
from rankmill.compare.statistics import (
    bootstrap_p,
    estimate,
    mean_of,
    percentile_interval,
    wilcoxon_p,
)
from rankmill.inputs import Int64s
from rankmill.running import Floats


@dataclass(frozen=True)
class Resampling:
    """How to resample: how often, from which seed, on how many threads."""

    resamples: int
    seed: int
    run: Run


@dataclass(frozen=True)
class _Pairs:
    """The users for whom baseline and model both have one metric."""

    model: str
    metric: str
    base: Floats
    other: Floats


def segment_differences(
    name: str, segment: str, rows: Int64s, paired: Paired, how: Resampling
) -> list[Difference]:
    """Compare every model with the baseline in one segment, metric by metric.

    Those that are defined for the same users are resampled together, a dozen at a time: they
    share the draws.
    """
    weights = paired.baseline.weights
    if weights is not None:
        # A power of two less on each weight changes no ratio and keeps the products finite.
        weights = np.ldexp(weights[rows], -int(np.frexp(weights.max())[1]))
    alike: dict[bytes, list[tuple[str, int]]] = {}
    models = list(paired.results)
    for key in itertools.product(models[1:], range(len(paired.baseline.names))):
        users = _defined(key, rows, paired, weights)
        alike.setdefault(np.packbits(users).tobytes(), []).append(key)
    found: dict[tuple[str, int], Difference] = {}
    for keys in alike.values():
        kept = _defined(keys[0], rows, paired, weights)
        part = weights if weights is None else weights[kept]
        for some in (keys[at : at + TOGETHER] for at in range(0, len(keys), TOGETHER)):
            pairs = [_pairs(key, rows[kept], paired) for key in some]
            found.update(zip(some, _differences(pairs, part, how), strict=True))
    return [
        replace(found[key], baseline=models[0], by=name, segment=segment)
        for key in sorted(found, key=lambda key: (models.index(key[0]), key[1]))
    ]


def _defined(
    key: tuple[str, int], rows: Int64s, paired: Paired, weights: Floats | None
) -> npt.NDArray[np.bool_]:
    """Tell which users of a segment are pairs of one model and metric."""
    model, row = key
    defined: npt.NDArray[np.bool_] = ~np.isnan(paired.baseline.values[row, rows])
    defined &= ~np.isnan(paired.results[model].values[row, rows])
    if weights is not None:
        defined &= weights > 0
    return defined


def _pairs(key: tuple[str, int], rows: Int64s, paired: Paired) -> _Pairs:
    model, row = key
    base, other = paired.baseline.values[row, rows], paired.results[model].values[row, rows]
    return _Pairs(model, paired.baseline.names[row], base, other)


def _differences(
    group: Sequence[_Pairs], weights: Floats | None, how: Resampling
) -> Iterator[Difference]:
    """Compare pairs of the same users."""
    apart = np.array([pairs.other - pairs.base for pairs in group])
    means, chances = _resampled(apart, weights, how)
    for pairs, row, resampled, chance in zip(group, apart, means, chances, strict=True):
        yield _difference(pairs, row, weights, resampled, chance)


def _resampled(apart: Floats, weights: Floats | None, how: Resampling) -> tuple[Floats, Floats]:
    """Return bootstrapped means (metrics, resamples) and p-values by randomization (metrics,)."""
    n_rows, users = apart.shape
    if not users:
        return np.full((n_rows, 1), np.nan), np.full(n_rows, np.nan)
    settings = (how.resamples, how.seed, how.run)
    if weights is None:
        return (
            bootstrap_sums(apart, *settings).T / users,
            randomization_p(apart, *settings),
        )
    weighted = apart * weights
    sums = bootstrap_sums(np.vstack([weighted, weights]), *settings)
    with np.errstate(invalid="ignore"):  # 0 / 0 where all drawn weigh next to nothing
        means = (sums[:, :-1] / sums[:, -1:]).T
    return means, randomization_p(weighted, *settings)


def _difference(
    pairs: _Pairs, apart: Floats, weights: Floats | None, means: Floats, chance: float
) -> Difference:
    """Put one together; whose baseline and segment it is, and its share, come later."""
    users = len(apart)
    found = estimate(apart, weights)
    base, other = mean_of(pairs.base, weights), mean_of(pairs.other, weights)
    many = users > 1  # one user drawn again and again says nothing about others
    better, worse = int((apart > 0).sum()), int((apart < 0).sum())
    better_share, equal_share, worse_share = (
        count / users if users else math.nan for count in (better, users - better - worse, worse)
    )
    return Difference(
        model=pairs.model,
        baseline="",
        metric=pairs.metric,
        by="",
        segment="",
        users=users,
        means=(base, other),
        difference=found.mean,
        relative=found.mean / base if base else math.nan,
        interval=found.interval,
        bootstrap_interval=percentile_interval(means) if many else (math.nan, math.nan),
        p_values={
            "t": found.p_value,
            "wilcoxon": wilcoxon_p(apart) if weights is None else math.nan,
            "bootstrap": bootstrap_p(means, found.mean) if many else math.nan,
            "randomization": float(chance),
        },
        adjusted={},
        better=better_share,
        equal=equal_share,
        worse=worse_share,
        detectable=found.detectable,
        share=float(users if weights is None else math.fsum(weights)),
        contribution=math.nan,
    )


def shared(differences: Sequence[Difference]) -> list[Difference]:
    """Put in what each segment contributes to the difference over all users."""
    whole = {(d.model, d.metric): d.share for d in differences if not d.segment}
    found = []
    for each in differences:
        of_all = whole[each.model, each.metric]
        share = each.share / of_all if of_all else math.nan
        added = share * each.difference if each.users else 0.0
        found.append(replace(each, share=share, contribution=added))
    return found


def corrected(differences: Iterable[Difference]) -> tuple[Difference, ...]:
    """Correct the p-values of each test over all differences."""
    found = list(differences)
    adjusted: dict[str, dict[str, list[float]]] = {"holm": {}, "benjamini_hochberg": {}}
    for test in TESTS:
        p_values = np.array([each.p_values[test] for each in found])
        adjusted["holm"][test] = holm(p_values).tolist()
        adjusted["benjamini_hochberg"][test] = benjamini_hochberg(p_values).tolist()
    return tuple(
        replace(
            each,
            adjusted={
                name: {test: column[row] for test, column in tests.items()}
                for name, tests in adjusted.items()
            },
        )
        for row, each in enumerate(found)
    )
