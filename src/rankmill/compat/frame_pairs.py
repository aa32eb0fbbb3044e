"""Pairs of user and item in two data frames, and the ranking of one by the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rankmill.errors import InputError
from rankmill.inputs import NumpyArray
from rankmill.ranking import rank
from rankmill.ranks import Ranks
from rankmill.running import Floats

_NOT_RANKED: Final = -np.inf
_LOWEST: Final = float(np.finfo(np.float64).min)


@dataclass(frozen=True)
class Pairs:
    """The pairs of user and item of both frames, as numbers."""

    users_true: NumpyArray
    users_pred: NumpyArray
    at: NumpyArray  # of each prediction, its row in the truth, or -1

    @classmethod
    def of(cls, true: Any, pred: Any, col_user: str, col_item: str) -> Pairs:
        """Match the frames; a pair stands once in each."""
        for column in (col_user, col_item):
            check_column("rating_true", true, column)
            check_column("rating_pred", pred, column)
        users, items = (_joint_codes(true, pred, column) for column in (col_user, col_item))
        keys = users * (items.max(initial=0) + 1) + items
        n = len(true)
        order = np.argsort(keys[:n], kind="stable")
        for name, frame, part in (("rating_true", true, keys[:n]), ("rating_pred", pred, keys[n:])):
            _check_distinct(name, frame[[col_user, col_item]], part)
        place = np.minimum(np.searchsorted(keys[:n], keys[n:], sorter=order), n - 1)
        found = order[place] if n else np.zeros(len(pred), dtype=np.int64)
        at = np.where(keys[:n][found] == keys[n:], found, -1)
        return cls(users[:n], users[n:], at)

    def rank(self, grades: Floats, scores: Floats, counted: NumpyArray) -> Ranks:
        """Rank the predictions for some users; what is true and not predicted is behind them."""
        kept, wanted = (counted[users] for users in (self.users_pred, self.users_true))
        missed = wanted.copy()
        missed[self.at[self.at >= 0]] = False
        labels = np.where(self.at >= 0, grades[self.at], 0.0)
        behind = np.full(int(missed.sum()), _NOT_RANKED)
        return rank(
            np.concatenate([scores[kept], behind]),
            np.concatenate([labels[kept], grades[missed]]),
            groups=np.concatenate([self.users_pred[kept], self.users_true[missed]]),
            min_score=_LOWEST,
            ties="input_order",
        )


def check_column(name: str, frame: Any, column: str) -> None:
    """Refuse a frame without a column."""
    if column not in getattr(frame, "columns", ()):
        have = ", ".join(map(str, getattr(frame, "columns", ()))) or "none"
        raise InputError(f"{name}: no column {column!r}; it has {have}")


def _check_distinct(name: str, ids: Any, keys: NumpyArray) -> None:
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if len(again):
        user, item = ids.iloc[[int(order[again[0] + 1])]].to_dict("split")["data"][0]
        raise InputError(f"{name}: user {user!r} has item {item!r} twice; wanted it once")


def _joint_codes(true: Any, pred: Any, column: str) -> NumpyArray:
    """Give each id of a column of both frames its number."""
    import pandas

    kinds = [frame[column].dtype.kind for frame in (true, pred)]
    if len(true) and len(pred) and kinds[0] != kinds[1]:
        raise InputError(
            f"{column}: got {true[column].dtype} and {pred[column].dtype}; wanted ids of one type"
        )
    codes, _ = pandas.factorize(pandas.concat([true[column], pred[column]], ignore_index=True))
    if codes.min(initial=0) < 0:
        raise InputError(f"{column}: got a missing id; wanted every id")
    return np.asarray(codes, dtype=np.int64)
