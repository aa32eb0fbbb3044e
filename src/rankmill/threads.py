"""How many threads a call uses."""

from __future__ import annotations

import functools
import math
import operator
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final, TypeVar

from rankmill._engine import Run, has_openmp
from rankmill.errors import InputError

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_Given = TypeVar("_Given")
_Made = TypeVar("_Made")

_MOST_THREADS: Final = 1024
_CGROUP_V2: Final = Path("/sys/fs/cgroup/cpu.max")
_CGROUP_V1: Final = Path("/sys/fs/cgroup/cpu")


def default_threads() -> int:
    """Return OMP_NUM_THREADS, else the CPUs this process may use (affinity and cgroup quota).

    Examples
    --------
    >>> default_threads() >= 1
    True
    """
    if not has_openmp():
        return 1
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if wanted.isdigit() and int(wanted) > 0:
        return min(int(wanted), _MOST_THREADS)
    return max(1, min(_affinity(), _quota(), _MOST_THREADS))


def make_run(n_threads: int | None, isa: str | None) -> Run:
    """Check `n_threads` and `isa` and return what the engine runs with."""
    return Run(thread_count(n_threads), isa)


def thread_count(n_threads: int | None) -> int:
    """Check `n_threads` and return how many it means."""
    if n_threads is None:
        return default_threads()
    try:
        number = 0 if isinstance(n_threads, bool) else operator.index(n_threads)
    except TypeError:
        number = 0
    if not 1 <= number <= _MOST_THREADS:
        raise InputError(
            f"n_threads: got {n_threads!r}; wanted a whole number from 1 to {_MOST_THREADS}"
        )
    return number


def for_blocks(
    work: Callable[[int, int, Event], None], blocks: list[tuple[int, int]], n_threads: int
) -> None:
    """Do work that numpy does most of, block by block, on Python's threads.

    The failure of the first block that fails is raised, for any number of threads. The event is
    set when the others need not finish.
    """
    stop = Event()
    if n_threads == 1:
        for first, end in blocks:
            work(first, end, stop)
        return
    with _pool(min(n_threads, len(blocks))) as pool:
        done = [pool.submit(work, first, end, stop) for first, end in blocks]
        try:
            for block in done:
                block.result()
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def in_order(
    work: Callable[[_Given], _Made], items: Iterable[_Given], n_threads: int
) -> Generator[_Made, None, None]:
    """Give what work makes of each item, in their order, while the next items are read.

    Python's threads do it, one item each, and no more items are read ahead than there are threads.
    One thread reads and works by turns.
    """
    if n_threads == 1:
        yield from map(work, items)
        return
    pool = _pool(n_threads)
    ahead: deque[Future[_Made]] = deque()
    try:
        for item in items:
            ahead.append(pool.submit(work, item))
            if len(ahead) > n_threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _pool(n_threads: int) -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor  # loads slowly, and few calls need it

    return ThreadPoolExecutor(n_threads)


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.cache
def _quota() -> int:
    """Return the CPUs that the container's quota pays for, rounded up.

    Read once: it takes longer than a small call, and does not change while a process runs.
    """
    try:
        if _CGROUP_V2.exists():
            quota, period = _CGROUP_V2.read_text(encoding="ascii").split()
        else:
            quota = (_CGROUP_V1 / "cpu.cfs_quota_us").read_text(encoding="ascii")
            period = (_CGROUP_V1 / "cpu.cfs_period_us").read_text(encoding="ascii")
        share = int(quota) / int(period)
    except (OSError, ValueError):  # no cgroup, or no limit ("max")
        return _MOST_THREADS
    return math.ceil(share) if share > 0 else _MOST_THREADS
