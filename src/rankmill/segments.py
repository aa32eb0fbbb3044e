"""`Segments`: the result of each segment of the users."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmill.errors import InputError
from rankmill.inputs import NumpyArray
from rankmill.inputs_ids import is_missing
from rankmill.notes import table_lines


@dataclass(frozen=True)
class Segments(Mapping[Any, Any]):
    """The `Result` of each segment, by its value, or by a tuple of values where several parted it.

    Attributes
    ----------
    names : tuple of str
        What the users were parted by.
    parts : mapping
        The result of each segment that has users, ascending by value where values order.
    """

    names: tuple[str, ...]
    parts: Mapping[Any, Any]

    def __getitem__(self, key: Any) -> Any:
        return self.parts[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def sizes(self) -> dict[Any, int]:
        """Users of each segment."""
        return {key: part.n_users for key, part in self.parts.items()}

    @property
    def means(self) -> dict[Any, dict[str, float]]:
        """Mean of each metric in each segment."""
        return {key: part.means for key, part in self.parts.items()}

    def describe(self) -> dict[Any, Any]:
        """Return `Result.describe` of each segment."""
        return {key: part.describe() for key, part in self.parts.items()}

    def label(self, key: Any) -> str:
        """Return the name of a segment, such as ``"kind=new, traffic=search"``."""
        values = key if len(self.names) > 1 else (key,)
        return ", ".join(f"{name}={value}" for name, value in zip(self.names, values, strict=True))

    def __str__(self) -> str:
        metrics = next(iter(self.parts.values())).names
        rows = [
            (self.label(key), *(f"{mean:.4f}" for mean in part.means.values()), str(part.n_users))
            for key, part in self.parts.items()
        ]
        return "\n".join(table_lines([("segment", *metrics, "users"), *rows]))


def rows_by_segment(columns: Mapping[str, NumpyArray]) -> dict[Any, NumpyArray]:
    """Return the rows of each segment; of each combination where there are several columns."""
    names = list(columns)
    codes, values = zip(*(_codes(name, columns[name]) for name in names), strict=True)
    mixed = np.zeros(len(codes[0]), dtype=np.int64)
    for code, distinct in zip(codes, values, strict=True):
        mixed = mixed * len(distinct) + code
    order = np.argsort(mixed, kind="stable")
    used, starts = np.unique(mixed[order], return_index=True)
    keys = []
    for number in used.tolist():
        key: list[Any] = []
        for distinct in reversed(values):
            number, at = divmod(number, len(distinct))
            key.insert(0, distinct[at])
        keys.append(tuple(key) if len(names) > 1 else key[0])
    return dict(zip(keys, np.split(order, starts[1:]), strict=True))


def _codes(name: str, column: NumpyArray) -> tuple[NumpyArray, list[Any]]:
    """Return a number for each row and the value of each number."""
    if column.dtype.kind != "O":
        missing = column != column  # NaN and NaT
        if missing.any():
            raise _no_value(name, int(np.argmax(missing)))
        distinct, codes = np.unique(column, return_inverse=True)
        return codes.reshape(-1), distinct.tolist()
    numbers: dict[Any, int] = {}
    codes = np.fromiter(
        (numbers.setdefault(value, len(numbers)) for value in column), np.int64, len(column)
    )
    for value, number in numbers.items():
        if is_missing(value):
            raise _no_value(name, int(np.argmax(codes == number)))
    try:
        ordered = sorted(numbers)
    except TypeError:  # values of several types stay in order of appearance
        return codes, list(numbers)
    places = np.empty(len(numbers), dtype=np.int64)
    places[[numbers[value] for value in ordered]] = np.arange(len(numbers))
    return places[codes], ordered


def _no_value(name: str, row: int) -> InputError:
    return InputError(f"segment {name}: no value at user row {row}; wanted one for every user")


def segment_columns(
    segment: Any, known: Mapping[str, NumpyArray], n_users: int
) -> dict[str, NumpyArray]:
    """Return the columns that a caller means: names of known ones, arrays, or {name: array}."""
    if segment is None:
        columns = dict(known)
        if not columns:
            raise InputError("segment: the result has none; wanted an array (users,)")
    elif isinstance(segment, str):
        columns = {segment: _known(segment, known)}
    elif isinstance(segment, Mapping):
        columns = {str(name): np.asarray(values) for name, values in segment.items()}
    elif (
        isinstance(segment, (list, tuple))
        and segment
        and all(isinstance(name, str) and name in known for name in segment)
    ):
        columns = {name: known[name] for name in segment}
    else:
        columns = {"segment": np.asarray(segment)}
    for name, column in columns.items():
        if column.shape != (n_users,):
            raise InputError(
                f"segment {name}: got shape {column.shape}; wanted ({n_users},), one per user"
            )
    if not columns:
        raise InputError("segment: got none; wanted at least one")
    return columns


def _known(name: str, known: Mapping[str, NumpyArray]) -> NumpyArray:
    if name not in known:
        have = ", ".join(known) or "none"
        raise InputError(f"segment: got {name!r}; the result has {have}")
    return known[name]
