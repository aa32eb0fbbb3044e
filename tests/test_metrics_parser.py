"""Reading metrics from text: `Metric.parse` and `parse_metrics`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmill.conventions import CHOICES
from rankmill.errors import InputTypeError, MetricError
from rankmill.metrics import METRICS, Metric, parse_metrics


def keys(spec: Any) -> list[str]:
    return [str(metric) for metric in parse_metrics(spec)]


def refusal(spec: Any) -> str:
    with pytest.raises(MetricError) as caught:
        parse_metrics(spec)
    return str(caught.value)


# ---- reading


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ("ndcg@10", ["ndcg@10"]),
        (Metric("ndcg", 10), ["ndcg@10"]),
        (["ndcg@10", Metric("auc"), "map"], ["ndcg@10", "auc", "map"]),
        (("ndcg@10", "auc"), ["ndcg@10", "auc"]),
        ((name for name in ("auc", "map")), ["auc", "map"]),
        (np.array(["auc", "map"]), ["auc", "map"]),
        ({"auc": None}.keys(), ["auc"]),
        ("recall@{5,10,20}", ["recall@5", "recall@10", "recall@20"]),
        ("recall @ { 5 10\t20 }", ["recall@5", "recall@10", "recall@20"]),
        ("recall@{5}", ["recall@5"]),
        ("recall@{10,5}(min_grade=2)", ["recall@10(min_grade=2)", "recall@5(min_grade=2)"]),
        ("ndcg@10, auc,map", ["ndcg@10", "auc", "map"]),
        ("ndcg@10 auc\nmap", ["ndcg@10", "auc", "map"]),
        ("  ndcg @ 10 ( gain = linear )  ", ["ndcg@10(gain=linear)"]),
        ("ndcg@10(ties=worst gain=linear) auc", ["ndcg@10(gain=linear, ties=worst)", "auc"]),
        ("ndcg()", ["ndcg"]),
        ("ndcg@010", ["ndcg@10"]),
        (
            "precision@5(precision_denominator=min(k,candidates),ties=best)",
            ["precision@5(precision_denominator=min(k, candidates), ties=best)"],
        ),
        ("hit@3(min_grade=2.50)", ["hit@3(min_grade=2.5)"]),
        ("hit@3(min_grade=None)", ["hit@3(min_grade=none)"]),
        ("dcg(gain={2: 3.5, 1:1, -1:0})", ["dcg(gain={-1: 0, 1: 1, 2: 3.5})"]),
        ("auc auc AUC", ["auc"]),
        (["recall@{5,10}", "recall@10", "RECALL@5"], ["recall@5", "recall@10"]),
        (["hit(min_grade=2)", "hit(min_grade=2.0)", "hit"], ["hit(min_grade=2)", "hit"]),
    ],
)
def test_reading(spec: Any, wanted: list[str]) -> None:
    assert keys(spec) == wanted


@pytest.mark.parametrize("spec", [[], (), "", "  \n", [""], ["auc", ""], {}.keys(), iter([])])
def test_nothing_to_measure(spec: Any) -> None:
    text = refusal(spec)
    assert "wanted at least one of cg, dcg, idcg, ndcg" in text


@pytest.mark.parametrize("spec", [None, 3, b"auc", {"ndcg": 10}, [3], ["auc", None], [b"auc"]])
def test_specs_of_another_type(spec: Any) -> None:
    with pytest.raises(InputTypeError, match=r"^metrics: got"):
        parse_metrics(spec)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("p@5", "precision"),
        ("P_5", "precision"),
        ("p10", "precision"),
        ("precision_at_k", "precision"),
        ("precison", "precision"),
        ("ap", "map"),
        ("mean_average_precision", "map"),
        ("average_precision@10", "map"),
        ("map_cut_10", "map"),
        ("roc_auc", "auc"),
        ("ROC-AUC", "auc"),
        ("auroc", "auc"),
        ("gauc", "auc"),
        ("aupr", "pr_auc"),
        ("hit_rate@10", "hit"),
        ("hitrate_at_10", "hit"),
        ("hr@10", "hit"),
        ("rr", "mrr"),
        ("recip_rank", "mrr"),
        ("rprec", "r_precision"),
        ("f1_score", "f1"),
        ("f", "f1"),
        ("ndcg_cut_10", "ndcg"),
        ("ndcg10", "ndcg"),
        ("nDGC@10", "ndcg"),
        ("recal", "recall"),
    ],
)
def test_unknown_names_suggest_the_right_one(typed: str, meant: str) -> None:
    text = refusal(typed)
    assert f"unknown metric {typed.split('@')[0]!r}; known: {', '.join(METRICS)}" in text
    assert text.endswith(f"; did you mean {meant!r}?")


def test_far_names_suggest_nothing() -> None:
    assert "did you mean" not in refusal("xyzzy")


def test_a_key_as_name() -> None:
    with pytest.raises(MetricError, match=r"unknown metric 'ndcg@10'.*did you mean 'ndcg'\?"):
        Metric("ndcg@10")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("ndcg@", "got the end at character 6 of 'ndcg@' instead of a cutoff"),
        ("ndcg@{}", "got '}' at character 7 of 'ndcg@{}' instead of a cutoff"),
        ("ndcg@{5", "instead of a comma or a blank"),
        ("ndcg@{5,}", "instead of a cutoff"),
        ("ndcg@10auc", "got 'auc' at character 8 of 'ndcg@10auc' instead of a comma or a blank"),
        ("ndcg@10,", "instead of the name of a metric"),
        (",ndcg", "instead of the name of a metric"),
        ("@10", "got '@' at character 1 of '@10' instead of the name of a metric"),
        ("10", "instead of the name of a metric"),
        ("ndcg#10", "got '#' at character 5 of 'ndcg#10'"),
        ("ndcg@10(", "instead of the name of a parameter"),
        ("ndcg@10)", "got ')' at character 8"),
        ("ndcg@10(gain)", "instead of '='"),
        ("ndcg@10(gain=)", "instead of a value"),
        ("ndcg@10(gain='linear)", "instead of a value"),
        ("ndcg@10(gain=linear", "instead of a comma or a blank"),
        ("ndcg@10(gain=linear,)", "instead of the name of a parameter"),
        ("ndcg@10(=linear)", "instead of the name of a parameter"),
        ("map(ap_denominator=min(k, relevant)", "instead of a comma or a blank"),
        ("map(ap_denominator=min(k, relevant", "instead of ')'"),
        ("dcg(gain={1: 1)", "instead of a comma or a blank"),
        ("dcg(gain={1=1})", "instead of ':'"),
        ("dcg(gain={number: 1})", "instead of a grade"),
        ("dcg(gain={1: number})", "instead of a gain"),
        ("dcg(gain={1: 1, 1: 2})", "dcg: parameter gain: got grade 1.0; wanted finite numbers"),
        ("dcg(gain={})", "dcg: parameter gain: got an empty table"),
        ("dcg(gain={1: 1e999})", "dcg: parameter gain: got inf"),
        ("map(ap_denominator=max(k, relevant))", "did you mean 'min(k, relevant)'?"),
        ("ndcg@10(gain=2)", "ndcg: parameter gain: got 2.0; wanted one of 'exp2', 'linear'"),
        ("ndcg@10(gain=linear, gain=exp2)", "ndcg: parameter 'gain' is given twice"),
        ("ndcg@0", "ndcg: got k=0; wanted a whole number"),
        ("ndcg@-1", "ndcg: got k=-1; wanted a whole number"),
        ("ndcg@+5", "ndcg: got k='+5'; wanted a whole number"),
        ("ndcg@2.5", "ndcg: got k='2.5'; wanted a whole number"),
        ("ndcg@1e1", "ndcg: got k='1e1'; wanted a whole number"),
        ("ndcg@ten", "ndcg: got k='ten'; wanted a whole number"),
        ("ndcg@True", "ndcg: got k='True'; wanted a whole number"),
        ("ndcg@" + "9" * 5000, "wanted a whole number"),
        ("ndcg@{5,0}", "ndcg: got k=0; wanted a whole number"),
        (
            "ndcg@10(ap_denominator=relevant)",
            "known: gain, min_grade, discount, ideal, ties, empty",
        ),
        ("ndcg@10(gian=linear)", "; did you mean 'gain'?"),
    ],
)
def test_malformed(spec: str, said: str) -> None:
    assert said in refusal(spec)
    assert said in refusal(["auc", spec])


@pytest.mark.parametrize("text", ["auc map", "recall@{5,10}"])
def test_parse_wants_one(text: str) -> None:
    with pytest.raises(MetricError, match="wanted one metric"):
        Metric.parse(text)


# ---- any metric


def value_of(field: str) -> st.SearchStrategy[Any]:
    positive = st.floats(min_value=1e-300, max_value=1e300)
    if field == "min_grade":
        return st.none() | positive
    named = st.sampled_from(CHOICES[field])
    if field != "gain":
        return named
    # One gain for every grade is a valid table whatever the grades are.
    grades = st.lists(positive, min_size=1, max_size=4)
    return named | st.builds(dict.fromkeys, grades, positive)


@st.composite
def metrics(draw: st.DrawFn) -> Metric:
    info = METRICS[draw(st.sampled_from(sorted(METRICS)))]
    k = draw(st.none() | st.integers(1, 2**63 - 1)) if info.takes_k else None
    fields = draw(st.sets(st.sampled_from(info.conventions)))
    params = {field: draw(value_of(field)) for field in sorted(fields)}
    if info.parameter and draw(st.booleans()):
        own = info.parameter
        params[own.name] = draw(st.floats(own.least, own.most, allow_subnormal=False))
    return Metric(info.name, k, params)


@given(metrics())
def test_text_and_metric_are_one(metric: Metric) -> None:
    assert Metric.parse(str(metric)) == metric
    assert Metric.parse(str(metric).replace(" ", "")) == metric
    assert str(Metric.parse(str(metric))) == str(metric)


@given(st.lists(metrics(), min_size=1, max_size=5), st.sampled_from([", ", " ", "\n", " ,\t"]))
def test_lists_of_metrics(wanted: list[Metric], separator: str) -> None:
    once = tuple(dict.fromkeys(wanted))
    assert parse_metrics(wanted) == once
    assert parse_metrics([str(metric) for metric in wanted]) == once
    assert parse_metrics(separator.join(map(str, wanted))) == once


@given(st.text(alphabet="ndcgauc@{}(),=:105.- enumbrk", max_size=30) | st.text(max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_metrics(text)
    except MetricError:
        return
    assert parse_metrics([str(metric) for metric in found]) == found


# ---- the names of ir_measures


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("nDCG@10", "ndcg@10"),
        ("nDCG(dcg='exp-log2')@10", "ndcg@10(gain=exp2)"),
        ('nDCG(dcg="log2")', "ndcg(gain=linear)"),
        ("P@5", "precision@5"),
        ("P(rel=2)@{5,10}", "precision@{5,10}(min_grade=2)"),
        ("R@5", "recall@5"),
        ("RR", "mrr"),
        ("AP(rel=2)", "map(min_grade=2)"),
        ("MAP@3", "map@3"),
        ("Success@1", "hit@1"),
        ("Rprec", "r_precision"),
        ("ERR@20", "err@20"),
        ("RBP(p=0.9, rel=1)", "rbp(persistence=0.9, min_grade=1)"),
        ("IPrec@0.1", "iprec(recall=0.1)"),
        ("IPrec(recall=0.25)", "iprec(recall=0.25)"),
        ("SetP SetR SetF", "precision recall f1"),
        ("AP(ties=worst)", "map(ties=worst)"),
    ],
)
def test_names_of_ir_measures(theirs: str, ours: str) -> None:
    assert parse_metrics(theirs) == parse_metrics(ours)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDCG(dcg='log10')@10", "dcg: got 'log10'; wanted 'log2' or 'exp-log2'"),
        ("nDCG(gains={1: 3})@10", "ndcg has no parameter 'gains'"),
        ("AP(judged_only=True)", "map has no parameter 'judged_only'"),
        ("IPrec@{0.1,0.2}", "several levels"),
        ("IPrec@high", "recall: got 'high'"),
        ("p@10", "unknown metric 'p'"),
        ("P(rel=1)@5@10", "instead of"),
    ],
)
def test_bad_names_of_ir_measures(text: str, message: str) -> None:
    assert message in refusal(text)
