"""What the command line takes: its parser, help texts and checks of usage."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser, Namespace
from typing import Any, Final

from rankmill.cli import checking, flags
from rankmill.cli.values import whole
from rankmill.conventions import Conventions
from rankmill.errors import RankmillError
from rankmill.metrics import METRICS, Metric, parse_metrics
from rankmill.plan import read_wanted
from rankmill.profiles import PROFILES

_DEFAULT_METRICS: Final = "ndcg@10 recall@10 precision@10 hit@10 mrr map auc"

_ABOUT: Final = "Ranking and recommendation metrics for millions of users."
_EXAMPLES: Final = """\
examples:
  rankmill demo
  rankmill evaluate log.parquet --user user_id --score score --label clicked
  rankmill trec -q -m map -m ndcg_cut.10 qrels.txt run.txt
  rankmill evaluate log.csv --user u --score s --label grade -m ndcg@10 -m 'recall@{5,20}' --json
  rankmill evaluate --run run.parquet --truth log.parquet --grades view=1,buy=5
  rankmill compare old.parquet new.parquet --truth test.parquet --fail-if 'ndcg@10 < -0.5%'
  rankmill top-k run.parquet -k 20 -o best.parquet
  rankmill conventions trec_eval
  rankmill COMMAND --help

exit codes: 0 success; 1 the data or this machine do not allow it; 2 wrong command line; 3 a
condition of --fail-if holds
"""
_DEMO: Final = """\
Make a log that looks like a real one (items of Zipf popularity, users with tastes, clicks drawn
by chance, a model that errs), evaluate it, and say how long each stage took. The same arguments
make the same log. It takes 5 bytes of memory per user and candidate.
"""
_EVALUATE: Final = """\
Read scored rows with labels, one per user and item in any order (FILE, with --user, --score and
--label), or a run and what was relevant (--run and --truth, joined by user and item), and measure
the ranking of each user. Files are CSV, JSON lines or Parquet, compressed or not; several count as
one. Needs DuckDB: pip install 'rankmill[cli]'. Rows in error messages count from 0.
"""
_EVALUATE_EXAMPLES: Final = """\
examples:
  rankmill evaluate log.parquet --user user_id --score score --label clicked -m ndcg@10 --by country
  zcat log.csv.gz | rankmill evaluate - --user u --score s --label y -m ndcg --k-sweep 1:20
  rankmill evaluate --run 'runs/*.parquet' --truth test.csv --exclude train.csv --format markdown
  rankmill evaluate --run run.csv --truth log.csv --grades view=1,buy=5 \\
      --after '2026-06-01 00:00' --exclude before --per-user values.parquet

"""
_COMPARE: Final = """\
Evaluate runs against one truth and compare them with the first, or --baseline, user by user: means,
differences, 95 % intervals, tests corrected over metrics and segments, and findings in plain words.
A run has the name of its file. Needs DuckDB and scipy: pip install 'rankmill[cli]'.
"""
_COMPARE_EXAMPLES: Final = """\
examples:
  rankmill compare old.parquet new.parquet --truth test.parquet -m ndcg@10 -m recall@20
  rankmill compare a.csv b.csv c.csv --truth t.csv --users users.csv --by country --baseline b
  rankmill compare old.csv new.csv --truth t.csv -m ndcg@10 --fail-if 'ndcg@10 < -0.5%' || exit 1

"""
_REPORT: Final = """\
Evaluate as `rankmill compare` does, and write a report: HTML with plots that needs no network, or
tables in Markdown or LaTeX. Needs: pip install 'rankmill[cli,plots]'.
"""
_TOP_K: Final = """\
Pick the best items of each user: of a table with a row per user and item (FILE), or by the dot
products of factors (--user-factors and --item-factors, .npy files; users and items are rows). Equal
scores: the lesser item first.
"""
_CONVENTIONS: Final = """\
Show where libraries disagree on what a metric means: what each profile chooses, or all that is
known of one, with the differences that no choice makes up for.
"""
_COMPLETION: Final = """\
Print a script that makes the shell complete commands, options and files. Needs argcomplete.

  bash: eval "$(rankmill completion bash)"       in ~/.bashrc
  zsh:  eval "$(rankmill completion zsh)"        in ~/.zshrc, after compinit
  fish: rankmill completion fish | source        in ~/.config/fish/config.fish
"""
_TREC: Final = """\
Evaluate a run against relevance judgements, with trec_eval's measures, conventions and output.
Files may be compressed, by their names: .gz, and with pyarrow .zst.
"""
_METRICS: Final = f"""\
metrics:
  cg dcg idcg ndcg precision recall f1 hit mrr map rbp err, each with a cutoff such as ndcg@10 or
  without; r_precision auc pr_auc max_f1 iprec. Quote braces and parentheses: -m 'recall@{{5,10}}',
  -m 'ndcg@10(gain=linear)'. Default: {_DEFAULT_METRICS}

columns of the table:
  mean over the users that count, users for whom the metric is defined, and those for whom it is
  undefined (such as recall for a user without relevant items).
