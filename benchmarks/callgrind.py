"""Instructions per user of the engine's calls: `python benchmarks/callgrind.py [W1 W2 W3 W6]`.

Counted by valgrind inside rm_evaluate, and inside rm_count_relevant, rm_rank and rm_measure for the
same work in stages, on one thread: the figure is the same on every run, and a noisy machine cannot
change it. Needs valgrind, and an engine that kept its symbols: install it with
`pip install -Cinstall.strip=false .`. With `--keep FOLDER` and `-Ccmake.define.CMAKE_C_FLAGS=-g`
too, `callgrind_annotate --auto=yes` shows the lines.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import rankmill as rm
from rankmill.bench.tasks import TASKS
from rankmill.bench.workloads import Dense, Flat, w1, w2, w3, w6

#: The C functions inside which instructions count. None of them calls another.
STAGES = ("rm_evaluate", "rm_count_relevant", "rm_rank", "rm_measure")
#: Small enough for valgrind, large enough that what a call costs once does not show.
_DATA: dict[str, Callable[[], Flat | Dense]] = {
    "W1": lambda: w1(4_000),
    "W2": lambda: w2(2_000),
    "W3": lambda: w3(20, 50_000),
    "W6": lambda: w6(1_000),
}
NAMES = tuple(_DATA)
_INCLUSIVE = re.compile(r"^\s*([\d,]+) \(.*?\)\s+(?:\S*?):(\S+)")
_SHOWN = 14


@dataclass(frozen=True)
class Counts:
    """Instructions per user: by stage with all it calls, and by C function on its own."""

    stages: dict[str, float]
    functions: dict[str, float]

    @property
    def total(self) -> float:
        """Of both ways together."""
        return sum(self.stages.values())


def count(name: str, keep: Path | None = None) -> Counts:
    """Run a workload under valgrind; `keep` names the file to leave callgrind's own output in."""
    with tempfile.TemporaryDirectory() as folder:
        out = keep or Path(folder) / "callgrind.out"
        _run_under_valgrind(name, out)
        users = _DATA[name]().n_users
        inclusive = _annotated(out, "--inclusive=yes")
        own = _annotated(out, "--inclusive=no")
    if not any(stage in inclusive for stage in STAGES):
        raise SystemExit("no engine symbols: install with 'pip install -Cinstall.strip=false .'")
    stages = {stage: inclusive.get(stage, 0) / users for stage in STAGES}
    return Counts(stages, {function: n / users for function, n in own.items()})


def _run_under_valgrind(name: str, out: Path) -> None:
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
    command += [f"--toggle-collect={stage}" for stage in STAGES]
    command += [sys.executable, str(Path(__file__).resolve()), "--run", name]
    # One hash seed and one malloc arena: the same instructions on every run.
    environment = os.environ | {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"valgrind failed:\n{done.stderr}")


def _annotated(out: Path, inclusive: str) -> dict[str, int]:
    """Instructions by function. Several parts of one function (clones) add up."""
    command = ["callgrind_annotate", "--threshold=100", "--auto=no", inclusive, str(out)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, int] = {}
    for line in text.splitlines():
        match = _INCLUSIVE.match(line)
        if match:
            function = match.group(2)
            found[function] = found.get(function, 0) + int(match.group(1).replace(",", ""))
    return found


def run_once(name: str) -> None:
    """What valgrind watches: one evaluation on one thread, at once and in stages."""
    data = _DATA[name]()
    result = TASKS[name].engine(data, 1)
    assert isinstance(result, rm.Result)
    if isinstance(data, Flat):
        ranks = rm.rank(data.scores, data.labels, offsets=data.offsets, n_threads=1)
    else:
        ranks = rm.rank(data.scores, data.relevant, n_threads=1)
    rm.measure(ranks, result.names, n_threads=1)


def show(name: str, counts: Counts) -> None:
    """Print the stages, then the functions that take most."""
    print(f"\n{name}: instructions per user")
    for stage, n in counts.stages.items():
        print(f"  {stage:<40} {n:>12,.0f}")
    print("  of which in the function itself")
    largest = sorted(counts.functions.items(), key=lambda item: -item[1])[:_SHOWN]
    for function, n in largest:
        print(f"    {function:<38} {n:>12,.0f} {n / counts.total:>7.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all")
    parser.add_argument("--keep", type=Path, help="folder for callgrind's own files")
    parser.add_argument("--run", choices=NAMES, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.run:
        run_once(chosen.run)
        return
    for name in chosen.names or NAMES:
        keep = chosen.keep / f"callgrind.{name}" if chosen.keep else None
        show(name, count(name, keep))


if __name__ == "__main__":
    main()
