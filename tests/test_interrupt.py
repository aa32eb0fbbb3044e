"""Ctrl-C: a long call raises KeyboardInterrupt within a second, whatever it is doing."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.skipif(os.name != "posix", reason="needs signals"),
]

N = 20_000_000
MIXED = f"""
scores, labels = rng.random({N}, dtype=np.float32), rng.random({N}) < 0.2
groups = rng.integers(0, {N // 6}, {N})
"""
RANK_MIXED = "def call(): rm.rank(scores, labels, groups=groups, n_threads=2)"
# What is called, and how long it runs before Ctrl-C: so that each part of it is met.
INTERRUPTED: dict[str, tuple[float, str]] = {
    "many users": (
        0.4,
        """
        scores = np.broadcast_to(rng.random(40000, dtype=np.float32), (200000, 40000))
        labels = np.broadcast_to(np.arange(40000) % 1000 == 0, scores.shape)
        def call(): rm.rank(scores, labels, n_threads=2)
        """,
    ),
    "places far behind the list": (
        0.3,
        """
        ranks = rm.rank([[3, 2, 1]], [[0, 1, 0]])
        def call(): rm.measure(ranks, "ndcg@2000000000(ideal=full)")
        """,
    ),
    "one huge user, at first": (
        0.2,
        f"""
        scores, labels = rng.random({N}, dtype=np.float32), rng.random({N}) < 0.6
        def call(): rm.rank(scores, labels, n_threads=2, ties="input_order")
        """,
    ),
    "one huge user, later": (
        2.5,
        f"""
        scores, labels = rng.random({N}, dtype=np.float32), rng.random({N}) < 0.6
        def call(): rm.rank(scores, labels, n_threads=2, ties="input_order")
        """,
    ),
    "one huge user without an order": (
        0.2,
        f"""
        scores, labels = rng.random({3 * N}, dtype=np.float32), rng.random({3 * N}) < 0.5
        def call(): rm.evaluate(scores, labels, "map ndcg auc", n_threads=2)
        """,
    ),
    "a huge user in another thread": (
        1.5,
        f"""
        scores, labels = rng.random({N}, dtype=np.float32), rng.random({N}) < 0.5
        def call():
            rm.rank(scores, labels, offsets=[0, 10**6, {N}], n_threads=2, ties="input_order")
        """,
    ),
    "ranks of a huge user": (
        0.3,
        f"""
        ranks = rm.Ranks(
            offsets=np.array([0, {N // 2}]),
            ahead=np.arange({N // 2}, dtype=np.int32),
            tied=np.ones({N // 2}, dtype=np.int32),
            position=None,
            grade=rng.random({N // 2}),
            candidates=np.array([{N // 2}]),
        )
        def call(): rm.measure(ranks, "ndcg ndcg(ties=worst) ndcg(ties=best) map pr_auc")
        """,
    ),
    "top_k of many rows": (
        0.4,
        """
        scores = np.broadcast_to(rng.random(40000, dtype=np.float32), (10**6, 40000))
        def call(): rm.top_k(scores, 10, n_threads=2)
        """,
    ),
    "top_k of a huge row": (
        0.3,
        f"""
        scores = rng.random({3 * N}, dtype=np.float32)
        def call(): rm.top_k(scores, {N})
        """,
    ),
    "weighted auc of a huge user": (
        0.3,
        f"""
        scores, labels = rng.random({N}, dtype=np.float32), rng.random({N}) < 0.4
        weights = np.ones({N})
        def call(): rm.auc_score(scores, labels, sample_weight=weights)
        """,
    ),
    "mixed groups": (
        0.5,
        MIXED + "def call(): rm.rank(scores, labels, groups=groups, n_threads=2)",
    ),
    "mixed groups, later": (
        2.0,
        MIXED + "def call(): rm.rank(scores, labels, groups=groups, n_threads=2)",
    ),
    "weighted auc of mixed groups": (
        1.0,
        MIXED + "def call(): rm.auc_score(scores, labels, sample_weight=scores, groups=groups)",
    ),
    "factors on threads": (
        0.4,
        """
        import scipy.sparse as sp

        users, items = rng.random((20000, 64)), rng.random((50000, 64))
        relevant = sp.csr_array((np.ones(20000), np.full(20000, 7), np.arange(20001)))
        relevant.resize(20000, 50000)
        def call(): rm.rank_factors(users, items, relevant, n_threads=2)
        """,
    ),
    "bootstrap": (
        0.5,
        f"""
        from rankmill._engine import Run
        from rankmill.compare.resampling import bootstrap_sums

        rows = rng.random((2, {N // 10}))
        def call(): bootstrap_sums(rows, 100_000, 0, Run(2, None))
        """,
    ),
    "bootstrap of very many users": (
        2.5,
        f"""
        from rankmill._engine import Run
        from rankmill.compare.resampling import bootstrap_sums

        rows = rng.random((1, {N}))
        def call(): bootstrap_sums(rows, 100_000, 0, Run(2, None))
        """,
    ),
    "randomization": (
        0.5,
        f"""
        from rankmill._engine import Run
        from rankmill.compare.resampling import randomization_p

        rows = rng.random((2, {N // 10}))
        def call(): randomization_p(rows, 100_000, 0, Run(2, None))
        """,
    ),
    "ranked lists": (
        0.4,
        """
        import scipy.sparse as sp

        lists = np.broadcast_to(np.arange(20000, dtype=np.int32), (10**6, 20000))
        one_each = (np.ones(10**6), np.full(10**6, 7), np.arange(10**6 + 1))
        relevant = sp.csr_array(one_each, shape=(10**6, 20000))
        def call(): rm.rank_lists(lists, relevant, n_threads=2)
        """,
    ),
}
START = """
import numpy as np
import rankmill as rm

rng = np.random.default_rng(0)
"""
HARNESS = """
print("ready", flush=True)
try:
    call()
    print("finished before it was interrupted", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    import os
    os._exit(0)  # no time for giving memory back
"""


def hear_ctrl_c() -> None:
    """A run in the background ignores SIGINT, and its children would."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("what", INTERRUPTED)
def test_ctrl_c_stops_a_long_call_within_a_second(what: str) -> None:
    wait, lines = INTERRUPTED[what]
    script = START + textwrap.dedent(lines) + HARNESS
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=hear_ctrl_c,
    ) as call:
        assert call.stdout is not None
        try:
            assert call.stdout.readline() == "ready\n"
            time.sleep(wait)
            sent = time.monotonic()
            call.send_signal(signal.SIGINT)
            assert call.stdout.readline() == "interrupted\n"
            assert time.monotonic() - sent < 1
        finally:
            call.kill()
