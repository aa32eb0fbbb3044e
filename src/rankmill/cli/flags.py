"""The flags of the commands, in groups."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any, Final

from rankmill.cli.values import (
    convention,
    cutoffs,
    gain,
    grades,
    memory,
    min_grade,
    moment,
    typed,
    whole,
)
from rankmill.conventions import CHOICES
from rankmill.metrics import parse_metrics
from rankmill.profiles import PROFILES

MOST_THREADS: Final = 1024

#: One flag for each convention: what its help says.
CONVENTIONS: Final = {
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


def add_trec(parser: ArgumentParser) -> None:
    """Add what trec_eval has."""
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
        help="official, all_trec, set, or such as map, P.5,10 and ndcg.1=3,2=7; may be given again",
    )
    parser.add_argument(
        "-l",
        dest="level",
        type=whole(1),
        default=1,
        metavar="N",
        help="least grade that is relevant; default: 1",
    )
    parser.add_argument(
        "-M", dest="depth", type=whole(1), metavar="N", help="documents per query to look at"
    )
    parser.add_argument(
        "--threads", type=whole(1, MOST_THREADS), metavar="N", help="default: the CPUs there are"
    )


def add_tables(parser: ArgumentParser) -> None:
    """Add the tables to evaluate and their columns."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="CSV, JSON lines or Parquet, told by their content; - reads a pipe",
    )
    tables = parser.add_argument_group(
        "a run and a truth, instead of FILE",
        "tables with a row per user and item; paths, or patterns in quotes",
    )
    tables.add_argument("--run", metavar="RUN", help="candidates: user, item, score")
    _add_truth(tables, needed=False)
    columns = parser.add_argument_group("columns, by name")
    columns.add_argument(
        "--label", metavar="COLUMN", help="grades, > 0 is relevant; or booleans (of FILE)"
    )
    _add_columns(columns)
    parser.add_argument(
        "--per-user",
        metavar="OUT",
        help="write the values of each user to OUT, .parquet, .csv, .csv.gz or .csv.zst",
    )
    parser.add_argument(
        "--k-sweep",
        type=cutoffs,
        metavar="FIRST:LAST",
        help="measure metrics that take a cutoff, and have none, at each of these; FIRST:LAST:STEP",
    )


def add_runs(parser: ArgumentParser) -> None:
    """Add the runs to compare, the truth, and what is made of them."""
    parser.add_argument(
        "runs", nargs="+", metavar="RUN", help="candidates: user, item, score; the baseline first"
    )
    _add_truth(parser.add_argument_group("the truth"), needed=True)
    _add_columns(parser.add_argument_group("columns, by name"))
    parser.add_argument("--baseline", metavar="NAME", help="a run's name, that of its file")
    parser.add_argument(
        "--resamples", type=whole(1), default=10_000, metavar="N", help="default: 10000"
    )
    parser.add_argument("--seed", type=whole(0), default=0, metavar="N", help="default: 0")


def _add_truth(tables: Any, *, needed: bool) -> None:
    tables.add_argument(
        "--truth",
        required=needed,
        metavar="TRUTH",
        help="what was relevant: user, item and perhaps a grade",
    )
    tables.add_argument(
        "--exclude",
        metavar="TABLE",
        help="user and item of what is no candidate; 'before': the truth up to --after",
    )
    tables.add_argument("--users", metavar="TABLE", help="a row per user, for --weight and --by")
    tables.add_argument(
        "--grades",
        type=grades,
        metavar="EVENT=GRADE,...",
        help="the truth is a log: the grade of each event, such as view=1,purchase=5",
    )
    tables.add_argument(
        "--after",
        type=moment,
        metavar="TIME",
        help="only later rows of the truth count: a date, a datetime or a number, as the column is",
    )
    tables.add_argument(
        "--memory-limit",
        type=typed(memory, "memory_limit"),
        metavar="SIZE",
        help="such as 2GB: spill to disk what is more, and keep no rows",
    )


