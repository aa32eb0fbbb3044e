"""Calls that must be refused: what they are given, and what the exception has to say."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from _pytest.mark.structures import ParameterSet

import rankmill as rm
from strategies import Array

NAN, INF = float("nan"), float("inf")

# Two users of three items; five rows of two users, their rows mixed.
MATRIX = np.array([[1.0, 2, 3], [4, 5, 6]])
LABELS = np.array([[1, 0, 0], [0, 2, 1]])
ROWS, ROW_LABELS = np.array([5.0, 4, 3, 2, 1]), np.array([1, 0, 0, 1, 1])
TWO = [0, 2, 5]
MIXED = np.array(["b", "a", "b", "a", "b"])
NUMBERED = np.array([42, 7, 42, 7, 42])
TOGETHER = np.array([7, 7, 42, 42, 42])


def row(
    said: str,
    call: Callable[..., object],
    arguments: dict[str, Any],
    kind: type[Exception] = rm.InputError,
) -> ParameterSet:
    """A call, the exact class of its exception, and the text, " ... " where anything may stand."""
    return pytest.param(call, arguments, kind, said, id=said)


def dense(
    said: str,
    *,
    call: Callable[..., object] = rm.rank,
    kind: type[Exception] = rm.InputError,
    **changes: Any,
) -> ParameterSet:
    return row(said, call, {"scores": MATRIX, "relevance": LABELS, **changes}, kind)


def flat(
    said: str,
    *,
    call: Callable[..., object] = rm.rank,
    kind: type[Exception] = rm.InputError,
    **changes: Any,
) -> ParameterSet:
    return row(said, call, {"scores": ROWS, "relevance": ROW_LABELS, **changes}, kind)


def put(array: Array, place: Any, value: Any, dtype: Any = np.float64) -> Array:
    """A copy with one element changed."""
    changed = array.astype(dtype)
    changed[place] = value
    return changed


def csr(*rows: list[Any]) -> Any:
    return sp.csr_array(np.array(rows))


def broken_csr(column: int) -> Any:
    """A matrix whose second row has a column that it should not have."""
    matrix = csr([1, 0, 0], [1, 0, 1])
    matrix.indices[2] = column
    matrix.has_canonical_format = True  # so that scipy does not look
    return matrix


def state(value: Any) -> Any:
    """Everything in an argument that a call could have changed."""
    if isinstance(value, np.ndarray):
        plain = value.dtype.kind in "OMm"
        return value.dtype.str, value.shape, value.tolist() if plain else value.tobytes()
    if sp.issparse(value):
        return value.shape, [state(part) for part in (value.data, value.indices, value.indptr)]
    if isinstance(value, rm.Ranks):
        return [state(part) for part in (value.offsets, value.ahead, value.tied, value.grade)]
    if isinstance(value, dict):
        return {name: state(part) for name, part in value.items()}
    return repr(value)


def check_refused(
    call: Callable[..., object], arguments: dict[str, Any], kind: type[Exception], said: str
) -> None:
    """The call raises exactly this and leaves its arguments as they were."""
    before = state(arguments)
    with pytest.raises(kind) as caught:
        call(**arguments)
    assert caught.type is kind
    pattern = ".*".join(re.escape(words) for words in said.split(" ... "))
    assert re.search(pattern, str(caught.value)), str(caught.value)
    assert state(arguments) == before
