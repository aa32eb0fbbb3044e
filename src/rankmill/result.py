"""`Result`: the value of every metric for every user, with their names and means."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rankmill.conventions import Conventions, did_you_mean
from rankmill.describing import Described
from rankmill.errors import InputError, MetricError, RankmillError
from rankmill.export import Exports
from rankmill.inputs import Int64s, NumpyArray
from rankmill.merging import merged
from rankmill.metrics import Metric
from rankmill.notes import Note, table_lines
from rankmill.running import Floats, exact_sum, finite_values, ratio
from rankmill.segments import Segments, rows_by_segment, segment_columns


class Result(Exports, Described):
    """Per-user values of some metrics; made by `evaluate` and `measure`.

    Attributes
    ----------
    values : float64 (metrics, users)
        One row per metric. NaN where undefined, or what ``conventions.empty`` says.
    metrics : tuple of Metric
        What was measured; `names` has them as text.
    users : array (users,) or None
        The users' ids, where they were given.
    conventions : Conventions
        What the metrics were measured under, but for their own parameters.
    ignored : int
        Users that had a list but no relevant items on record (`rank_lists`).
    weights : float64 (users,) or None
        The weight of each user in every mean, where the data came with one.
    segments : mapping of str to array (users,)
        The segment of each user under each name, where the data came with them.
    notes : tuple of Note
        What a reader of the means should know about the data.
    filled : mapping of int to uint8 array
        By row of `values`, where ``conventions.empty`` is a number: undefined users, a bit each.

    Examples
    --------
    >>> import rankmill as rm
    >>> result = rm.evaluate([[9, 1, 5], [3, 2, 1]], [[0, 1, 1], [0, 0, 0]], "recall@2 hit@1")
    >>> result["recall@2"]
    array([0.5, nan])
    >>> result.means
    {'recall@2': 0.5, 'hit@1': 0.0}
    >>> result.counts
    {'recall@2': 1, 'hit@1': 2}
    >>> print(result)
    metric      mean  users  undefined
    recall@2  0.5000      1          1
    hit@1     0.0000      2          0
    """

    def __init__(
        self,
        values: Floats,
        metrics: tuple[Metric, ...],
        undefined: Int64s,
        *,
        conventions: Conventions,
        users: NumpyArray | None = None,
        ignored: int = 0,
        weights: Floats | None = None,
        segments: Mapping[str, NumpyArray] | None = None,
        notes: Sequence[Note] = (),
        filled: Mapping[int, NumpyArray] | None = None,
    ) -> None:
        self.values = values
        self.metrics = metrics
        self.users = users
        self.conventions = conventions
        self.ignored = ignored
        self.weights = weights
        self.segments = dict(segments or {})
        self.notes = tuple(notes)
        self._undefined = undefined
        self.filled = dict(filled or {})

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The metrics, such as ``"ndcg@10"``."""
        return tuple(map(str, self.metrics))

    @property
    def n_users(self) -> int:
        """Number of users."""
        return int(self.values.shape[1])

    def __getitem__(self, metric: str | Metric) -> Floats:
        """Return the values of one metric, float64 (users,)."""
        row: Floats = self.values[self._row(metric)]
        return row

    def _row(self, metric: str | Metric) -> int:
        name = str(metric)
        if name not in self.names:
            with contextlib.suppress(RankmillError):
                name = str(Metric.parse(name))
        if name not in self.names:
            hint = did_you_mean(name, self.names, {})
            raise MetricError(
                f"result has no {str(metric)!r}; it has {', '.join(self.names)}{hint}"
            )
        return self.names.index(name)

    @cached_property
    def means(self) -> dict[str, float]:
        """Mean of each metric over the users that count, correctly rounded; NaN if none does."""
        return {name: self.mean(name) for name in self.names}

    @property
    def undefined(self) -> dict[str, int]:
        """Users for whom each metric is undefined, whatever ``conventions.empty`` made of them."""
        return dict(zip(self.names, self._undefined.tolist(), strict=True))

    @property
    def counts(self) -> dict[str, int]:
        """Users for whom each metric is defined."""
        return {name: self.n_users - missing for name, missing in self.undefined.items()}

    def is_undefined(self, metric: str | Metric) -> NumpyArray:
        """Return for whom a metric is undefined, bool (users,), whatever they count as."""
        row = self._row(metric)
        if row in self.filled:
            return np.unpackbits(self.filled[row], count=self.n_users).view(bool)
        missing: NumpyArray = np.isnan(self.values[row])
        return missing

    def take(self, rows: Any) -> Result:
        """Return the result of some users.

        Parameters
        ----------
        rows : slice, int array or bool array (users,)
            Rows of the users, as numpy takes them.

        Examples
        --------
        >>> import rankmill as rm
        >>> result = rm.evaluate([[3, 2], [2, 3]], [[0, 1], [0, 1]], "mrr")
        >>> result.take(result["mrr"] < 1)["mrr"]
        array([0.5])
        """
        missing = np.stack([self.is_undefined(name)[rows] for name in self.names])
        return Result(
            np.ascontiguousarray(self.values[:, rows]),
            self.metrics,
            missing.sum(axis=1),
            conventions=self.conventions,
            users=None if self.users is None else self.users[rows],
            weights=None if self.weights is None else self.weights[rows],
            segments={name: column[rows] for name, column in self.segments.items()},
            notes=self.notes,
            filled={row: np.packbits(missing[row]) for row in self.filled},
        )

    def mean(self, metric: str | Metric, weights: Any = None) -> float:
        """Return the mean of one metric over users, or its weighted mean.

        With ``weights`` the number of each user's rows and ``"auc"`` this is GAUC (Zhu et al.,
        KDD 2018). A user left out has no weight either: sum(w v) / sum(w) over the same users.

        Parameters
        ----------
        metric : str or Metric
            One of `names`.
        weights : array (users,), optional
            Finite, >= 0. Default: `weights` of the result, where it has them.

        Examples
        --------
        >>> import rankmill as rm
        >>> result = rm.evaluate([2, 1, 3, 2, 1], [1, 0, 0, 1, 0], "auc", offsets=[0, 2, 5])
        >>> result["auc"]
        array([1. , 0.5])
        >>> result.mean("auc", weights=[2, 3])
        0.7
        """
        values = self[metric]
        weights = self.weights if weights is None else weights
        if weights is None:
            total, count = exact_sum(values)
            return ratio(total, count << 1074)
        checked = finite_values("weights", weights)
        if checked.shape != values.shape:
            raise InputError(f"weights: got {len(checked)}; wanted {self.n_users}, one per user")
        if not (checked >= 0).all():
            at = int(np.argmin(checked >= 0))
            raise InputError(f"weights: got {checked[at]} at user row {at}; wanted a number >= 0")
        # A power of two less on each weight changes no ratio and keeps the products finite.
        checked = np.ldexp(checked, -int(np.frexp(checked.max(initial=0.0))[1]))
        total, _ = exact_sum(values, checked)
        over, _ = exact_sum(np.where(np.isnan(values), np.nan, checked))
        return ratio(total, over)

    def geometric_mean(self, metric: str | Metric, least: float = 1e-5) -> float:
        """Return the geometric mean of one metric over the users that count; NaN if none does.

        exp(mean of log(max(value, least))): users at 0 weigh much, and do not make it 0.
        trec_eval's gm_map is that of "map".

        Parameters
        ----------
        metric : str or Metric
            One of `names`.
        least : float
            What smaller values count as, > 0.

        Examples
        --------
        >>> import rankmill as rm
        >>> result = rm.evaluate([[2, 1], [1, 2]], [[1, 0], [1, 0]], "mrr")
        >>> round(result.geometric_mean("mrr"), 6)
        0.707107
        """
        if not 0.0 < least < math.inf:
            raise InputError(f"least: got {least!r}; wanted a number > 0")
        total, count = exact_sum(np.log(np.maximum(self[metric], least)))
        return math.exp(ratio(total, count << 1074))

    def merge(self, *others: Result) -> Result:
        """Return the result of all users: of this one, then of the others.

        Means are exact sums, so they are the same bits however users were split and merged.

        Raises
        ------
        InputError
            If metrics, conventions, weights or segments differ in kind, or a user is in two.

        Examples
        --------
        >>> import rankmill as rm
        >>> a = rm.evaluate([[3, 2, 1]], [[0, 1, 0]], "mrr")
        >>> a.merge(rm.evaluate([[1, 2]], [[0, 1]], "mrr"))["mrr"]
        array([0.5, 1. ])
        """
        return Result(**merged([self, *others]))

    def by(self, segment: Any = None) -> Segments:
        """Return the result of each segment of the users.

        Parameters
        ----------
        segment : str, array (users,), mapping of str to array, or list of str, optional
            What parts the users: names of `segments`, or values given here; all of `segments` if
            None. Several part by their combinations, of which those with users are kept.

        Examples
        --------
        >>> import rankmill as rm
        >>> result = rm.evaluate([[3, 2, 1], [1, 2, 3]], [[0, 1, 0], [0, 0, 1]], "mrr")
        >>> print(result.by({"kind": ["new", "old"]}))
        segment      mrr  users
        kind=new  0.5000      1
        kind=old  1.0000      1
        """
        columns = segment_columns(segment, self.segments, self.n_users)
        rows = rows_by_segment(columns)
        return Segments(tuple(columns), {key: self.take(row) for key, row in rows.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return means, counts and undefined users per metric, as plain data."""
        return {
            name: {"mean": self.means[name], "users": self.counts[name], "undefined": missing}
            for name, missing in self.undefined.items()
        }

    def __repr__(self) -> str:
        return f"Result(users={self.n_users}, metrics={list(self.names)})"

    def __str__(self) -> str:
        header = ("metric", "mean", "users", "undefined")
        rows = [
            (name, f"{row['mean']:.4f}", str(row["users"]), str(row["undefined"]))
            for name, row in self.to_dict().items()
        ]
        lines = table_lines([header, *rows])
        if self.ignored and all(note.rule != "ignored" for note in self.notes):
            lines.append(f"{self.ignored} users with a list but nothing on record were left out")
        return "\n".join([*lines, *(note.text for note in self.notes)])
