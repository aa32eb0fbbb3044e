"""Scores and grades as {user: {item: score}} and {user: {item: grade}}."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import Int64s, NumpyArray, label_array, numeric_array
from rankmill.inputs_exclude import rows_of
from rankmill.inputs_lists import check_kinds, matched_users, user_ids
from rankmill.status import Explain, explainer


@dataclass
class DictRows:
    """Flat rows of the users of the truth, and what their candidates miss of it."""

    users: list[Hashable]
    ignored: int
    items: list[Hashable] = field(default_factory=list)
    scores: list[Any] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    missed: list[list[float]] = field(default_factory=list)

    @property
    def ids(self) -> NumpyArray:
        """The users' ids."""
        return user_ids(self.users)

    @property
    def offsets(self) -> Int64s:
        """Where each user's rows start."""
        return np.array([0, *self.ends], dtype=np.int64)

    def arrays(self) -> tuple[NumpyArray, NumpyArray]:
        """Return scores and labels as arrays of numbers."""
        found = []
        for name, values in (("scores", self.scores), ("relevance", self.labels)):
            array = np.array(values) if values else np.zeros(0)
            try:
                found.append(
                    label_array(name, array) if name == "relevance" else numeric_array(name, array)
                )
            except InputTypeError:
                row = next(row for row, value in enumerate(values) if not _is_number(value))
                raise InputTypeError(
                    f"{name}: got {values[row]!r} for {self._place(row)}; wanted a number"
                ) from None
        return found[0], found[1]

    def _place(self, row: int) -> str:
        user = next(at for at, end in enumerate(self.ends) if row < end)
        return f"item {self.items[row]!r} of user {self.users[user]!r}"

    def explain(self) -> Explain:
        """Name users and items as the caller does."""
        return explainer(
            user=lambda user: f"user {self.users[user]!r}",
            where=lambda user, place: self._place((self.ends[user - 1] if user else 0) + place),
        )


def _is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating))


def dict_rows(scores: Mapping[Any, Any], relevance: Any, exclude: Any) -> DictRows:
    """Lay the candidates of every user of `relevance` end to end."""
    if not isinstance(relevance, Mapping):
        raise InputTypeError(
            f"relevance: got {type(relevance).__name__}; wanted {{user: {{item: grade}}}}, as the "
            "scores are {user: {item: score}}"
        )
    users, ignored = matched_users("scores", scores, relevance)
    rows = DictRows(users, ignored)
    excluded = itertools.repeat(()) if exclude is None else rows_of("exclude", exclude, users)
    for user, out in zip(users, excluded, strict=False):
        _add_user(rows, user, scores.get(user, {}), relevance[user], out)
    return rows


def _add_user(rows: DictRows, user: Hashable, row: Any, truth: Any, out: Any) -> None:
    if not isinstance(truth, Mapping):
        truth = dict.fromkeys(truth, 1)
    if not isinstance(row, Mapping):
        raise InputTypeError(f"scores: got {row!r} for user {user!r}; wanted {{item: score}}")
    if out:
        gone = set(out)
        row = {item: score for item, score in row.items() if item not in gone}
        truth = {item: grade for item, grade in truth.items() if item not in gone}
    missed = truth.keys() - row.keys()
    if row and truth and len(missed) == len(truth):
        check_kinds("scores", "relevance", user, row, truth)
    rows.items.extend(row)
    rows.scores.extend(row.values())
    rows.labels.extend(map(truth.get, row, itertools.repeat(0)))
    rows.ends.append(len(rows.scores))
    grades = [_grade(user, item, truth[item]) for item in missed]
    rows.missed.append(sorted((grade for grade in grades if grade > 0), reverse=True))


def _grade(user: Hashable, item: Hashable, grade: Any) -> float:
    if not _is_number(grade) or not np.isfinite(grade):
        raise InputError(
            f"relevance: got {grade!r} for item {item!r} of user {user!r}; wanted a finite grade"
        )
    return float(grade)