def _add_columns(columns: Any) -> None:
    columns.add_argument("--user", metavar="COLUMN", help="whose row it is: integers or text")
    columns.add_argument("--score", metavar="COLUMN", help="numbers, higher is better")
    columns.add_argument(
        "--item", metavar="COLUMN", help="item ids; of FILE only for --ties id_descending"
    )
    columns.add_argument("--grade", metavar="COLUMN", help="grades of the truth; default: grade")
    columns.add_argument("--event", metavar="COLUMN", help="for --grades; default: event")
    columns.add_argument("--time", metavar="COLUMN", help="for --after; default: time")
    columns.add_argument("--weight", metavar="COLUMN", help="weight of each user in the means")
    columns.add_argument(
        "--by",
        action="append",
        metavar="COLUMN",
        help="also print the means of each segment; may be given again",
    )


def add_gate(parser: ArgumentParser) -> None:
    """Add conditions by which a comparison fails; read where they are used, as they need more."""
    from rankmill.cli.gate import condition

    parser.add_argument(
        "--fail-if",
        action="append",
        type=condition,
        metavar="CONDITION",
        help="such as 'ndcg@10 < -0.5%%': exit with 3 if a run changed so against the baseline; "
        "without %% an absolute change; <, <=, >, >=; may be given again",
    )


def add_measuring(
    parser: ArgumentParser, forms: Sequence[str] = ("table", "json", "csv", "markdown")
) -> None:
    """Add what is measured, and how it is printed."""
    parser.add_argument(
        "-m",
        "--metric",
        action="append",
        type=typed(parse_metrics),
        metavar="METRIC",
        help="such as ndcg@10; may be given again; see below",
    )
    parser.add_argument(
        "--threads", type=whole(1, MOST_THREADS), metavar="N", help="default: the CPUs there are"
    )
    if not forms:
        return
    parser.add_argument(
        "--format",
        choices=forms,
        default="table",
        help="how to print the result; default: table",
    )
    parser.add_argument(
        "--json", dest="format", action="store_const", const="json", help="short for --format json"
    )


def add_conventions(parser: ArgumentParser) -> None:
    """Add a flag for each convention."""
    group = parser.add_argument_group(
        "conventions", "where tools disagree on what a metric means; the first value is the default"
    )
    group.add_argument(
        "--profile",
        choices=list(PROFILES),
        help="the choices of another tool; the flags below change single ones",
    )
    for field, text in CONVENTIONS.items():
        group.add_argument(
            f"--{field.replace('_', '-')}",
            type=typed(gain if field == "gain" else convention(field), field),
            metavar="CHOICE",
            help=f"{' | '.join(CHOICES[field])}: {text}",
        )
    group.add_argument(
        "--min-grade",
        type=typed(min_grade, "min_grade"),
        metavar="GRADE",
        help="least grade that is relevant to metrics that know no grades; default: any > 0",
    )


def add_top_k(parser: ArgumentParser) -> None:
    """Add scores or factors, and where the best go."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="CSV, JSON lines or Parquet; or -")
    parser.add_argument("-k", type=whole(1), default=10, metavar="N", help="items; default: 10")
    for role, default in (("user", "user"), ("item", "item"), ("score", "score")):
        parser.add_argument(
            f"--{role}", default=default, metavar="COLUMN", help=f"default: {default}"
        )
    parser.add_argument("--user-factors", metavar="NPY", help="float array (users, factors)")
    parser.add_argument("--item-factors", metavar="NPY", help="float array (items, factors)")
    parser.add_argument(
        "--exclude", metavar="TABLE", help="a row per user and item that is not to be picked"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help=".parquet, .csv, .csv.gz or .csv.zst; default: CSV to stdout",
    )
    parser.add_argument(
        "--threads", type=whole(1, MOST_THREADS), metavar="N", help="default: the CPUs there are"
    )
