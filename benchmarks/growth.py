"""How the engine's time grows: `python benchmarks/growth.py --json FILE [--most 10000000]`.

With users and with candidates on one thread, and with threads. Least of several calls: what the
engine can do, as other processes only add to it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np

from rankmill.bench.tasks import TASKS, W1_METRICS, W3_METRICS, evaluate
from rankmill.bench.timing import all_cores, machine
from rankmill.bench.workloads import Size, flat, make, w1, w3

#: x and nanoseconds per user.
Points = list[tuple[int, float]]
_ROUNDS = 8
_SECONDS = 0.3
_ROWS = 5_000_000
_SHORT = (10, 20, 50, 100, 200, 500)
_LONG = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)


def least(call: Callable[[], object]) -> float:
    """Seconds of the fastest of many calls: a core at rest needs a while to get up to speed."""
    taken: list[float] = []
    while len(taken) < _ROUNDS or sum(taken) < _SECONDS:
        start = perf_counter()
        call()
        taken.append(perf_counter() - start)
    return min(taken)


def by_users(most: int) -> Points:
    """W1 with more and more users."""
    points: Points = []
    n_users = 10
    while n_users <= most:
        data = w1(n_users)
        seconds = least(partial(evaluate, data, 1, W1_METRICS))
        points.append((n_users, seconds / n_users * 1e9))
        del data
        n_users *= 10
    return points


def by_candidates() -> dict[str, Points]:
    """Lists with 5 % relevant as in W1, and catalogues with 10 relevant as in W3."""
    lists: Points = []
    for width in _SHORT:
        data = flat(np.full(_ROWS // width, width), share=0.05, top=1, bump=8192, seed=101)
        seconds = least(partial(evaluate, data, 1, W1_METRICS))
        lists.append((width, seconds / data.n_users * 1e9))
    catalogues: Points = []
    for width in _LONG:
        dense = w3(_ROWS // width, width)
        seconds = least(partial(evaluate, dense, 1, W3_METRICS))
        catalogues.append((width, seconds / dense.n_users * 1e9))
    return {"lists, 5 % relevant": lists, "catalogues, 10 relevant": catalogues}


def by_threads(size: Size) -> dict[str, Points]:
    """W1, W2, W3 and W6 with one thread to all cores."""
    found: dict[str, Points] = {}
    for name in ("W1", "W2", "W3", "W6"):
        data = make(name, size)
        found[name] = [
            (n, least(partial(TASKS[name].engine, data, n)) / data.n_users * 1e9)
            for n in range(1, all_cores() + 1)
        ]
        del data
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--most", type=int, default=1_000_000, help="users; 10^7 takes 6 GB")
    parser.add_argument("--size", choices=("smoke", "quick", "full"), default="full")
    asked = parser.parse_args()
    found = {
        "machine": machine(),
        "users": by_users(asked.most),
        "candidates": by_candidates(),
        "threads": by_threads(asked.size),
    }
    asked.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
