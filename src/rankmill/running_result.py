"""`RunningResult`: means, spread and quantiles of users who come in batches, on any machine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from rankmill.conventions import Conventions
from rankmill.errors import InputError, InputTypeError
from rankmill.metrics import Metric
from rankmill.notes import table_lines
from rankmill.result import Result
from rankmill.running import UNIT, Moments, exact_sum, ratio, variance
from rankmill.sketch import Sketch


@dataclass(frozen=True)
class Summary:
    """What `RunningResult` has seen.

    Attributes
    ----------
    n_users, ignored : int
        Users, and those left out as in `Result.ignored`.
    means : mapping of str to float
        As `Result.means` of all users at once, to the last bit; weighted where they were.
    counts, undefined : mapping of str to int
        Users for whom each metric is defined, and is not.
    variances : mapping of str to float
        Sum of squared differences from the unweighted mean over n - 1, correctly rounded but for
        the rounding of each square; NaN for fewer than two users.
    """

    n_users: int
    ignored: int
    means: Mapping[str, float]
    counts: Mapping[str, int]
    undefined: Mapping[str, int]
    variances: Mapping[str, float]
    _sketches: Mapping[str, Sketch]

    def quantile(self, metric: str, q: float) -> float:
        """Return a quantile of the users' values: low by less than 1 / 1024 of it.

        The least value that at least a share q of the users does not exceed (numpy's
        ``"inverted_cdf"``), cut to 11 significant bits. NaN if the metric is defined for no one.
        """
        if metric not in self._sketches:
            raise InputError(f"metric: got {metric!r}; wanted one of {', '.join(self._sketches)}")
        if not 0.0 <= q <= 1.0:
            raise InputError(f"q: got {q!r}; wanted a number from 0 to 1")
        return self._sketches[metric].quantile(q)

    def __str__(self) -> str:
        header = ("metric", "mean", "deviation", "users", "undefined")
        rows = [
            (
                name,
                f"{mean:.4f}",
                f"{math.sqrt(self.variances[name]):.4f}",
                str(self.counts[name]),
                str(self.undefined[name]),
            )
            for name, mean in self.means.items()
        ]
        return "\n".join(table_lines([header, *rows]))


class RunningResult:
    """Adds up the results of batches of users; the users' own values are not kept.

    The same bits for any split of the users, order of the batches and order of merging: sums are
    exact, and quantiles come from counts. It takes some kilobytes per metric, and pickles, so that
    workers can send theirs to be merged.

    Examples
    --------
    >>> import rankmill as rm
    >>> scores, labels = [[3, 2, 1], [1, 3, 2], [1, 2, 3]], [[0, 1, 0], [0, 1, 1], [1, 0, 0]]
    >>> running = rm.RunningResult()
    >>> for batch in (slice(0, 2), slice(2, 3)):
    ...     _ = running.update(rm.evaluate(scores[batch], labels[batch], "mrr"))
    >>> running.result().means == rm.evaluate(scores, labels, "mrr").means
    True
    >>> print(running.result())
    metric    mean  deviation  users  undefined
    mrr     0.6111     0.3469      3          0
    """

    def __init__(self) -> None:
        self._made_by: tuple[tuple[Metric, ...], Conventions, bool] | None = None
        self._users = self._ignored = 0
        self._columns: dict[str, _Column] = {}

    def update(self, batch: Result) -> RunningResult:
        """Add the result of some more users; returns itself.

        Raises
        ------
        InputError
            If its metrics, conventions or use of weights are not those of the batches before.
        """
        if not isinstance(batch, Result):
            raise InputTypeError(f"batch: got {type(batch).__name__}; wanted a Result")
        self._match("batch", (batch.metrics, batch.conventions, batch.weights is not None))
        self._users += batch.n_users
        self._ignored += batch.ignored
        for name in batch.names:
            self._columns.setdefault(name, _Column()).update(batch, name)
        return self

    def merge(self, other: RunningResult) -> RunningResult:
        """Add what another one has seen; returns itself."""
        if not isinstance(other, RunningResult):
            raise InputTypeError(f"other: got {type(other).__name__}; wanted a RunningResult")
        if other._made_by is None:
            return self
        self._match("other", other._made_by)
        self._users += other._users
        self._ignored += other._ignored
        for name, column in other._columns.items():
            self._columns.setdefault(name, _Column()).merge(column)
        return self

    def _match(self, name: str, made_by: tuple[tuple[Metric, ...], Conventions, bool]) -> None:
        if self._made_by is None:
            self._made_by = made_by
        words = ("metrics", "conventions", "weights")
        for what, wanted, got in zip(words, self._made_by, made_by, strict=True):
            if got != wanted:
                raise InputError(f"{name}: got {what} {got}; wanted {wanted}, as in the first one")

    def result(self) -> Summary:
        """Return what was seen so far."""
        columns = self._columns
        undefined = {name: column.undefined for name, column in columns.items()}
        return Summary(
            self._users,
            self._ignored,
            MappingProxyType({name: column.mean for name, column in columns.items()}),
            MappingProxyType({name: self._users - n for name, n in undefined.items()}),
            MappingProxyType(undefined),
            MappingProxyType({name: column.variance for name, column in columns.items()}),
            MappingProxyType({name: Sketch().merge(c.sketch) for name, c in columns.items()}),
        )


class _Column:
    """The sums of one metric: integers in units of 2^-1074."""

    def __init__(self) -> None:
        self.undefined = self.count = 0
        self.total = self.squares = 0  # over the users that count
        self.weighted = self.weights = 0
        self.sketch = Sketch()

    def update(self, batch: Result, name: str) -> None:
        values = batch[name]
        moments = Moments(1)
        moments.add(values[np.newaxis])
        ((total, squares, count),) = moments.rows()
        self.total += total
        self.squares += squares
        self.count += count
        self.undefined += batch.undefined[name]
        self.sketch.update(values)
        if batch.weights is None:
            self.weighted += total
            self.weights += count * UNIT
        else:
            self.weighted += exact_sum(values, batch.weights)[0]
            self.weights += exact_sum(batch.weights[values == values])[0]

    def merge(self, other: _Column) -> None:
        for name in ("undefined", "count", "total", "squares", "weighted", "weights"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.sketch.merge(other.sketch)

    @property
    def mean(self) -> float:
        return ratio(self.weighted, self.weights)

    @property
    def variance(self) -> float:
        return variance(self.total, self.squares, self.count)
