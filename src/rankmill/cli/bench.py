"""``rankmill bench``: the engine against numpy on this machine."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import Final

from rankmill.cli.report import show_json
from rankmill.errors import MissingDependencyError

_ROUNDS: Final = 5


def run(args: Namespace) -> None:
    """Run the command with the arguments of `arguments.parse`."""
    try:
        from rankmill.bench.table import HEAD, lines
        from rankmill.bench.tasks import TASKS
    except ModuleNotFoundError as error:
        if error.name != "scipy":
            raise
        raise MissingDependencyError(
            "rankmill bench needs scipy; install it with: pip install 'rankmill[cli]'"
        ) from None
    from rankmill.bench.timing import machine

    facts = machine()
    found = lines(list(TASKS), "smoke" if args.quick else "quick", _ROUNDS)
    if args.json:
        rows = [asdict(line) | {"ratio": line.ratio} for line in found]
        show_json({"machine": facts, "rounds": _ROUNDS, "lines": rows})
        return
    for fact, value in facts.items():
        print(f"{fact:<12} {value}")
    print(f"\nmedians of {_ROUNDS}, values checked equal; ratio: other / rankmill\n\n{HEAD}")
    for line in found:
        print(line, flush=True)
