"""`curve`: ROC and precision-recall curves averaged over users, and of all rows together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np

from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import Int64s
from rankmill.ranks import UNRANKED, Ranks
from rankmill.running import Floats
from rankmill.sweeping import sweep

Kind = Literal["roc", "pr", "f1"]
_USERS_AT_ONCE: Final = 1 << 14


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve averaged over users, and perhaps that of all rows together.

    Attributes
    ----------
    kind : {"roc", "pr", "f1"}
        x and y are false and true positive rate; recall and precision; depth k and F1.
    x, y : float64 (points,)
        The mean over users at each x.
    users : int
        Users that have a curve.
    pooled_x, pooled_y : float64 (points,) or None
        The same of all rows as one user's.
    best : tuple of float
        x and F1 of the point with the greatest F1 of the averaged curve; NaN for "roc".
    pooled_best : tuple of float or None
        That of the pooled curve.
    """

    kind: Kind
    x: Floats
    y: Floats
    users: int
    pooled_x: Floats | None
    pooled_y: Floats | None
    best: tuple[float, float]
    pooled_best: tuple[float, float] | None

    @property
    def area(self) -> float:
        """Area under the averaged curve, by trapezoids: near the mean AUC or PR-AUC."""
        return float(np.sum(np.diff(self.x) * (self.y[1:] + self.y[:-1]) / 2))


def curve(
    ranks: Ranks, kind: Kind = "roc", *, points: int = 201, pooled: Ranks | None = None
) -> Curve:
    """Average the curves of users, point by point.

    Parameters
    ----------
    ranks : Ranks
        Complete ones for ``"roc"``: all candidates must be known.
    kind : {"roc", "pr", "f1"}
        - ``"roc"``: true positive rate at equal false positive rates (vertical averaging, Fawcett
          2006, Pattern Recognition Letters 27), straight between thresholds, so that a tie is a
          slope. Users with one class of candidates have no curve.
        - ``"pr"``: precision at equal recalls: that of the highest threshold which reaches the
          recall, a tie being one threshold, as in ``pr_auc``; 0 if none reaches it. Users without
          relevant items have no curve.
        - ``"f1"``: the mean of F1@k over the depth k, from 1 to `points`.
    points : int
        Points of the curve, evenly from 0 to 1, or depths.
    pooled : Ranks, optional
        The rows of all users as those of one: ``rank(scores.ravel(), labels.ravel())``. Ranks do
        not hold the scores that the rows of different users would be compared by.

    Returns
    -------
    Curve
        Means are sums in the users' order. Empty curves are NaN.

    Raises
    ------
    InputError, InputTypeError
        If the kind is unknown, `pooled` has not one user, or candidates are not known.

    Examples
    --------
    >>> import rankmill as rm
    >>> scores, labels = [[3, 2, 1], [1, 2, 3]], [[0, 1, 0], [0, 0, 1]]
    >>> rm.curve(rm.rank(scores, labels), "roc", points=5).y
    array([0.5, 0.5, 1. , 1. , 1. ])
    """
    if kind not in get_args(Kind):
        raise InputError(f"kind: got {kind!r}; wanted one of {', '.join(get_args(Kind))}")
    if points not in range(2, 2**31):
        raise InputError(f"points: got {points!r}; wanted a whole number >= 2")
    x, y, users = _averaged(ranks, kind, points)
    pooled_x = pooled_y = pooled_best = None
    if pooled is not None:
        if pooled.n_users != 1:
            raise InputError(
                f"pooled: got {pooled.n_users} users; wanted Ranks of all rows as one user's"
            )
        pooled_x, pooled_y, _ = _averaged(pooled, kind, points)
        pooled_best = _best(kind, pooled_x, pooled_y)
    return Curve(kind, x, y, users, pooled_x, pooled_y, _best(kind, x, y), pooled_best)


