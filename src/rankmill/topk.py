"""`top_k`: the best items of each row."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rankmill._engine import Input
from rankmill._engine import top_k as engine_top_k
from rankmill.errors import InputError, OutOfMemoryError
from rankmill.inputs import Int64s, NumpyArray, engine_array, numeric_array, whole_number
from rankmill.inputs_exclude import dense_exclude
from rankmill.status import explainer
from rankmill.threads import make_run

_MOST_PLACES: Final = 2**40


def top_k(
    scores: Any,
    k: int,
    *,
    exclude: Any = None,
    n_threads: int | None = None,
    isa: str | None = None,
) -> tuple[Int64s, NumpyArray]:
    """Return the k best items of each row and their scores.

    Parameters
    ----------
    scores : array (users, items) or (items,)
        Any dtype that `rank` takes. NaN is an error.
    k : int
        How many, >= 1.
    exclude : sparse (users, items), list of column collections, or {row: collection}, optional
        Items that may not be among them.
    n_threads, isa
        As in `rank`.

    Returns
    -------
    ids : int64 (users, k)
        Columns by descending score, ties by ascending column; -1 where a row has fewer items.
    scores : (users, k), the dtype of the scores
        Their scores; NaN (0 for integers) where ids is -1.

    Raises
    ------
    InputError, InputTypeError
        If k < 1, a score is NaN, or an excluded item is outside the matrix.

    Examples
    --------
    >>> ids, best = top_k([[0.1, 0.9, 0.9, 0.2]], 3)
    >>> ids, best
    (array([[1, 2, 3]]), array([[0.9, 0.9, 0.2]]))
    """
    run = make_run(n_threads, isa)
    array = numeric_array("scores", scores)
    k = whole_number("k", k, 1)
    if array.ndim not in (1, 2) or (array.ndim == 2 and array.shape[0] == 0):
        raise InputError(
            f"scores: got shape {array.shape}; wanted (users, items), users >= 1, or (items,)"
        )
    matrix = array.reshape(1, -1) if array.ndim == 1 else array
    shape = (matrix.shape[0], matrix.shape[1])
    excluded = None if exclude is None else dense_exclude(exclude, shape, None)
    if shape[0] * k > _MOST_PLACES:
        raise OutOfMemoryError(
            f"k: got {k} for {shape[0]} rows; wanted at most {_MOST_PLACES} places"
        )
    reach = min(k, max(shape[1], 1))  # places beyond the row are padding
    ids = np.empty((shape[0], reach), dtype=np.int64)
    engine_top_k(
        Input(*shape, engine_array(matrix), exclude=excluded), reach, run, ids, explainer()
    )
    best = _scores_of(matrix, ids)
    if reach < k:
        more = ((0, 0), (0, k - reach))
        ids = np.pad(ids, more, constant_values=-1)
        best = np.pad(best, more, constant_values=_padding(matrix.dtype))
    return (ids[0], best[0]) if array.ndim == 1 else (ids, best)


def _scores_of(matrix: NumpyArray, ids: Int64s) -> NumpyArray:
    if matrix.shape[1] == 0:
        return np.full(ids.shape, _padding(matrix.dtype), dtype=matrix.dtype)
    best: NumpyArray = np.take_along_axis(matrix, np.maximum(ids, 0), axis=1)
    best[ids < 0] = _padding(matrix.dtype)
    return best


def _padding(dtype: np.dtype[Any]) -> float:
    return np.nan if dtype.kind == "f" else 0
