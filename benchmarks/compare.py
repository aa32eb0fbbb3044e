"""Compare the engine with numpy: `python benchmarks/compare.py [--quick] [W1 W3 ...]`.

What `rankmill bench` does, at the full sizes. One process; each round times every side once, and
the medians are compared. The values of both sides are checked to be equal first.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from rankmill.bench.table import HEAD, lines
from rankmill.bench.tasks import TASKS
from rankmill.bench.timing import machine

_ROUNDS = 5


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"of {', '.join(TASKS)}; all")
    parser.add_argument("--quick", action="store_true", help="a tenth of the full sizes")
    parser.add_argument("--json", type=Path, help="file for the lines, for report.py")
    parsed = parser.parse_args()
    unknown = set(parsed.tasks) - set(TASKS)
    if unknown:
        parser.error(f"no task {', '.join(sorted(unknown))}; there are {', '.join(TASKS)}")
    return parsed


def main() -> None:
    """Print the machine and the table."""
    chosen = arguments()
    facts = machine()
    for fact, value in facts.items():
        print(f"{fact:<12} {value}")
    print(f"\nmedians of {_ROUNDS}; ratio: other / rankmill\n\n{HEAD}")
    found = []
    for line in lines(chosen.tasks or list(TASKS), "quick" if chosen.quick else "full", _ROUNDS):
        print(line, flush=True)
        found.append(asdict(line))
    if chosen.json:
        saved = {"machine": facts, "rounds": _ROUNDS, "lines": found}
        chosen.json.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
