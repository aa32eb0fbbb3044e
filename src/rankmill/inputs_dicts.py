"""Scores and grades as {user: {item: score}} and {user: {item: grade}}."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from rankmill._dicts import read_dicts
from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import Int64s, NumpyArray, numeric_array
from rankmill.inputs_exclude import rows_of
from rankmill.inputs_ids import item_ids
from rankmill.inputs_lists import as_set, check_kinds, matched_users, user_ids
from rankmill.status import Explain, explainer

_LARGEST: Final = sys.float_info.max
_PLAIN: Final = {bool, int, float}
_NUMBERS: Final = (bool, int, float, np.bool_, np.integer, np.floating)


@dataclass(frozen=True)
class DictRows:
    """Candidates and truth of each user, as they came but for what is excluded."""

    users: list[Hashable]
    ignored: int
    rows: list[Mapping[Hashable, Any]]
    truths: list[Mapping[Hashable, Any]]

    @property
    def ids(self) -> NumpyArray:
        """The users' ids."""
        return user_ids(self.users)

    def keys(self, users: list[int]) -> Int64s:
        """Return numbers that order the rows of each of some users as their ids do; 0 elsewhere."""
        keys = np.zeros(self.offsets[-1], dtype=np.int64)
        for user in users:
            begin, end = self.offsets[user : user + 2]
            ids = np.fromiter(self.rows[user], object, end - begin)
            keys[begin:end] = item_ids("items", ids).codes
        return keys

    @cached_property
    def offsets(self) -> Int64s:
        """Where each user's rows start."""
        return np.array([0, *itertools.accumulate(map(len, self.rows))], dtype=np.int64)

    def arrays(self) -> tuple[NumpyArray, NumpyArray, list[list[float]]]:
        """Return scores and grades end to end, and the grades that no row has."""
        n = int(self.offsets[-1])
        scores, grades = np.empty(n), np.empty(n)
        marks = np.empty(max(map(len, self.rows)), dtype=np.int64)
        missed = read_dicts(self.rows, self.truths, scores, grades, marks)
        if missed is None:
            scores, grades = self.scores(), self.labels()
            missed = [_missed(*pair) for pair in zip(self.rows, self.truths, strict=True)]
        return scores, grades, [sorted(grades, reverse=True) for grades in missed]

    def scores(self) -> NumpyArray:
        """Return the scores, end to end."""
        values = [row.values() for row in self.rows]
        return self._numbers("scores", self.rows, itertools.chain.from_iterable(values))

    def labels(self) -> NumpyArray:
        """Return the grade of each row, end to end."""
        self._check("relevance", self.truths)
        found = (
            map(truth.get, row, itertools.repeat(0.0))
            for row, truth in zip(self.rows, self.truths, strict=True)
        )
        return np.fromiter(itertools.chain.from_iterable(found), np.float64, self.offsets[-1])

    def explain(self) -> Explain:
        """Name users and items as the caller does."""
        return explainer(
            user=lambda user: f"user {self.users[user]!r}",
            where=lambda user, at: _place(self.users[user], list(self.rows[user])[at]),
        )

    def _numbers(
        self, name: str, rows: list[Mapping[Hashable, Any]], values: Iterable[Any]
    ) -> NumpyArray:
        kinds = self._check(name, rows)
        if kinds <= {float}:
            return np.fromiter(values, np.float64, self.offsets[-1])
        return numeric_array(name, np.array(list(values)))

    def _check(self, name: str, rows: list[Mapping[Hashable, Any]]) -> set[type]:
        """Refuse what is no number; return the types there are."""
        kinds: set[type] = set()
        for row in rows:
            kinds.update(map(type, row.values()))
        if not kinds <= _PLAIN:
            for user, row in zip(self.users, rows, strict=True):
                for item, value in row.items():
                    if not isinstance(value, _NUMBERS):
                        raise InputTypeError(
                            f"{name}: got {value!r} for {_place(user, item)}; wanted a number"
                        )
        return kinds


def _missed(row: Mapping[Hashable, Any], truth: Mapping[Hashable, Any]) -> list[float]:
    return [float(grade) for item, grade in truth.items() if item not in row and grade > 0]


def _place(user: Hashable, item: Hashable) -> str:
    return f"item {item!r} of user {user!r}"


def dict_rows(scores: Mapping[Any, Any], relevance: Any, exclude: Any) -> DictRows:
    """Pair the candidates of every user of `relevance` with its truth."""
    if not isinstance(relevance, Mapping):
        raise InputTypeError(
            f"relevance: got {type(relevance).__name__}; wanted {{user: {{item: grade}}}}, as the "
            "scores are {user: {item: score}}"
        )
    users, ignored = matched_users("scores", scores, relevance)
    rows = [_mapping("scores", user, scores.get(user, {})) for user in users]
    truths = [_truth(user, relevance[user]) for user in users]
    if exclude is not None:
        rows_out = rows_of("exclude", exclude, users)
        gone = [as_set("exclude", user, out) for user, out in zip(users, rows_out, strict=True)]
        rows = [_without(row, out) for row, out in zip(rows, gone, strict=True)]
        truths = [_without(truth, out) for truth, out in zip(truths, gone, strict=True)]
    for user, row, truth in zip(users, rows, truths, strict=True):
        if row and truth and row.keys().isdisjoint(truth):
            check_kinds("scores", "relevance", user, row, truth)
    return DictRows(users, ignored, rows, truths)


def _mapping(name: str, user: Hashable, row: Any) -> Mapping[Hashable, Any]:
    if isinstance(row, Mapping):
        return row
    raise InputTypeError(f"{name}: got {row!r} for user {user!r}; wanted {{item: score}}")


def _truth(user: Hashable, truth: Any) -> Mapping[Hashable, Any]:
    """Return grades, 1 throughout for a plain collection; infinite ones are refused here."""
    if not isinstance(truth, Mapping):
        if isinstance(truth, (str, bytes)) or not isinstance(truth, Iterable):
            raise InputTypeError(
                f"relevance: got {truth!r} for user {user!r}; wanted {{item: grade}} or a set"
            )
        return dict.fromkeys(as_set("relevance", user, truth), 1.0)
    try:
        if all(map(math.isfinite, truth.values())):
            return truth
    except (TypeError, OverflowError):
        pass  # what is no number at all is told apart later
    for item, grade in truth.items():
        if isinstance(grade, (int, float)) and not -_LARGEST <= grade <= _LARGEST:
            raise InputError(
                f"relevance: got {grade!r} for {_place(user, item)}; wanted a finite grade"
            )
    return truth


def _without(row: Mapping[Hashable, Any], gone: set[Hashable]) -> Mapping[Hashable, Any]:
    return {item: value for item, value in row.items() if item not in gone} if gone else row
