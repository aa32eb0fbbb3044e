"""The table of the engine against numpy, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from rankmill.bench.tasks import TASKS, Task, assert_same
from rankmill.bench.timing import all_cores, interleaved
from rankmill.bench.workloads import Data, Size, make

_ENGINE = "rankmill"
_ROW = "{:<10} {:>9} {:>7}  {:<31} {:>11} {:>11} {:>12} {:>8}"
HEAD = _ROW.format(
    "task", "users", "threads", "against", "rankmill", "other", "ns per user", "ratio"
)


@dataclass(frozen=True)
class Line:
    """Seconds of one call of the engine and of what it is held against: medians and least."""

    task: str
    users: int
    threads: int
    against: str
    ours: float
    theirs: float
    ours_least: float
    theirs_least: float

    @property
    def ratio(self) -> float:
        """How many times as long the other takes."""
        return self.theirs / self.ours

    def __str__(self) -> str:
        return _ROW.format(
            self.task, f"{self.users:,}", self.threads, self.against,
            f"{self.ours * 1e3:,.2f} ms", f"{self.theirs * 1e3:,.2f} ms",
            f"{self.ours / self.users * 1e9:,.0f}", f"{self.ratio:.2f}",
        )  # fmt: skip


def lines(names: list[str], size: Size, rounds: int) -> Iterator[Line]:
    """Lines of every task: made, checked to agree, then timed turn by turn."""
    data: Data | None = None
    made = ""
    for name in names:
        if TASKS[name].workload != made:
            data = None  # two full workloads at once would not fit everywhere
            made, data = TASKS[name].workload, make(TASKS[name].workload, size)
        assert data is not None
        yield from _lines_of(name, data, rounds)


def check(task: Task, data: Data) -> None:
    """Compare every reference with the engine's values; this warms all sides up too."""
    answer = task.engine(data, all_cores())
    for reference in task.references.values():
        assert_same(answer, reference(data, all_cores()))


def _lines_of(name: str, data: Data, rounds: int) -> Iterator[Line]:
    task = TASKS[name]
    check(task, data)
    for n_threads in sorted({all_cores()} if task.uses_blas else {1, all_cores()}):
        times = interleaved(_sides(task, data, n_threads), rounds)
        ours = times.pop(_ENGINE)
        for against, theirs in times.items():
            yield Line(
                name, data.n_users, n_threads, against,
                ours.median, theirs.median, ours.least, theirs.least,
            )  # fmt: skip


def _sides(task: Task, data: Data, n_threads: int) -> dict[str, Callable[[], object]]:
    """Give the engine and what it is compared with at this number of threads."""
    sides: dict[str, Callable[[], object]] = {_ENGINE: partial(task.engine, data, n_threads)}
    for against, reference in task.references.items():
        if n_threads == 1 or task.uses_blas or against not in task.serial:
            sides[against] = partial(reference, data, n_threads)
    if n_threads == 1 or task.uses_blas:
        sides |= {against: partial(floor, data, 1) for against, floor in task.floors.items()}
    return sides
