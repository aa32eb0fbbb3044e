"""DuckDB, which reads, joins and sorts: found where it is installed, and stopped by Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from rankmill.errors import MissingDependencyError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_T = TypeVar("_T")


def load_duckdb() -> Any:
    """Import DuckDB, which the core does without."""
    try:
        import duckdb
    except ImportError:
        raise MissingDependencyError(
            "tables and files need DuckDB; wanted: pip install 'rankmill[tables]'"
        ) from None
    return duckdb


def interruptible(connection: DuckDBPyConnection, read: Callable[[], _T]) -> _T:
    """Read in a thread of its own, so that Ctrl-C is noticed at once and stops the query."""
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        try:
            return reading.result()
        except KeyboardInterrupt:
            connection.interrupt()
            raise
