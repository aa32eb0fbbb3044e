"""Random users that are hard on a metric: ties, nothing relevant, nothing else, few items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
RNG_SEED = 20_260
N_CASES = 1_000


@dataclass
class User:
    """Candidates of one user: unique ids, scores and grades."""

    items: list[str]
    scores: Array
    grades: Array


def ids(n: int) -> list[str]:
    """Ids whose order as text is not their order as numbers."""
    return [f"d{i}" for i in range(n)]


def users(
    *, most: int = 30, grades: int = 1, ties: bool = True, n: int = N_CASES
) -> Iterator[User]:
    """Users of 1 to `most` items; grades up to `grades`, of which 0 is the most frequent."""
    rng = np.random.default_rng(RNG_SEED + most + 7 * grades + ties)
    for _ in range(n):
        size = int(rng.integers(1, most + 1))
        scores = rng.permutation(size) / 8.0 + 0.125
        if ties:
            scores = rng.integers(1, int(rng.integers(2, 12)), size) / 8.0
        share = rng.choice([0.0, 0.1, 0.5, 1.0])
        labels = np.where(rng.random(size) < share, rng.integers(1, grades + 1, size), 0)
        yield User([str(name) for name in rng.permutation(ids(size))], scores, labels)


def matrices(
    *, grades: int = 1, ties: bool = True, n: int = N_CASES
) -> Iterator[tuple[Array, Array]]:
    """Score and label matrices of a few users with as many items each."""
    rng = np.random.default_rng(RNG_SEED + 11 * grades + ties)
    for _ in range(n):
        shape = int(rng.integers(1, 6)), int(rng.integers(2, 20))
        scores = rng.random(shape)
        if ties:
            scores = rng.integers(1, int(rng.integers(2, 9)), shape) / 8.0
        share = rng.choice([0.0, 0.2, 0.5, 1.0], (shape[0], 1))
        labels = np.where(rng.random(shape) < share, rng.integers(1, grades + 1, shape), 0)
        yield scores, labels


def same(ours: Any, theirs: Any) -> None:
    """Equal to 1e-9, NaN where NaN is."""
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
