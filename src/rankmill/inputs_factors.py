"""User and item factors, and the tiles of scores that BLAS makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rankmill._engine import Tile
from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import NumpyArray, engine_array, numeric_array, whole_number

# Every product has this shape, its edges filled up with zeros, and starts at multiples of it. So a
# score depends on its user and item alone, and not on how many others it is made together with.
STRIP: Final = 128
TILE: Final = 2048


@dataclass(frozen=True)
class Factors:
    """Factors of one floating type, and what is added to each item's score."""

    users: NumpyArray
    items: NumpyArray
    bias: NumpyArray | None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of users and items."""
        return len(self.users), len(self.items)

    @property
    def width(self) -> int:
        """Items of a tile; small catalogues need no large one."""
        return min(TILE, -(-len(self.items) // 64) * 64)

    def strips(self, first: int, end: int) -> list[NumpyArray]:
        """Return the users first:end in strips of one shape."""
        return [
            _filled(self.users[begin : min(begin + STRIP, end)], STRIP)
            for begin in range(first, end, STRIP)
        ]

    def tiles(self) -> Iterator[tuple[int, int, NumpyArray]]:
        """Give (first item, number of items, factors) of each tile, the factors filled up."""
        for first in range(0, len(self.items), self.width):
            rows = self.items[first : first + self.width]
            yield first, len(rows), _filled(rows, self.width)

    def score(self, strips: list[NumpyArray], items: NumpyArray, out: NumpyArray) -> None:
        """Fill out (strips * STRIP, width) with the scores of a tile, without bias."""
        for at, strip in enumerate(strips):
            np.matmul(strip, items.T, out=out[at * STRIP : (at + 1) * STRIP])

    def add_bias(self, scores: NumpyArray, first: int, n: int) -> None:
        """Add the bias of the items first:first + n."""
        if self.bias is not None:
            scores[:, :n] += self.bias[first : first + n]

    def tile(
        self, strips: list[NumpyArray], part: tuple[int, int, NumpyArray], out: NumpyArray
    ) -> Tile:
        """Return a tile of final scores, made in out."""
        first, n, items = part
        self.score(strips, items, out)
        self.add_bias(out, first, n)
        return Tile(engine_array(out), self.width, first, n)


def factors(user_factors: Any, item_factors: Any, item_bias: Any) -> Factors:
    """Check the factors and bring them to one floating type, in place where they have it."""
    users, items = _matrix("user_factors", user_factors), _matrix("item_factors", item_factors)
    if users.shape[1] != items.shape[1] or users.shape[1] == 0:
        raise InputError(
            f"item_factors: got {items.shape[1]} columns where user_factors has {users.shape[1]}; "
            "wanted the same number, at least 1"
        )
    if len(users) == 0 or len(items) == 0:
        raise InputError(
            f"user_factors, item_factors: got {len(users)} users and {len(items)} items; wanted "
            "at least one of each"
        )
    dtype = np.result_type(users.dtype, items.dtype, np.float32)
    bias = None
    if item_bias is not None:
        bias = numeric_array("item_bias", item_bias)
        if bias.shape != (len(items),):
            raise InputError(f"item_bias: got shape {bias.shape}; wanted ({len(items)},)")
        with np.errstate(over="ignore"):
            bias = bias.astype(dtype)
        if not np.isfinite(bias).all():
            at = int(np.argmin(np.isfinite(bias)))
            raise InputError(f"item_bias: got {bias[at]} at {at}; wanted finite {dtype} numbers")
    return Factors(_as(users, dtype), _as(items, dtype), bias)


def users_per_block(block: int | None) -> int:
    """Return whole strips of users."""
    if block is None:
        return 2 * STRIP
    return -(-whole_number("block", block, 1) // STRIP) * STRIP


def _matrix(name: str, values: Any) -> NumpyArray:
    array = numeric_array(name, values)
    if array.ndim != 2:
        raise InputError(f"{name}: got shape {array.shape}; wanted (rows, factors)")
    if array.dtype.kind != "f":
        raise InputTypeError(f"{name}: got dtype {array.dtype}; wanted float16, float32 or float64")
    return array


def _as(array: NumpyArray, dtype: np.dtype[Any]) -> NumpyArray:
    return array if array.dtype == dtype and array.dtype.isnative else array.astype(dtype)


def _filled(rows: NumpyArray, n: int) -> NumpyArray:
    """Return n rows that BLAS reads in place; zeros follow where there are fewer."""
    if len(rows) == n:
        return np.ascontiguousarray(rows)
    filled = np.zeros((n, rows.shape[1]), dtype=rows.dtype)
    filled[: len(rows)] = rows
    return filled
