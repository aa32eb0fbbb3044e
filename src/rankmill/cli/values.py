"""How the command line reads values, and what it says of those it cannot read."""

from __future__ import annotations

import datetime
from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import Any, Final

from rankmill.conventions import Conventions
from rankmill.errors import RankmillError
from rankmill.metrics import Metric

_LARGEST: Final = 2**31 - 2


def typed(read: Callable[[str], Any], field: str = "") -> Callable[[str], Any]:
    """Let argparse report in our words what is wrong with a value; it names the field itself."""

    def convert(text: str) -> Any:
        try:
            return read(text)
        except RankmillError as error:
            raise ArgumentTypeError(str(error).removeprefix(f"{field}: ")) from None

    return convert


def whole(least: int, most: int = _LARGEST) -> Callable[[str], int]:
    """Read a whole number within bounds."""

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise ArgumentTypeError(f"got {text!r}; wanted a whole number from {least} to {most}")
        return number

    return convert


def convention(field: str) -> Callable[[str], Any]:
    """Read a choice of a convention."""
    return lambda text: getattr(Conventions().replace(**{field: text}), field)


def gain(text: str) -> Any:
    """Read the name of a gain, or a table of gains."""
    if not text.lstrip().startswith("{"):
        return convention("gain")(text)
    return dict(Metric.parse(f"dcg(gain={text})").params)["gain"]


def min_grade(text: str) -> Any:
    """Read the least grade that is relevant."""
    try:
        number: float | str = float(text)
    except ValueError:
        number = text
    return Conventions().replace(min_grade=number).min_grade


def grades(text: str) -> dict[Any, float]:
    """Read the grades of events, such as ``view=1,purchase=5``."""
    found: dict[Any, float] = {}
    for part in text.split(","):
        event, sign, grade = part.rpartition("=")
        try:
            number = float(grade)
        except ValueError:
            sign = ""
        if not (sign and event) or event in found:
            raise ArgumentTypeError(f"got {part!r}; wanted EVENT=GRADE, such as view=1,purchase=5")
        found[event] = number
    if all(event.lstrip("-").isdigit() for event in found):
        return {int(event): grade for event, grade in found.items()}
    return found


def memory(text: str) -> str:
    """Read a size of memory."""
    from rankmill.tables.connecting import memory_size  # of what few commands load

    return memory_size(text)


def cutoffs(text: str) -> range:
    """Read the cutoffs of a sweep, FIRST:LAST or FIRST:LAST:STEP."""
    try:
        first, last, step = (int(part) for part in (text + ":1").split(":")[:3])
    except ValueError:
        first, last, step = 0, 0, 1
    if not 1 <= first <= last <= _LARGEST or step < 1 or text.count(":") not in (1, 2):
        raise ArgumentTypeError(f"got {text!r}; wanted FIRST:LAST or FIRST:LAST:STEP, from 1 on")
    return range(first, last + 1, step)


def moment(text: str) -> Any:
    """Read a time: a whole or decimal number, a date, or a datetime as text."""
    for read in (int, float, datetime.date.fromisoformat):
        try:
            return read(text)
        except ValueError:
            continue
    return text