def _averaged(ranks: Ranks, kind: Kind, points: int) -> tuple[Floats, Floats, int]:
    if not isinstance(ranks, Ranks):
        raise InputTypeError(f"ranks: got {type(ranks).__name__}; wanted Ranks")
    if kind == "f1":
        swept = sweep(ranks, "f1", range(1, points + 1))
        return swept.k.astype(np.float64), swept.mean, int(swept.users.max())
    if kind == "roc" and not ranks.complete:
        raise InputError("ranks: not all candidates are known; wanted rank() over all, or 'pr'")
    grid = np.linspace(0.0, 1.0, points)
    total, users = np.zeros(points), 0
    values = _roc if kind == "roc" else _precision
    for first in range(0, ranks.n_users, _USERS_AT_ONCE):
        found = values(ranks.part(first, first + _USERS_AT_ONCE), grid)
        total += found.sum(axis=0)
        users += len(found)
    return grid, total / users if users else np.full(points, np.nan), users


def _best(kind: Kind, x: Floats, y: Floats) -> tuple[float, float]:
    if kind == "roc" or np.isnan(y).all():
        return (float("nan"), float("nan"))
    with np.errstate(invalid="ignore"):
        f1 = y if kind == "f1" else np.nan_to_num(2 * x * y / (x + y))
    at = int(np.nanargmax(f1))
    return float(x[at]), float(f1[at])


@dataclass(frozen=True)
class _Thresholds:
    """Candidates and relevant items from each distinct score of relevant items on, by user."""

    user: Int64s  # of each threshold
    above: Int64s  # candidates with higher scores
    at_least: Int64s
    hits_above: Int64s  # the relevant among them
    hits: Int64s
    relevant: Int64s  # of each user, candidates or not
    candidates: Int64s

    @classmethod
    def of(cls, ranks: Ranks) -> _Thresholds:
        counts = np.diff(ranks.offsets)
        users = np.repeat(np.arange(ranks.n_users), counts)
        ranked = ranks.ahead != UNRANKED
        user, ahead = users[ranked], ranks.ahead[ranked].astype(np.int64)
        starts = np.flatnonzero(np.diff(user, prepend=-1) | np.diff(ahead, prepend=-1))
        ends = np.append(starts[1:], len(user))
        before = np.searchsorted(user, user[starts], side="left")
        above = ahead[starts]
        return cls(
            user[starts],
            above,
            above + ranks.tied[ranked][starts],
            starts - before,
            ends - before,
            counts,
            ranks.candidates,
        )


def _roc(ranks: Ranks, grid: Floats) -> Floats:
    """Return the true positive rate of each user that has both classes, at each rate of the grid.

    Users stand side by side on one axis, two units apart, so that all are interpolated at once.
    """
    t = _Thresholds.of(ranks)
    others = t.candidates - t.relevant
    has_curve = (t.relevant > 0) & (others > 0)
    kept = has_curve[t.user]
    user = np.repeat(t.user[kept], 2)
    hits = np.stack([t.hits_above[kept], t.hits[kept]], axis=1).reshape(-1)
    places = np.stack([t.above[kept], t.at_least[kept]], axis=1).reshape(-1)
    rows = np.flatnonzero(has_curve)
    x = (places - hits) / others[user]
    y = hits / t.relevant[user]
    sides: tuple[tuple[Literal["left", "right"], float], ...] = (("left", 0.0), ("right", 1.0))
    for side, corner in sides:  # a curve starts at 0, 0 and ends at 1, 1
        at = np.searchsorted(user, rows, side=side)
        x, y = np.insert(x, at, corner), np.insert(y, at, corner)
        user = np.insert(user, at, rows)
    wanted = 2.0 * rows[:, np.newaxis] + grid
    return np.interp(wanted.reshape(-1), 2.0 * user + x, y).reshape(wanted.shape)


def _precision(ranks: Ranks, grid: Floats) -> Floats:
    """Return the precision of each user with relevant items at each recall of the grid."""
    t = _Thresholds.of(ranks)
    rows = np.flatnonzero(t.relevant > 0)
    found = np.zeros((len(rows), len(grid)))
    place = 2.0 * t.user + t.hits / t.relevant[t.user]
    wanted = 2.0 * rows[:, np.newaxis] + grid
    at = np.searchsorted(place, wanted - 1e-12, side="left")
    reached = at < len(place)
    at = np.minimum(at, max(len(place) - 1, 0))
    if len(place):
        reached &= t.user[at] == rows[:, np.newaxis]
        found[reached] = (t.hits / t.at_least)[at[reached]]
    return found
