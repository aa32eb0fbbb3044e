"""Write docs/benchmarks.md and its plots: `python benchmarks/report.py --results F --venvs V`.

Runs compare.py, peers.py and growth.py for each file that the folder of results lacks; delete a
file to measure that part again. Wants a quiet machine, an hour at the full sizes, and matplotlib.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import plots
import sections

_HERE = Path(__file__).resolve().parent
_DOCS = _HERE.parent / "docs"

Found = Mapping[str, Any]


def measure(results: Path, venvs: Path, size: str, most: int) -> Found:
    """Run what the folder lacks, and read all of it."""
    results.mkdir(parents=True, exist_ok=True)
    commands = {
        "compare": ["compare.py", *(["--quick"] if size == "quick" else [])],
        "peers": ["peers.py", "--venvs", str(venvs), "--install", "--size", size],
        "growth": ["growth.py", "--size", size, "--most", str(most)],
    }
    found = {}
    for name, (script, *options) in commands.items():
        file = results / f"{name}.json"
        if not file.exists():
            command = [sys.executable, str(_HERE / script), *options, "--json", str(file)]
            subprocess.run(command, check=True)
        found[name] = json.loads(file.read_text(encoding="utf-8"))
    return found


def draw(found: Found) -> None:
    """Make the plots."""
    growth = found["growth"]
    path, per_user = "benchmarks-{}.svg", "nanoseconds per user"
    users = {"W1, 100 candidates": growth["users"]}
    plots.lines(_DOCS / path.format("users"), users, x="users", y=per_user)
    widths = growth["candidates"]
    plots.lines(_DOCS / path.format("candidates"), widths, x="candidates per user", y=per_user)
    plots.speedup(_DOCS / path.format("threads"), growth["threads"])
    most: dict[str, float] = {}
    for row in found["peers"]["outcomes"]:  # the last of a contest has the most threads
        if sections.is_module(row):
            continue
        most[row["contest"]] = sections.ratio(row)
    plots.bars(_DOCS / path.format("peers"), most)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--results", type=Path, required=True, help="folder of measured results")
    parser.add_argument("--venvs", type=Path, required=True, help="folder of the environments")
    parser.add_argument("--size", choices=("quick", "full"), default="full")
    parser.add_argument("--most", type=int, default=10_000_000, help="users in the growth plot")
    asked = parser.parse_args()
    found = measure(asked.results, asked.venvs, asked.size, asked.most)
    _DOCS.mkdir(exist_ok=True)
    draw(found)
    (_DOCS / "benchmarks.md").write_text(sections.page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
