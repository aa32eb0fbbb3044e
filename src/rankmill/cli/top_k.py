"""``rankmill top-k``: the best items of each user, of a table or by factors."""

from __future__ import annotations

import csv
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmill.cli.checking import TOP_K_FORMATS
from rankmill.cli.piped import with_pipe
from rankmill.database import interruptible
from rankmill.errors import InputError
from rankmill.factors import top_k_factors
from rankmill.tables.connecting import connect, quoted
from rankmill.tables.pairs import Table, check_same_ids
from rankmill.writing import replacing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def run(args: Namespace) -> None:
    """Run the command with the arguments of `arguments.parse`."""
    with with_pipe(args.files) as files, connect(args.threads) as connection:
        interruptible(connection, lambda: _pick(connection, args, files))


def _pick(connection: DuckDBPyConnection, args: Namespace, files: list[str]) -> None:
    excluded = None
    if args.exclude:
        columns = {"user": args.user, "item": args.item}
        excluded = Table.of(connection, "exclude", args.exclude, columns)
    best = (
        _of_table(connection, args, files, excluded)
        if files
        else _of_factors(connection, args, excluded)
    )
    roles = ("user", "item", "score")
    names = [f"{quoted(role)} AS {quoted(getattr(args, role))}" for role in roles]
    _write(connection, best.project(", ".join(names)), args.output)


def _of_table(
    connection: DuckDBPyConnection, args: Namespace, files: list[str], excluded: Table | None
) -> DuckDBPyRelation:
    columns = {"user": args.user, "item": args.item, "score": args.score}
    run = Table.of(connection, "FILE", files, columns)
    run.check_distinct("user", "item")
    anti = ""
    if excluded is not None:
        check_same_ids([run, excluded])
        anti = f'ANTI JOIN {quoted(excluded.view)} USING ("user", item)'
    return connection.sql(
        f'SELECT "user", item, score FROM {quoted(run.view)} {anti} QUALIFY row_number() OVER '
        f'(PARTITION BY "user" ORDER BY score DESC, item) <= {args.k} '
        'ORDER BY "user", score DESC, item'
    )


def _of_factors(
    connection: DuckDBPyConnection, args: Namespace, excluded: Table | None
) -> DuckDBPyRelation:
    users, items = _array(args.user_factors), _array(args.item_factors)
    exclude: dict[int, list[int]] | None = None
    if excluded is not None:
        if excluded.n_rows and {excluded.kind("user"), excluded.kind("item")} != {"integers"}:
            raise InputError("exclude: wanted rows of the factors as users and items, from 0")
        lists = connection.execute(
            f'SELECT "user", list(item) FROM {quoted(excluded.view)} GROUP BY ALL'
        ).fetchall()
        exclude = dict(lists)
    ids, scores = top_k_factors(users, items, args.k, exclude=exclude, n_threads=args.threads)
    rows, places = np.nonzero(ids >= 0)
    found = {"user": rows, "item": ids[rows, places], "score": scores[rows, places]}
    connection.register("found", found)
    return connection.sql('SELECT "user", item, score FROM found')


def _array(path: str) -> Any:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError):  # whose text advises what is unsafe
        raise InputError(f"{path}: wanted an array of numbers in a .npy file") from None


def _write(connection: DuckDBPyConnection, best: DuckDBPyRelation, output: str | None) -> None:
    best.create_view("best")
    if output is not None:
        options = next(how for ending, how in TOP_K_FORMATS.items() if output.endswith(ending))
        with replacing(output) as whole:
            connection.execute(f"COPY best TO '{_escaped(whole)}' ({options})")
        return
    rows = connection.execute("FROM best")
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(best.columns)
    while some := rows.fetchmany(100_000):
        writer.writerows(some)


def _escaped(path: Path) -> str:
    return str(path).replace("'", "''")
