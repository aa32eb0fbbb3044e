"""Segments of the paired users, by name of a segment of the results or by arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from rankmill.compare.pairing import Paired
from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import Int64s, NumpyArray, any_array
from rankmill.inputs_ids import is_missing
from rankmill.result import Result
from rankmill.segments import rows_by_segment

_MOST_VALUES = 1000


def segment_rows(by: Any, paired: Paired, baseline: Result) -> dict[tuple[str, str], Int64s]:
    """Return the paired rows of each segment, by its name and ``"name=value"``.

    Parameters
    ----------
    by : str, array, list of str or mapping
        As `compare` takes it; arrays have one value per user of ``baseline``.
    paired : Paired
        Whose users are split.
    baseline : Result
        As it was before pairing.
    """
    found: dict[tuple[str, str], Int64s] = {}
    known: set[str] = set()
    for name, values in _columns(by, paired, baseline).items():
        for label, rows in _split(name, values).items():
            segment = f"{name}={label}"
            if segment in known:
                raise InputError(f"by: two names make the segment {segment!r}; wanted other names")
            known.add(segment)
            found[name, segment] = rows
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


def _split(name: str, values: NumpyArray) -> dict[str, Int64s]:
    """Return the rows of each value, and of all missing ones together.

    Values that are spelled alike, such as 1 and "1", are told apart by their types.
    """
    if values.dtype.kind == "O":
        is_gone = np.fromiter(map(is_missing, values), np.bool_, len(values))
    else:
        is_gone = values != values  # NaN and NaT
    here, gone = np.flatnonzero(~is_gone), np.flatnonzero(is_gone)
    parts = rows_by_segment({name: values[here]}) if len(here) else {}
    if (n_values := len(parts) + is_gone.any()) > _MOST_VALUES:
        raise InputError(
            f"by: {name} has {n_values} distinct values; wanted at most {_MOST_VALUES}"
        )
    gone_label = [str(values[gone[0]])] if len(gone) else []
    spelled = Counter([*map(str, parts), *gone_label])
    found = dict.fromkeys(gone_label, gone)
    for value, rows in parts.items():
        label = str(value) if spelled[str(value)] == 1 else f"{type(value).__name__} {value!r}"
        if label in found:
            raise InputError(f"by: {name} has two values {label}; wanted distinct texts or numbers")
        found[label] = here[rows]
    return found if all(isinstance(value, str) for value in parts) else _last(found, gone_label)


def _last(found: dict[str, Int64s], labels: list[str]) -> dict[str, Int64s]:
    """Move missing values behind numbers; among texts they come first."""
    for label in labels:
        found[label] = found.pop(label)
    return found
