"""What is wrong with options that are right one by one: a wrong command line."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rankmill.errors import RankmillError
from rankmill.export import ENDINGS

#: What `top-k` writes, by the end of the name.
TOP_K_FORMATS: Final = {
    ".parquet": "FORMAT parquet",
    ".csv": "FORMAT csv, HEADER",
    ".csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip",
    ".csv.zst": "FORMAT csv, HEADER, COMPRESSION zstd",
}
_REPORTS: Final = (".html", ".md", ".tex")
_BEFORE: Final = "before"
_TWO_PIPES: Final = "FILE: got - twice; wanted one pipe"


def run_names(paths: Sequence[str]) -> list[str]:
    """Name runs by their files: as short as tells them apart."""
    stems = [Path(path).name.split(".")[0] for path in paths]
    return stems if len(set(stems)) == len(stems) else list(paths)


def trouble_of_evaluate(args: Namespace, order: str | None) -> str | None:
    """Return what is wrong with the tables and columns of `evaluate`."""
    of_run = ("truth", "exclude", "users", "grades", "after", "grade", "event", "time")
    if args.run is None:
        stray = [f"--{name}" for name in of_run if getattr(args, name) is not None]
        if stray:
            return f"{stray[0]} goes with --run and --truth, not with FILE"
        if not args.files:
            return "wanted FILE, or --run and --truth"
        missing = [f"--{role}" for role in ("user", "score", "label") if not getattr(args, role)]
        if missing:
            return f"the following arguments are required: {', '.join(missing)}"
        if order == "id_descending" and args.item is None:
            return "ties=id_descending settles ties by item id; wanted --item COLUMN"
    elif args.files or args.label:
        return "FILE and --label do not go with --run"
    elif args.truth is None:
        return "--run: wanted --truth, what was relevant"
    elif trouble := _trouble_of_truth(args):
        return trouble
    if args.files.count("-") > 1:
        return _TWO_PIPES
    return _trouble_of_output("--per-user", args.per_user, ENDINGS)


def _trouble_of_truth(args: Namespace) -> str | None:
    """Return what is wrong with the options of a truth and its users."""
    if args.exclude == _BEFORE and args.after is None:
        return "--exclude: got 'before'; wanted --after too, the time that parts the truth"
    if args.grade and args.grades:
        return f"--grade: got {args.grade!r}, and --grades of events; wanted one of them"
    for flag, column in (("--by", (args.by or [None])[0]), ("--weight", args.weight)):
        if column and not args.users:
            return f"{flag}: got {column!r}; wanted --users too, the table that has it"
    return None


def trouble_of_runs(args: Namespace) -> str | None:
    """Return what is wrong with the runs and the gate of `compare` and `report`."""
    names = run_names(args.runs)
    measured = [str(metric) for metric in args.metrics]
    strange = [c for c in args.fail_if or () if c.metric not in measured]
    if len(names) == 1 and args.command == "compare":
        return "RUN: got 1; wanted two or more"
    if len(names) == 1 and args.fail_if:
        return "--fail-if: got one RUN; wanted two or more, whose difference it bounds"
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        return f"RUN: got {twice} twice; wanted different runs"
    if args.baseline and args.baseline not in names:
        return f"--baseline: got {args.baseline!r}; wanted one of {', '.join(names)}"
    if strange:
        return f"--fail-if: got {strange[0].text!r}; wanted one of {', '.join(measured)}"
    output = args.output if args.command == "report" else None
    return _trouble_of_output("--output", output, _REPORTS) or _trouble_of_truth(args)


def trouble_of_trec(args: Namespace) -> str | None:
    """Return what is wrong with the measures of `trec`."""
    from rankmill.trec.asked import read_asked  # of what other commands do not load

    try:
        read_asked(args.measure or ["official"])
    except RankmillError as error:
        return str(error)
    return None


def trouble_of_top_k(args: Namespace) -> str | None:
    """Return what is wrong with where `top-k` reads and writes."""
    factors = [args.user_factors, args.item_factors]
    if bool(args.files) == any(factors) or (any(factors) and not all(factors)):
        return "wanted FILE, or both --user-factors and --item-factors"
    if args.files.count("-") > 1:
        return _TWO_PIPES
    return _trouble_of_output("--output", args.output, tuple(TOP_K_FORMATS))


def _trouble_of_output(flag: str, name: str | None, endings: tuple[str, ...]) -> str | None:
    """Return what is wrong with the name of a file that is written when all is done."""
    if name is None:
        return None
    if not name.endswith(endings):
        return f"{flag}: got {name!r}; wanted a name that ends in {', '.join(endings)}"
    if not Path(name).parent.is_dir():
        return f"{flag}: got {name!r}; there is no folder {str(Path(name).parent)!r}"
    return None
