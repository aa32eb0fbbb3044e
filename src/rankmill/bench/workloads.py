"""The data of the speed benchmarks W1 to W6, the same bytes on every machine.

Every number comes from the raw output of PCG64, whose stream numpy promises never to change, by
integer arithmetic; the step to float32 is exact. So neither the numpy version, the processor nor
the order in which sums are made can alter a workload.

Scores carry signal: an integer level (the sum of two uniform ones, plus a bump per grade) fills
the high bits. The place of the candidate fills the low bits, so that no two scores of a user are
equal: a plain sort cannot average over ties, and with ties numpy would answer another question.
The one user with 20 million rows is the exception; its ties are as many as float32 makes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Size: TypeAlias = Literal["smoke", "quick", "full"]
SIZES: tuple[Size, ...] = ("smoke", "quick", "full")
Run: TypeAlias = dict[str, dict[str, float]]
Qrels: TypeAlias = dict[str, dict[str, int]]

_BLOCK_USERS = 8192
_STEP = np.float32(2.0**-20)
_CLUSTER = 20
_OWN_TEST, _OWN_TRAIN = (
    5,
    10,
)  # items of the user's own cluster among the positives and the excluded


@dataclass(frozen=True, eq=False)
class Flat:
    """Rows of all users one after another; user u has offsets[u]:offsets[u + 1]."""

    scores: npt.NDArray[np.float32]
    labels: npt.NDArray[np.int8]
    offsets: npt.NDArray[np.int64]

    @property
    def n_users(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, eq=False)
class Dense:
    """A score for every user and item; the relevant items in CSR."""

    scores: npt.NDArray[np.float32]
    relevant: sp.csr_array

    @property
    def n_users(self) -> int:
        return len(self.scores)


@dataclass(frozen=True, eq=False)
class Factors:
    """Embeddings; the items to find and the items to leave out in CSR."""

    users: npt.NDArray[np.float32]
    items: npt.NDArray[np.float32]
    relevant: sp.csr_array
    exclude: sp.csr_array

    @property
    def n_users(self) -> int:
        return len(self.users)


@dataclass(frozen=True, eq=False)
class Dicts:
    """A run and its judgements as {query: {document: score}} and {query: {document: grade}}."""

    run: Run
    qrels: Qrels

    @property
    def n_users(self) -> int:
        return len(self.run)


Data: TypeAlias = Flat | Dense | Factors | Dicts


# ---- draws ---------------------------------------------------------------------------------------


class Draws:
    """Integers from the raw stream of PCG64."""

    def __init__(self, seed: int) -> None:
        self._stream = np.random.PCG64(seed)

    def words(self, n: int) -> npt.NDArray[np.uint32]:
        return self._raw(n, 2, "<u4")

    def halves(self, n: int) -> npt.NDArray[np.uint16]:
        return self._raw(n, 4, "<u2")

    def below(self, limit: int, n: int) -> npt.NDArray[np.int64]:
        """Integers from 0 to limit - 1; a bias below limit / 2**32 does not matter here."""
        return ((self.words(n).astype(np.uint64) * np.uint64(limit)) >> np.uint64(32)).astype(
            np.int64
        )

    def _raw(self, n: int, per_draw: int, dtype: str) -> npt.NDArray[Any]:
        raw = np.asarray(self._stream.random_raw(-(-n // per_draw)))
        return raw.astype("<u8", copy=False).view(dtype)[:n]


def _grades(draws: Draws, n: int, share: float, top: int) -> npt.NDArray[np.int8]:
    """Grades 1 to `top` for this share of the rows, else 0."""
    half = draws.halves(n)
    return np.where(half < round(share * 65536), half % top + 1, 0).astype(np.int8)


def _scores(
    draws: Draws, bump: npt.NDArray[np.int32], place: npt.NDArray[np.int32], place_bits: int
) -> npt.NDArray[np.float32]:
    """Scores within [-16, 16): 16 + 9 bits in all, which float32 with its sign holds exactly."""
    bits = 24 - place_bits
    word = draws.words(len(bump))
    mask = np.uint32((1 << (bits - 1)) - 1)
    level = ((word & mask) + ((word >> np.uint32(16)) & mask)).astype(np.int32) + bump
    return ((level << place_bits) + place - (1 << 24)).astype(np.float32) * _STEP


# ---- workloads -----------------------------------------------------------------------------------


def flat(lengths: npt.NDArray[np.int64], share: float, top: int, bump: int, seed: int) -> Flat:
    """Ragged users; scores rise by `bump` of 32,768 levels per grade. Up to 512 candidates each."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    scores = np.empty(offsets[-1], dtype=np.float32)
    labels = np.empty(offsets[-1], dtype=np.int8)
    draws = Draws(seed)
    for first in range(0, len(lengths), _BLOCK_USERS):
        starts = offsets[first : first + _BLOCK_USERS + 1]
        rows = slice(starts[0], starts[-1])
        place = np.arange(starts[0], starts[-1]) - np.repeat(starts[:-1], np.diff(starts))
        labels[rows] = _grades(draws, len(place), share, top)
        bumps = labels[rows].astype(np.int32) * np.int32(bump)
        scores[rows] = _scores(draws, bumps, place.astype(np.int32), 9)
    return Flat(scores, labels, offsets)


