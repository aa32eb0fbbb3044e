"""Each finding where its rule holds, and none where it does not."""

from typing import Any

import numpy as np
import pytest

import rankmill as rm

RNG = np.random.default_rng(31)
N = 400


def made(metrics: dict[str, Any], **options: Any) -> rm.Result:
    values = np.array(list(metrics.values()), dtype=float)
    return rm.Result(
        values,
        rm.parse_metrics(list(metrics)),
        np.isnan(values).sum(axis=1),
        conventions=rm.Conventions(),
        users=np.arange(values.shape[1]),
        **options,
    )


def compared(changes: dict[str, Any], **options: Any) -> rm.Comparison:
    """Two models whose metrics differ by about so much."""
    base = {name: RNG.uniform(0.3, 0.6, N) for name in changes}
    model = {name: base[name] + change + RNG.normal(0, 0.01, N) for name, change in changes.items()}
    results = {"A": made(base, **options), "B": made(model, **options)}
    return rm.compare(results, baseline="A", resamples=100)


def rules(data: Any, **options: Any) -> list[str]:
    return [note.rule for note in rm.findings(data, **options)]


def test_nothing_to_say() -> None:
    assert rules(made({"ndcg@5": RNG.uniform(0.2, 0.9, N)})) == []
    assert (
        rules(compared({"ndcg@5": 0.05, "auc": 0.04, "recall@5": 0.02, "precision@5": 0.0})) == []
    )


def test_leakage() -> None:
    assert rules(made({"ndcg@5": [0.99, 0.97]})) == ["leakage"]
    assert rules(made({"ndcg@5": [0.98, 0.97], "recall@5": [1, 1]})) == []


def test_undefined() -> None:
    (note,) = rm.findings(made({"recall@5": [0.5, np.nan, 0.5, 0.5, 0.5]}))
    assert note.rule == "undefined"
    assert "recall@5 is undefined for 1 of 5 users (20%)" in note.text
    assert rules(made({"recall@5": [0.5] * 5 + [np.nan]})) == []


def test_short_lists() -> None:
    ranks = rm.rank_lists({1: [1, 2], 2: [1, 2], 3: list(range(9))}, {1: {1}, 2: {2}, 3: {8}})
    result = rm.measure(ranks, "recall@2 recall@3")
    (note,) = rm.findings(result, ranks)
    assert note.rule == "short lists"
    assert note.text == "2 of 3 users have fewer than the 3 candidates of recall@3"


def test_ties() -> None:
    scores, labels = np.zeros((5, 4)), np.tile([1, 0, 0, 0], (5, 1))
    ranks = rm.rank(scores, labels)
    (note,) = rm.findings(rm.measure(ranks, "mrr auc"), ranks)
    assert (note.rule, note.figures["worst"], note.figures["best"]) == ("ties", 0.25, 1.0)
    ranks = rm.rank(scores + np.arange(4), labels)
    assert rules(rm.measure(ranks, "mrr auc"), ranks=ranks) == []


def test_ties_that_hide_a_gain() -> None:
    """Worst and best lie 1/3 apart over one user of fifty: 0.0067, below 0.01, above the gain."""
    scores = np.tile([4.0, 3, 2, 1], (50, 1))
    labels = np.tile([0, 1, 0, 0], (50, 1))
    tied = scores.copy()
    tied[0] = [4, 3, 3, 3]
    other = tied.copy()
    ranks = {"A": rm.rank(tied, labels), "B": rm.rank(other, labels)}
    results = {name: rm.measure(of, "recall@2") for name, of in ranks.items()}
    comparison = rm.compare(results, baseline="A", resamples=100)
    assert rules(comparison, ranks=ranks) == ["ties", "ties"]
    assert rules(results["A"], ranks=ranks["A"]) == ["ties"]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"precision@5": 0.02, "recall@10": -0.02}, ["opposed"]),
        ({"precision@5": -0.02, "recall@10": 0.02}, ["opposed"]),
        ({"auc": 0.02, "ndcg@10": -0.02}, ["opposed"]),
        ({"ndcg@5": -0.02, "ndcg@20": 0.02}, ["cutoffs"]),
        ({"ndcg@5": -0.02, "ndcg@20(gain=linear)": 0.02}, []),
        ({"precision@5": 0.02, "recall@10": 0.0}, []),
        ({"mrr": 0.02, "ndcg@10": -0.02}, []),
    ],
)
def test_what_goes_opposite_ways(changes: dict[str, float], found: list[str]) -> None:
    assert rules(compared(changes)) == found


def test_text_has_the_figures() -> None:
    (note,) = rm.findings(compared({"ndcg@5": -0.02, "ndcg@20": 0.02}))
    up, down = note.figures["first"], note.figures["second"]
    assert up > 0 > down
    assert note.text == (
        f"B against A: ndcg@20 {up:+.4f}, but ndcg@5 {down:+.4f}: the cutoff decides who wins"
    )


def test_a_segment_that_loses() -> None:
    kind = np.array(["many"] * 300 + ["few"] * 100)
    change = np.where(kind == "few", -0.05, 0.05)
    base = {"ndcg@5": RNG.uniform(0.3, 0.6, N)}
    segments = {"kind": kind}
    a = made(base, segments=segments)
    b = made({"ndcg@5": base["ndcg@5"] + change + RNG.normal(0, 0.01, N)}, segments=segments)
    comparison = rm.compare({"A": a, "B": b}, baseline="A", by="kind", resamples=100)
    (note,) = rm.findings(comparison)
    assert note.rule == "segments"
    assert "ndcg@5 in kind=few -0.0" in note.text
    carried = (b["ndcg@5"] - a["ndcg@5"])[kind == "many"].sum() / N
    assert note.figures["carrier"] == pytest.approx(carried)
    assert note.text.endswith(f"kind=many carries the change, {carried:+.4f} of it")


def test_notes_come_first() -> None:
    note = rm.notes.Note("leakage", "possible leakage", {})
    assert rm.findings(made({"ndcg@5": [1.0]}, notes=[note]))[0] is note


def test_bad_arguments() -> None:
    with pytest.raises(rm.InputTypeError, match="data: got int; wanted a Result or a Comparison"):
        rm.findings(3)  # type: ignore[arg-type]
    result = made({"ndcg@5": [0.5]})
    with pytest.raises(rm.InputError, match="ranks: got those of 'C'"):
        rm.findings(result, {"C": rm.rank([[1]], [[1]])})
