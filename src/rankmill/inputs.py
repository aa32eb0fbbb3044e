"""Numeric arrays and sparse matrices of any layout, checked and ready for the engine."""

from __future__ import annotations

import math
import operator
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from rankmill._engine import Array, Sparse, check_offsets
from rankmill.errors import InputError, InputTypeError
from rankmill.status import explainer

NumpyArray: TypeAlias = npt.NDArray[Any]
Int64s: TypeAlias = npt.NDArray[np.int64]

# The engine's rm_type of each numpy kind and size.
_TYPES: Final = {
    key: number
    for number, key in enumerate(
        ("b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")
    )
}
_NUMBERS: Final = (bool, int, float, np.bool_, np.integer, np.floating)


def engine_array(array: NumpyArray) -> Array:
    """Hand an array to the engine without a copy, whatever its layout."""
    return Array(
        array, _TYPES[f"{array.dtype.kind}{array.dtype.itemsize}"], not array.dtype.isnative
    )


def any_array(name: str, values: object) -> NumpyArray:
    """Return `values` as an array of any type."""
    if isinstance(values, np.ma.MaskedArray):
        raise InputTypeError(f"{name}: got a masked array; wanted its rows filled or left out")
    try:
        return np.asarray(values)
    except ValueError as error:
        raise InputError(f"{name}: {error}; wanted rows of one length") from None


def numeric_array(name: str, values: object) -> NumpyArray:
    """Return `values` as an array of real numbers; no copy of an array."""
    array = any_array(name, values)
    if f"{array.dtype.kind}{array.dtype.itemsize}" not in _TYPES:
        raise InputTypeError(
            f"{name}: got dtype {array.dtype}; wanted bool, an integer, float16, float32 or float64"
        )
    return array


def label_array(name: str, values: object) -> NumpyArray:
    """Return grades as a numeric array; object arrays of plain numbers convert."""
    array = any_array(name, values)
    if array.dtype == object:
        for row, value in enumerate(array.ravel()):
            if not isinstance(value, _NUMBERS):
                raise InputTypeError(f"{name}: got {value!r} at element {row}; wanted a number")
        array = array.astype(np.float64)
    return numeric_array(name, array)


def whole_number(name: str, value: object, least: int) -> int:
    """Return `value` as int, at least `least`."""
    try:
        number = least - 1 if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if number < least:
        raise InputError(f"{name}: got {value!r}; wanted a whole number >= {least}")
    return number


def offset_array(offsets: object, n_rows: int) -> Int64s:
    """Return checked row offsets of the users."""
    array = any_array("offsets", offsets)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) < 2:
        raise InputError(
            f"offsets: got dtype {array.dtype} and shape {array.shape}; wanted users + 1 integers, "
            "at least 2"
        )
    if array.dtype.kind == "u" and array.max() >= 2**63:
        raise InputError(f"offsets: got {array.max()}; wanted at most {n_rows}, the number of rows")
    result: Int64s = np.ascontiguousarray(array, dtype=np.int64)
    if result[-1] != n_rows and result[0] == 0 and np.all(np.diff(result) >= 0):
        raise InputError(
            f"offsets: got {result[-1]} at the end; wanted {n_rows}, the number of rows"
        )
    check_offsets(result, n_rows, explainer())
    return result


def is_sparse(value: object) -> bool:
    """Tell a scipy sparse matrix or array, without importing scipy."""
    return hasattr(value, "tocsr") and hasattr(value, "nnz")


def sparse_parts(name: str, matrix: Any) -> tuple[Int64s, NumpyArray, NumpyArray]:
    """Return (starts, items, values) of a sparse matrix; items increase in each row."""
    if len(matrix.shape) != 2:
        raise InputError(f"{name}: got shape {matrix.shape}; wanted (users, items)")
    _check_structure(name, matrix)
    csr = matrix.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()  # the caller's matrix stays as it is
        csr.sum_duplicates()
    starts = np.ascontiguousarray(csr.indptr, dtype=np.int64)
    values = numeric_array(f"{name} values", csr.data)
    stored = min(len(csr.indices), len(values))
    if len(starts) != csr.shape[0] + 1 or starts[-1] > stored:
        raise InputError(
            f"{name}: got {len(starts)} row starts up to {starts[-1]} for {csr.shape[0]} rows and "
            f"{stored} stored values; wanted a valid CSR matrix"
        )
    outside = (csr.indices[: starts[-1]] < 0) | (csr.indices[: starts[-1]] >= csr.shape[1])
    if outside.any():
        at = int(np.argmax(outside))
        user = int(np.searchsorted(starts, at, side="right")) - 1
        raise InputError(
            f"{name}: item {csr.indices[at]} of user row {user} is outside the matrix; wanted one "
            "of its columns"
        )
    return starts, csr.indices, values


