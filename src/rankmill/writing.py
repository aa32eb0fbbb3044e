"""Files that appear under their name only when they are whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from rankmill.errors import InputError


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a name beside `path` to write to, which takes its place unless something goes wrong.

    The name ends as `path` does, so that libraries tell format and compression by it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/table.csv") as name:
    ...         _ = name.write_text("whole")
    ...     Path(folder, "table.csv").read_text()
    'whole'
    """
    import tempfile  # loads slowly, and few write files

    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target}: there is no folder {str(target.parent)!r}")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=target.name)
    os.close(handle)
    made = Path(name)
    try:
        yield made
        with made.open("rb+") as stream:
            os.fsync(stream.fileno())
        made.chmod(0o666 & ~_umask())  # mkstemp keeps others from reading
        made.replace(target)
    finally:
        made.unlink(missing_ok=True)


def utf8(name: str, text: str) -> bytes:
    """Return text as a file holds it; names made of any bytes need not have such a form.

    Raises
    ------
    InputError
        Naming what stands there.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        around = text[max(error.start - 20, 0) : error.end + 20]
        raise InputError(f"{name}: got {around!r}; wanted text that UTF-8 has a form for") from None


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
