"""What the command line takes: its parser, help texts and checks of usage."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from typing import Any, Final

from rankmill.conventions import CHOICES, Conventions
from rankmill.errors import RankmillError
from rankmill.metrics import Metric, parse_metrics
from rankmill.plan import read_wanted
from rankmill.profiles import PROFILES

_DEFAULT_METRICS: Final = "ndcg@10 recall@10 precision@10 hit@10 mrr map auc"
_LARGEST: Final = 2**31 - 2
_MOST_THREADS: Final = 1024

# One flag for each convention: what its help says.
_CONVENTIONS: Final = {
    "ties": "order of items with equal scores; average: the expected value over all their orders",
    "gain": "worth of a grade, for cg, dcg, idcg and ndcg; also a table such as '{1: 1, 2: 5}'",
    "discount": "worth of a rank, for dcg, idcg and ndcg; log2: 1 / log2(rank + 1)",
    "ideal": "best order that ndcg compares with: of all relevant items, or of the retrieved ones",
    "empty": "value of a user for whom a metric is undefined; skip: leave the user out of the mean",
    "without_relevant": "what a user without relevant items is where the formula gives a value",
    "precision_denominator": "of precision and f1",
    "recall_denominator": "of recall and f1",
    "ap_denominator": "of map",
    "recall_level": "what reaches a level of recall, for iprec",
}

_ABOUT: Final = "Ranking and recommendation metrics for millions of users."
_EXAMPLES: Final = """\
examples:
  rankmill demo
  rankmill evaluate log.parquet --user user_id --score score --label clicked
  rankmill trec -q -m map -m ndcg_cut.10 qrels.txt run.txt
  rankmill evaluate log.csv --user u --score s --label grade -m ndcg@10 -m 'recall@{5,20}' --json
  rankmill COMMAND --help

exit codes: 0 success; 1 the data or this machine do not allow it; 2 wrong command line
"""
_DEMO: Final = """\
Make a log that looks like a real one (items of Zipf popularity, users with tastes, clicks drawn
by chance, a model that errs), evaluate it, and say how long each stage took. The same arguments
make the same log. It takes 5 bytes of memory per user and candidate.
"""
_EVALUATE: Final = """\
Read scored rows, one per user and item in any order, from CSV or Parquet files (compressed or
not), and measure the ranking of each user. Several files count as one. Needs DuckDB:
pip install 'rankmill[cli]'. Rows in error messages count from 0.
"""
_TREC: Final = """\
Evaluate a run against relevance judgements, with trec_eval's measures, conventions and output.
Files may be compressed. Needs DuckDB: pip install 'rankmill[cli]'.
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
    parser = _parser()
    args = parser.parse_args(argv)
    if args.command in ("info", "bench", "trec"):
        return args
    specs = args.metric or [parse_metrics(_DEFAULT_METRICS)]
    args.metrics = parse_metrics([metric for spec in specs for metric in spec])
    given = {field: getattr(args, field, None) for field in (*_CONVENTIONS, "min_grade")}
    profile = getattr(Conventions, getattr(args, "profile", None) or "", Conventions)
    chosen = {field: value for field, value in given.items() if value is not None}
    args.conventions = profile().replace(**chosen)
    try:
        order = read_wanted(args.metrics, args.conventions).order
    except RankmillError as error:
        parser.error(str(error))
    if order == "id_descending" and args.command == "demo":
        parser.error("ties=id_descending: the items of the demo have no ids")
    if order == "id_descending" and args.item is None:
        parser.error("ties=id_descending settles ties by item id; wanted --item COLUMN")
    return args


