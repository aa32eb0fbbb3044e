"""`compare`: models against a baseline over the same users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankmill.compare.differences import Resampling, corrected, segment_differences, shared
from rankmill.compare.model import Comparison
from rankmill.compare.pairing import check_results, pair_results
from rankmill.compare.segmenting import segment_rows
from rankmill.compare.tukey import tukey_pairs
from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import whole_number
from rankmill.metrics import Metrics
from rankmill.result import Result
from rankmill.threads import make_run


def compare(
    a: Result | Mapping[str, Result],
    b: Result | None = None,
    *,
    metrics: Metrics | None = None,
    by: Any = None,
    baseline: str | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    n_threads: int | None = None,
    isa: str | None = None,
) -> Comparison:
    """Compare models with a baseline, user by user, and test the differences.

    With d the differences model - baseline of n users, s their standard deviation:

    - ``difference``: mean of d; ``interval``: ``difference ± t(0.975, n - 1) s / sqrt(n)``.
    - ``"t"``: the paired t-test. ``"wilcoxon"``: the signed-rank test, zeros left out.
    - ``"bootstrap"``: users are drawn anew with replacement; how often the mean moves as far as
      it lies from 0. ``bootstrap_interval``: percentiles of those means.
    - ``"randomization"``: the sign of each d is flipped by a coin (all signs are tried where they
      are no more than ``resamples``); how often the mean is as far from 0.
    - ``detectable``: ``(t(0.975, n - 1) + t(0.8, n - 1)) s / sqrt(n)``, the smallest effect that
      would be found in 80 of 100 such samples (Bloom 1995).

    All p-values are two-sided. ``adjusted`` corrects them, per test, over the family of all
    models, metrics and segments of the call, all users included. Users for whom a metric is
    undefined (NaN) in either result are no pair of that metric; `Difference.users` counts pairs.

    Parameters
    ----------
    a, b : Result
        The baseline and the model, named "A" and "B". Or one mapping of names to Results, two or
        more: the others are compared with ``baseline``, and with each other by Tukey's HSD.
    metrics : str, list or Metric, optional
        Default: all, which must be the same in every result.
    by : str, array, list of str or mapping, optional
        Segments to compare in as well: the name of one of `Result.segments`, an array with one
        value per user of the baseline, several names, or a mapping of name to array. At most 1000
        values each.
    baseline : str, optional
        Name of the baseline; default: the first.
    resamples : int
        Of the bootstrap and the randomization test, at least 1. Memory beside the results: about
        32 bytes per resample and metric, and 40 per user for each of up to twelve metrics.
    seed : int
        0 .. 2^64 - 1. The same seed gives the same bits for any ``n_threads`` and ``isa``.
    n_threads, isa
        As in `evaluate`.

    Returns
    -------
    Comparison
        Printed, a table. A segment in which a metric has no pair has ``users`` 0 and NaN. One pair
        has a difference, but no interval, and p-values only by Wilcoxon and randomization (1).
        If all differ alike the t-test gives 0, or 1 if none differs.

    Notes
    -----
    Users are paired by `Result.users`; those that some model lacks are counted in ``unpaired``.
    Without ids the results pair by row, and must be as long. With `Result.weights` means are
    weighted, the standard error is that of the linearised ratio ``sum(w d) / sum(w)``, resampled
    users bring their weights along, Wilcoxon's test, which has no weighted form, is NaN, Tukey's
    is left out, users of weight 0 are no pair, and ``better`` counts users, not weights.

    Raises
    ------
    InputError, InputTypeError
        Other metrics, conventions that concern a compared metric, weights or segments; no user in
        common; a user twice; ids in some results only; infinite values.
    MissingDependencyError
        Without scipy.

    Examples
    --------
    >>> import rankmill as rm
    >>> relevance = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]]
    >>> a = rm.evaluate([[3, 2, 1]] * 4, relevance, "mrr")
    >>> b = rm.evaluate([[3, 2, 1], [1, 2, 0], [0, 1, 2], [1, 2, 0]], relevance, "mrr")
    >>> found = rm.compare(a, b).find("mrr")
    >>> round(found.difference, 4), found.better, found.equal, found.worse
    (0.4167, 0.75, 0.25, 0.0)
    >>> found.p_values["randomization"]
    0.25
    """
    results = _by_model(a, b, baseline)
    how = Resampling(whole_number("resamples", resamples, 1), _seed(seed), make_run(n_threads, isa))
    paired = pair_results(results, metrics)
    parts = {("", ""): np.arange(len(paired.rows))}
    parts.update(segment_rows(by, paired, next(iter(results.values()))))
    found = [
        difference
        for (name, segment), rows in parts.items()
        for difference in segment_differences(name, segment, rows, paired, how)
    ]
    models = tuple(paired.results)
    found.sort(key=lambda each: models.index(each.model))
    metric_names = paired.baseline.names
    three = len(models) > 2 and paired.baseline.weights is None
    pairs = [tukey_pairs(paired.results, name) for name in metric_names] if three else []
    return Comparison(
        models=models,
        baseline=models[0],
        metrics=metric_names,
        differences=corrected(shared(found)),
        results=paired.results,
        unpaired=paired.unpaired,
        tukey=tuple(pair for of_metric in pairs for pair in of_metric),
        seed=how.seed,
        resamples=how.resamples,
    )


def _by_model(a: Any, b: Any, baseline: str | None) -> dict[str, Result]:
    """Return the results by name, the baseline first."""
    results = a
    if isinstance(a, Result):
        if not isinstance(b, Result):
            raise InputTypeError(f"b: got {type(b).__name__}; wanted a Result to compare with a")
        results = {"A": a, "B": b}
    elif b is not None:
        raise InputTypeError(f"b: got {type(b).__name__} beside a mapping; wanted one of them")
    check_results(results)
    first = next(iter(results)) if baseline is None else baseline
    if first not in results:
        raise InputError(f"baseline: got {first!r}; wanted one of {', '.join(results)}")
    return {first: results[first], **results}


def _seed(seed: int) -> int:
    number = whole_number("seed", seed, 0)
    if number >= 2**64:
        raise InputError(f"seed: got {seed}; wanted a whole number below 2^64")
    return number
