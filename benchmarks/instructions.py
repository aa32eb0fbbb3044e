"""Guard the engine's instruction counts: `python benchmarks/instructions.py --check` or `--take`.

Seconds of a busy machine cannot tell 5 % from noise; callgrind's counts are the same on every run
of one build. They hold for one compiler and instruction set, which instruction_counts.json names:
with any other the check says so and passes. An engine with symbols is needed, as in callgrind.py.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import TypeAlias

import rankmill as rm
from callgrind import STAGES, count

Figures: TypeAlias = dict[str, dict[str, float]]

FILE = Path(__file__).with_name("instruction_counts.json")
WORKLOADS = ("W1", "W2", "W3")
_MARGIN = 0.05


def build() -> str:
    """The compiler and instruction set that the counts depend on."""
    info = rm.build_info()
    return f"{info['compiler']}, {info['isa_active']}"


def committed() -> dict[str, Figures]:
    """Instructions per user by build, workload and stage."""
    figures: dict[str, Figures] = json.loads(FILE.read_text(encoding="utf-8"))
    return figures


def counted() -> Figures:
    """The counts of this build."""
    return {
        name: {stage: round(n, 1) for stage, n in count(name).stages.items()} for name in WORKLOADS
    }


def regressions(found: Figures, known: Figures) -> list[str]:
    """A line for each stage that takes more than 5 % more instructions than committed."""
    return [
        f"{name} {stage}: {found[name][stage]:,.0f} instructions per user, committed {n:,.0f}"
        for name, stages in known.items()
        for stage, n in stages.items()
        if found[name][stage] > n * (1 + _MARGIN)
    ]


def check() -> None:
    """End the process with a message if this build is slower than committed."""
    if shutil.which("valgrind") is None:
        print("instruction counts not checked: valgrind is not installed")
        return
    known = committed().get(build())
    if known is None:
        print(f"instruction counts not checked: none committed for {build()}")
        return
    found = counted()
    for name, stages in found.items():
        for stage in STAGES:
            change = stages[stage] / known[name][stage] - 1
            print(f"{name} {stage:<18} {stages[stage]:>12,.0f} per user {change:>+8.1%}")
    if slower := regressions(found, known):
        raise SystemExit("\n".join([f"more than {_MARGIN:.0%} above the committed:", *slower]))


def take() -> None:
    """Commit the counts of this build to the file; other builds keep theirs."""
    figures = committed() if FILE.exists() else {}
    figures[build()] = counted()
    FILE.write_text(json.dumps(figures, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{FILE.name}: {build()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="compare with the committed counts")
    mode.add_argument("--take", action="store_true", help="write the counts of this build")
    if parser.parse_args().check:
        check()
    else:
        take()


if __name__ == "__main__":
    main()
