"""`threads.in_order`: work on Python's threads, a few items ahead."""

import threading
import time
from collections.abc import Iterator

import pytest

from rankmill.threads import in_order


@pytest.mark.parametrize("n_threads", [1, 3])
def test_results_come_in_the_order_of_the_items(n_threads: int) -> None:
    def work(item: int) -> int:
        time.sleep(0.002 * (item % 3 == 0))
        return item * item

    assert list(in_order(work, range(30), n_threads)) == [item * item for item in range(30)]


@pytest.mark.parametrize("n_threads", [1, 3])
def test_little_is_read_ahead(n_threads: int) -> None:
    read: list[int] = []

    def items() -> Iterator[int]:
        while True:
            read.append(len(read))
            yield read[-1]

    made = in_order(abs, items(), n_threads)
    for taken in range(1, 20):
        next(made)
        assert len(read) <= taken + n_threads
    made.close()


def test_it_works_while_the_next_items_are_read() -> None:
    """Two threads meet in it."""
    meeting = threading.Barrier(2, timeout=10)
    assert len(list(in_order(lambda _: meeting.wait(), range(6), 2))) == 6


@pytest.mark.parametrize("n_threads", [1, 2])
def test_failures_reach_the_caller_and_no_thread_is_left(n_threads: int) -> None:
    """Of the work, of the reading, and of who takes the results."""

    def fails(item: int) -> int:
        if item == 5:
            raise ValueError("work")
        return item

    def breaks() -> Iterator[int]:
        yield from (1, 2, 3)
        raise ValueError("reading")

    before = threading.active_count()
    with pytest.raises(ValueError, match="work"):
        list(in_order(fails, range(10), n_threads))
    with pytest.raises(ValueError, match="reading"):
        list(in_order(fails, breaks(), n_threads))
    made = in_order(fails, range(10), n_threads)
    next(made)
    made.close()
    assert threading.active_count() == before
