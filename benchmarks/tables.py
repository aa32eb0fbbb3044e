"""Rows per second of tables: `python benchmarks/tables.py --venvs FOLDER [CONTEST ...]`.

From files or frames to ndcg@10 and recall@10 of every user. Each tool lives in a virtual
environment of its own under that folder, as in peers.py, and runs in a process of its own, turn by
turn with the engine. Values are compared before any time is. A tool that is not there is named.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from installs import install, python_of, version_of
from peers import PeerError, Side
from rankmill.bench.timing import all_cores, machine
from table_contests import CONTESTS, METRICS, TOLERANCE
from table_files import CANDIDATES, make_files

SIZES = {"smoke": 2_000, "quick": 200_000, "full": 10_000_000}
_WORKER = "table_worker.py"
_ROW = "{:<20} {:<28} {:>11} {:>7} {:>12} {:>12} {:>7}  {}"
_HEAD = ("table", "peer", "rows", "threads", "rankmill", "peer", "ratio", "note")


@dataclass(frozen=True)
class Outcome:
    """Seconds of both sides, medians."""

    contest: str
    peer: str
    rows: int
    threads: int
    ours: float
    theirs: float
    note: str

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours

    def row(self) -> str:
        rates = (f"{self.rows / seconds / 1e6:,.2f} M/s" for seconds in (self.ours, self.theirs))
        return _ROW.format(
            self.contest, self.peer, f"{self.rows:,}", self.threads, *rates,
            f"{self.ratio:,.1f}", self.note,
        )  # fmt: skip


def compare(name: str, python: Path, peer: str, folder: Path, rows: int, rounds: int) -> Outcome:
    """Check the values of all users, then time both sides turn by turn."""
    options, threads = ["--folder", str(folder)], all_cores()
    with tempfile.TemporaryDirectory() as kept, ExitStack() as stack:

        def start(side: str, interpreter: Path, extra: list[str]) -> Side:
            values = Path(kept) / f"{side}.npz"
            worker = Side(interpreter, name, values, [*options, *extra], threads, _WORKER)
            return stack.enter_context(worker)

        ours = start("engine", Path(sys.executable), ["--engine"])
        own = ours.wait()
        theirs = start("peer", python, [])
        other = theirs.wait()
        for metric in METRICS:
            if own[metric].shape != other[metric].shape or not np.allclose(
                own[metric], other[metric], rtol=0, atol=TOLERANCE
            ):
                raise PeerError(f"{metric} differs, {own[metric][:3]} and {other[metric][:3]}")
        pairs = [(ours.seconds(), theirs.seconds()) for _ in range(rounds)]
    medians = [median(side) for side in zip(*pairs, strict=True)]
    return Outcome(name, peer, rows, threads, *medians, CONTESTS[name].note)


def outcomes(names: list[str], venvs: Path, size: str, rounds: int) -> Iterator[Outcome | str]:
    """Every contest; a line of text for each that cannot be held."""
    with tempfile.TemporaryDirectory(prefix="tables-") as top:
        made: dict[int, Path] = {}
        for name in names:
            contest = CONTESTS[name]
            python = python_of(contest.peer, venvs)
            if python is None:
                yield f"{name}: {contest.peer} is absent; --install makes {venvs / contest.peer}"
                continue
            rows = min(SIZES[size], contest.most)
            if rows not in made:
                made[rows] = Path(top) / str(rows)
                made[rows].mkdir()
                make_files(made[rows], rows // CANDIDATES)
            peer = version_of(contest.peer, venvs)
            try:
                yield compare(name, python, peer, made[rows], rows, rounds)
            except PeerError as error:
                yield f"{name}: {error}"


def main() -> None:
    """Print the machine and one line for each contest."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="CONTEST", help="a name or how it begins")
    parser.add_argument("--venvs", type=Path, required=True, help="folder of the environments")
    parser.add_argument("--install", action="store_true", help="make the missing environments")
    parser.add_argument("--size", choices=SIZES, default="full")
    parser.add_argument("--rounds", type=int, default=3, help="times each side is timed")
    parser.add_argument("--json", type=Path, help="file for the outcomes")
    asked = parser.parse_args()
    names = [n for n in CONTESTS if not asked.names or n.startswith(tuple(asked.names))]
    if asked.install:
        for peer in sorted({CONTESTS[name].peer for name in names}):
            if reason := install(peer, asked.venvs):
                print(f"{peer}: {reason}")
    for fact, value in machine().items():
        print(f"{fact:<12} {value}")
    print("\n" + _ROW.format(*_HEAD))
    facts: dict[str, object] = {"machine": machine(), "size": asked.size}
    done: list[object] = []
    for outcome in outcomes(names, asked.venvs, asked.size, asked.rounds):
        print(outcome if isinstance(outcome, str) else outcome.row(), flush=True)
        done.append(outcome if isinstance(outcome, str) else dataclasses.asdict(outcome))
        if asked.json:
            text = json.dumps(facts | {"outcomes": done}, indent=1)
            asked.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
