"""What a command prints: a table for people, one JSON object for machines."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from rankmill.result import Result


@dataclass(frozen=True)
class Report:
    """A result and how it came about.

    Attributes
    ----------
    title : str
        One line about the data.
    result : Result
    seconds : mapping
        Duration of each stage, ``rank`` and ``measure`` among them.
    facts : mapping
        What else the JSON object says of the data.
    """

    title: str
    result: Result
    seconds: Mapping[str, float]
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def users_per_second(self) -> float:
        """Users per second of ranking and measuring, without the reading."""
        return self.result.n_users / max(self.seconds["rank"] + self.seconds["measure"], 1e-9)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        metrics = {
            name: row | {"mean": None if math.isnan(row["mean"]) else row["mean"]}
            for name, row in self.result.to_dict().items()
        }
        return {
            "version": version("rankmill"),
            "metrics": metrics,
            "users": self.result.n_users,
            **self.facts,
            "seconds": dict(self.seconds) | {"total": sum(self.seconds.values())},
            "users_per_second": self.users_per_second,
            "conventions": dataclasses.asdict(self.result.conventions),
        }


def show(report: Report, *, as_json: bool) -> None:
    """Print a report on stdout."""
    if as_json:
        show_json(report.to_dict())
        return
    print(f"{report.title}\n")
    if not (sys.stdout.isatty() and _show_rich(report.result)):
        print(report.result)
    stages = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in report.seconds.items())
    print(f"\ntime: {stages}\n{report.users_per_second:,.0f} users per second (rank and measure)")


def show_json(values: Mapping[str, Any]) -> None:
    """Print one JSON object on one line of stdout."""
    print(json.dumps(values, allow_nan=False))


def _show_rich(result: Result) -> bool:
    """Print the result as a table in colour, if rich is there."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        return False
    table = Table("metric")
    for name in ("mean", "users", "undefined"):
        table.add_column(name, justify="right")
    for name, row in result.to_dict().items():
        table.add_row(name, f"{row['mean']:.4f}", f"{row['users']:,}", f"{row['undefined']:,}")
    Console().print(table)
    return True