def w1(n_users: int) -> Flat:
    """100 candidates, 5 % of them relevant."""
    return flat(np.full(n_users, 100), share=0.05, top=1, bump=8192, seed=101)


def w2(n_users: int) -> Flat:
    """10 to 500 candidates, 20 % of them with grade 1 to 4."""
    lengths = 10 + Draws(201).below(491, n_users)
    return flat(lengths, share=0.2, top=4, bump=3072, seed=202)


def w3(n_users: int, n_items: int) -> Dense:
    """A catalogue of up to 65,536 items, 10 relevant ones each."""
    draws = Draws(301)
    slot = n_items // 10
    item = draws.below(slot, n_users * 10).reshape(n_users, 10) + np.arange(10) * slot
    place = np.arange(n_items, dtype=np.int32)
    scores = np.empty((n_users, n_items), dtype=np.float32)
    bump = np.zeros(n_items, dtype=np.int32)
    for user in range(n_users):
        bump[item[user]] = 96
        scores[user] = _scores(draws, bump, place, 16)
        bump[item[user]] = 0
    return Dense(scores, _csr(item, n_items))


def w4(n_users: int, n_items: int) -> Factors:
    """Embeddings of 64 dimensions, 10 items to find and 50 to leave out for each user.

    Users and items lie near the centres of small clusters, and a user's items come from their own
    cluster more often than by chance. Products and partial sums are whole numbers below 2**24, so
    that float32 has no rounding and every order of summation gives the same score: 63 dimensions
    of signs make the level, the last one gives each item its own low bits.
    """
    draws = Draws(401)
    n_clusters = n_items // _CLUSTER
    centre = (draws.words(n_clusters * 63) & np.uint32(1)).reshape(n_clusters, 63)
    cluster = draws.below(n_clusters, n_users)
    users = _near(draws, centre[cluster], 1)
    items = _near(draws, np.repeat(centre, _CLUSTER, axis=0), np.arange(len(centre) * _CLUSTER))
    test, train = _histories(draws, cluster, n_clusters)
    return Factors(users, items, _csr(test, len(items)), _csr(train, len(items)))


def w5(n_queries: int) -> Dicts:
    """100 documents per query, 10 % judged 1 or 2; two relevant documents were never retrieved."""
    data = flat(np.full(n_queries, 100), share=0.1, top=2, bump=6144, seed=501)
    draws = Draws(502)
    run: Run = {}
    qrels: Qrels = {}
    for query in range(n_queries):
        rows = slice(query * 100, (query + 1) * 100)
        # 1 plus an odd step through 2**17 names gives 102 different documents.
        start, step = (int(word) for word in draws.words(2))
        names = [f"doc{(start + i * (step | 1)) % 131072:06d}" for i in range(102)]
        grades = data.labels[rows].tolist()
        judged = {name: grade for name, grade in zip(names, grades, strict=False) if grade > 0}
        run[f"query{query}"] = dict(zip(names, data.scores[rows].tolist(), strict=False))
        qrels[f"query{query}"] = judged | {names[100]: 1, names[101]: 2}
    return Dicts(run, qrels)


