"""`rankmill.compat.pytrec_eval`: trec_eval's own output; tests/peers compares with the library."""

from pathlib import Path
from typing import Any

import pytest

import rankmill as rm
from rankmill.compat import pytrec_eval as compat

# What trec_eval prints and pytrec_eval has not, or is not covered.
OTHERS = {"runid", "relstring", "num_q", "rbp", "unj"}
# Version 10, which printed the lines, takes other levels than version 9, of which pytrec_eval is.
NEAREST = rm.Conventions.trec_eval().replace(recall_level="nearest")
RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
TRUTH = {"q": {"a": 0, "b": 1, "c": 2}}


def test_every_line_of_trec_eval(shared: Path) -> None:
    """Per query, and over all queries with compute_aggregated_measure."""
    folder = shared / "trec_eval"
    run = compat.parse_run((folder / "results.test").read_text().splitlines())
    truth = compat.parse_qrel((folder / "qrels.test").read_text().splitlines())
    found = compat.RelevanceEvaluator(truth, compat.supported_measures).evaluate(run)
    whole: dict[str, Any] = {
        name: compat.compute_aggregated_measure(name, [row[name] for row in found.values()])
        for name in next(iter(found.values()))
    }
    lines = [line.split() for line in (folder / "out.test.aq").read_text().splitlines()]
    compared = 0
    for name, query, printed in lines:
        if name.startswith(("iprec", "11pt", *OTHERS)):
            continue
        value = (whole if query == "all" else found[query])[name]
        text = f"{value:.0f}" if name.startswith("num_") else f"{value:.4f}"
        assert text == printed, (name, query)
        compared += 1
    assert compared > 300


def test_interpolated_precision_of_trec_eval_10(shared: Path) -> None:
    folder = shared / "trec_eval"
    run = compat.parse_run((folder / "results.test").read_text().splitlines())
    truth = compat.parse_qrel((folder / "qrels.test").read_text().splitlines())
    levels = {f"iprec_at_recall_{i / 10:.2f}": f"iprec(recall={i / 10})" for i in range(11)}
    result = rm.evaluate(run, truth, ["iprec", *levels.values()], conventions=NEAREST)
    assert result.users is not None
    queries = result.users.tolist()
    compared = 0
    for line in (folder / "out.test.aq").read_text().splitlines():
        name, query, printed = line.split()
        metric = {**levels, "11pt_avg": "iprec"}.get(name)
        if metric:
            values = result.mean(metric) if query == "all" else result[metric][queries.index(query)]
            assert f"{values:.4f}" == printed, (name, query)
            compared += 1
    assert compared > 20


def test_measures_and_cutoffs() -> None:
    evaluator = compat.RelevanceEvaluator(TRUTH, ["P.2,3", "recall_1", "iprec_at_recall_0.5"])
    assert evaluator.evaluate(RUN) == {
        "q": {"P_2": 0.5, "P_3": 2 / 3, "recall_1": 0.0, "iprec_at_recall_0.50": 2 / 3}
    }
    several = compat.RelevanceEvaluator(TRUTH, ["official"]).evaluate(RUN)["q"]
    assert {"map", "P_1000", "bpref", "iprec_at_recall_1.00", "num_ret"} < several.keys()


def test_relevance_level() -> None:
    found = compat.RelevanceEvaluator(TRUTH, ["recip_rank", "ndcg"], 2).evaluate(RUN)["q"]
    plain = compat.RelevanceEvaluator(TRUTH, ["ndcg"]).evaluate(RUN)["q"]
    assert found == {"recip_rank": 1 / 3, **plain}


def test_judged_documents_only() -> None:
    run = {"q": {"x": 9.0, **RUN["q"]}}
    evaluator = compat.RelevanceEvaluator(TRUTH, ["recip_rank"], judged_docs_only_flag=True)
    assert evaluator.evaluate(run) == {"q": {"recip_rank": 0.5}}


def test_queries_of_one_side_are_left_out() -> None:
    evaluator = compat.RelevanceEvaluator({**TRUTH, "other": {"a": 1}, "empty": {}}, ["map"])
    assert list(evaluator.evaluate({**RUN, "unknown": {"a": 1.0}, "empty": {"a": 1.0}})) == ["q"]
    assert evaluator.evaluate({"unknown": {"a": 1.0}}) == {}


@pytest.mark.parametrize(
    ("truth", "measures", "level", "message"),
    [
        (TRUTH, ["prefs"], 1, "unsupported measure 'prefs'; it is not covered"),
        (TRUTH, ["mapp"], 1, "did you mean 'map'"),
        (TRUTH, ["map_5"], 1, "unsupported measure 'map_5'"),
        (TRUTH, [], 1, "measures: got none"),
        (TRUTH, "map", 1, "wanted a collection of names"),
        (TRUTH, ["P_0"], 1, "wanted a whole number"),
        (TRUTH, ["map"], 0, "relevance_level: got 0"),
        ({1: {"a": 1}}, ["map"], 1, "got id 1 in query 1; wanted text"),
        ({"q": {2: 1}}, ["map"], 1, "got id 2 in query 'q'; wanted text"),
        ({"q": ["a"]}, ["map"], 1, "wanted a dict"),
        ([("q", {"a": 1})], ["map"], 1, "query_relevance: got list"),
    ],
)
def test_refusals(truth: Any, measures: Any, level: int, message: str) -> None:
    with pytest.raises(rm.RankmillError, match=message):
        compat.RelevanceEvaluator(truth, measures, level)


def test_nan_scores_are_refused() -> None:
    with pytest.raises(rm.InputError, match="item 'b' of user 'q'"):
        compat.RelevanceEvaluator(TRUTH, ["map"]).evaluate({"q": {"a": 1.0, "b": float("nan")}})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q Q0 d 1 2", "line 2: got 5 columns; wanted 6"),
        ("q Q0 d 1 high x", "line 2: got 'high'; wanted a number"),
        ("q Q0 a 1 2 x", "line 2: document 'a' came before in query 'q'"),
    ],
)
def test_bad_lines_of_a_run(line: str, message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        compat.parse_run(["q Q0 a 1 2 x", line])


def test_an_aggregate_needs_values() -> None:
    with pytest.raises(rm.InputError, match="values: got none"):
        compat.compute_aggregated_measure("map", [])


@pytest.mark.parametrize(
    ("scores", "want"),
    [((1.0, 0.0, 1.5), 0.5), ((1.0, 2.0, 1.5), 1.0), ((4.0, 2.0, 1.5), 0.6309297535714575)],
)
def test_its_own_example(scores: tuple[float, ...], want: float) -> None:
    """Three documents, the second relevant; and a query without results."""
    truth = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}
    run = {"q1": dict(zip(("d1", "d2", "d3"), scores, strict=True)), "q2": {}}
    found = compat.RelevanceEvaluator(truth, {"map", "ndcg", "ndcg_cut.1,3"}).evaluate(run)
    assert found["q1"]["ndcg"] == found["q1"]["ndcg_cut_3"] == pytest.approx(want)
    assert found["q1"]["ndcg_cut_1"] == (want == 1)
    assert set(found["q2"].values()) == {0}
