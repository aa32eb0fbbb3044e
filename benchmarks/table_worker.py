"""One side of a comparison of tables in a process of its own; speaks as peer_worker.py does."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from sides import tables
from table_contests import CONTESTS, METRICS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("contest", choices=CONTESTS)
    parser.add_argument("--engine", action="store_true")
    parser.add_argument("--folder", type=Path, required=True, help="folder of the files")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--workloads", type=Path, help="not needed")
    parser.add_argument("--values", type=Path, required=True, help="file for the values")
    asked = parser.parse_args()
    # What a library prints would be taken for an answer: only `answers` reaches the driver.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    contest = CONTESTS[asked.contest]
    if asked.engine:
        call = tables.engine(asked.folder, asked.threads, contest.form)
    else:
        call = getattr(tables, contest.side)(asked.folder, asked.threads)
    values: dict[str, Any] = {name: np.asarray(value) for name, value in call().items()}
    np.savez(asked.values, **values)
    print("ready", len(values[METRICS[0]]), file=answers)
    for _ in sys.stdin:
        start = perf_counter()
        call()
        print(perf_counter() - start, file=answers)


if __name__ == "__main__":
    main()
