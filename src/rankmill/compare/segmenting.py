"""Segments of the paired users, by name of a segment of the results or by arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankmill.compare.pairing import Paired
from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import Int64s, NumpyArray, any_array
from rankmill.result import Result

_MOST_VALUES = 1000


def segment_rows(by: Any, paired: Paired, baseline: Result) -> dict[str, Int64s]:
    """Return the paired rows of each segment, named ``"name=value"``.

    Parameters
    ----------
    by : str, array, list of str or mapping
        As `compare` takes it; arrays have one value per user of ``baseline``.
    paired : Paired
        Whose users are split.
    baseline : Result
        As it was before pairing.
    """
    found: dict[str, Int64s] = {}
    for name, values in _columns(by, paired, baseline).items():
        for label, rows in _split(name, values):
            found[f"{name}={label}"] = rows
    return found


def _columns(by: Any, paired: Paired, baseline: Result) -> dict[str, NumpyArray]:
    """Return the segment of each paired user under each name."""
    if by is None:
        return {}
    if isinstance(by, str):
        return {by: _named(by, paired)}
    if isinstance(by, Mapping):
        columns = {}
        for name, values in by.items():
            if not isinstance(name, str):
                raise InputTypeError(f"by: got {name!r}; wanted names that are text")
            columns[name] = (
                _named(values, paired)
                if isinstance(values, str)
                else _given(f"by[{name!r}]", values, paired, baseline)
            )
        return columns
    if isinstance(by, (list, tuple)) and all(
        isinstance(name, str) and name in baseline.segments for name in by
    ):
        return {name: _named(name, paired) for name in by}
    return {"segment": _given("by", by, paired, baseline)}


def _named(name: str, paired: Paired) -> NumpyArray:
    """Return a segment of the results, which do not contradict each other."""
    for model, result in paired.results.items():
        if name not in paired.baseline.segments:
            known = ", ".join(paired.baseline.segments) or "none"
            raise InputError(f"by: got {name!r}; the segments of the baseline are: {known}")
        ours, theirs = paired.baseline.segments[name], result.segments.get(name)
        if theirs is None or np.array_equal(ours, theirs):
            continue
        for row, (one, other) in enumerate(zip(ours.tolist(), theirs.tolist(), strict=True)):
            if one != other and (one == one or other == other):
                raise InputError(
                    f"by: {name} of user row {row} is {one!r} in the baseline and {other!r} in "
                    f"{model}; wanted one segment per user"
                )
    return paired.baseline.segments[name]


def _given(argument: str, values: Any, paired: Paired, baseline: Result) -> NumpyArray:
    array = any_array(argument, values)
    if array.shape != (baseline.n_users,):
        raise InputError(
            f"{argument}: got shape {array.shape}; wanted ({baseline.n_users},), one value per "
            "user of the baseline"
        )
    return array[paired.rows]


def _split(name: str, values: NumpyArray) -> list[tuple[str, Int64s]]:
    try:
        distinct, codes = np.unique(values, return_inverse=True)
    except TypeError:  # values that do not compare, such as text and None
        distinct, codes = np.unique(list(map(str, values.tolist())), return_inverse=True)
    if len(distinct) > _MOST_VALUES:
        raise InputError(
            f"by: {name} has {len(distinct)} distinct values; wanted at most {_MOST_VALUES}"
        )
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order])) + 1
    return list(zip(map(str, distinct.tolist()), np.split(order, starts), strict=True))
