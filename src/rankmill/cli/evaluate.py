"""``rankmill evaluate``: measure the scored rows of CSV or Parquet files."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from rankmill.cli.measuring import measure_rows
from rankmill.cli.report import Report, show
from rankmill.cli.stages import Stages
from rankmill.tables.files import read_rows


def run(args: Namespace) -> None:
    """Run the command with the arguments of `arguments.parse`."""
    columns = {"user": args.user, "score": args.score, "label": args.label}
    if args.item is not None:
        columns["item"] = args.item
    stages = Stages()
    with stages.stage("read"):
        rows = read_rows([Path(name) for name in args.files], columns, args.threads, flag="--")
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
    n_rows = len(rows["score"])
    title = f"{', '.join(args.files)}: {result.n_users:,} users, {n_rows:,} rows"
    facts = {"files": args.files, "rows": n_rows}
    show(Report(title, result, stages.seconds, facts), as_json=args.json)
