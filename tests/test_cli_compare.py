"""``rankmill compare``: tables, findings and the gate."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import rankmill as rm
from command_line import failure, run, usage_error, written
from rankmill.cli.gate import condition

N = 60


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Two runs over ten items of each user; the new one ranks the relevant item higher for most."""
    rng = np.random.default_rng(7)
    old, new, truth, users = ["user,item,score"], ["user,item,score"], ["user,item"], ["user,kind"]
    for user in range(N):
        relevant = int(rng.integers(10))
        truth.append(f"{user},{relevant}")
        users.append(f"{user},{'odd' if user % 2 else 'even'}")
        for item in range(10):
            score = rng.random()
            old.append(f"{user},{item},{score}")
            new.append(f"{user},{item},{score + (0.3 if item == relevant else 0)}")
    tables = {"old": old, "new": new, "truth": truth, "users": users}
    return {
        name: written(tmp_path / f"{name}.csv", "\n".join(lines) + "\n")
        for name, lines in tables.items()
    }


def command(files: dict[str, Path], *more: object) -> list[object]:
    flags = ["--truth", files["truth"], "-m", "ndcg@5", "-m", "mrr", "--resamples", 200]
    return ["compare", files["old"], files["new"], *flags, *more]


def python(files: dict[str, Path]) -> rm.Comparison:
    results = {
        name: rm.evaluate_runs(files[name], files["truth"], "ndcg@5 mrr") for name in ("old", "new")
    }
    return rm.compare(results, baseline="old", resamples=200)


def test_table(files: dict[str, Path]) -> None:
    code, out, err = run(*command(files))  # type: ignore[arg-type]
    assert (code, err) == (0, "")
    assert out.startswith(str(python(files)))


def test_json_and_csv(files: dict[str, Path]) -> None:
    found = json.loads(run(*command(files, "--json"))[1])  # type: ignore[arg-type]
    wanted = python(files).to_dict()
    assert found.pop("findings") == [note.text for note in rm.findings(python(files))]
    assert found == json.loads(json.dumps(wanted))
    text = run(*command(files, "--format", "csv"))[1]  # type: ignore[arg-type]
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["metric"] for row in rows] == ["ndcg@5", "mrr"]
    assert [float(row["difference"]) for row in rows] == [
        row["difference"] for row in wanted["differences"]
    ]


def test_segments_and_baseline(files: dict[str, Path]) -> None:
    flags = ["--users", files["users"], "--by", "kind", "--baseline", "new", "--json"]
    found = json.loads(run(*command(files, *flags))[1])  # type: ignore[arg-type]
    assert (found["baseline"], found["models"]) == ("new", ["new", "old"])
    segments = [row["segment"] for row in found["differences"] if row["metric"] == "mrr"]
    assert segments == ["", "kind=even", "kind=odd"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ndcg@5 < -0.5%", 0),
        ("ndcg@5 > 0.5%", 3),
        ("mrr >= 0.01", 3),
        ("mrr > 5", 0),
        ("mrr <= 500%", 3),
    ],
)
def test_the_gate(text: str, code: int, files: dict[str, Path]) -> None:
    found, out, err = run(*command(files, "--fail-if", text))  # type: ignore[arg-type]
    assert found == code
    assert out
    assert err.startswith(f"rankmill: failed: {text}: ") == bool(code)


def test_conditions_are_read() -> None:
    found = condition("ndcg@10(gain=linear) <= -0.5%")
    assert (found.metric, found.sign, found.bound, found.is_relative) == (
        "ndcg@10(gain=linear)",
        "<=",
        -0.005,
        True,
    )
    assert condition("auc<-1e-3").bound == -0.001


@pytest.mark.parametrize("text", ["", "ndcg@10", "ndcg@10 = 3", "ndcg@10 < much", "ndgc < 1"])
def test_conditions_that_are_none(text: str) -> None:
    assert "--fail-if: got" in usage_error(run("compare", "a", "--truth", "t", "--fail-if", text))


def test_failures(files: dict[str, Path]) -> None:
    one = [files["old"], "--truth", files["truth"]]
    for argv, complaint in (
        (command(files, "--baseline", "none"), "--baseline: got 'none'; wanted one of old, new"),
        (["compare", *one], "RUN: got 1; wanted two or more"),
        (["compare", files["old"], *one], "twice; wanted different runs"),
        (command(files, "--fail-if", "auc < 0"), "--fail-if: got 'auc < 0'; wanted one of ndcg@5"),
        (command(files, "--by", "country"), "--by: got 'country'; wanted --users too"),
        (command(files, "--exclude", "before"), "--exclude: got 'before'; wanted --after too"),
        (command(files, "--weight", "w"), "--weight: got 'w'; wanted --users too"),
        (["report", *one, "-o", "/nowhere/r.md"], "there is no folder '/nowhere'"),
        (["report", *one, "-o", "r.md", "--fail-if", "mrr < 0"], "--fail-if: got one RUN"),
        (
            ["report", *one, "-o", "r.pdf"],
            "--output: got 'r.pdf'; wanted a name that ends",
        ),
    ):
        assert complaint in usage_error(run(*argv))  # type: ignore[arg-type]
    missing = run("compare", files["old"], "/nowhere.csv", "--truth", files["truth"])
    assert "/nowhere.csv: no such file" in failure(missing)


@pytest.mark.parametrize("ending", ["html", "md", "tex"])
def test_report(ending: str, files: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / f"report.{ending}"
    flags = ["--truth", files["truth"], "-m", "mrr", "--resamples", 100, "-o", out]
    assert run("report", files["old"], files["new"], *flags) == (0, "", "")  # type: ignore[arg-type]
    assert "new" in out.read_text()
    assert run("report", files["new"], *flags)[0] == 0  # type: ignore[arg-type]
    assert f"{python(files).find('mrr').means[1]:.4f}" in out.read_text()
    code, _, err = run("report", files["old"], files["new"], *flags, "--fail-if", "mrr > 0")  # type: ignore[arg-type]
    assert (code, err.startswith("rankmill: failed: mrr > 0")) == (3, True)
