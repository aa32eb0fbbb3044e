"""Time the two resampling tests, and the same in numpy.

python benchmarks/resampling.py [--users 1000000] [--metrics 10] [--resamples 10000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from rankmill.compare.resampling import bootstrap_sums, randomization_p
from rankmill.threads import default_threads, make_run

Floats = npt.NDArray[np.float64]
Test = Callable[..., object]


def differences(users: int, metrics: int) -> Floats:
    """Seven of ten users do not differ."""
    rng = np.random.default_rng(0)
    rows = rng.normal(0.001, 0.1, (metrics, users))
    rows[rng.random(rows.shape) < 0.7] = 0.0
    return rows


def numpy_bootstrap(rows: Floats, resamples: int) -> Floats:
    rng = np.random.default_rng(0)
    users = rows.shape[1]
    return np.array([rows[:, rng.integers(0, users, users)].sum(axis=1) for _ in range(resamples)])


def numpy_signs(rows: Floats, resamples: int) -> Floats:
    rng = np.random.default_rng(0)
    users = rows.shape[1]
    return np.array(
        [rows @ (2.0 * rng.integers(0, 2, users, dtype=np.int8) - 1) for _ in range(resamples)]
    )


def seconds(test: Test, rows: Floats, resamples: int) -> float:
    started = time.perf_counter()
    test(rows, resamples)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--metrics", type=int, default=10)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--isa")
    options = parser.parse_args()
    rows = differences(options.users, options.metrics)
    print(f"{options.users:,} users, {options.metrics} metrics, {options.resamples:,} resamples")
    for threads in sorted({1, default_threads()}):
        run = make_run(threads, options.isa)
        for name, test in (("bootstrap", bootstrap_sums), ("randomization", randomization_p)):
            took = seconds(partial(test, seed=0, run=run), rows, options.resamples)
            print(f"{name:<14} {run.isa}, {threads} threads {took:7.1f} s")
    few = 5
    for name, test in (("bootstrap", numpy_bootstrap), ("randomization", numpy_signs)):
        took = seconds(test, rows, few) * options.resamples / few
        print(f"{name:<14} numpy, from {few} resamples {took:8.0f} s")


if __name__ == "__main__":
    main()
