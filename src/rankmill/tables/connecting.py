"""A DuckDB database of a call's own: its threads, its memory, and its errors on one line."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from rankmill.database import load_duckdb
from rankmill.errors import InputError, RankmillError
from rankmill.threads import thread_count

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_MEMORY: Final = re.compile(r"[0-9]+(\.[0-9]*)? *([KMGT]i?)?B", re.IGNORECASE)


@contextlib.contextmanager
def connect(
    n_threads: int | None = None, memory_limit: int | str | None = None
) -> Iterator[DuckDBPyConnection]:
    """Open a database of its own, which spills into a folder that is gone afterwards.

    Parameters
    ----------
    n_threads : int, optional
        Default: OMP_NUM_THREADS, else the CPUs this process may use.
    memory_limit : int or str, optional
        Bytes, or text such as ``"2GB"`` or ``"500 MiB"``: what DuckDB may hold before it spills.

    Raises
    ------
    InputError
        If either means nothing; and `RankmillError` for whatever DuckDB complains of inside.
    MissingDependencyError
        If DuckDB is not installed.
    """
    import tempfile  # loads slowly, and is needed here alone

    duckdb = load_duckdb()
    limit = None if memory_limit is None else memory_size(memory_limit)
    with (
        _clear_errors(duckdb.Error),
        tempfile.TemporaryDirectory(prefix="rankmill-") as folder,
        duckdb.connect() as connection,
    ):
        connection.execute(f"SET threads = {thread_count(n_threads)}")
        connection.execute(f"SET temp_directory = {literal(folder)}")
        connection.execute("SET enable_progress_bar = false")
        if limit is not None:
            connection.execute(f"SET memory_limit = {literal(limit)}")
        yield connection


def memory_size(limit: int | str) -> str:
    """Return a size of memory as DuckDB takes it."""
    if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0:
        return f"{limit}B"
    if isinstance(limit, str) and _MEMORY.fullmatch(limit.strip()):
        return limit.strip()
    raise InputError(f"memory_limit: got {limit!r}; wanted bytes > 0, or text such as '2GB'")


@contextlib.contextmanager
def _clear_errors(error: type[Exception]) -> Iterator[None]:
    """Turn what DuckDB says into one line."""
    try:
        yield
    except error as trouble:
        raise RankmillError(first_lines(trouble)) from None


def first_lines(trouble: Exception) -> str:
    """Return on one line what is wrong and where; advice on DuckDB's options follows there."""
    lines = itertools.takewhile(str.strip, str(trouble).splitlines())
    return "; ".join(itertools.islice(lines, 3))


def literal(value: str) -> str:
    """Return text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """Return a name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