def w6(n_users: int) -> Flat:
    """W1 with half of the candidates relevant."""
    return flat(np.full(n_users, 100), share=0.5, top=1, bump=8192, seed=601)


def w6_pooled(n_rows: int) -> Flat:
    """One user with all the rows, half of them relevant. Scores tie."""
    draws = Draws(611)
    scores = np.empty(n_rows, dtype=np.float32)
    labels = np.empty(n_rows, dtype=np.int8)
    for first in range(0, n_rows, 1 << 20):
        rows = slice(first, min(first + (1 << 20), n_rows))
        n = rows.stop - rows.start
        labels[rows] = _grades(draws, n, 0.5, 1)
        place = (draws.halves(n) & np.uint16(511)).astype(np.int32)
        scores[rows] = _scores(draws, labels[rows].astype(np.int32) * np.int32(8192), place, 9)
    return Flat(scores, labels, np.array([0, n_rows]))


def _near(
    draws: Draws, centre: npt.NDArray[np.uint32], last: int | npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    """Vectors of ±256 with a sixth of the centre's signs turned, and a last coordinate."""
    flips = draws.halves(centre.size).reshape(centre.shape) < 65536 // 6
    vectors = np.empty((len(centre), 64), dtype=np.float32)
    vectors[:, :63] = np.where((centre == 1) ^ flips, 256, -256)
    vectors[:, 63] = last
    return vectors


def _histories(
    draws: Draws, cluster: npt.NDArray[np.int64], n_clusters: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Different items for each user: some of their own cluster, the others of one cluster each."""
    n = len(cluster)
    turn = draws.below(_CLUSTER, n)[:, None]
    own = cluster[:, None] * _CLUSTER + (turn + np.arange(_OWN_TEST + _OWN_TRAIN)) % _CLUSTER
    n_others = 60 - own.shape[1]
    other = (cluster[:, None] + 1 + np.arange(n_others)) % n_clusters
    others = other * _CLUSTER + draws.below(_CLUSTER, n * n_others).reshape(n, n_others)
    split = 10 - _OWN_TEST
    test = np.hstack([own[:, :_OWN_TEST], others[:, :split]])
    return test, np.hstack([own[:, _OWN_TEST:], others[:, split:]])


def _csr(items: npt.NDArray[np.int64], n_items: int) -> sp.csr_array:
    """A 1 for each item of each user's row."""
    columns = np.sort(items, axis=1).ravel()
    starts = np.arange(len(items) + 1) * items.shape[1]
    ones = np.ones(len(columns), dtype=np.float32)
    return sp.csr_array((ones, columns, starts), shape=(len(items), n_items))


# ---- by name and size ----------------------------------------------------------------------------

#: Each workload's maker, and its arguments at each size: users, and items or rows.
_WORKLOADS: dict[str, tuple[Callable[..., Data], tuple[tuple[int, ...], ...]]] = {
    "W1": (w1, ((2_000,), (100_000,), (1_000_000,))),
    "small": (w1, ((10,), (10,), (10,))),
    "W2": (w2, ((1_000,), (50_000,), (500_000,))),
    "W3": (w3, ((20, 10_000), (200, 50_000), (2_000, 50_000))),
    "W4": (w4, ((50, 4_000), (500, 50_000), (5_000, 50_000))),
    "W5": (w5, ((200,), (2_000,), (20_000,))),
    "W6": (w6, ((2_000,), (100_000,), (1_000_000,))),
    "W6-pooled": (w6_pooled, ((100_000,), (2_000_000,), (20_000_000,))),
}


def make(name: str, size: Size) -> Data:
    """The workload of this name at this size; "small" is a call for ten users of W1."""
    maker, arguments = _WORKLOADS[name]
    return maker(*arguments[SIZES.index(size)])
