"""User and item factors, and the tiles of scores that BLAS makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rankmill._engine import Tile
from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import NumpyArray, engine_array, numeric_array, whole_number

# Scores of a user that are made at once: with a block's users they fit the second-level cache.
_TILE: Final = 2048
# Users of a block where none are asked for.
_BLOCK: Final = 256
# The largest product, in multiplications, that OpenBLAS makes on the thread that asks for it.
_SERIAL_PRODUCT: Final = 1 << 18
# With more factors than this a product of a useful size is one that BLAS shares out itself.
_MOST_SERIAL: Final = 1024


@dataclass(frozen=True)
class Factors:
    """Factors of one floating type, and what is added to each item's score.

    Every product has one shape, its edges filled up with zeros, and starts at multiples of it. So
    a score depends on its user and item alone, and not on how many others are made with it.
    """

    users: NumpyArray
    items: NumpyArray
    bias: NumpyArray | None
    strip: int  # users of a product
    chunk: int  # items of a product

    @property
    def shape(self) -> tuple[int, int]:
        """Number of users and items."""
        return len(self.users), len(self.items)

    @property
    def width(self) -> int:
        """Items of a tile; small catalogues need no large one."""
        return min(_TILE, _filled_length(len(self.items), self.chunk))

    def blocks(self, block: int | None) -> list[tuple[int, int]]:
        """Return the users of each block, in whole strips, as (first, end)."""
        wanted = _BLOCK if block is None else whole_number("block", block, 1)
        size = _filled_length(wanted, self.strip)
        n = len(self.users)
        return [(first, min(first + size, n)) for first in range(0, n, size)]

    def workers(self, n_threads: int) -> int:
        """Return how many threads make products: one, where BLAS shares them out itself."""
        return n_threads if self.users.shape[1] <= _MOST_SERIAL else 1

    def room(self, strips: NumpyArray) -> NumpyArray:
        """Return the scores of a tile, not filled in."""
        return np.empty((len(strips) * self.strip, self.width), dtype=strips.dtype)

    def filled_items(self, items: npt.NDArray[np.int32]) -> NumpyArray:
        """Return the factors of some items, filled up to whole chunks."""
        return _filled(self.items[items], self.chunk)

    def strips(self, first: int, end: int) -> NumpyArray:
        """Return the users first:end as (strips, 1, users of a strip, factors).

        The users of a strip lie side by side in memory: a small product takes half the time then.
        """
        rows = _filled(self.users[first:end], self.strip)
        sides = rows.reshape(-1, 1, self.strip, rows.shape[1]).transpose(0, 1, 3, 2)
        return np.ascontiguousarray(sides).transpose(0, 1, 3, 2)

    def tiles(self) -> Iterator[tuple[int, int, NumpyArray]]:
        """Give (first item, number of items, factors) of each tile, the factors filled up."""
        for first in range(0, len(self.items), self.width):
            rows = self.items[first : first + self.width]
            yield first, len(rows), _filled(rows, self.chunk)

    def score(self, strips: NumpyArray, items: NumpyArray, out: NumpyArray) -> None:
        """Fill out[:, : len(items)] with products of filled-up factors, without bias."""
        right = items.reshape(1, -1, self.chunk, items.shape[1]).transpose(0, 1, 3, 2)
        row, one = out.strides
        products = np.lib.stride_tricks.as_strided(
            out,
            (len(strips), right.shape[1], self.strip, self.chunk),
            (self.strip * row, self.chunk * one, row, one),
        )
        np.matmul(strips, right, out=products)

    def add_bias(self, scores: NumpyArray, first: int, n: int) -> None:
        """Add the bias of the items first:first + n."""
        if self.bias is not None:
            scores[:, :n] += self.bias[first : first + n]

    def tile(self, strips: NumpyArray, part: tuple[int, int, NumpyArray], out: NumpyArray) -> Tile:
        """Return a tile of final scores, made in out."""
        first, n, items = part
        self.score(strips, items, out)
        self.add_bias(out, first, n)
        return Tile(engine_array(out), out.shape[1], first, n)


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
    strip, chunk = _product_shape(users.shape[1])
    return Factors(_as(users, dtype), _as(items, dtype), bias, strip, chunk)


def _product_shape(d: int) -> tuple[int, int]:
    """Return the users and items of a product: as large as one thread makes it (measured)."""
    if d > _MOST_SERIAL:
        return 128, _TILE
    strip = 64 if d <= 256 else 32
    chunk = _SERIAL_PRODUCT // d // strip
    return strip, min(_TILE, 1 << (chunk.bit_length() - 1))


def _filled_length(n: int, part: int) -> int:
    return -(-n // part) * part


def _matrix(name: str, values: Any) -> NumpyArray:
    array = numeric_array(name, values)
    if array.ndim != 2:
        raise InputError(f"{name}: got shape {array.shape}; wanted (rows, factors)")
    if array.dtype.kind != "f":
        raise InputTypeError(f"{name}: got dtype {array.dtype}; wanted float16, float32 or float64")
    return array


def _as(array: NumpyArray, dtype: np.dtype[Any]) -> NumpyArray:
    return array if array.dtype == dtype and array.dtype.isnative else array.astype(dtype)


def _filled(rows: NumpyArray, part: int) -> NumpyArray:
    """Return whole parts of rows that BLAS reads in place; zeros follow where there are fewer."""
    n = _filled_length(len(rows), part)
    if len(rows) == n:
        return np.ascontiguousarray(rows)
    filled = np.zeros((n, rows.shape[1]), dtype=rows.dtype)
    filled[: len(rows)] = rows
    return filled
