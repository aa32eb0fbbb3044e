"""``rankmill evaluate``: measure scored rows, or a run against a truth, from files."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from rankmill.cli.measuring import measure_rows
from rankmill.cli.piped import with_pipe
from rankmill.cli.report import Report, show
from rankmill.cli.stages import Stages
from rankmill.result import Result
from rankmill.tables import evaluate_runs, evaluate_table
from rankmill.tables.files import read_rows


def run(args: Namespace) -> None:
    """Run the command with the arguments of `arguments.parse`."""
    stages = Stages()
    if args.run is None:
        with with_pipe(args.files) as files:
            result, facts = _of_rows(args, files, stages)
        facts["files"] = args.files
    else:
        result, facts = _of_run(args, stages)
    if args.per_user:
        with stages.stage("write"):
            result.write(args.per_user)
    rows = f", {facts['rows']:,} rows" if "rows" in facts else ""
    title = f"{', '.join(args.files or [args.run])}: {result.n_users:,} users{rows}"
    show(Report(title, result, stages.seconds, facts, tuple(args.by or ())), args.format)


def _of_rows(args: Namespace, files: list[str], stages: Stages) -> tuple[Result, dict[str, Any]]:
    """Evaluate rows with labels; in stages where nothing more is asked for."""
    columns = {"user": args.user, "score": args.score, "label": args.label}
    if args.item is not None:
        columns["item"] = args.item
    if args.weight or args.by or args.memory_limit:
        with stages.stage("evaluate"):
            result = evaluate_table(
                files,
                args.metrics,
                **columns,
                weight=args.weight,
                segment=args.by,
                memory_limit=args.memory_limit,
                conventions=args.conventions,
                n_threads=args.threads,
            )
        return result, {}
    with stages.stage("read"):
        rows = read_rows([Path(name) for name in files], columns, args.threads, flag="--")
    result = measure_rows(
        stages,
        rows["score"],
        rows["label"],
        groups=rows["user"],
        items=rows.get("item"),
        metrics=args.metrics,
        conventions=args.conventions,
        n_threads=args.threads,
    )
    return result, {"rows": len(rows["score"])}


def _of_run(args: Namespace, stages: Stages) -> tuple[Result, dict[str, Any]]:
    named = ("user", "item", "score", "event")
    columns = {role: getattr(args, role) for role in named if getattr(args, role) is not None}
    with stages.stage("evaluate"):
        result = evaluate_runs(
            args.run,
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
    return result, {"run": args.run, "truth": args.truth}
