"""Ranked lists of items and relevant items in Python containers, one user at a time."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import NumpyArray
from rankmill.inputs_exclude import rows_of
from rankmill.ranks import UNRANKED

_NUMBERS: Final = (bool, int, float, np.bool_, np.integer, np.floating)


@dataclass(frozen=True)
class Lists:
    """What each user was shown, what was relevant, and what to leave out."""

    users: Sequence[Hashable]
    ids: NumpyArray | None  # the users' ids, where they were given
    recommended: list[Iterable[Hashable]]
    relevant: list[Mapping[Hashable, float]]
    exclude: list[Iterable[Hashable]] | None
    ignored: int


def pair_lists(recommended: Any, relevant: Any, exclude: Any) -> Lists:
    """Bring lists and relevant items of the same users together."""
    ids = None
    ignored = 0
    users: Sequence[Hashable]
    for name, rows in (("recommended", recommended), ("relevant", relevant)):
        if isinstance(rows, (str, bytes)) or not isinstance(rows, (Sequence, Mapping, np.ndarray)):
            raise InputTypeError(
                f"{name}: got {type(rows).__name__}; wanted a sparse matrix, a list of one "
                "collection per user, or {user: collection}"
            )
    if isinstance(relevant, Mapping) and isinstance(recommended, Mapping):
        users, ignored = matched_users("recommended", recommended, relevant)
        ids = user_ids(users)
    else:
        users = range(len(relevant if isinstance(recommended, Mapping) else recommended))
    if not users:
        raise InputError("relevant: got no users; wanted at least one")
    if ids is not None:
        lists = [recommended.get(user, ()) for user in users]
    else:
        lists = rows_of("recommended", recommended, users)
    truths = rows_of("relevant", relevant, users)
    return Lists(
        users,
        ids,
        lists,
        [grades_of(user, truth) for user, truth in zip(users, truths, strict=True)],
        None if exclude is None else rows_of("exclude", exclude, users),
        ignored,
    )


def matched_users(
    name: str, rows: Mapping[Hashable, Any], truth: Mapping[Hashable, Any]
) -> tuple[list[Hashable], int]:
    """Return the users of the truth, and how many others have rows; not none in common."""
    users = list(truth)
    if not users:
        raise InputError("relevant: got no users; wanted at least one")
    ignored = sum(user not in truth for user in rows)
    if rows and ignored == len(rows):
        raise InputError(
            f"{name}: none of its {ignored} users, such as {next(iter(rows))!r}, is among the "
            f"relevant, with users such as {users[0]!r}; wanted ids of the same type"
        )
    return users, ignored


def user_ids(users: Collection[Hashable]) -> NumpyArray:
    """Return ids as an array: int64 where all are integers, else objects."""
    if all(isinstance(user, (int, np.integer)) and not isinstance(user, bool) for user in users):
        try:
            return np.array(list(users), dtype=np.int64)
        except OverflowError:
            pass
    return np.fromiter(users, dtype=object, count=len(users))


def grades_of(user: Hashable, truth: Any) -> Mapping[Hashable, float]:
    """Return {item: grade} of the relevant items; a plain collection has grade 1 throughout."""
    if isinstance(truth, Mapping):
        for item, grade in truth.items():
            if not isinstance(grade, _NUMBERS) or not _is_finite(grade):
                raise InputError(
                    f"relevant: got {grade!r} for item {item!r} of user {user!r}; "
                    "wanted a finite grade"
                )
        return truth
    if isinstance(truth, (str, bytes)) or not isinstance(truth, Iterable):
        raise InputTypeError(
            f"relevant: got {truth!r} for user {user!r}; wanted a set of items or {{item: grade}}"
        )
    items = list(truth)
    try:
        grades = dict.fromkeys(items, 1.0)
    except TypeError as error:
        raise InputTypeError(f"relevant: {error} for user {user!r}; wanted ids") from None
    if len(grades) < len(items):
        raise InputError(f"relevant: item {_twice(items)!r} stands twice for user {user!r}")
    return grades


def _is_finite(grade: Any) -> bool:
    try:
        return math.isfinite(grade)
    except OverflowError:  # an integer beyond any double
        return False


@dataclass(frozen=True)
class Landed:
    """Where one user's relevant items landed in the list."""

    positions: list[int]  # UNRANKED for those it missed
    grades: list[float]
    candidates: int


def land(lists: Lists, at: int) -> Landed:
    """Find one user's relevant items in the list."""
    user, truth = lists.users[at], lists.relevant[at]
    listed = _distinct(user, lists.recommended[at])
    excluded: set[Hashable] = set()
    if lists.exclude is not None:
        excluded = as_set("exclude", user, lists.exclude[at])
        if excluded and listed and excluded.isdisjoint(listed):
            check_kinds("exclude", "recommended", user, excluded, listed)
    kept = [item for item in listed if item not in excluded] if excluded else listed
    places = {item: place for place, item in enumerate(kept)}
    hits = []
    missed = []
    for item, grade in truth.items():
        if grade <= 0 or item in excluded:
            continue
        place = places.get(item)
        if place is None:
            missed.append(float(grade))
        else:
            hits.append((place, float(grade)))
    if missed and not hits and kept:
        check_kinds("recommended", "relevant", user, kept, truth)
    hits.sort()
    missed.sort(reverse=True)
    return Landed(
        [place for place, _ in hits] + [UNRANKED] * len(missed),
        [grade for _, grade in hits] + missed,
        len(kept),
    )


def as_set(name: str, user: Hashable, ids: Iterable[Hashable]) -> set[Hashable]:
    """Return ids as a set."""
    try:
        return set(ids)
    except TypeError as error:
        raise InputTypeError(f"{name}: {error} for user {user!r}; wanted ids") from None


def _distinct(user: Hashable, listed: Any) -> list[Hashable]:
    if isinstance(listed, np.ndarray):
        listed = listed.tolist()
    unordered = (str, bytes, set, frozenset, Mapping)
    if isinstance(listed, unordered) or not isinstance(listed, Iterable):
        raise InputTypeError(
            f"recommended: got {listed!r} for user {user!r}; wanted a sequence of ranked items"
        )
    items = list(listed)
    try:
        if len(set(items)) < len(items):
            raise InputError(
                f"recommended: item {_twice(items)!r} stands twice in the list of user {user!r}; "
                "wanted distinct items"
            )
    except TypeError as error:
        raise InputTypeError(f"recommended: {error} in the list of user {user!r}") from None
    return items


def _twice(items: list[Hashable]) -> Hashable:
    seen: set[Hashable] = set()
    return next(item for item in items if item in seen or seen.add(item))  # type: ignore[func-returns-value]


def _kind(item: Hashable) -> str:
    if isinstance(item, (str, bytes)):
        return type(item).__name__
    return "int" if isinstance(item, (int, np.integer)) else type(item).__name__


def check_kinds(
    name: str, other: str, user: Hashable, listed: Iterable[Hashable], truth: Iterable[Hashable]
) -> None:
    """Refuse ids that could never be equal: text on one side, numbers on the other."""
    left, right = {_kind(item) for item in listed}, {_kind(item) for item in truth}
    if not left & right:
        raise InputTypeError(
            f"{name} has items of type {', '.join(sorted(left))} and {other} of type "
            f"{', '.join(sorted(right))} for user {user!r}; wanted the same type of ids"
        )
