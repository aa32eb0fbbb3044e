"""Compare the engine with numpy: `python benchmarks/compare.py [--quick] [W1 W3 ...]`.

One process; each round times every side once, and the medians are compared. The values of both
sides are checked to be equal first. Some are also held against reading the inputs once from memory.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from tasks import TASKS, Task, assert_same
from timing import all_cores, interleaved, machine
from workloads import Data, Dense, Flat, Size, make

ENGINE = "rankmill"
READ_ONCE = "numpy, reading the inputs once"
_READ_ONCE = ("W1", "W3", "top_k")
_ROUNDS = 5
_ROW = "{:<10} {:>9} {:>7}  {:<34} {:>10} {:>10} {:>12} {:>8}"
_HEAD = ("task", "users", "threads", "against", "rankmill", "other", "ns per user", "ratio")


def read_once(data: Flat | Dense) -> int:
    """Sum every byte of scores and labels, eight at a time: whole numbers add at memory speed."""
    arrays = (data.scores, data.labels) if isinstance(data, Flat) else (data.scores,)
    return sum(int(np.add.reduce(np.frombuffer(array.data, dtype=np.int64))) for array in arrays)


def sides_of(name: str, task: Task, data: Data, n_threads: int) -> dict[str, Callable[[], object]]:
    """The engine and what it is compared with at this number of threads."""
    sides: dict[str, Callable[[], object]] = {ENGINE: partial(task.engine, data, n_threads)}
    for against, reference in task.references.items():
        if n_threads == 1 or against not in task.serial:
            sides[against] = partial(reference, data, n_threads)
    if name in _READ_ONCE and n_threads == 1 and isinstance(data, Flat | Dense):
        sides[READ_ONCE] = partial(read_once, data)
    return sides


def check(task: Task, data: Data) -> None:
    """Every reference gives the engine's values; this warms all sides up too."""
    answer = task.engine(data, all_cores())
    for reference in task.references.values():
        assert_same(answer, reference(data, all_cores()))


def table_rows(name: str, data: Data) -> Iterator[str]:
    """One line for each number of threads and each other side."""
    task = TASKS[name]
    check(task, data)
    for n_threads in sorted({1, all_cores()}):
        times = interleaved(sides_of(name, task, data, n_threads), _ROUNDS)
        ours = times.pop(ENGINE)
        for against, theirs in times.items():
            yield _ROW.format(
                name, f"{data.n_users:,}", n_threads, against,
                f"{ours * 1e3:,.1f} ms", f"{theirs * 1e3:,.1f} ms",
                f"{ours / data.n_users * 1e9:,.0f}", f"{theirs / ours:.2f}",
            )  # fmt: skip


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"of {', '.join(TASKS)}; all")
    parser.add_argument("--quick", action="store_true", help="a tenth of the full sizes")
    parsed = parser.parse_args()
    unknown = set(parsed.tasks) - set(TASKS)
    if unknown:
        parser.error(f"no task {', '.join(sorted(unknown))}; there are {', '.join(TASKS)}")
    return parsed


def main() -> None:
    """Print the machine and the table."""
    chosen = arguments()
    size: Size = "quick" if chosen.quick else "full"
    for fact, value in machine().items():
        print(f"{fact:<10} {value}")
    print(f"\nmedians of {_ROUNDS}; ratio: other / rankmill\n")
    print(_ROW.format(*_HEAD))
    data: Data | None = None
    made = ""
    for name in chosen.tasks or TASKS:
        if TASKS[name].workload != made:
            data = None  # two full workloads at once would not fit everywhere
            made, data = TASKS[name].workload, make(TASKS[name].workload, size)
        assert data is not None
        for row in table_rows(name, data):
            print(row, flush=True)


if __name__ == "__main__":
    main()
