"""`evaluate_runs` with little memory: DuckDB spills, and nothing stays behind."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.process]

_CHILD = """
import json, re, sys
import rankmill as rm

run, truth, limit, options = sys.argv[1:]
result = rm.evaluate_runs(
    run, truth, "map recall@10", n_threads=2, memory_limit=limit or None, **json.loads(options)
)
peak = int(re.search("VmHWM:\\s*([0-9]+)", open("/proc/self/status").read())[1])
print(json.dumps({"peak": peak, "means": result.means}))
"""
_ROWS = 8_000_000


def child(folder: Path, limit: str, options: dict[str, Any]) -> Any:
    spill = folder / "spill"
    spill.mkdir(exist_ok=True)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            _CHILD,
            str(folder / "run.parquet"),
            str(folder / "truth.parquet"),
            limit,
            json.dumps(options),
        ],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TMPDIR": str(spill)},
    )
    assert not list(spill.iterdir())
    return json.loads(done.stdout)


@pytest.mark.parametrize("exclude", ["", "table", "before"])
def test_a_limit_of_memory(exclude: str, tmp_path: Path) -> None:
    """Eight million rows in any order, 192 MB of columns, within 128 MB and what numpy holds."""
    mixed = f"(SELECT (i * 7919) % {_ROWS} AS pair FROM range({_ROWS}) AS r(i))"
    duckdb.sql(
        f'COPY (SELECT pair // 100 AS "user", pair AS item, hash(pair) % 1000 AS score '
        f"FROM {mixed}) "
        f"TO '{tmp_path}/run.parquet'"
    )
    duckdb.sql(
        f'COPY (SELECT i // 5 AS "user", (i // 5) * 100 + (i % 5) * 31 AS item, i % 2 AS time '
        f"FROM range({_ROWS // 20}) AS r(i)) TO '{tmp_path}/truth.parquet'"
    )
    options: dict[str, Any] = {}
    if exclude == "before":
        options = {"after": 0, "exclude": exclude}
    if exclude == "table":
        train = tmp_path / "train.parquet"
        duckdb.sql(f"COPY (FROM '{tmp_path}/run.parquet' WHERE item % 7 = 0) TO '{train}'")
        options = {"exclude": str(train)}
    free, limited = child(tmp_path, "", options), child(tmp_path, "128MB", options)
    assert limited["means"] == free["means"]
    assert 0 < free["means"]["map"] < 1
    assert limited["peak"] < 0.75 * free["peak"], (limited, free)
