"""Each workload by the engine and by numpy, one group each so that the ratios stand together.

One thread. The values are compared before anything is timed.
"""

import hashlib
from dataclasses import fields
from typing import Any

import numpy.typing as npt
import pytest
import scipy.sparse as sp
from pytest_benchmark.fixture import BenchmarkFixture

import rankmill as rm
from rankmill.bench.numpy_reference import factor_rows
from rankmill.bench.python_reference import dict_loop
from rankmill.bench.tasks import TASKS, W4_METRICS, assert_same
from rankmill.bench.workloads import Data, Dicts, Factors, Qrels, Run, Size, make

ENGINE = "rankmill"
SIDES = [(name, side) for name, task in TASKS.items() for side in (ENGINE, *task.references)]

#: Changes here mean that figures measured before are about other data.
DIGESTS = {
    "W1": "841f8ee35a503f61",
    "W2": "731cc11cf390ae7a",
    "W3": "847875a8d6ae1f5c",
    "W4": "05fcb011d2b85205",
    "W5": "c5881be0feb86317",
    "W6": "9a5255a4bfe49905",
    "W6-pooled": "9182d86db32ec5e0",
}


def digest(data: Data) -> str:
    """A short hash of all bytes of a workload."""
    sha = hashlib.sha256()
    for field in fields(data):
        value = getattr(data, field.name)
        parts = (value.indptr, value.indices) if sp.issparse(value) else (value,)
        for part in parts:
            sha.update(_bytes(part))
    return sha.hexdigest()[:16]


def _bytes(value: npt.NDArray[Any] | Run | Qrels) -> bytes:
    if isinstance(value, dict):
        return repr(value).encode()
    kind = {"i": "<i8", "f": "<f4"}[value.dtype.kind]
    return value.astype(kind).tobytes()


class OneWorkload:
    """Keeps the last workload only: at full size several do not fit in memory."""

    def __init__(self, size: Size) -> None:
        self._size = size
        self._name = ""
        self._data: Data | None = None

    def __call__(self, name: str) -> Data:
        if self._data is None or name != self._name:
            self._data = None
            self._name, self._data = name, make(name, self._size)
        return self._data


@pytest.fixture(scope="module")
def workload(size: Size) -> OneWorkload:
    return OneWorkload(size)


@pytest.mark.benchmark(min_rounds=5, max_time=0.3)
@pytest.mark.parametrize(("name", "side"), SIDES)
def test_speed(benchmark: BenchmarkFixture, workload: OneWorkload, name: str, side: str) -> None:
    task = TASKS[name]
    data = workload(task.workload)
    benchmark.group = name
    benchmark.extra_info["users"] = data.n_users
    if side == ENGINE:
        expected = [reference(data, 1) for reference in task.references.values()]
        for answer in expected:
            assert_same(task.engine(data, 1), answer)
        benchmark(task.engine, data, 1)
    else:
        benchmark(task.references[side], data, 1)


@pytest.mark.parametrize(("name", "expected"), DIGESTS.items())
def test_workloads_are_the_same_everywhere(name: str, expected: str) -> None:
    assert digest(make(name, "smoke")) == expected


def test_factor_reference_agrees_with_the_engine_on_a_whole_matrix() -> None:
    data = make("W4", "smoke")
    assert isinstance(data, Factors)
    scores = data.users @ data.items.T
    result = rm.evaluate(scores, data.relevant, W4_METRICS, exclude=data.exclude, n_threads=1)
    assert_same(result, factor_rows(data, W4_METRICS))


def test_dictionary_reference_agrees_with_the_engine_on_ranked_lists() -> None:
    data = make("W5", "smoke")
    assert isinstance(data, Dicts)
    lists = [sorted(found, key=found.__getitem__, reverse=True) for found in data.run.values()]
    ranks = rm.rank_lists(lists, list(data.qrels.values()), n_threads=1)
    result = rm.measure(ranks, ["ndcg@10", "recall@10", "map", "mrr"])
    assert_same(result, dict_loop(data.run, data.qrels))
