"""What a command prints: a table for people, JSON, CSV or Markdown."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from rankmill._engine import version
from rankmill.result import Result
from rankmill.segments import Segments


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
    segments : tuple of str
        Segments of the result to show, each by itself.
    """

    title: str
    result: Result
    seconds: Mapping[str, float]
    facts: Mapping[str, Any] = field(default_factory=dict)
    segments: tuple[str, ...] = ()

    @property
    def users_per_second(self) -> float:
        """Users per second of ranking and measuring, without the reading where that is apart."""
        stages = ("rank", "measure", "evaluate")
        taken = sum(self.seconds.get(stage, 0.0) for stage in stages)
        return self.result.n_users / max(taken, 1e-9)

    def parts(self) -> dict[str, Segments]:
        """Return the segments to show."""
        return {name: self.result.by(name) for name in self.segments}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        facts: dict[str, Any] = {
            "version": version(),
            "metrics": _metrics(self.result),
            "users": self.result.n_users,
            **self.facts,
            "seconds": dict(self.seconds) | {"total": sum(self.seconds.values())},
            "users_per_second": self.users_per_second,
            "conventions": dataclasses.asdict(self.result.conventions),
        }
        if self.result.notes:
            facts["notes"] = [note.text for note in self.result.notes]
        if self.segments:
            facts["segments"] = {
                name: {
                    str(key): {"users": part.n_users, "metrics": _metrics(part)}
                    for key, part in parts.items()
                }
                for name, parts in self.parts().items()
            }
        return facts

    def rows(self) -> list[tuple[str, ...]]:
        """Return header and rows of all that is measured, segments too."""
        lead: tuple[str, ...] = ("",) if self.segments else ()
        rows: list[tuple[str, ...]] = [("segment", *_HEADER) if lead else _HEADER]
        rows += [(*lead, *row) for row in _rows(self.result)]
        for parts in self.parts().values():
            for key, part in parts.items():
                rows += [(parts.label(key), *row) for row in _rows(part)]
        return rows


_HEADER: Final = ("metric", "mean", "users", "undefined")


def _metrics(result: Result) -> dict[str, Any]:
    """Return the metrics as JSON takes them: a mean over no one is null."""
    return {
        name: row | {"mean": None if math.isnan(row["mean"]) else row["mean"]}
        for name, row in result.to_dict().items()
    }


def _rows(result: Result) -> list[tuple[str, ...]]:
    return [
        (name, repr(row["mean"]), str(row["users"]), str(row["undefined"]))
        for name, row in result.to_dict().items()
    ]


def show(report: Report, form: str) -> None:
    """Print a report on stdout."""
    if form == "json":
        show_json(report.to_dict())
    elif form == "csv":
        csv.writer(sys.stdout, lineterminator="\n").writerows(report.rows())
    elif form == "markdown":
        _show_markdown(report.rows())
    else:
        _show_table(report)


def _show_markdown(rows: list[tuple[str, ...]]) -> None:
    header, *body = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    print(f"| {' | '.join(header)} |")
    n_texts = len(header) - len(_HEADER) + 1
    print("|" + " --- |" * n_texts + " ---: |" * (len(header) - n_texts))
    for *texts, mean, users, undefined in body:
        print(f"| {' | '.join(texts)} | {float(mean):.4f} | {users} | {undefined} |")


def _show_table(report: Report) -> None:
    print(f"{report.title}\n")
    if not (sys.stdout.isatty() and _show_rich(report.result)):
        print(report.result)
    for parts in report.parts().values():
        print(f"\n{parts}")
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
