"""`rankmill.compat.ranx` on worked examples; tests/peers compares with the library."""

import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankmill as rm
from rankmill.compat import ranx as compat

QRELS = {"q1": {"d12": 5, "d25": 3}, "q2": {"d11": 6, "d22": 1}}
RUN = {
    "q1": {"d12": 0.9, "d23": 0.8, "d25": 0.7, "d36": 0.6, "d32": 0.5, "d35": 0.4},
    "q2": {"d12": 0.9, "d11": 0.8, "d25": 0.7, "d36": 0.6, "d22": 0.5, "d35": 0.4},
}
PAIR = compat.Qrels(QRELS), compat.Run(RUN)


def test_several_metrics() -> None:
    """By hand: hits at 1 and 3 of the first, at 2 and 5 of the second query."""
    found = compat.evaluate(*PAIR, ["map@5", "mrr", "ndcg@5", "hits@2", "r-precision"])
    dcg = [(5 + 3 / 2) / (5 + 3 / math.log2(3)), (6 / math.log2(3) + 1 / math.log2(6))]
    dcg[1] /= 6 + 1 / math.log2(3)
    assert found == pytest.approx(
        {
            "map@5": ((1 + 2 / 3) / 2 + (1 / 2 + 2 / 5) / 2) / 2,
            "mrr": 0.75,
            "ndcg@5": sum(dcg) / 2,
            "hits@2": 1.0,
            "r-precision": 0.5,
        }
    )


def test_levels_and_persistence() -> None:
    """Grades below a level are dropped; rbp weighs by the grade."""
    assert compat.evaluate(*PAIR, "mrr-l4") == 0.75
    assert compat.evaluate(*PAIR, "mrr-l6") == 0.25
    both = compat.evaluate(*PAIR, "rbp.5", return_mean=False)
    want = [0.5 * (5 + 3 / 4), 0.5 * (6 / 2 + 1 / 16)]
    assert both.tolist() == pytest.approx(want)
    of_level_5 = compat.evaluate(*PAIR, "rbp@5-l5", return_mean=False)
    assert of_level_5.tolist() == pytest.approx([0.5 * 5, 0.5 * 6 / 2])
    assert compat.evaluate(*PAIR, "rbp.5-l7") == 0
    assert compat.evaluate(*PAIR, "ndcg-l7") == 0


def test_bpref() -> None:
    qrels = compat.Qrels({"q": {"a": 1, "b": 0, "c": 1, "d": 0}, "r": {"a": 0}})
    run = compat.Run({"q": {"b": 3.0, "x": 2.5, "a": 2.0, "c": 1.0}, "r": {"a": 1.0}})
    assert compat.evaluate(qrels, run, "bpref", return_mean=False).tolist() == [0.5, 0]


@pytest.mark.parametrize("form", ["dicts", "arrays", "list"])
def test_other_inputs(form: str) -> None:
    qrels: Any = {"b": {0: 1}, "a": {1: 1}}
    run: Any = {"a": {1: 0.1, 0: 0.9}, "b": {0: 0.9, 1: 0.1}}
    if form != "dicts":
        qrels = np.array([[[0, 1]], [[1, 1]]])
        run = np.array([[[0, 0.9], [1, 0.1]], [[0, 0.9], [1, 0.1]]])
    if form == "list":
        qrels, run = list(qrels), list(run)
    assert compat.evaluate(qrels, run, "mrr", return_mean=False).tolist() == [1, 0.5]


def test_results_are_kept_in_the_run() -> None:
    run = compat.Run(RUN)
    found = compat.evaluate(PAIR[0], run, ["mrr", "map"], return_std=True)
    assert found["mrr"] == {"mean": 0.75, "std": 0.25}
    assert run.scores["mrr"] == {"q1": 1.0, "q2": 0.5}
    assert run.mean_scores["mrr"] == 0.75
    assert run.std_scores["mrr"] == 0.25
    other = compat.Run(RUN)
    compat.evaluate(PAIR[0], other, "mrr", save_results_in_run=False)
    assert other.scores == {}


def test_comparable_runs() -> None:
    run = compat.Run({"q2": RUN["q2"], "q9": {"d": 1.0}})
    with pytest.raises(rm.InputError, match="make_comparable=True"):
        compat.evaluate(PAIR[0], run, "mrr")
    assert compat.evaluate(PAIR[0], run, "mrr", make_comparable=True) == 0.25
    assert list(run.keys()) == ["q1", "q2"]


@pytest.mark.parametrize("kind", ["json", "txt", "parquet"])
def test_files(kind: str, tmp_path: Path) -> None:
    path = str(tmp_path / f"file.{kind}")
    PAIR[1].save(path)
    assert compat.Run.from_file(path).to_dict() == RUN
    PAIR[0].save(path)
    assert compat.Qrels.from_file(path).to_dict() == QRELS


def test_compressed_and_named_files(tmp_path: Path) -> None:
    path = str(tmp_path / "run.gz")
    with gzip.open(path, "wt") as file:
        file.write("q Q0 d 1 0.5 mine\n")
    run = compat.Run.from_file(path)
    assert (run.name, run["q"]) == ("mine", {"d": 0.5})


def test_collections() -> None:
    qrels = compat.Qrels({"q": {"a": 2}})
    qrels.add("p", ["x", "y"], [1, 3])
    qrels.add_score("q", "b", 5)
    assert (len(qrels), qrels.size(), qrels.get_query_ids()) == (2, 2, ["p", "q"])
    assert qrels.get_doc_ids_and_scores() == [{"x": 1, "y": 3}, {"a": 2, "b": 5}]
    qrels.sort()
    assert [list(qrels[query]) for query in qrels.to_dict()] == [["y", "x"], ["b", "a"]]
    qrels.set_relevance_level(2)
    assert qrels.qrels == {"p": {"y": 2, "x": 0}, "q": {"b": 4, "a": 1}}
    frame = compat.Run(RUN).to_dataframe()
    assert compat.Run.from_df(frame).run == RUN


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ("nothing", "wanted one of hits"),
        ("rbp", "wanted a persistence"),
        ("ndcg@x", "whole numbers"),
        ("ndcg@0", "whole numbers"),
        ("map-lx", "whole numbers"),
        ([], "got none"),
        ([3], "got 3; wanted a text"),
    ],
)
def test_bad_metrics(metrics: Any, message: str) -> None:
    with pytest.raises(rm.MetricError, match=message):
        compat.evaluate(*PAIR, metrics)


@pytest.mark.parametrize(
    ("text", "message"),
    [("q Q0 d 1 0.5", "line 1: got 5 columns; wanted 6"), ("q Q0 d 1 x y", "got 'x'")],
)
def test_bad_files(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text(text)
    with pytest.raises(rm.InputError, match=message):
        compat.Run.from_file(str(path))
    with pytest.raises(rm.InputError, match="kind: got 'lz4'"):
        compat.Run.from_file("run.lz4")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"q_id": ["q"], "doc_id": ["d"]}, "no column 'score'"),
        ({"q_id": ["q"], "doc_id": ["d"], "score": [1]}, "is int64; wanted floats"),
        ({"q_id": [1], "doc_id": ["d"], "score": [1.0]}, "got ids 1 and 'd'; wanted text"),
    ],
)
def test_bad_frames(frame: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        compat.Run.from_df(pd.DataFrame(frame))
    with pytest.raises(rm.InputError, match="qrels: got int"):
        compat.evaluate(3, compat.Run(RUN), "mrr")  # type: ignore[arg-type]
