"""What the commands print, and what they say of a wrong command line."""

import json
from collections.abc import Sequence
from math import log2
from pathlib import Path

import pytest

import rankmill as rm
from command_line import (
    BOB_MRR,
    BOB_NDCG,
    COLUMNS,
    LOG,
    MRR,
    NDCG,
    failure,
    run,
    usage_error,
    value,
    written,
)

# One user; grades by rank: 2, 0, 1.
GRADED = """\
who,score,grade
7,0.5,0
7,0.7,2
7,0.3,1
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return written(tmp_path / "log.csv", LOG)


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    return written(tmp_path / "graded.csv", GRADED)


# --- evaluate: results -----------------------------------------------------------------------


def test_the_table(log: Path) -> None:
    code, out, err = run("evaluate", log, *COLUMNS, "-m", "ndcg@10", "-m", "mrr auc")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"{log}: 3 users, 5 rows"
    assert [line.split() for line in lines[2:6]] == [
        ["metric", "mean", "users", "undefined"],
        ["ndcg@10", f"{NDCG:.4f}", "2", "1"],
        ["mrr", f"{MRR:.4f}", "3", "0"],
        ["auc", f"{(1 + 0.5) / 2:.4f}", "2", "1"],
    ]
    assert lines[7].startswith("time: read ")
    assert "users per second" in lines[8]


def test_json(log: Path) -> None:
    code, out, err = run("evaluate", log, *COLUMNS, "-m", "ndcg@10", "--empty", "zero", "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    report = json.loads(out)
    assert report["metrics"] == {
        "ndcg@10": {"mean": pytest.approx((1 + BOB_NDCG + 0) / 3), "users": 2, "undefined": 1}
    }
    assert report["version"] == rm.__version__
    assert (report["users"], report["rows"], report["files"]) == (3, 5, [str(log)])
    assert report["conventions"]["empty"] == "zero"
    assert report["conventions"]["min_grade"] is None
    seconds = report["seconds"]
    assert list(seconds) == ["read", "rank", "measure", "total"]
    assert seconds["total"] == pytest.approx(sum(seconds.values()) / 2)
    assert report["users_per_second"] == pytest.approx(3 / (seconds["rank"] + seconds["measure"]))


def test_a_mean_over_nobody_is_null(tmp_path: Path) -> None:
    log = written(tmp_path / "log.csv", "who,score,grade\n1,0.5,0\n")
    assert value(run("evaluate", log, *COLUMNS, "-m", "recall", "--json"), "recall") is None


def test_default_metrics(log: Path) -> None:
    _, out, _ = run("evaluate", log, *COLUMNS, "--json")
    wanted = "ndcg@10 recall@10 precision@10 hit@10 mrr map auc"
    assert list(json.loads(out)["metrics"]) == wanted.split()


@pytest.mark.parametrize(
    ("flags", "metric", "expected"),
    [
        ([], "ndcg", (3 + 1 / 2) / (3 + 1 / log2(3))),
        (["--gain", "linear"], "ndcg", (2 + 1 / 2) / (2 + 1 / log2(3))),
        (["--gain", "{1: 1, 2: 5}"], "ndcg", (5 + 1 / 2) / (5 + 1 / log2(3))),
        ([], "ndcg@2", 3 / (3 + 1 / log2(3))),
        (["--ideal", "retrieved"], "ndcg@2", 1),
        ([], "recall@1", 1 / 2),
        (["--recall-denominator", "min(k, relevant)"], "recall@1", 1),
        (["--min-grade", "2"], "recall@1", 1),
        ([], "precision@10", 2 / 10),
        (["--precision-denominator", "min(k,candidates)"], "precision@10", 2 / 3),
        ([], "map@1", 1 / 2),
        (["--ap-denominator", "min(k, relevant)"], "map@1", 1),
    ],
)
def test_conventions(graded: Path, flags: list[str], metric: str, expected: float) -> None:
    output = run("evaluate", graded, *COLUMNS, "-m", metric, "--json", *flags)
    assert value(output, metric) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("flags", "bob"),
    [
        ([], BOB_MRR),
        (["--ties", "worst"], 1 / 2),
        (["--ties", "best"], 1),
        (["--ties", "input_order"], 1 / 2),
        (["--ties", "id_descending", "--item", "item"], 1),  # z before x
        (["--profile", "lightgbm"], 1 / 2),
        (["--profile", "trec_eval", "--item", "item"], 1),
        (["--profile", "trec_eval", "--ties", "worst"], 1 / 2),
    ],
)
def test_ties(log: Path, flags: list[str], bob: float) -> None:
    output = run("evaluate", log, *COLUMNS, "-m", "mrr", "--json", *flags)
    assert value(output, "mrr") == pytest.approx((1 + bob + 0) / 3)


@pytest.mark.parametrize(("empty", "cy"), [("zero", 0), ("one", 1)])
def test_empty(log: Path, empty: str, cy: float) -> None:
    output = run("evaluate", log, *COLUMNS, "-m", "recall@1", "--json", "--empty", empty)
    assert value(output, "recall@1") == pytest.approx((1 + 1 / 2 + cy) / 3)


def test_profiles_keep_what_no_flag_changes(log: Path) -> None:
    # scikit-learn: mean over the orders of a tie, linear gain, 0 for a user without relevant items.
    flags = ["-m", "ndcg dcg", "--json", "--profile", "scikit_learn"]
    output = run("evaluate", log, *COLUMNS, *flags)
    assert value(output, "ndcg") == pytest.approx((1 + BOB_NDCG + 0) / 3)
    assert value(output, "dcg") == pytest.approx((1 + 2 * BOB_NDCG + 0) / 3)
    output = run("evaluate", log, *COLUMNS, *flags, "--gain", "exp2")
    assert value(output, "dcg") == pytest.approx((1 + 3 * BOB_NDCG + 0) / 3)


def test_integer_items_order_as_numbers(tmp_path: Path) -> None:
    # 10 comes before 9, so the relevant item is first; as text it would be last.
    log = written(tmp_path / "log.csv", "who,score,grade,item\n1,0.5,0,9\n1,0.5,1,10\n")
    flags = ["-m", "mrr(ties=id_descending)", "--item", "item", "--json"]
    assert value(run("evaluate", log, *COLUMNS, *flags), "mrr(ties=id_descending)") == 1


def test_threads(log: Path) -> None:
    one = value(run("evaluate", log, *COLUMNS, "--json", "--threads", "1"), "map")
    assert one == value(run("evaluate", log, *COLUMNS, "--json", "--threads", "3"), "map")


# --- usage -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        ([], "COMMAND"),
        (["demos"], "invalid choice: 'demos'"),
        (["evaluate", "f", "--user", "u", "--score", "s"], "--label"),
        (["evaluate", *COLUMNS], "FILE"),
        (["evaluate", "f", *COLUMNS, "-m", "ndgc@10"], "did you mean 'ndcg'?"),
        (["evaluate", "f", *COLUMNS, "-m", "ndcg@0"], "got k=0"),
        (["evaluate", "f", *COLUMNS, "-m", ""], "wanted at least one"),
        (["evaluate", "f", *COLUMNS, "--ties", "averge"], "--ties: got 'averge'; wanted one of"),
        (["evaluate", "f", *COLUMNS, "--gain", "{1: x}"], "--gain"),
        (["evaluate", "f", *COLUMNS, "--min-grade", "0"], "--min-grade: got 0.0"),
        (["evaluate", "f", *COLUMNS, "--min-grade", "high"], "--min-grade: got 'high'"),
        (["evaluate", "f", *COLUMNS, "--ties", "id_descending"], "wanted --item COLUMN"),
        (["evaluate", "f", *COLUMNS, "--profile", "trec_eval"], "wanted --item COLUMN"),
        (["evaluate", "f", *COLUMNS, "--threads", "0"], "from 1 to 1024"),
        (["demo", "--users", "0"], "got '0'; wanted a whole number from 1"),
        (["demo", "--seed", "-1"], "got '-1'; wanted a whole number from 0"),
        (["demo", "--candidates", "many"], "got 'many'"),
        (["demo", "-m", "mrr(ties=id_descending)"], "have no ids"),
        (["demo", "-m", "mrr(ties=id_descending) map(ties=input_order)"], "wanted one of them"),
    ],
)
def test_usage_errors(argv: Sequence[str], complaint: str) -> None:
    assert complaint in usage_error(run(*argv))


def test_a_metric_that_ties_do_not_concern_needs_no_ids(log: Path) -> None:
    output = run("evaluate", log, *COLUMNS, "-m", "auc", "--ties", "id_descending", "--json")
    assert value(output, "auc") == pytest.approx((1 + 0.5) / 2)


@pytest.mark.parametrize("command", [[], ["demo"], ["evaluate"], ["info"]])
def test_help(command: list[str]) -> None:
    code, out, err = run(*command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(" ".join(["usage: rankmill", *command]))


# --- demo ------------------------------------------------------------------------------------


def test_demo() -> None:
    code, out, err = run("demo", "--users", 2000, "--candidates", 50, "--seed", 3, "--json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert (report["users"], report["candidates"], report["seed"]) == (2000, 50, 3)
    assert list(report["seconds"]) == ["make", "rank", "measure", "total"]
    assert len(report["metrics"]) == 7
    for row in report["metrics"].values():
        assert 0.05 < row["mean"] < 0.95
        assert row["users"] + row["undefined"] == 2000
    assert report["metrics"]["ndcg@10"]["undefined"] > 0


def test_demo_repeats() -> None:
    def metrics(*argv: object) -> object:
        return json.loads(run("demo", "--users", 1500, "--json", *argv)[1])["metrics"]

    assert metrics("--threads", 1) == metrics("--threads", 3) == metrics("--seed", 0)
    assert metrics() != metrics("--seed", 1)


def test_demo_table() -> None:
    _, out, _ = run("demo", "--users", 1000, "-m", "recall@{5,10}")
    title, _, _, *table = out.splitlines()
    assert title == "1,000 users with 100 candidates each, seed 0"
    assert [line.split()[0] for line in table[:2]] == ["recall@5", "recall@10"]
    assert table[3].startswith("time: make ")


def test_demo_that_does_not_fit() -> None:
    many = 2_000_000_000
    assert "GB; wanted fewer" in failure(run("demo", "--users", many, "--candidates", many))


# --- info ------------------------------------------------------------------------------------


def test_info() -> None:
    info = rm.build_info()
    code, out, err = run("info")
    assert (code, err) == (0, "")
    assert info["compiler"] in out
    rows = dict(line.split("  ", 1) for line in out.splitlines())
    assert rows["version"].strip() == rm.__version__
    assert rows["threads"].strip() == str(info["n_threads"])
    assert rows["OpenMP"].strip().startswith("yes" if info["openmp"] else "no")
    assert rows["in use"].strip() == info["isa_active"]
    assert rows["usable on this CPU"].strip().split(", ") == list(info["isa_usable"])


def test_info_json() -> None:
    assert json.loads(run("info", "--json")[1]) == rm.build_info()


def test_output_that_cannot_show_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def show(_: object) -> None:
        "日本".encode("ascii")

    monkeypatch.setattr("rankmill.cli.command", lambda _: show)
    message = failure(run("info"))
    assert r"standard output: got '\u65e5\u672c'; wanted text that ascii has a form for" in message
