"""``rankmill compare``: runs against a truth and against each other."""

from __future__ import annotations

import csv
import sys
from argparse import Namespace
from typing import Any, Final

from rankmill.cli.checking import run_names
from rankmill.cli.report import show_json
from rankmill.compare import Comparison, compare
from rankmill.findings import findings
from rankmill.progress import Bar
from rankmill.result import Result
from rankmill.tables import evaluate_runs

_GATE_FAILED: Final = 3


def run(args: Namespace) -> int:
    """Run the command with the arguments of `arguments.parse`; return the exit code."""
    comparison = compare_runs(args)
    if args.format == "json":
        facts = comparison.to_dict()
        facts["findings"] = [note.text for note in findings(comparison)]
        show_json(_without_nan(facts))
    elif args.format == "csv":
        _show_csv(comparison)
    else:
        print(comparison)
        for note in findings(comparison):
            print(f"\n{note.text}")
    return gate(args, comparison)


def compare_runs(args: Namespace) -> Comparison:
    """Evaluate every run against the truth, and compare them with the first, or the baseline."""
    names = run_names(args.runs)
    results: dict[str, Result] = {}
    bar = Bar("evaluate", len(names))
    try:
        for name, path in zip(names, args.runs, strict=True):
            results[name] = evaluated(args, path)
            bar.advance(1)
    finally:
        bar.close()
    return compare(
        results, baseline=args.baseline, by=args.by, resamples=args.resamples, seed=args.seed
    )


def gate(args: Namespace, comparison: Comparison) -> int:
    """Say which conditions of ``--fail-if`` hold; return the exit code."""
    held = [
        f"{condition.text}: {found.metric} of {found.model} changed by {found.difference:+.4f} "
        f"({found.relative:+.2%})"
        for condition in args.fail_if or ()
        for found in condition.failures(comparison)
    ]
    for line in held:
        print(f"rankmill: failed: {line}", file=sys.stderr)
    return _GATE_FAILED if held else 0


def evaluated(args: Namespace, path: str) -> Result:
    """Evaluate a run against the truth."""
    named = ("user", "item", "score", "event")
    columns = {role: getattr(args, role) for role in named if getattr(args, role) is not None}
    return evaluate_runs(
        path,
        args.truth,
        args.metrics,
        exclude=args.exclude,
        **columns,
        grade=args.grade,
        grades=args.grades,
        after=args.after,
        time=args.time,
        users=args.users,
        weight=args.weight,
        segment=args.by,
        memory_limit=args.memory_limit,
        conventions=args.conventions,
        n_threads=args.threads,
    )


def _show_csv(comparison: Comparison) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    header = ("metric", "model", "baseline", "segment", "users", "baseline mean", "mean")
    writer.writerow((*header, "difference", "relative", "low", "high", "p", "p holm"))
    for found in comparison.differences:
        writer.writerow(
            (
                found.metric,
                found.model,
                found.baseline,
                found.segment,
                found.users,
                *found.means,
                found.difference,
                found.relative,
                *found.interval,
                found.p_values["randomization"],
                found.adjusted["holm"]["randomization"],
            )
        )


def _without_nan(value: Any) -> Any:
    """Put null in the place of NaN and infinities, which JSON lacks."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not abs(value) < float("inf") else value
