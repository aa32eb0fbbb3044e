"""A pipe as a file: spooled, and named by what it holds."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rankmill.errors import RankmillError

_GZIP, _ZSTD, _PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"


@contextmanager
def with_pipe(names: Sequence[str]) -> Iterator[list[str]]:
    """Put a temporary copy of standard input in the place of ``-``, which messages do not name."""
    if "-" not in names:
        yield list(names)
        return
    with tempfile.TemporaryDirectory(prefix="rankmill-") as folder:
        copy = Path(folder) / "pipe"
        with copy.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        named = copy.rename(Path(folder) / f"pipe{_suffix(copy)}")
        try:
            yield [str(named) if name == "-" else name for name in names]
        except RankmillError as error:
            raise type(error)(str(error).replace(str(named), "standard input")) from None


def _suffix(path: Path) -> str:
    with path.open("rb") as stream:
        start = stream.read(4)
    if start == _PARQUET:
        return ".parquet"
    if start.startswith(_GZIP):
        return ".csv.gz"
    if start == _ZSTD:
        return ".csv.zst"
    return ".jsonl" if start.lstrip()[:1] == b"{" else ".csv"
