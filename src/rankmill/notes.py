"""What a reader of a result should know, and the text of tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Note:
    """Something about the data that is no error, and that a reader of the means should know.

    Attributes
    ----------
    rule : str
        What it is about, such as ``"leakage"``.
    text : str
        One line.
    figures : mapping of str to float
        The numbers in it.
    examples : tuple
        Some of the users, pairs or rows that it is about.
    """

    rule: str
    text: str
    figures: Mapping[str, float]
    examples: tuple[Any, ...] = ()


def table_lines(rows: list[tuple[str, ...]]) -> list[str]:
    """Align the first column left and the others right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
