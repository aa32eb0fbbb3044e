"""User and item factors, and the tiles of scores that BLAS makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from threading import Event
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rankmill._engine import Tile
from rankmill.errors import InputError, InputTypeError, RankmillError
from rankmill.inputs import NumpyArray, engine_array, numeric_array, whole_number

# Scores of a user that are made at once: with a block's users they fit the second-level cache.
_TILE: Final = 2048
# Users of a block where none are asked for.
_BLOCK: Final = 256
# Users that share a layout of the items: what it costs is lost in their products.
_GROUP: Final = 2048
# numpy multiplies a single factor without BLAS: another one, of zeros, goes with it.
_LEAST: Final = 2
# Up to so many factors a product is quicker with the items of a chunk side by side.
_MOST_BESIDE: Final = 128
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

    def block_size(self, block: int | None) -> int:
        """Return the users of a block, in whole strips, where `block` are asked for."""
        wanted = _BLOCK if block is None else whole_number("block", block, 1)
        return _filled_length(wanted, self.strip)

    def groups(self, size: int, n_workers: int) -> list[tuple[int, int]]:
        """Return the users of each group of blocks of that size, as (first, end).

        Every worker gets as many groups, where there are enough blocks.
        """
        n_users = len(self.users)
        n_blocks = -(-n_users // size)
        least = -(-n_blocks // max(1, _GROUP // size)) if self._is_beside else n_blocks
        n_groups = min(_filled_length(least, n_workers), n_blocks)
        edges = [min(i * n_blocks // n_groups * size, n_users) for i in range(n_groups + 1)]
        return list(pairwise(edges))

    def workers(self, n_threads: int) -> int:
        """Return how many threads make products: one, where BLAS shares them out itself."""
        return n_threads if self.users.shape[1] <= _MOST_SERIAL else 1

    def some(self, items: npt.NDArray[np.int32]) -> NumpyArray:
        """Return the factors of some items as `score` wants them."""
        return self._chunks(self.items[items], self._beside(len(items)))

    def strips(self, users: slice) -> NumpyArray:
        """Return users as (strips, 1, users of a strip, factors).

        The users of a strip lie side by side in memory: a small product takes half the time then.
        """
        rows = _filled(self.users[users], self.strip)
        sides = rows.reshape(-1, 1, self.strip, rows.shape[1]).transpose(0, 1, 3, 2)
        return np.ascontiguousarray(sides).transpose(0, 1, 3, 2)

    def _tiles(self) -> Iterator[tuple[int, int, NumpyArray]]:
        """Give (first item, number of items, their factors) of each tile, good until the next."""
        beside = self._beside(self.width)
        for first in range(0, len(self.items), self.width):
            rows = self.items[first : first + self.width]
            yield first, len(rows), self._chunks(rows, beside)

    @property
    def _is_beside(self) -> bool:
        d: int = self.items.shape[1]
        return d <= _MOST_BESIDE

    def _beside(self, n: int) -> NumpyArray | None:
        """Return room for n items, those of a chunk side by side; None where rows are as good."""
        if not self._is_beside:
            return None
        d = max(self.items.shape[1], _LEAST)
        return np.empty((1, -(-n // self.chunk), d, self.chunk), dtype=self.items.dtype)

    def _chunks(self, rows: NumpyArray, beside: NumpyArray | None) -> NumpyArray:
        """Return rows of items as (1, chunks, factors, items of a chunk), filled up."""
        filled = _filled(rows, self.chunk)
        chunks = filled.reshape(1, -1, self.chunk, filled.shape[1]).transpose(0, 1, 3, 2)
        if beside is None:
            return chunks
        laid_out = beside[:, : chunks.shape[1]]
        np.copyto(laid_out, chunks)
        return laid_out

    def score(self, strips: NumpyArray, chunks: NumpyArray, out: NumpyArray) -> None:
        """Fill the columns of out with the products of users and items, without bias."""
        row, one = out.strides
        products = np.lib.stride_tricks.as_strided(
            out,
            (len(strips), chunks.shape[1], self.strip, self.chunk),
            (self.strip * row, self.chunk * one, row, one),
        )
        with np.errstate(invalid="ignore"):  # NaN is an error that names its user and item
            np.matmul(strips, chunks, out=products)

    def add_bias(self, scores: NumpyArray, first: int, n: int) -> None:
        """Add the bias of the items first:first + n."""
        if self.bias is not None:
            scores[:, :n] += self.bias[first : first + n]

    def for_tiles(
        self, strips: Sequence[NumpyArray], use: Callable[[int, Tile], None], stop: Event
    ) -> None:
        """Call use(i, tile) with every tile of final scores of every strips[i].

        A failure is raised when none can come before it any more, as if one went over all tiles
        before the next. Ends once the event is set.
        """
        room = np.empty((self.strip * max(map(len, strips)), self.width), dtype=self.users.dtype)
        failure = None
        for first, n, chunks in self._tiles():
            for i, users in enumerate(strips):
                if stop.is_set():
                    return
                out = room[: len(users) * self.strip]
                self.score(users, chunks, out)
                self.add_bias(out, first, n)
                try:
                    use(i, Tile(engine_array(out), self.width, first, n))
                except RankmillError as error:
                    if i == 0:
                        raise
                    strips, failure = strips[:i], error
                    break
        if failure:
            raise failure


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
    n, d = rows.shape
    shape = (_filled_length(n, part), max(d, _LEAST))
    if rows.shape == shape:
        return np.ascontiguousarray(rows)
    filled = np.zeros(shape, dtype=rows.dtype)
    filled[:n, :d] = rows
    return filled
