"""Which of DuckDB's types are integers, numbers and text, and what numpy gets of them."""

from __future__ import annotations

import re
from typing import Final

from rankmill.tables.connecting import quoted

_INTEGER: Final = re.compile(r"U?(TINY|SMALL|BIG)?INT(EGER)?|HUGEINT")
_NUMBER: Final = re.compile(rf"{_INTEGER.pattern}|FLOAT|DOUBLE|DECIMAL\(.*\)|BOOLEAN")
_TEXT: Final = re.compile(r"VARCHAR|UUID|ENUM\(.*\)", re.DOTALL)


def is_integer(kind: str) -> bool:
    """Tell integers of any width."""
    return _INTEGER.fullmatch(kind) is not None


def is_number(kind: str) -> bool:
    """Tell what scores and grades may be: numbers and booleans."""
    return _NUMBER.fullmatch(kind) is not None


def is_text(kind: str) -> bool:
    """Tell text, and what reads as text."""
    return _TEXT.fullmatch(kind) is not None


def plain(name: str, kind: str) -> str:
    """Return the SQL of a column without types that numpy lacks.

    Examples
    --------
    >>> plain("points", "DECIMAL(4,1)")
    '"points"::DOUBLE'
    """
    if kind == "HUGEINT":  # what DuckDB makes of numbers of both signs in JSON
        return f"{quoted(name)}::BIGINT"
    return quoted(name) + ("::DOUBLE" if kind.startswith("DECIMAL") else "")
