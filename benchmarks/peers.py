"""Compare the engine with other tools: `python benchmarks/peers.py --venvs FOLDER [CONTEST ...]`.

Each tool lives in a virtual environment of its own under that folder; `--install` makes those that
are missing. Engine and peer run in a process each, on the same data with the same threads, turn
by turn. Their values are compared before any time is. A tool that is not there is named.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

import rankmill.bench
from contests import CONTESTS, Contest
from installs import LEFT_OUT, install, python_of, version_of
from rankmill.bench.timing import all_cores, machine

_HERE = Path(__file__).resolve().parent
_WORKLOADS = Path(rankmill.bench.__file__).parent
_POOLS = ("OMP", "OPENBLAS", "MKL", "NUMBA", "POLARS")
_ROUNDS = 5  # times each side is timed
_ROW = "{:<24} {:<24} {:>9} {:>7} {:>11} {:>11} {:>9}  {}"
_HEAD = ("contest", "peer", "users", "threads", "rankmill", "peer", "ratio", "note")


class PeerError(Exception):
    """A peer that cannot be compared, and why."""


@dataclass(frozen=True)
class Outcome:
    """Seconds of both sides for all users of the workload; the peer's may be scaled."""

    contest: str
    workload: str
    peer: str
    users: int
    peer_users: int
    threads: int
    ours: float
    theirs: float
    ours_least: float
    theirs_least: float
    note: str

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours

    def row(self) -> str:
        part = f"measured on {self.peer_users:,} users; " if self.peer_users < self.users else ""
        return _ROW.format(
            self.contest, self.peer, f"{self.users:,}", self.threads,
            f"{self.ours * 1e3:,.1f} ms", f"{self.theirs * 1e3:,.1f} ms",
            f"{self.ratio:,.1f}", part + self.note,
        )  # fmt: skip


class Side:
    """A worker: a process that times one call of one side whenever asked."""

    def __init__(
        self,
        python: Path,
        contest: str,
        values: Path,
        options: list[str],
        threads: int,
        worker: str = "peer_worker.py",
    ) -> None:
        pools = {f"{pool}_NUM_THREADS": str(threads) for pool in _POOLS}
        pools["POLARS_MAX_THREADS"] = str(threads)
        command = [str(python), str(_HERE / worker), contest, "--values", str(values)]
        command += ["--threads", str(threads), "--workloads", str(_WORKLOADS), *options]
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the worker
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log,
            text=True, env=os.environ | pools,
        )  # fmt: skip
        self._values = values
        self.users = 0

    def __enter__(self) -> Side:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()
        self._log.close()

    def wait(self) -> dict[str, np.ndarray]:
        """The values of the first call, once it is done."""
        self.users = int(self._answer().split()[1])
        with np.load(self._values) as saved:
            return dict(saved)

    def seconds(self) -> float:
        """Time one call."""
        assert self._process.stdin is not None
        print(file=self._process.stdin, flush=True)
        return float(self._answer())

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._log.seek(0)
            said = self._log.read().strip().splitlines() or ["ended without a word"]
            raise PeerError(said[-1])
        return line


def assert_same(
    ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray], contest: Contest
) -> None:
    """The peer gives the same value for each user, or the same mean where it gives means only."""
    for name in contest.metrics:
        got, wanted = ours[name], theirs[name]
        if wanted.ndim == 0:
            got = np.nanmean(got)
        if got.shape != wanted.shape or not np.allclose(
            got, wanted, rtol=0, atol=contest.tolerance, equal_nan=True
        ):
            at = np.argmax(np.abs(np.nan_to_num(got - wanted, nan=np.inf)))
            raise PeerError(
                f"{name} differs: {got.flat[at]!r} here, {wanted.flat[at]!r} there (at {at})"
            )


def compare(name: str, python: Path, peer: str, size: str, threads: int) -> Outcome:
    """Check a contest's values, then time both sides turn by turn."""
    contest = CONTESTS[name]
    part = ["--size", size, "--users", str(contest.users)]
    scaled = bool(contest.users) and not contest.drop_in
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:

        def start(side: str, interpreter: Path, options: list[str]) -> Side:
            values = Path(folder) / f"{side}.npz"
            return stack.enter_context(Side(interpreter, name, values, options, threads))

        here = Path(sys.executable)
        if scaled:
            with Side(here, name, Path(folder) / "part.npz", [*part, "--engine"], threads) as same:
                checked = same.wait()
        ours = start("engine", here, [*(["--size", size] if scaled else part), "--engine"])
        values = ours.wait()
        theirs = start("peer", python, part)
        other_values = theirs.wait()
        if not contest.bound:
            assert_same(checked if scaled else values, other_values, contest)
        pairs = [(ours.seconds(), theirs.seconds()) for _ in range(_ROUNDS)]
    scale = ours.users / theirs.users
    own, other = zip(*pairs, strict=True)
    return Outcome(
        name, contest.workload, peer, ours.users, theirs.users, threads,
        median(own), median(other) * scale, min(own), min(other) * scale, contest.note,
    )  # fmt: skip


def outcomes(names: list[str], venvs: Path, size: str) -> Iterator[Outcome | str]:
    """Every contest at one thread and at all; a line of text for each that cannot be held."""
    for name in names:
        contest = CONTESTS[name]
        python = python_of(contest.peer, venvs) if contest.peer else Path(sys.executable)
        if python is None:
            yield f"{name}: {contest.peer} is absent; --install makes {venvs / contest.peer}"
            continue
        peer = version_of(contest.peer, venvs) if contest.peer else "-"
        for threads in sorted({1} if contest.serial else {1, all_cores()}):
            try:
                yield compare(name, python, peer, size, threads)
            except PeerError as error:
                yield f"{name}, {threads} threads: {error}"


def save(path: Path, size: str, done: list[Outcome], missing: list[str]) -> None:
    """Write what is known so far, for report.py."""
    facts: dict[str, object] = {"machine": machine(), "size": size, "missing": missing}
    facts |= {"left_out": LEFT_OUT, "outcomes": [dataclasses.asdict(one) for one in done]}
    path.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="CONTEST", help="a name or how it begins")
    parser.add_argument("--venvs", type=Path, required=True, help="folder of the environments")
    parser.add_argument("--install", action="store_true", help="make the missing environments")
    parser.add_argument("--size", choices=("smoke", "quick", "full"), default="full")
    parser.add_argument("--json", type=Path, help="file for the outcomes, for report.py")
    return parser.parse_args()


def main() -> None:
    """Print the machine and one line for each contest."""
    asked = arguments()
    names = [n for n in CONTESTS if not asked.names or n.startswith(tuple(asked.names))]
    if asked.install:
        for peer in sorted({CONTESTS[name].peer for name in names} - {""}):
            if reason := install(peer, asked.venvs):
                print(f"{peer}: {reason}")
    for fact, value in machine().items():
        print(f"{fact:<12} {value}")
    print("\n" + _ROW.format(*_HEAD))
    done: list[Outcome] = []
    missing: list[str] = []
    for outcome in outcomes(names, asked.venvs, asked.size):
        text = outcome if isinstance(outcome, str) else outcome.row()
        print(text, flush=True)
        missing += [outcome] if isinstance(outcome, str) else []
        done += [] if isinstance(outcome, str) else [outcome]
        if asked.json:
            save(asked.json, asked.size, done, missing)


if __name__ == "__main__":
    main()
