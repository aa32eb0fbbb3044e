"""DuckDB, which reads, joins and sorts: found where it is installed, and stopped by Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from rankmill.errors import MissingDependencyError

_T = TypeVar("_T")


class Interruptible(Protocol):
    """What another thread can stop, such as a connection of DuckDB."""

    def interrupt(self) -> None:
        """Make what it does fail soon."""


def load_duckdb() -> Any:
    """Import DuckDB, which the core does without."""
    try:
        import duckdb
    except ImportError:
        raise MissingDependencyError(
            "tables and files need DuckDB; wanted: pip install 'rankmill[tables]'"
        ) from None
    return duckdb


def interruptible(source: Interruptible, read: Callable[[], _T]) -> _T:
    """Read in a thread of its own, so that Ctrl-C is noticed at once and stops the query."""
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        try:
            return reading.result()
        except KeyboardInterrupt:
            source.interrupt()
            raise
