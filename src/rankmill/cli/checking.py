"""What is wrong with options that are right one by one: a wrong command line."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Final

#: What `top-k` writes, by the end of the name.
TOP_K_FORMATS: Final = {
    ".parquet": "FORMAT parquet",
    ".csv": "FORMAT csv, HEADER",
    ".csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip",
    ".csv.zst": "FORMAT csv, HEADER, COMPRESSION zstd",
}
_REPORTS: Final = (".html", ".md", ".tex")


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
    if args.by and not args.users:
        return f"--by: got {args.by[0]!r}; wanted --users too, the table that has it"
    if strange:
        return f"--fail-if: got {strange[0].text!r}; wanted one of {', '.join(measured)}"
    if args.command == "report" and not args.output.endswith(_REPORTS):
        return f"--output: got {args.output!r}; wanted a name that ends in {', '.join(_REPORTS)}"
    return None


def trouble_of_top_k(args: Namespace) -> str | None:
    """Return what is wrong with where `top-k` reads and writes."""
    factors = [args.user_factors, args.item_factors]
    if bool(args.files) == any(factors) or (any(factors) and not all(factors)):
        return "wanted FILE, or both --user-factors and --item-factors"
    if args.output and not args.output.endswith(tuple(TOP_K_FORMATS)):
        known = ", ".join(TOP_K_FORMATS)
        return f"--output: got {args.output!r}; wanted a name that ends in {known}"
    return None
