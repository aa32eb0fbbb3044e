"""What is timed: for each workload the engine's call and the numpy that does the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmill.bench import numpy_reference as ref
from rankmill.bench.python_reference import dict_loop
from rankmill.bench.workloads import Dense, Dicts, Factors, Flat
from rankmill.evaluate import evaluate as evaluate_rows
from rankmill.evaluate import measure
from rankmill.factors import rank_factors
from rankmill.result import Result
from rankmill.topk import top_k

Call = Callable[[Any, int], object]

W1_METRICS = ("ndcg@10", "recall@10", "precision@10", "hit@10", "mrr", "map", "auc")
W2_METRICS = (*W1_METRICS, "ndcg@5", "ndcg@100")
W3_METRICS = ("ndcg@10", "recall@20", "map", "auc")
W4_METRICS = ("precision@10", "recall@10", "ndcg@10", "map@10", "auc")
W5_METRICS = ("ndcg@10", "recall@10", "map", "mrr")
W6_METRICS = ("auc", "pr_auc", "max_f1")
_TOP = 10


@dataclass(frozen=True)
class Task:
    """One call of the engine and what it is held against; all take (data, n_threads)."""

    workload: str
    engine: Call
    references: Mapping[str, Call]
    #: References that have one thread whatever they are asked for.
    serial: frozenset[str] = frozenset()
    #: Work that no way can leave out, to see how far above it the engine is. One thread.
    floors: Mapping[str, Call] = field(default_factory=dict)
    #: BLAS has as many threads as the process gave it: only a run with all cores is fair.
    uses_blas: bool = False


def evaluate(data: Flat | Dense, n_threads: int, metrics: tuple[str, ...]) -> Result:
    """The engine on flat rows or on a matrix with sparse relevance."""
    if isinstance(data, Flat):
        return evaluate_rows(
            data.scores, data.labels, metrics, offsets=data.offsets, n_threads=n_threads
        )
    return evaluate_rows(data.scores, data.relevant, metrics, n_threads=n_threads)


def _engine_top_k(data: Dense, n_threads: int) -> object:
    return top_k(data.scores, _TOP, n_threads=n_threads)


def _engine_factors(data: Factors, n_threads: int) -> Result:
    ranks = rank_factors(
        data.users, data.items, data.relevant, exclude=data.exclude, n_threads=n_threads
    )
    return measure(ranks, W4_METRICS, n_threads=n_threads)


def _engine_dicts(data: Dicts, n_threads: int) -> Result:
    return evaluate_rows(data.run, data.qrels, W5_METRICS, n_threads=n_threads)


def read_once(data: Flat | Dense, n_threads: int = 1) -> int:
    """Sum every byte of scores and labels, eight at a time: whole numbers add at memory speed."""
    arrays = (data.scores, data.labels) if isinstance(data, Flat) else (data.scores,)
    return sum(int(np.add.reduce(np.frombuffer(array.data, dtype=np.int64))) for array in arrays)


def multiply_only(data: Factors, n_threads: int = 0, block_users: int = 256) -> None:
    """Make the scores of W4 in blocks and do nothing with them."""
    scores = np.empty((block_users, len(data.items)), dtype=np.float32)
    for first in range(0, data.n_users, block_users):
        users = data.users[first : first + block_users]
        np.matmul(users, data.items.T, out=scores[: len(users)])


_READ_ONCE: Mapping[str, Call] = {"numpy, reading the inputs once": read_once}

TASKS: dict[str, Task] = {
    "W1": Task(
        "W1",
        partial(evaluate, metrics=W1_METRICS),
        {"numpy sort along rows": lambda data, n: ref.equal_rows(data, W1_METRICS, n)},
        floors=_READ_ONCE,
    ),
    "small": Task(
        "small",
        partial(evaluate, metrics=W1_METRICS),
        {"numpy sort along rows": lambda data, _: ref.equal_rows(data, W1_METRICS)},
        serial=frozenset({"numpy sort along rows"}),
    ),
    "W2": Task(
        "W2",
        partial(evaluate, metrics=W2_METRICS),
        {
            "numpy sort in blocks": lambda data, n: ref.ragged_rows(data, W2_METRICS, n),
            "numpy, one sort": lambda data, _: ref.ragged_rows(
                data, W2_METRICS, block_users=data.n_users
            ),
        },
        serial=frozenset({"numpy, one sort"}),
    ),
    "W3": Task(
        "W3",
        partial(evaluate, metrics=W3_METRICS),
        {"numpy counting": lambda data, n: ref.dense_rows(data, W3_METRICS, n)},
        floors=_READ_ONCE,
    ),
    "top_k": Task(
        "W3",
        _engine_top_k,
        {"numpy argpartition and sort": lambda data, n: ref.top_k(data.scores, _TOP, n)},
        floors=_READ_ONCE,
    ),
    "W4": Task(
        "W4",
        _engine_factors,
        {"numpy matmul and counting": lambda data, _: ref.factor_rows(data, W4_METRICS)},
        floors={"numpy matmul alone": multiply_only},
        uses_blas=True,
    ),
    "W5": Task(
        "W5",
        _engine_dicts,
        {"Python loop": lambda data, _: dict_loop(data.run, data.qrels)},
        serial=frozenset({"Python loop"}),
    ),
    "W6": Task(
        "W6",
        partial(evaluate, metrics=W6_METRICS),
        {"numpy sort along rows": lambda data, n: ref.thresholds_of_equal_rows(data, n)},
    ),
    "W6-auc": Task(
        "W6",
        partial(evaluate, metrics=("auc",)),
        {"scipy rankdata": lambda data, n: ref.auc_by_rankdata(data, n)},
    ),
    "W6-pooled": Task(
        "W6-pooled",
        partial(evaluate, metrics=W6_METRICS),
        {"numpy sort": lambda data, _: ref.thresholds_of_one_row(data)},
        serial=frozenset({"numpy sort"}),
    ),
}


def values_of(answer: object) -> dict[str, npt.NDArray[Any]]:
    """An answer of either side as named arrays."""
    if isinstance(answer, Result):
        return {name: answer[name] for name in answer.names}
    if isinstance(answer, tuple):
        return dict(zip(("ids", "scores"), answer, strict=True))
    assert isinstance(answer, dict)
    return answer


def assert_same(engine: object, reference: object) -> None:
    """Both sides give each user the same value, but for the rounding of sums."""
    got, wanted = values_of(engine), values_of(reference)
    assert set(got) == set(wanted)
    for name, expected in wanted.items():
        np.testing.assert_allclose(got[name], expected, rtol=0, atol=1e-9, err_msg=name)
