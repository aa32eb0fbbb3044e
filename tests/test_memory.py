"""Memory beyond the inputs: bounded by relevant items and users, whatever the candidates."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]

PER_RELEVANT, PER_USER, PER_VALUE = 24, 40, 8
SLACK = 2 * 2**20  # buffers of the threads, whatever the data
METRICS = ["ndcg@10", "recall@20", "map", "auc"]

SCRIPT = """
import gc, json, sys, tracemalloc
from pathlib import Path

import numpy as np
import rankmill as rm

task = json.loads(sys.argv[1])
users, candidates, relevant = task["users"], task["candidates"], task["relevant"]


def status(key):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))


def peak(call):
    # Bytes beyond what stood before: the resident set, then what Python knows of.
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    kept = call()
    resident = status("VmHWM") - before
    del kept
    tracemalloc.start()
    call()
    traced = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return [resident, traced]


scores = np.random.default_rng(0).random((users, candidates)).round(5).astype(task["dtype"])
labels = np.zeros((users, candidates), dtype=np.int8)
labels[:, :: candidates // relevant][:, :relevant] = 1 + np.arange(relevant) % task["grades"]
rows = {"scores": scores, "relevance": labels}
if task["form"] != "dense":
    rows = {name: array.reshape(-1) for name, array in rows.items()}
if task["form"] == "offsets":
    rows["offsets"] = np.arange(users + 1) * candidates
if task["form"] == "groups":
    rows["groups"] = np.repeat(np.arange(users) + 10**9, candidates)
if task["form"] == "mixed":
    rows["groups"] = np.arange(users * candidates) * 7 % users + 10**9
if task["form"] == "mixed, strided":
    rows["groups"] = np.repeat(np.arange(users * candidates) * 7 % users, 2)[::2]
if task["ties"] == "id_descending":
    rows["items"] = np.repeat(np.arange(scores.size, dtype=task["ids"]), 2)[::2]

metrics = task["metrics"]
rules = rm.Conventions(ties=task["ties"], ideal=task["ideal"])
small = {"scores": [[2, 1]] * 9, "relevance": [[0, 1]] * 9}
rm.measure(rm.rank(**small), metrics), rm.evaluate(**small, metrics=metrics)
print(json.dumps({
    "top_k": peak(lambda: rm.top_k(scores, 1)),
    "evaluate": peak(lambda: rm.evaluate(**rows, metrics=metrics, conventions=rules)),
    "rank": peak(lambda: rm.rank(**rows, ties=rules.ties)),
    "rank, measure": peak(
        lambda: rm.measure(rm.rank(**rows, ties=rules.ties), metrics, conventions=rules)
    ),
}))
"""


def measure(form: str, **size: Any) -> dict[str, list[int]]:
    """Peak bytes beyond the inputs, as [resident, traced], of each call."""
    usual = {"metrics": METRICS, "dtype": "float32", "grades": 1, "ties": "average", "ideal": "all"}
    task = json.dumps({"form": form, **usual, **size})
    # Freed arrays go back to the system at once, so that no call finds memory of the one before.
    settings = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, task],
        capture_output=True,
        text=True,
        env={**os.environ, **settings},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, list[int]] = json.loads(done.stdout)
    return found


def limit(call: str, users: int, relevant: int) -> int:
    values = 0 if call == "rank" else len(METRICS)
    return users * (PER_RELEVANT * relevant + PER_USER + PER_VALUE * values) + SLACK


@pytest.mark.parametrize("form", ["dense", "offsets", "groups", "mixed", "mixed, strided"])
def test_many_users(form: str) -> None:
    """Few relevant items, so that what is held per user shows; the scores take 24 and 72 MB."""
    users, relevant = 300_000, 1
    few, many = (measure(form, users=users, candidates=n, relevant=relevant) for n in (20, 60))
    for call in ("rank", "rank, measure", "evaluate"):
        for found in (few, many):
            assert max(found[call]) <= limit(call, users, relevant), (call, found)
        for less, more in zip(few[call], many[call], strict=True):
            assert abs(less - more) < SLACK, (call, few, many)
    assert max(many["top_k"]) < PER_USER * users + SLACK


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("form", "users", "grades"), [("dense", 1, 1), ("dense", 1, 4), ("mixed", 2, 4)]
)
def test_long_users(form: str, users: int, grades: int, dtype: str) -> None:
    """What is held while one user is counted and measured is part of it."""
    relevant = 400_000 // users
    size = {"users": users, "candidates": 4 * relevant, "relevant": relevant, "grades": grades}
    found = measure(form, **size, dtype=dtype)
    for call in ("rank", "rank, measure", "evaluate"):
        assert max(found[call]) <= limit(call, users, relevant), (call, found)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("grades", [1, 4])
@pytest.mark.parametrize("ties", ["worst", "best", "input_order"])
@pytest.mark.parametrize("ideal", ["all", "retrieved"])
def test_long_users_with_settled_ties(ideal: str, ties: str, grades: int, dtype: str) -> None:
    """Nor do ties settled, or ideals of what was retrieved, take more."""
    relevant = 400_000
    size = {"users": 1, "candidates": 2 * relevant, "relevant": relevant, "grades": grades}
    found = measure("dense", **size, dtype=dtype, ties=ties, ideal=ideal)
    for call in ("rank", "rank, measure", "evaluate"):
        assert max(found[call]) <= limit(call, 1, relevant), (call, found)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("users", "relevant"), [(300_000, 1), (2, 600_000)])
def test_mixed_rows_in_an_order(users: int, relevant: int, dtype: str) -> None:
    """What settles ties while ranking, and the places kept, are part of it too."""
    size = {"users": users, "candidates": 4 * relevant + 16, "relevant": relevant}
    found = measure("mixed", **size, dtype=dtype, ties="input_order")
    assert max(found["rank"]) <= limit("rank", users, relevant), found


@pytest.mark.parametrize("form", ["offsets", "groups", "mixed"])
@pytest.mark.parametrize("ids", ["int32", "uint64"])
def test_item_ids_are_read_where_they_lie(ids: str, form: str) -> None:
    size = {"users": 100_000, "relevant": 1, "ties": "id_descending", "ids": ids}
    few, many = (measure(form, **size, candidates=n) for n in (20, 60))
    for call in ("rank", "rank, measure", "evaluate"):
        assert max(many[call]) <= limit(call, 100_000, 1), (call, many)
        for less, more in zip(few[call], many[call], strict=True):
            assert abs(less - more) < SLACK, (call, few, many)
