"""One side of a comparison in a process of its own: makes the data, then runs when told to.

Started by peers.py, with the interpreter of the peer or with rankmill's. Says "ready" once the
values of its first call are saved; each line it then reads is answered by the seconds of one call.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from contests import CONTESTS, Contest
from sides import Call


def data_of(contest: Contest, size: str, users: int) -> Any:
    """The workload, or its first users: the same bytes in every environment."""
    import workloads

    data = workloads.make(contest.workload, size)
    if not users or users >= data.n_users:
        return data
    end = int(data.offsets[users])
    return workloads.Flat(data.scores[:end], data.labels[:end], data.offsets[: users + 1])


def call_of(contest: Contest, data: Any, n_threads: int, *, engine: bool) -> Call:
    """Prepare the engine or the peer."""
    if contest.drop_in:
        from sides.modules import prepare as prepare_module

        return prepare_module(contest.drop_in, data, n_threads, engine=engine)
    if engine:
        from sides.rankmill import engine as prepare

        return prepare(data, n_threads, contest.metrics, dict(contest.conventions))
    module, _, function = contest.side.partition(":")
    call: Call = getattr(importlib.import_module(f"sides.{module}"), function)(data, n_threads)
    return call


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("contest", choices=CONTESTS)
    parser.add_argument("--engine", action="store_true")
    parser.add_argument("--size", required=True)
    parser.add_argument("--users", type=int, default=0)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--workloads", type=Path, required=True, help="folder of workloads.py")
    parser.add_argument("--values", type=Path, required=True, help="file for the values")
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    sys.path.append(str(asked.workloads))
    # What a library prints would be taken for an answer: only `answers` reaches the driver.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    contest = CONTESTS[asked.contest]
    data = data_of(contest, asked.size, asked.users)
    call = call_of(contest, data, asked.threads, engine=asked.engine)
    values: dict[str, Any] = {name: np.asarray(value) for name, value in call().items()}
    np.savez(asked.values, **values)
    print("ready", data.n_users, file=answers)
    for _ in sys.stdin:
        start = perf_counter()
        call()
        print(perf_counter() - start, file=answers)


if __name__ == "__main__":
    main()
