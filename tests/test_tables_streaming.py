"""Tables read in batches: the same bits as at once, in little memory."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm
from kinds_of_tables import KINDS
from rankmill.tables import batches
from test_tables import METRICS, ROWS, by_user

RNG = np.random.default_rng(9)


def rows_of(seed: int, *, text: bool, form: str) -> pa.Table:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 80))
    users = np.sort(rng.integers(0, max(1, n // 4), n))
    if form == "together":  # but in no order
        users = rng.permutation(users.max() + 1)[users]
    if form == "mixed":
        rng.shuffle(users)
    return pa.table(
        {
            "user": np.array([f"u{user}" for user in users], object) if text else users,
            "score": rng.integers(0, 6, n) / 4,
            "label": rng.integers(-1, 3, n),
            "item": rng.permutation(n),
            "weight": users % 3,
            "kind": np.array([f"k{user % 2}" for user in users], object),
        }
    )


@given(
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.sampled_from(["sorted", "together", "mixed"]),
    st.integers(1, 90),
    st.sampled_from(["average", "input_order", "id_descending"]),
    st.sampled_from([1, 3]),
    st.booleans(),
)
def test_any_batches_give_the_bits_of_arrays(
    seed: int, text: bool, form: str, size: int, ties: Any, n_threads: int, excludes: bool
) -> None:
    table = rows_of(seed, text=text, form=form)
    options: dict[str, Any] = {
        "item": "item",
        "weight": "weight",
        "segment": "kind",
        "conventions": rm.Conventions(ties=ties),
        "n_threads": n_threads,
        "exclude": some_items(seed, table) if excludes else None,
    }
    at_once = rm.evaluate_table(table, "ndcg@3 map auc", **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "_ROWS_AT_ONCE", size)
        patch.setattr(batches, "reader", _small_batches)
        streamed = rm.evaluate_table(table, "ndcg@3 map auc", memory_limit="1GB", **options)
        summary = rm.evaluate_table(table, "ndcg@3 map auc", per_user=False, **options)
    assert by_user(streamed) == by_user(at_once)
    assert repr(streamed.means) == repr(at_once.means) == repr(dict(summary.means))
    assert dict(summary.counts) == at_once.counts
    assert streamed.users is not None
    assert at_once.users is not None
    if form != "mixed":
        assert streamed.users.tolist() == at_once.users.tolist()
    else:
        assert streamed.users.tolist() == sorted(at_once.users.tolist())
    for result in (streamed, at_once):
        assert result.weights is not None
        assert result.users is not None
        numbers = [int(str(user).removeprefix("u")) for user in result.users.tolist()]
        assert result.weights.tolist() == [number % 3 for number in numbers]
        assert result.segments["kind"].tolist() == [f"k{number % 2}" for number in numbers]


def some_items(seed: int, table: pa.Table) -> dict[Any, Any]:
    """Items of the first user and of some others, not all of them candidates."""
    rng = np.random.default_rng(seed)
    users = dict.fromkeys(table["user"].to_pylist())
    share = rng.random()
    return {
        user: rng.permutation(len(table) + 3)[: rng.integers(1, len(table) + 3)].tolist()
        for at, user in enumerate(users)
        if at == 0 or rng.random() < share
    }


def _small_batches(relation: Any, n_rows: int) -> pa.RecordBatchReader:
    """DuckDB rounds the size of batches up to 2,048 rows."""
    table = relation.to_arrow_table()
    batches = table.to_batches(max_chunksize=n_rows)
    return pa.RecordBatchReader.from_batches(table.schema, batches)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table(kind: str, tmp_path: Path) -> None:
    table = pa.table(ROWS)
    arrays = rm.evaluate(
        ROWS["score"], ROWS["label"], METRICS, groups=ROWS["user"], items=ROWS["item"]
    )
    given = KINDS[kind](table, tmp_path / "log")
    found = rm.evaluate_table(given, METRICS, item="item", memory_limit="1GB")
    assert by_user(found) == by_user(arrays)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("user", [1, 1, None, 2], "table, user: no value at row 2 of column 'user'"),
        ("score", [1.0, 2.0, 3.0, None], r"table, score: no value at row 3 \(user 2\)"),
        ("score", [1.0, np.nan, 3.0, 4.0], r"table, score: got nan at row 1 \(user 1\)"),
        ("label", [1.0, 0.0, np.inf, 4.0], r"table, label: got inf at row 2 \(user 1\)"),
        ("score", ["a", "b", "c", "d"], "table, score: column 'score' holds VARCHAR, such as 'a'"),
    ],
)
def test_bad_values_are_named(column: str, values: list[Any], message: str) -> None:
    rows = {"user": [1, 1, 1, 2], "score": [1.0, 2, 3, 4], "label": [1, 0, 1, 1], column: values}
    with pytest.raises(rm.RankmillError, match=message):
        rm.evaluate_table(pa.table(rows), "ndcg", memory_limit="1GB")


@pytest.mark.parametrize("per_user", [True, False])
def test_a_gain_that_is_too_large_names_the_user(per_user: bool) -> None:
    rows = {"user": ["a", "a", "b"], "score": [1.0, 2, 3], "label": [1, 0, 2000]}
    with pytest.raises(rm.InputError, match="grade 2000 of user 'b' has a gain"):
        rm.evaluate_table(pa.table(rows), "ndcg", memory_limit="1GB", per_user=per_user)


def test_bad_arguments() -> None:
    table = pa.table(ROWS)
    with pytest.raises(rm.InputError, match="memory_limit: got 'much'"):
        rm.evaluate_table(table, "mrr", memory_limit="much")
    with pytest.raises(rm.InputError, match="table: got no rows"):
        rm.evaluate_table(table.slice(0, 0), "mrr", per_user=False)
    with pytest.raises(rm.InputError, match="score: no column 'points'"):
        rm.evaluate_table(table, "mrr", per_user=False, score="points")


_LIMITED = """
import re, sys
import rankmill as rm
import pyarrow.compute, duckdb

def peak():
    return int(re.search("VmHWM:\\s*([0-9]+)", open("/proc/self/status").read())[1])

start = peak()
summary = rm.evaluate_table(
    sys.argv[1], "ndcg@10 auc", memory_limit="200MB", per_user=False, n_threads=2
)
print(summary.n_users, (peak() - start) >> 10)
"""


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("order", ["user", "hash(i)"])
def test_memory_is_kept(order: str, tmp_path: Path) -> None:
    """24 million rows, 550 MB as columns, sorted or not, in much less."""
    path = tmp_path / "log.parquet"
    duckdb.sql(
        f"COPY (SELECT i // 100 AS user, (hash(i) % 1000)::FLOAT AS score, hash(i, 1) % 20 = 0 AS "
        f"label FROM range(24_000_000) AS r(i) ORDER BY {order}) TO '{path}'"
    )
    command = [sys.executable, "-c", _LIMITED, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    n_users, peak = map(int, done.stdout.split())
    assert n_users == 240_000
    assert peak < 450, f"{peak} MiB"