def _parser() -> ArgumentParser:
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
        "--users", type=_whole(1), default=1_000_000, metavar="N", help="default: 1000000"
    )
    demo.add_argument(
        "--candidates", type=_whole(1), default=100, metavar="N", help="per user; default: 100"
    )
    demo.add_argument("--seed", type=_whole(0), default=0, metavar="N", help="default: 0")
    _add_measuring(demo)

    evaluate = commands.add_parser(
        "evaluate",
        help="evaluate the scored rows of CSV or Parquet files",
        description=_EVALUATE,
        epilog=_METRICS,
        formatter_class=style,
    )
    _add_columns(evaluate)
    _add_measuring(evaluate)
    _add_conventions(evaluate)

    trec = commands.add_parser(
        "trec",
        help="evaluate a TREC run as trec_eval does, and print the same",
        description=_TREC,
        formatter_class=style,
    )
    _add_trec(trec)

    bench = commands.add_parser("bench", help="time the engine against numpy on this machine")
    bench.add_argument("--quick", action="store_true", help="small data: seconds, less exact")
    bench.add_argument("--json", action="store_true", help="print one JSON object")

    info = commands.add_parser("info", help="print version, compiler, threads and instruction sets")
    info.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _add_trec(parser: ArgumentParser) -> None:
    parser.add_argument("qrels", metavar="QRELS", help="lines of query, iteration, document, grade")
    parser.add_argument(
        "run", metavar="RUN", help="lines of query, Q0, document, place, score, name"
    )
    parser.add_argument(
        "-q", dest="per_query", action="store_true", help="print the values of every query, too"
    )
    parser.add_argument("-n", dest="no_summary", action="store_true", help="print no summary")
    parser.add_argument(
        "-c",
        dest="complete",
        action="store_true",
        help="count queries that the run lacks as 0; else they are left out",
    )
    parser.add_argument(
        "-m",
        dest="measure",
        action="append",
        metavar="MEASURE",
        help="official, all_trec, set, or one such as map or P.5,10; may be given again",
    )
    parser.add_argument(
        "-l",
        dest="level",
        type=_whole(1),
        default=1,
        metavar="N",
        help="least grade that is relevant; default: 1",
    )
    parser.add_argument(
        "-M", dest="depth", type=_whole(1), metavar="N", help="documents per query to look at"
    )
    parser.add_argument(
        "--threads", type=_whole(1, _MOST_THREADS), metavar="N", help="default: the CPUs there are"
    )


def _add_columns(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="CSV or Parquet, told by their content"
    )
    columns = parser.add_argument_group("columns, by name")
    columns.add_argument(
        "--user", required=True, metavar="COLUMN", help="whose row it is: integers or text"
    )
    columns.add_argument(
        "--score", required=True, metavar="COLUMN", help="numbers, higher is better"
    )
    columns.add_argument(
        "--label", required=True, metavar="COLUMN", help="grades, > 0 is relevant; or booleans"
    )
    columns.add_argument("--item", metavar="COLUMN", help="item ids, for --ties id_descending")


def _add_measuring(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-m",
        "--metric",
        action="append",
        type=_typed(parse_metrics),
        metavar="METRIC",
        help="such as ndcg@10; may be given again; see below",
    )
    parser.add_argument(
        "--threads", type=_whole(1, _MOST_THREADS), metavar="N", help="default: the CPUs there are"
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of a table"
    )


def _add_conventions(parser: ArgumentParser) -> None:
    group = parser.add_argument_group(
        "conventions", "where tools disagree on what a metric means; the first value is the default"
    )
    group.add_argument(
        "--profile",
        choices=list(PROFILES),
        help="the choices of another tool; the flags below change single ones",
    )
    for field, text in _CONVENTIONS.items():
        group.add_argument(
            f"--{field.replace('_', '-')}",
            type=_typed(_gain if field == "gain" else _convention(field), field),
            metavar="CHOICE",
            help=f"{' | '.join(CHOICES[field])}: {text}",
        )
    group.add_argument(
        "--min-grade",
        type=_typed(_min_grade, "min_grade"),
        metavar="GRADE",
        help="least grade that is relevant to metrics that know no grades; default: any > 0",
    )


class _Version(argparse.Action):
    """Print the version; looked up only when asked for."""

    def __call__(self, parser: ArgumentParser, *_: Any) -> None:
        from rankmill.info import build_info

        print(f"rankmill {build_info()['version']}")
        parser.exit()


def _typed(read: Callable[[str], Any], field: str = "") -> Callable[[str], Any]:
    """Let argparse report in our words what is wrong with a value; it names the field itself."""

    def convert(text: str) -> Any:
        try:
            return read(text)
        except RankmillError as error:
            raise ArgumentTypeError(str(error).removeprefix(f"{field}: ")) from None

    return convert


def _whole(least: int, most: int = _LARGEST) -> Callable[[str], int]:
    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise ArgumentTypeError(f"got {text!r}; wanted a whole number from {least} to {most}")
        return number

    return convert


def _convention(field: str) -> Callable[[str], Any]:
    return lambda text: getattr(Conventions().replace(**{field: text}), field)


def _gain(text: str) -> Any:
    if not text.lstrip().startswith("{"):
        return _convention("gain")(text)
    return dict(Metric.parse(f"dcg(gain={text})").params)["gain"]


def _min_grade(text: str) -> Any:
    try:
        number: float | str = float(text)
    except ValueError:
        number = text
    return Conventions().replace(min_grade=number).min_grade
