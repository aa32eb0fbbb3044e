"""`sweep`: a metric over many cutoffs, of any number of users."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from rankmill.conventions import Conventions
from rankmill.errors import InputError, InputTypeError, MetricError
from rankmill.evaluate import measure
from rankmill.inputs import Int64s, whole_number
from rankmill.metrics import Metric
from rankmill.notes import table_lines
from rankmill.ranks import Ranks
from rankmill.running import HALF_WIDTH, Floats, Moments

_USERS_AT_ONCE: Final = 4_000  # few enough that their values are still in the cache when added up


@dataclass(frozen=True, eq=False)
class Sweep:
    """The mean of a metric at each of some cutoffs.

    Attributes
    ----------
    metric : str
        Its name without a cutoff.
    k : int64 (cutoffs,)
        The cutoffs, ascending.
    mean, standard_error, low, high : float64 (cutoffs,)
        Mean over the users for whom the metric is defined, its standard error s / sqrt(n), and
        the 95 % interval, mean ± 1.96 standard errors; NaN where there are too few users.
    users : int64 (cutoffs,)
        Users for whom the metric is defined.
    values : float64 (cutoffs, users) or None
        The values of each user, where they were asked for.
    """

    metric: str
    k: Int64s
    mean: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    users: Int64s
    values: Floats | None = None

    @property
    def best(self) -> int:
        """The cutoff with the greatest mean, the least of equal ones."""
        if np.isnan(self.mean).all():
            raise InputError(f"best: {self.metric} is defined for no user at any cutoff")
        return int(self.k[np.nanargmax(self.mean)])

    def __str__(self) -> str:
        rows = [
            (f"{self.metric}@{k}", f"{mean:.4f}", f"{low:.4f} to {high:.4f}", str(users))
            for k, mean, low, high, users in zip(
                self.k.tolist(), self.mean, self.low, self.high, self.users.tolist(), strict=True
            )
        ]
        return "\n".join(table_lines([("metric", "mean", "95 % interval", "users"), *rows]))


def sweep(
    ranks: Ranks,
    metric: str | Metric,
    k: Iterable[int] = range(1, 101),
    *,
    per_user: bool = False,
    conventions: Conventions | None = None,
    n_threads: int | None = None,
    isa: str | None = None,
) -> Sweep:
    """Measure a metric at many cutoffs.

    The Ranks are read once; memory does not grow with users times cutoffs unless `per_user`.

    Parameters
    ----------
    ranks : Ranks
        From `rank` or any other function that returns them.
    metric : str or Metric
        One that takes a cutoff, without one: ``"ndcg"``, ``"recall"``, ``"ndcg(gain=linear)"``.
    k : iterable of int
        The cutoffs, >= 1; sorted, each once.
    per_user : bool
        Keep the values of every user, 8 bytes per user and cutoff.
    conventions, n_threads, isa
        As in `measure`.

    Returns
    -------
    Sweep
        The values are the same bits as those of `measure` at each cutoff.

    Raises
    ------
    MetricError, InputError
        If the metric takes no cutoff or has one, or a cutoff is no integer >= 1.

    Examples
    --------
    >>> import rankmill as rm
    >>> ranks = rm.rank([[3, 2, 1], [1, 2, 3]], [[0, 1, 0], [0, 1, 1]])
    >>> rm.sweep(ranks, "recall", k=[1, 2, 3]).mean
    array([0.25, 1.  , 1.  ])
    """
    if not isinstance(ranks, Ranks):
        raise InputTypeError(f"ranks: got {type(ranks).__name__}; wanted Ranks")
    metrics = _metrics(metric, k)
    totals = Moments(len(metrics))
    kept = []
    for first in range(0, ranks.n_users, _USERS_AT_ONCE):
        part = ranks.part(first, first + _USERS_AT_ONCE)
        result = measure(part, metrics, conventions=conventions, n_threads=n_threads, isa=isa)
        totals.add(result.values)
        if per_user:
            kept.append(result.values)
    mean, error = totals.means(), totals.standard_errors()
    return Sweep(
        str(Metric(metrics[0].name, None, metrics[0].params)),
        np.array([swept.k for swept in metrics], dtype=np.int64),
        mean,
        error,
        mean - HALF_WIDTH * error,
        mean + HALF_WIDTH * error,
        totals.counts,
        np.concatenate(kept, axis=1) if kept else None,
    )


def _metrics(metric: str | Metric, k: Iterable[int]) -> list[Metric]:
    base = metric if isinstance(metric, Metric) else Metric.parse(metric)
    if not base.info.takes_k or base.k is not None:
        raise MetricError(f"metric: got {str(base)!r}; wanted one that takes a cutoff, without one")
    try:
        cutoffs = [whole_number("k", cutoff, 1) for cutoff in k]
    except TypeError:
        raise InputTypeError(f"k: got {k!r}; wanted cutoffs, such as range(1, 101)") from None
    if not cutoffs:
        raise InputError("k: got no cutoffs; wanted at least one")
    found = [Metric(base.name, cutoff, base.params) for cutoff in cutoffs]
    return sorted(set(found), key=lambda swept: swept.k or 0)
