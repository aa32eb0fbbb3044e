"""Runs and truths, segments, sweeps, formats, pipes and output files of the command line."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import rankmill as rm
from command_line import COLUMNS, LOG, NDCG, failure, run, usage_error, value, written

RUN = "user,item,score\na,x,0.9\na,y,0.5\nb,x,0.7\nb,z,0.6\n"
TRUTH = "user,item,event,time\na,y,buy,20\na,x,view,5\nb,z,view,30\nb,z,buy,40\n"
USERS = "user,weight,kind\na,1,new\nb,3,old\n"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    return {
        name: written(tmp_path / f"{name}.csv", text)
        for name, text in (("run", RUN), ("truth", TRUTH), ("users", USERS), ("log", LOG))
    }


def options(files: dict[str, Path]) -> list[Any]:
    return ["--run", files["run"], "--truth", files["truth"], "--grades", "view=1,buy=3"]


def test_a_run_and_a_truth(files: dict[str, Path]) -> None:
    """a: y (3) at 2, x (1) at 1; b: z (3) at 2. First relevant: 1 and 1/2."""
    assert value(run("evaluate", *options(files), "-m", "mrr", "--json"), "mrr") == 0.75
    later = run("evaluate", *options(files), "--after", "10", "-m", "mrr", "--json")
    assert value(later, "mrr") == 0.5
    apart = run(
        "evaluate", *options(files), "--after", 10, "--exclude", "before", "-m", "mrr", "--json"
    )
    assert value(apart, "mrr") == 0.75  # x was a's before, so y comes first


def test_segments_and_weights(files: dict[str, Path]) -> None:
    flags = ["--users", files["users"], "--weight", "weight", "--by", "kind"]
    code, out, err = run("evaluate", *options(files), *flags, "-m", "mrr", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["metrics"]["mrr"]["mean"] == (1 + 3 * 0.5) / 4
    assert found["segments"]["kind"] == {
        "new": {"users": 1, "metrics": {"mrr": {"mean": 1.0, "users": 1, "undefined": 0}}},
        "old": {"users": 1, "metrics": {"mrr": {"mean": 0.5, "users": 1, "undefined": 0}}},
    }
    _, out, _ = run("evaluate", *options(files), *flags, "-m", "mrr", "--format", "csv")
    assert out.splitlines() == [
        "segment,metric,mean,users,undefined",
        ",mrr,0.625,2,0",
        "kind=new,mrr,1.0,1,0",
        "kind=old,mrr,0.5,1,0",
    ]
    _, out, _ = run("evaluate", *options(files), *flags, "-m", "mrr")
    assert ["kind=new", "1.0000", "1"] in [line.split() for line in out.splitlines()]


def test_segments_of_rows(tmp_path: Path) -> None:
    rows = "who,score,grade,kind,w\nx,1,1,p,1\nx,2,0,p,1\ny,1,1,q,3\n"
    log = written(tmp_path / "log.csv", rows)
    flags = ["--by", "kind", "--weight", "w", "-m", "mrr", "--json"]
    found = json.loads(run("evaluate", log, *COLUMNS, *flags)[1])
    assert found["metrics"]["mrr"]["mean"] == (0.5 + 3) / 4
    assert list(found["segments"]["kind"]) == ["p", "q"]
    limited = run("evaluate", log, *COLUMNS, "-m", "mrr", "--json", "--memory-limit", "500MB")
    assert value(limited, "mrr") == 0.75


def test_formats(files: dict[str, Path]) -> None:
    command = ["evaluate", files["log"], *COLUMNS, "-m", "ndcg@10"]
    assert run(*command, "--format", "csv")[1].splitlines()[0] == "metric,mean,users,undefined"
    mean = float(run(*command, "--format", "csv")[1].splitlines()[1].split(",")[1])
    assert mean == pytest.approx(NDCG)
    assert run(*command, "--format", "markdown")[1].splitlines() == [
        "| metric | mean | users | undefined |",
        "| --- | ---: | ---: | ---: |",
        f"| ndcg@10 | {NDCG:.4f} | 2 | 1 |",
    ]
    assert run(*command, "--format", "json")[1].startswith("{")


def test_a_sweep(files: dict[str, Path]) -> None:
    flags = ["-m", "ndcg", "-m", "auc recall@2", "--k-sweep", "1:5:2", "--json"]
    found = json.loads(run("evaluate", files["log"], *COLUMNS, *flags)[1])["metrics"]
    assert list(found) == ["ndcg@1", "ndcg@3", "ndcg@5", "auc", "recall@2"]


def test_values_of_users(files: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "values.parquet"
    assert run("evaluate", *options(files), "-m", "mrr", "--per-user", out)[0] == 0
    assert duckdb.sql(f"FROM '{out}'").fetchall() == [("a", 1.0), ("b", 0.5)]


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "jsonl"])
def test_a_pipe(kind: str, files: dict[str, Path], tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / f"piped.{kind}"
    form = "json" if kind == "jsonl" else kind.split(".")[0]
    duckdb.sql(f"COPY (FROM '{files['log']}') TO '{path}' (FORMAT {form})")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    output = run("evaluate", "-", *COLUMNS, "-m", "ndcg@10", "--json")
    assert value(output, "ndcg@10") == pytest.approx(NDCG)


@pytest.mark.parametrize("command", [("evaluate", *COLUMNS), ("top-k",)])
def test_an_empty_pipe(command: tuple[str, ...], monkeypatch: Any) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    message = failure(run(*command, "-"))
    assert "error: standard input: an empty file; wanted CSV" in message


JOINED = ("--run", "r", "--truth", "t")


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (["f", *COLUMNS, "--truth", "t"], "--truth goes with --run"),
        (["--run", "r"], "--run: wanted --truth"),
        (["f", "--run", "r", "--truth", "t"], "FILE and --label do not go with --run"),
        (["--run", "r", "--truth", "t", "--grades", "view"], "got 'view'; wanted EVENT=GRADE"),
        (["--run", "r", "--truth", "t", "--grades", "a=1,a=2"], "got 'a=2'; wanted EVENT=GRADE"),
        (["f", *COLUMNS, "--k-sweep", "5:1"], "got '5:1'; wanted FIRST:LAST"),
        (["f", *COLUMNS, "--k-sweep", "5"], "got '5'; wanted FIRST:LAST"),
        (["f", *COLUMNS, "--format", "xml"], "invalid choice: 'xml'"),
        (["-", "-", *COLUMNS], "FILE: got - twice"),
        (["f", *COLUMNS, "--memory-limit", "much"], "--memory-limit: got 'much'; wanted bytes"),
        (["f", *COLUMNS, "--per-user", "v.xls"], "--per-user: got 'v.xls'; wanted a name that"),
        (["f", *COLUMNS, "--per-user", "/nowhere/v.csv"], "there is no folder '/nowhere'"),
        ([*JOINED, "--per-user", "v.xls"], "--per-user: got 'v.xls'; wanted a name that ends in"),
        ([*JOINED, "--exclude", "before"], "--exclude: got 'before'; wanted --after too"),
        ([*JOINED, "--grade", "g", "--grades", "a=1"], "--grade: got 'g', and --grades of events"),
        ([*JOINED, "--weight", "w"], "--weight: got 'w'; wanted --users too"),
    ],
)
def test_usage_errors(argv: list[str], complaint: str) -> None:
    assert complaint in usage_error(run("evaluate", *argv))


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (["--run", "/nowhere.csv", "--truth", "/nowhere.csv"], "/nowhere.csv: no such file"),
    ],
)
def test_failures(argv: list[str], complaint: str) -> None:
    assert complaint in failure(run("evaluate", *argv))


# --- top-k -----------------------------------------------------------------------------------


def test_top_k_of_a_table(files: dict[str, Path], tmp_path: Path) -> None:
    code, out, err = run("top-k", files["run"], "-k", 1)
    assert (code, err, out) == (0, "", "user,item,score\na,x,0.9\nb,x,0.7\n")
    exclude = written(tmp_path / "seen.csv", "user,item\na,x\n")
    _, out, _ = run("top-k", files["run"], "-k", 1, "--exclude", exclude)
    assert out == "user,item,score\na,y,0.5\nb,x,0.7\n"
    for ending in ("parquet", "csv", "csv.gz", "csv.zst"):
        path = tmp_path / f"best.{ending}"
        assert run("top-k", files["run"], "-k", 1, "-o", path)[0] == 0
        assert duckdb.sql(f"FROM '{path}'").fetchall() == [("a", "x", 0.9), ("b", "x", 0.7)]


def test_top_k_by_factors(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    users, items = rng.normal(size=(5, 3)), rng.normal(size=(9, 3))
    np.save(tmp_path / "u.npy", users)
    np.save(tmp_path / "i.npy", items)
    factors = ["--user-factors", tmp_path / "u.npy", "--item-factors", tmp_path / "i.npy"]
    seen = written(tmp_path / "seen.csv", "user,item\n0,1\n0,2\n3,8\n")
    _, out, _ = run("top-k", *factors, "-k", 2, "--exclude", seen)
    ids, _ = rm.top_k_factors(users, items, 2, exclude={0: [1, 2], 3: [8]})
    rows = [tuple(map(int, line.split(",")[:2])) for line in out.splitlines()[1:]]
    assert rows == [(user, item) for user in range(5) for item in ids[user].tolist()]


def test_top_k_failures(files: dict[str, Path], tmp_path: Path) -> None:
    twice = written(tmp_path / "twice.csv", "user,item,score\n1,2,3\n1,2,4\n")
    (tmp_path / "text.npy").write_text("no array")
    (tmp_path / "empty.npy").write_text("")
    factors, no_bytes = (
        ["--user-factors", tmp_path / name, "--item-factors", tmp_path / name]
        for name in ("text.npy", "empty.npy")
    )
    for argv, complaint in (
        ([twice], "item 2 of user 1 stands at rows 0 and 1"),
        ([files["run"], "--score", "points"], "no column 'points'"),
        (factors, "text.npy: wanted an array of numbers in a .npy file"),
        (no_bytes, "empty.npy: wanted an array of numbers in a .npy file"),
    ):
        assert complaint in failure(run("top-k", *argv))
    for argv, complaint in (
        ([], "wanted FILE, or both --user-factors and --item-factors"),
        ([files["run"], *factors], "wanted FILE, or both"),
        (factors[:2], "wanted FILE, or both"),
        ([files["run"], "-o", "best.xls"], "wanted a name that ends in .parquet"),
        ([files["run"], "-o", "/nowhere/best.csv"], "there is no folder '/nowhere'"),
        (["-", "-"], "FILE: got - twice"),
    ):
        assert complaint in usage_error(run("top-k", *argv))


# --- conventions, completion -----------------------------------------------------------------


def test_conventions() -> None:
    _, out, _ = run("conventions")
    assert len(out.splitlines()) == 1 + len(rm.conventions.PROFILES)
    _, out, _ = run("conventions", "lightgbm")
    assert "LightGBM" in out.splitlines()[0]
    assert ["ties", "input_order", "average"] in [line.split() for line in out.splitlines()]
    facts = json.loads(run("conventions", "trec_eval", "--json")[1])["trec_eval"]
    assert facts["choices"] == {"ties": "id_descending", "gain": "linear", "empty": "zero"}
    assert "invalid choice" in usage_error(run("conventions", "nobody"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    code, out, err = run("completion", shell)
    assert (code, err) == (0, "")
    assert "rankmill" in out


@pytest.mark.process
def test_bash_completes(tmp_path: Path) -> None:
    """As bash asks for it: what may follow ``rankmill ev`` and ``rankmill evaluate --k``."""
    script = written(tmp_path / "script", run("completion", "bash")[1])
    subprocess.run(["bash", "-n", str(script)], check=True)
    for line, wanted in (("rankmill ev", "evaluate"), ("rankmill evaluate --k-s", "--k-sweep")):
        answer = tmp_path / "answer"
        subprocess.run(
            [sys.executable, "-m", "rankmill"],
            check=False,
            capture_output=True,
            env={
                "_ARGCOMPLETE": "1",
                "_ARGCOMPLETE_SHELL": "bash",
                "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
                "COMP_LINE": line,
                "COMP_POINT": str(len(line)),
                "PYTHONPATH": str(Path(rm.__file__).parents[1]),
            },
        )
        assert answer.read_text().strip() == wanted
