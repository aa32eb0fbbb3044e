"""The lines of a TREC file: where their words lie in its text, and the numbers."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from rankmill._engine import TREC_PIECE, Run, TrecText
from rankmill.errors import InputError, MissingDependencyError
from rankmill.inputs import Int64s, NumpyArray
from rankmill.running import Floats
from rankmill.status import explainer

_WORD: Final = re.compile(rb"[^ \t\r\v\f\n]+")


@dataclass(frozen=True)
class Kind:
    """The words of a line, and its number: at which place, of what kind."""

    n_words: int
    place: int
    wanted: str


#: Query, iteration, document, grade.
QRELS: Final = Kind(4, 3, "a whole grade")
#: Query, Q0, document, place, score, name of the run.
RUN: Final = Kind(6, 4, "a score")


@dataclass(frozen=True)
class Lines:
    """The lines of a file, but blank ones and comments, which start with a #.

    Attributes
    ----------
    path : Path
        The file.
    text : bytes
        All of it, uncompressed.
    held : TrecText
        The same for the engine.
    is_new : uint8 (lines,)
        0 where the query is that of the line before.
    document, length : int64 (lines,)
        Where the name of the document stands in the text.
    value : float64 (lines,)
        Grades, or scores.
    """

    path: Path
    text: bytes
    held: TrecText
    is_new: NumpyArray
    document: Int64s
    length: Int64s
    value: Floats

    def words(self, line: int) -> list[bytes]:
        """Return the words of a line."""
        start, end = self._start(line), self.text.find(b"\n", self.document[line])
        return _WORD.findall(self.text, start, len(self.text) if end < 0 else end)

    def queries(self, lines: Iterable[int]) -> list[bytes]:
        """Return the first word of some lines."""
        return [_WORD.search(self.text, self._start(line)).group() for line in lines]  # type: ignore[union-attr]

    def _start(self, line: int) -> int:
        return self.text.rfind(b"\n", 0, self.document[line]) + 1

    def place(self, line: int) -> str:
        """Name a line in a message."""
        return _place(self.path, self.text, self.document[line])


def read_lines(path: Path, kind: Kind, run: Run) -> Lines:
    """Read a file, plain or by its ending gzip or zstd.

    Raises
    ------
    InputError
        Naming the first line that has too few or many words, or no number where one belongs.
    """
    text = _read_text(path)
    explain = explainer(where=lambda _piece, at: _place(path, text, at))
    held = TrecText(text, kind.n_words, kind.place)
    counts = np.zeros(max(1, -(-len(text) // TREC_PIECE)), dtype=np.int64)
    held.count(run, counts, explain)
    n_lines = int(counts.sum())
    if not n_lines:
        raise InputError(f"{path}: got no lines; wanted at least one")
    is_new = np.empty(n_lines, dtype=np.uint8)
    document, length = np.empty((2, n_lines), dtype=np.int64)
    value = np.empty(n_lines)
    held.read(np.cumsum(counts) - counts, run, is_new, document, length, value, explain)
    lines = Lines(path, text, held, is_new, document, length, value)
    _look_at_numbers(lines, kind)
    return lines


def _place(path: Path, text: bytes, at: int) -> str:
    line = text.count(b"\n", 0, at) + 1
    return f"{path}, line {line}"


def _read_text(path: Path) -> bytes:
    if path.is_dir() or not path.exists():
        raise InputError(f"{path}: {'not a file' if path.exists() else 'no such file'}")
    try:
        if path.suffix == ".gz":
            return gzip.decompress(path.read_bytes())
        if path.suffix == ".zst":
            return _decompressed(path)
        return path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None


def _decompressed(path: Path) -> bytes:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependencyError(
            f"{path}: zstd needs pyarrow; wanted: pip install pyarrow"
        ) from None
    with pyarrow.input_stream(path, compression="zstd") as stream:
        text: bytes = stream.read()
        return text


def _look_at_numbers(lines: Lines, kind: Kind) -> None:
    """Read the numbers that the engine left, and see that grades are whole."""
    value = lines.value
    for line in np.flatnonzero(np.isnan(value)).tolist():
        word = lines.words(line)[kind.place]
        try:
            value[line] = float(word.replace(b"_", b"x"))  # which Python would pass over
        except ValueError:
            raise InputError(f"{lines.place(line)}: got {shown(word)}; wanted a number") from None
    is_wrong = np.isnan(value) if kind is RUN else ~np.isfinite(value) | (value != np.trunc(value))
    if is_wrong.any():
        line = int(is_wrong.argmax())
        query, _, document = lines.words(line)[:3]
        raise InputError(
            f"{lines.place(line)}: got {value[line]} for document {shown(document)} in query "
            f"{shown(query)}; wanted {kind.wanted}"
        )


def name_of(word: bytes, path: Path) -> str:
    """Return a name that is shown as text."""
    try:
        return word.decode()
    except UnicodeDecodeError:
        raise InputError(f"{path}: got the name {shown(word)}; wanted UTF-8") from None


def shown(word: bytes) -> str:
    """Return a word as a message shows it."""
    return repr(word.decode(errors="backslashreplace"))
