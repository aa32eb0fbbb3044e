"""``rankmill demo``: make a log, evaluate it, say how long each stage took."""

from __future__ import annotations

from argparse import Namespace

from rankmill.cli.demo_data import make_log
from rankmill.cli.measuring import measure_rows
from rankmill.cli.report import Report, show
from rankmill.cli.stages import Stages
from rankmill.threads import default_threads


def run(args: Namespace) -> None:
    """Run the command with the arguments of `arguments.parse`."""
    stages = Stages()
    with stages.stage("make", args.users) as advance:
        log = make_log(
            args.users,
            args.candidates,
            args.seed,
            n_threads=args.threads or default_threads(),
            advance=advance,
        )
    result = measure_rows(
        stages,
        log.scores,
        log.labels,
        offsets=log.offsets,
        metrics=args.metrics,
        conventions=args.conventions,
        n_threads=args.threads,
    )
    title = f"{args.users:,} users with {args.candidates:,} candidates each, seed {args.seed}"
    facts = {"candidates": args.candidates, "seed": args.seed}
    show(Report(title, result, stages.seconds, facts), args.format)
