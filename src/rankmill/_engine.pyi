"""The C engine for Python: arrays in, the GIL released, a status turned into an exception."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, final

import numpy as np
import numpy.typing as npt

from rankmill.errors import RankmillError

N_STATUS: int
N_LIMBS: int
TREC_PIECE: int

_Explain: TypeAlias = Callable[[int, int, int, float], RankmillError]
_Bytes: TypeAlias = npt.NDArray[np.uint8]
_Int32s: TypeAlias = npt.NDArray[np.int32]
_Int64s: TypeAlias = npt.NDArray[np.int64]
_Floats: TypeAlias = npt.NDArray[np.float64]
_MetricRow: TypeAlias = tuple[int, int, int, int, int, int, int, int, int, int, float, float]

@final
class Run:
    def __init__(self, n_threads: int, isa: str | None) -> None: ...
    @property
    def isa(self) -> str: ...

@final
class Array:
    def __init__(self, array: npt.NDArray[Any], type: int, swapped: bool) -> None: ...

@final
class Sparse:
    def __init__(self, starts: _Int64s, items: Array, values: Array | None) -> None: ...

@final
class Input:
    def __init__(
        self,
        n_users: int,
        n_items: int,
        scores: Array,
        *,
        offsets: _Int64s | None = None,
        labels: Array | None = None,
        relevant: Sparse | None = None,
        exclude: Sparse | None = None,
        order: int = 0,
        keys: Array | None = None,
        min_score: tuple[float, int] | None = None,
    ) -> None: ...

@final
class Entries:
    def __init__(
        self,
        offsets: _Int64s,
        ahead: _Int32s,
        tied: _Int32s,
        position: _Int32s | None,
        grade: _Floats,
        candidates: _Int64s,
    ) -> None: ...

@final
class Plan:
    def __init__(
        self,
        metrics: Sequence[_MetricRow],
        gains: Sequence[tuple[int, tuple[_Floats, _Floats] | None, float]],
        discounts: Sequence[int],
    ) -> None: ...

@final
class Tile:
    def __init__(self, scores: Array, width: int, first_item: int, n_items: int) -> None: ...

@final
class Block:
    def __init__(
        self,
        input: Input,
        first_user: int,
        n_users: int,
        scores: Array,
        items: _Int32s,
        out: Entries,
    ) -> None: ...
    def find(self, run: Run, explain: _Explain) -> None: ...
    def pick(self, tile: Tile, run: Run, explain: _Explain) -> None: ...
    def start(self, run: Run, explain: _Explain) -> None: ...
    def count(self, tile: Tile, run: Run, explain: _Explain) -> bool: ...
    def finish(self, run: Run, explain: _Explain) -> None: ...

@final
class Groups:
    def read(self, ids: _Bytes, together: bool, run: Run, explain: _Explain) -> bool: ...
    def first_rows(self, out: _Int64s) -> None: ...
    def order(self, run: Run, offsets: _Int64s, rows: _Int64s, explain: _Explain) -> None: ...
    def forget(self) -> None: ...
    def __len__(self) -> int: ...

@final
class Mixed:
    def __init__(self, input: Input, n_rows: int, groups: Groups, codes: Array | None) -> None: ...
    def count(self, run: Run, candidates: _Int64s, counts: _Int64s, explain: _Explain) -> None: ...
    def rank(self, run: Run, out: Entries, explain: _Explain) -> None: ...

@final
class TrecText:
    def __init__(self, text: bytes, width: int, value: int) -> None: ...
    def count(self, run: Run, counts: _Int64s, explain: _Explain) -> None: ...
    def read(
        self,
        first: _Int64s,
        run: Run,
        is_new: _Bytes,
        document: _Int64s,
        length: _Int64s,
        value: _Floats,
        explain: _Explain,
    ) -> None: ...

@final
class TrecRows:
    def __init__(
        self,
        text: TrecText,
        document: _Int64s,
        length: _Int64s,
        value: _Floats,
        offsets: _Int64s,
        rows: _Int64s | None,
    ) -> None: ...

def isa_names() -> tuple[list[str], list[str]]: ...
def version() -> str: ...
def compiler() -> str: ...
def has_openmp() -> bool: ...
def check_offsets(offsets: _Int64s, n_rows: int, explain: _Explain) -> None: ...
def count_relevant(input: Input, run: Run, counts: _Int64s, explain: _Explain) -> None: ...
def rank(input: Input, run: Run, out: Entries, explain: _Explain) -> None: ...
def count_relevant_lists(
    input: Input, n_ids: int, run: Run, counts: _Int64s, explain: _Explain
) -> None: ...
def rank_lists(input: Input, n_ids: int, run: Run, out: Entries, explain: _Explain) -> None: ...
def top_k(input: Input, k: int, run: Run, ids: _Int64s, explain: _Explain) -> None: ...
def top_k_tile(
    input: Input,
    first_user: int,
    tile: Tile,
    run: Run,
    scores: Array,
    ids: _Int64s,
    n_best: _Int64s,
    explain: _Explain,
) -> None: ...
def weighted_area(
    input: Input, weights: Array, kind: int, run: Run, values: _Floats, explain: _Explain
) -> None: ...
def measure(
    ranks: Entries, plan: Plan, run: Run, values: _Floats, undefined: _Int64s, explain: _Explain
) -> None: ...
def evaluate(
    input: Input, plan: Plan, run: Run, values: _Floats, undefined: _Int64s, explain: _Explain
) -> None: ...
def match_rows(
    offsets: _Int64s,
    codes: Array,
    starts: _Int64s,
    items: _Int64s,
    run: Run,
    counts: _Int64s | None,
    out_starts: _Int64s | None,
    places: _Int64s | None,
    explain: _Explain,
) -> None: ...
def join_trec(
    run: TrecRows,
    qrels: TrecRows,
    n_queries: int,
    how: Run,
    retrieved: _Floats,
    missed: _Floats,
    explain: _Explain,
) -> None: ...
def exact_add(values: _Floats, weights: _Floats | None, limbs: _Int64s, count: _Int64s) -> None: ...
def exact_moments(values: _Floats, sums: _Int64s, squares: _Int64s, counts: _Int64s) -> None: ...
def resample(
    values: _Int64s,
    coins: bool,
    seed: int,
    first: int,
    run: Run,
    sums: _Int64s,
    explain: _Explain,
) -> None: ...
