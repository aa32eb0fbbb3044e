"""``rankmill trec``: evaluate TREC files and print what trec_eval prints."""

from __future__ import annotations

import sys
from argparse import Namespace

from rankmill.trec import evaluate


def run(args: Namespace) -> None:
    """Run the command with the arguments of `arguments.parse`."""
    result = evaluate(
        args.qrels,
        args.run,
        args.measure or ["official"],
        relevance_level=args.level,
        complete=args.complete,
        depth=args.depth,
        n_threads=args.threads,
    )
    sys.stdout.write(result.text(per_query=args.per_query, summary=not args.no_summary))
