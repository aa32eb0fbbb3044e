"""``rankmill report``: one run, or some against each other, as a file to read."""

from __future__ import annotations

from argparse import Namespace

from rankmill.cli.compare import compare_runs, evaluated, gate
from rankmill.report import report


def run(args: Namespace) -> int:
    """Run the command with the arguments of `arguments.parse`; return the exit code."""
    if len(args.runs) == 1:
        report(evaluated(args, args.runs[0]), args.output)
        return 0
    comparison = compare_runs(args)
    report(comparison, args.output)
    return gate(args, comparison)
