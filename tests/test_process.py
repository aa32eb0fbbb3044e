"""What the engine does to the process around it: fork, threads, global settings."""

import os
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmill as rm
from test_bit_equality import bits

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
posix = pytest.mark.skipif(os.name != "posix", reason="needs fork and signals")

DATA = """
import hashlib

import numpy as np
import rankmill as rm

rng = np.random.default_rng(0)
scores, labels = rng.random((2000, 300)).round(2), rng.random((2000, 300)) < 0.05

def evaluate(n_threads):
    values = rm.evaluate(scores, labels, "ndcg@10 map auc", n_threads=n_threads).values
    return hashlib.sha256(values.tobytes()).digest()
"""


def run(script: str, timeout: float = 60) -> str:
    """Run a script in an interpreter of its own; what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", DATA + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- fork


@posix
@pytest.mark.process
@pytest.mark.parametrize("before", [1, 2])
def test_a_forked_child_finishes_with_the_same_bits(before: int) -> None:
    """Whether its parent used threads or not, and its own child too; the parent goes on."""
    script = f"""
    import multiprocessing as mp

    def child(depth, pipe):
        pipe.send_bytes(evaluate(2) + evaluate(None))
        if depth:
            start(depth - 1, pipe)

    def start(depth, pipe):
        process = context.Process(target=child, args=(depth, pipe))
        process.start()
        process.join(20)
        assert process.exitcode == 0, process.exitcode

    context = mp.get_context("fork")
    want = evaluate({before})
    receiver, sender = context.Pipe(duplex=False)
    start(1, sender)
    assert [receiver.recv_bytes() for _ in range(2)] == [2 * want] * 2
    assert evaluate(2) == want
    with context.Pool(2) as pool:
        assert pool.map_async(evaluate, [1, 2, 3, 2]).get(20) == [want] * 4
    print("done")
    """
    assert run(script) == "done\n"


# ---- threads


def test_eight_python_threads_get_the_same_bits() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(400, 90)).round(1).astype(np.float32)
    labels = rng.choice([0, 0, 0, 1, 2], size=scores.shape)
    groups = rng.integers(0, 50, 400)
    lists = np.argsort(-scores, axis=1)[:, :20]
    relevant = [set(np.flatnonzero(row).tolist()) for row in labels]
    ranks = rm.rank(scores, labels)

    def call(number: int) -> list[bytes]:
        n_threads = 1 + number // 5 % 3
        if number % 5 == 0:
            return bits(rm.rank(scores, labels, n_threads=n_threads))
        if number % 5 == 1:
            return [rm.measure(ranks, "ndcg@10 auc", n_threads=n_threads).values.tobytes()]
        if number % 5 == 2:
            flat = rm.rank(scores[:, 0], labels[:, 0], groups=groups, n_threads=n_threads)
            return bits(flat)
        if number % 5 == 3:
            return [part.tobytes() for part in rm.top_k(scores, 7, n_threads=n_threads)]
        return bits(rm.rank_lists(lists, relevant, n_threads=n_threads))

    alone = [call(number) for number in range(5)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(call, range(200)))
    assert together == alone * 40


@linux
@pytest.mark.process
def test_one_thread_means_no_thread_is_started() -> None:
    script = """
    import os

    before = len(os.listdir("/proc/self/task"))
    evaluate(1)
    rm.top_k(scores, 3, n_threads=1)
    rm.rank_lists(np.argsort(scores), [{1}] * 2000, n_threads=1)
    rm.auc_score(scores, labels, sample_weight=scores, n_threads=1)
    alone = len(os.listdir("/proc/self/task"))
    evaluate(2)
    print(before, alone, len(os.listdir("/proc/self/task")))
    """
    before, alone, together = map(int, run(script).split())
    assert alone == before
    assert together == before + rm.build_info()["openmp"]


# ---- settings of others


@pytest.mark.process
@pytest.mark.parametrize("text", ["1", "2", "7"])
def test_omp_num_threads_is_the_default(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", text)
    expected = int(text) if rm.build_info()["openmp"] else 1
    assert run("print(rm.build_info()['n_threads'])") == f"{expected}\n"


@linux
@pytest.mark.process
def test_environment_and_openmp_settings_stay_as_they_are() -> None:
    script = """
    import ctypes, os

    paths = {line.split()[-1] for line in open("/proc/self/maps") if "omp" in line.split()[-1]}
    names = ["max_threads", "dynamic", "max_active_levels", "nested"]
    libraries = [ctypes.CDLL(path) for path in sorted(paths) if os.path.exists(path)]
    for library in libraries:
        library.omp_set_num_threads(3)

    def settings():
        return [getattr(one, "omp_get_" + name)() for one in libraries for name in names]

    environment, before = dict(os.environ), settings()
    for n_threads in (1, 2, 5, None):
        evaluate(n_threads)
    assert settings() == before, (before, settings())
    assert dict(os.environ) == environment
    assert all(setting == 3 for setting in before[::4])
    print(len(libraries))
    """
    found = int(run(script))
    assert found >= 1 or not rm.build_info()["openmp"]


@linux
@pytest.mark.process
def test_import_changes_no_environment() -> None:
    """In the environment that this process was started with, before an import of its own."""
    pairs = Path("/proc/self/environ").read_text(encoding="utf-8").split("\0")
    script = "import os, numpy; a = dict(os.environ); import rankmill; print(a == dict(os.environ))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=dict(pair.split("=", 1) for pair in pairs if "=" in pair),
        check=True,
    )
    assert done.stdout == "True\n"


@pytest.mark.process
def test_subnormal_numbers_survive_the_import() -> None:
    """A library built with fast-math would flush them to zero in every thread that loads it."""
    script = """
    from concurrent.futures import ThreadPoolExecutor

    def kept(tiny="5e-324"):
        value = np.array([float(tiny)])
        return bool(value[0] > 0 and (value * 1.0)[0] > 0 and float(tiny) * 1.0 > 0)

    evaluate(2)
    with ThreadPoolExecutor(1) as pool:
        print(kept(), pool.submit(kept).result())
    """
    assert run(script) == "True True\n"


def test_signals_of_others_are_left_alone() -> None:
    """No handler is put in place, by the import or by a call."""
    before: Any = signal.getsignal(signal.SIGINT)
    rm.rank([2, 1], [0, 1], n_threads=2)
    assert signal.getsignal(signal.SIGINT) is before
