"""Ids of users and items: any integers, strings or categoricals, never floats."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from rankmill._engine import Groups, Run
from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import Int64s, NumpyArray, any_array
from rankmill.status import explainer


@dataclass(frozen=True)
class Grouping:
    """The users of flat rows, in order of first appearance."""

    groups: Groups
    offsets: Int64s | None  # where each user's rows start; None: the rows of users are mixed
    ids: _Ids  # of each row
    n_rows: int

    @cached_property
    def users(self) -> NumpyArray:
        """The users' ids."""
        first = np.empty(len(self.groups), dtype=np.int64)
        self.groups.first_rows(first)
        return self.ids[first]

    def together(self, run: Run) -> tuple[Int64s, Int64s]:
        """Return the rows in the order that brings those of a user together, and the offsets."""
        rows = np.empty(self.n_rows, dtype=np.int64)
        offsets = np.empty(len(self.groups) + 1, dtype=np.int64)
        self.groups.order(run, offsets, rows, explainer(user="row {}".format))
        return rows, offsets


def group_rows(name: str, ids: object, n_rows: int, run: Run) -> Grouping:
    """Group rows by the id of their user."""
    keys, values = _keys(name, ids)
    if keys.shape != (n_rows,):
        raise InputError(
            f"{name}: got shape {keys.shape}; wanted ({n_rows},), one id per row of scores"
        )
    if n_rows == 0:
        raise InputError(f"{name}: got no rows; wanted at least one user")
    if keys.itemsize == 0:
        raise InputError(f"{name}: got ids of no width; wanted integers or strings")
    data = keys[:, np.newaxis].view(np.uint8)
    groups = Groups()
    if groups.read(data, True, run, explainer()):
        offsets = np.empty(len(groups) + 1, dtype=np.int64)
        groups.first_rows(offsets[:-1])
        offsets[-1] = n_rows
        return Grouping(groups, offsets, values, n_rows)
    groups = Groups()
    groups.read(data, False, run, explainer())
    return Grouping(groups, None, values, n_rows)


class _Ids(Protocol):
    """Ids that can be looked up by row."""

    def __getitem__(self, rows: Int64s, /) -> NumpyArray: ...


def _keys(name: str, ids: Any) -> tuple[NumpyArray, _Ids]:
    """Return fixed-width keys, equal where the ids are, and the ids as an array."""
    categorical = getattr(ids, "cat", ids)
    if hasattr(categorical, "codes") and hasattr(categorical, "categories"):
        codes = np.asarray(categorical.codes)
        if codes.min(initial=0) < 0:
            raise InputError(
                f"{name}: missing id at row {int(np.argmax(codes < 0))}; wanted every id"
            )
        return codes, _Categories(id_array(name, np.asarray(categorical.categories)), codes)
    array = id_array(name, ids)
    if array.dtype != object:
        return array, array
    return _first_rows(name, array), array


class _Categories:
    """The ids of a categorical, looked up where they are needed instead of once per row."""

    def __init__(self, categories: NumpyArray, codes: NumpyArray) -> None:
        self._categories, self._codes = categories, codes

    def __getitem__(self, rows: Int64s) -> NumpyArray:
        return self._categories[self._codes[rows]]


def _first_rows(name: str, array: NumpyArray) -> Int64s:
    """Return, for each value of an object array, the first row that has it."""
    first: dict[Hashable, int] = {}
    try:
        rows = np.fromiter(map(first.setdefault, array, itertools.count()), np.int64, len(array))
    except TypeError as error:
        raise InputTypeError(f"{name}: {error}; wanted integers or strings") from None
    for value, row in first.items():
        if is_missing(value) or isinstance(value, (float, np.floating)):
            raise InputError(f"{name}: got {value!r} at row {row}; wanted an integer or a string")
    return rows


def is_missing(value: object) -> bool:
    """Tell None, NaN, NaT and pandas.NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA has no truth value
        return True


def id_array(name: str, ids: object) -> NumpyArray:
    """Return ids as a 1-D array of integers, bools, strings, bytes or objects."""
    array = any_array(name, ids)
    if isinstance(ids, (list, tuple)) and array.ndim == 1 and len(set(map(type, ids))) > 1:
        array = np.fromiter(ids, dtype=object, count=len(ids))  # numpy would make them one type
    if array.dtype.kind == "T":  # variable-width strings
        array = array.astype(object)
    if array.dtype.kind == "f":
        raise InputTypeError(
            f"{name}: got dtype {array.dtype}; wanted integers or strings (floats merge large ids)"
        )
    if array.dtype.kind not in "biuSUO" or array.ndim != 1:
        raise InputTypeError(
            f"{name}: got dtype {array.dtype} and shape {array.shape}; wanted a 1-D array of "
            "integers or strings"
        )
    return array


@dataclass(frozen=True)
class ItemIds:
    """Item ids as integers that order as the ids do, of any type and layout."""

    codes: NumpyArray
    table: dict[Hashable, int] | None  # code of each id; None: the id is its code

    def codes_of(self, user: int, ids: Iterable[Hashable]) -> list[int]:
        """Return the codes of those ids that are known; ids of another type are refused."""
        if self.table is None:
            return whole_items("exclude", user, ids)
        kinds = {type(value) for value in itertools.islice(self.table, 1)}
        for value in ids:
            if value not in self.table and kinds and type(value) not in kinds:
                raise InputTypeError(
                    f"exclude: item {value!r} of user row {user} is no {kinds.pop().__name__}, as "
                    "items are; wanted ids of the same type"
                )
        return [self.table[value] for value in ids if value in self.table]


def whole_items(name: str, user: int, ids: Iterable[Any]) -> list[int]:
    """Return item ids that must be integers."""
    numbers = []
    for item in ids:
        if isinstance(item, (bool, float, str, bytes)) or not hasattr(item, "__index__"):
            raise InputTypeError(
                f"{name}: item {item!r} of user row {user} is no integer; wanted its column"
            )
        numbers.append(item.__index__())
        if not -(2**63) <= numbers[-1] < 2**63:
            raise InputError(f"{name}: item {item} of user row {user} is outside the matrix")
    return numbers


def item_ids(name: str, ids: object) -> ItemIds:
    """Code item ids: strings order as strings, integers as numbers."""
    array = id_array(name, ids)
    if array.dtype.kind == "u" and array.itemsize == 8 and array.max(initial=0) < 2**63:
        array = array.view(np.dtype("i8").newbyteorder(array.dtype.byteorder))
    if array.dtype.kind in "ib" or (array.dtype.kind == "u" and array.itemsize < 8):
        return ItemIds(array, None)
    if array.dtype == object:
        _first_rows(name, array)
    try:
        distinct, codes = np.unique(array, return_inverse=True)
    except TypeError as error:
        raise InputTypeError(f"{name}: {error}; wanted ids of one type") from None
    table = {value: code for code, value in enumerate(distinct.tolist())}
    return ItemIds(codes.reshape(-1).astype(np.int64, copy=False), table)