def _check_structure(name: str, matrix: Any) -> None:
    """Refuse compressed matrices that scipy would follow out of its memory."""
    starts, items = getattr(matrix, "indptr", None), getattr(matrix, "indices", None)
    if starts is None or items is None:
        return
    starts, items = np.asarray(starts), np.asarray(items)
    if starts.ndim != 1 or items.ndim != 1 or starts.dtype.kind not in "iu" or len(starts) == 0:
        raise InputError(
            f"{name}: got indptr of shape {starts.shape}; wanted a valid sparse matrix"
        )
    if items.dtype.kind not in "iu":
        raise InputTypeError(f"{name}: got indices of dtype {items.dtype}; wanted integers")
    if starts[0] != 0 or (np.diff(starts) < 0).any() or starts[-1] > len(items):
        raise InputError(
            f"{name}: got row starts from {starts[0]} to {starts[-1]} for {len(items)} stored "
            "values; wanted starts that rise from 0 to their number"
        )
    most = matrix.shape[0] if matrix.format == "csc" else max(matrix.shape)
    if matrix.format != "csr" and len(items) and not 0 <= items.min() <= items.max() < most:
        raise InputError(
            f"{name}: got indices from {items.min()} to {items.max()}; wanted 0 to {most - 1}"
        )


def engine_sparse(starts: Int64s, items: NumpyArray, values: NumpyArray | None) -> Sparse:
    """Hand sparse rows to the engine."""
    return Sparse(starts, engine_array(items), None if values is None else engine_array(values))


def sparse_matrix(name: str, matrix: Any, shape: tuple[int, int]) -> Sparse:
    """Hand a sparse matrix of this shape to the engine; one row may be 1-D."""
    if len(matrix.shape) == 1:
        matrix = matrix.reshape((1, -1))
    if tuple(matrix.shape) != shape:
        raise InputError(f"{name}: got shape {tuple(matrix.shape)}; wanted {shape}, as the scores")
    return engine_sparse(*sparse_parts(name, matrix))


def score_bound(min_score: object, dtype: np.dtype[Any]) -> tuple[float, int]:
    """Return the least score that counts, in the type in which the engine compares.

    As in ``scores >= min_score``, the bound is first rounded to the type of floating scores.
    """
    if isinstance(min_score, bool) or not isinstance(min_score, _NUMBERS) or min_score != min_score:
        raise InputError(f"min_score: got {min_score!r}; wanted a number")
    bound = min_score.item() if isinstance(min_score, np.generic) else min_score
    if isinstance(bound, int) and abs(bound) >= 2**64:
        raise InputError(f"min_score: got {min_score!r}; wanted a number within the scores' range")
    if dtype.kind == "f":
        with np.errstate(over="ignore"):  # beyond the type is infinite in it
            return float(np.asarray(bound).astype(dtype)), 0
    if dtype.kind == "b" or dtype.itemsize < 8:
        return float(bound if math.isinf(bound) else math.ceil(bound)), 0
    info = np.iinfo(dtype)
    whole = bound if isinstance(bound, int) else _ceil(bound, int(info.min))
    if whole > info.max:
        raise InputError(
            f"min_score: got {min_score!r}; wanted at most {info.max}, the largest {dtype}"
        )
    return 0.0, max(whole, int(info.min)) - (2**63 if dtype.kind == "u" else 0)


def _ceil(bound: float, least: int) -> int:
    if math.isinf(bound):
        return least if bound < 0 else 2**64
    return math.ceil(bound)