"""


def parse(argv: list[str] | None) -> Namespace:
    """Return the checked arguments, or end the process with a message of usage.

    Besides the options, the result has ``command``, and where metrics are measured ``metrics``, a
    tuple of `Metric`, and ``conventions``.
    """
    parser = make_parser()
    args = parser.parse_args(argv)
    if args.command == "top-k" and (trouble := checking.trouble_of_top_k(args)):
        parser.error(trouble)
    if args.command == "trec" and (trouble := checking.trouble_of_trec(args)):
        parser.error(trouble)
    if args.command not in ("demo", "evaluate", "compare", "report"):
        return args
    specs = args.metric or [parse_metrics(_DEFAULT_METRICS)]
    args.metrics = parse_metrics([metric for spec in specs for metric in spec])
    given = {field: getattr(args, field, None) for field in (*flags.CONVENTIONS, "min_grade")}
    profile = getattr(Conventions, getattr(args, "profile", None) or "", Conventions)
    chosen = {field: value for field, value in given.items() if value is not None}
    args.conventions = profile().replace(**chosen)
    try:
        order = read_wanted(args.metrics, args.conventions).order
    except RankmillError as error:
        parser.error(str(error))
    trouble = None
    if args.command == "evaluate":
        trouble = checking.trouble_of_evaluate(args, order)
        args.metrics = _swept(args.metrics, args.k_sweep)
    elif args.command != "demo":
        trouble = checking.trouble_of_runs(args)
    elif order == "id_descending":
        trouble = "ties=id_descending: the items of the demo have no ids"
    if trouble:
        parser.error(trouble)
    return args


def _swept(metrics: tuple[Metric, ...], cutoffs: range | None) -> tuple[Metric, ...]:
    """Give metrics without a cutoff, that can have one, each of the cutoffs."""
    if cutoffs is None:
        return metrics
    return parse_metrics(
        [
            swept
            for metric in metrics
            for swept in (
                [Metric(metric.name, k, metric.params) for k in cutoffs]
                if metric.k is None and METRICS[metric.name].takes_k
                else [metric]
            )
        ]
    )


def make_parser() -> ArgumentParser:
    """Return the parser of all commands."""
    style = argparse.RawDescriptionHelpFormatter
    parser = ArgumentParser("rankmill", description=_ABOUT, epilog=_EXAMPLES, formatter_class=style)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    demo = commands.add_parser(
        "demo",
        help="make a realistic log and evaluate it",
        description=_DEMO,
        epilog=_METRICS,
        formatter_class=style,
    )
    demo.add_argument(
        "--users", type=whole(1), default=1_000_000, metavar="N", help="default: 1000000"
    )
    demo.add_argument(
        "--candidates", type=whole(1), default=100, metavar="N", help="per user; default: 100"
    )
    demo.add_argument("--seed", type=whole(0), default=0, metavar="N", help="default: 0")
    flags.add_measuring(demo)

    evaluate = commands.add_parser(
        "evaluate",
        help="evaluate scored rows, or a run against a truth, from files of any size",
        description=_EVALUATE,
        epilog=_EVALUATE_EXAMPLES + _METRICS,
        formatter_class=style,
    )
    flags.add_tables(evaluate)
    flags.add_measuring(evaluate)
    flags.add_conventions(evaluate)

    compare = commands.add_parser(
        "compare",
        help="compare runs: intervals, tests, segments, and a gate for pipelines",
        description=_COMPARE,
        epilog=_COMPARE_EXAMPLES + _METRICS,
        formatter_class=style,
    )
    flags.add_runs(compare)
    flags.add_gate(compare)
    flags.add_measuring(compare, ("table", "json", "csv"))
    flags.add_conventions(compare)

    report = commands.add_parser(
        "report",
        help="write a report of one run, or of some against each other",
        description=_REPORT,
        epilog=_METRICS,
        formatter_class=style,
    )
    flags.add_runs(report)
    report.add_argument(
        "-o", "--output", required=True, metavar="OUT", help="a name in .html, .md or .tex"
    )
    flags.add_gate(report)
    flags.add_measuring(report, ())
    flags.add_conventions(report)

    trec = commands.add_parser(
        "trec",
        help="evaluate a TREC run as trec_eval does, and print the same",
        description=_TREC,
        formatter_class=style,
    )
    flags.add_trec(trec)

    top_k = commands.add_parser(
        "top-k",
        help="pick the best items of each user, of a table or by factors",
        description=_TOP_K,
        formatter_class=style,
    )
    flags.add_top_k(top_k)

    conventions = commands.add_parser(
        "conventions",
        help="show what the profiles of other libraries choose",
        description=_CONVENTIONS,
        formatter_class=style,
    )
    conventions.add_argument("name", nargs="?", choices=list(PROFILES), metavar="NAME")
    conventions.add_argument("--json", action="store_true", help="print one JSON object")

    bench = commands.add_parser("bench", help="time the engine against numpy on this machine")
    bench.add_argument("--quick", action="store_true", help="small data: seconds, less exact")
    bench.add_argument("--json", action="store_true", help="print one JSON object")

    info = commands.add_parser("info", help="print version, compiler, threads and instruction sets")
    info.add_argument("--json", action="store_true", help="print one JSON object")

    completion = commands.add_parser(
        "completion",
        help="print a script that makes a shell complete commands",
        description=_COMPLETION,
        formatter_class=style,
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"))
    return parser


class _Version(argparse.Action):
    """Print the version; looked up only when asked for."""

    def __call__(self, parser: ArgumentParser, *_: Any) -> None:
        from rankmill.info import build_info

        print(f"rankmill {build_info()['version']}")
        parser.exit()
