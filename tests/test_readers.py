"""Metrics with a parameter of their own: rbp, err, iprec and multiples of R."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm
import reference
from forms import flat
from strategies import SETTLED, Batch, batches, cutoffs

GREATEST = 45.0  # no batch has a greater grade


def check(batch: Batch, name: str, k: int | None, rules: dict[str, Any], own: str) -> None:
    """One metric, with its parameter as text, against the reference, which has it in `rules`."""
    metric = rm.Metric.parse(f"{name}{'' if k is None else f'@{k}'}({own})")
    known = ("ties", "min_grade", "recall_level")
    fields = {field: value for field, value in rules.items() if field in known}
    found = rm.evaluate(**flat(batch), metrics=metric, conventions=rm.Conventions(**fields))[metric]
    for user, value in zip(batch.users, found, strict=True):
        want = reference.evaluate_user(
            name,
            k,
            user.scores.tolist(),
            user.grades.tolist(),
            ids=batch.items[user.columns].tolist(),
            **rules,
        )
        want = math.nan if want is None else want
        assert value == pytest.approx(want, rel=1e-11, abs=1e-300, nan_ok=True), (metric, user)


grades = st.sampled_from([None, 1, 2.5])


@given(batches(enumerable=True), cutoffs(), st.sampled_from(["average", *SETTLED]))
def test_err(batch: Batch, ks: list[int], ties: str) -> None:
    for k in (None, *ks):
        rules = {"ties": ties, "max_grade": GREATEST}
        check(batch, "err", k, rules, f"max_grade={GREATEST}")


def test_err_of_mixed_grades_in_a_tie() -> None:
    """Grades that stop with 1/16 to 15/16, all orders written out."""
    grades = [0, 1, 2, 3, 4, 4, 0]
    for k in (1, 3, 7):
        orders = [
            reference.err(order, (), k, reference.Rules())
            for order in set(itertools.permutations(grades))
        ]
        found = rm.evaluate([[1] * 7], [grades], f"err@{k}")
        assert found.means[f"err@{k}"] == pytest.approx(math.fsum(orders) / len(orders), rel=1e-12)


def test_err_by_hand() -> None:
    """Grades 3, 0, 2 of at most 3: 7/8 + 1/8 * 3/8 / 3."""
    found = rm.evaluate([3, 2, 1], [3, 0, 2], "err(max_grade=3)")
    assert found.means["err(max_grade=3)"] == 7 / 8 + 1 / 8 * 3 / 8 / 3


def test_err_of_a_large_tie() -> None:
    """Of 100,000 tied items that all stop surely, the reader takes the first."""
    n = 100_000
    found = rm.evaluate(np.ones(n), np.full(n, 4), "err@10")
    first, missed = 15 / 16, 1 / 16
    want = sum(first * missed ** (rank - 1) / rank for rank in range(1, 11))
    assert found.means["err@10"] == pytest.approx(want, rel=1e-9)


def test_a_grade_above_the_greatest() -> None:
    with pytest.raises(rm.InputError, match="err: grade 5 of user row 1 is above max_grade"):
        rm.evaluate([[1, 2], [1, 2]], [[1, 0], [0, 5]], "err")


@given(
    batches(enumerable=True),
    cutoffs(),
    st.sampled_from(["average", *SETTLED]),
    st.sampled_from([0.0, 0.5, 0.8, 0.95, 1.0]),
    grades,
)
def test_rbp(batch: Batch, ks: list[int], ties: str, p: float, least: float | None) -> None:
    for k in (None, *ks):
        rules = {"ties": ties, "persistence": p, "min_grade": least}
        check(batch, "rbp", k, rules, f"persistence={p}")


def test_rbp_by_hand() -> None:
    """Hits at 1 and 3 with persistence 0.5: 0.5 * (1 + 0.25)."""
    assert rm.evaluate([3, 2, 1], [1, 0, 1], "rbp(persistence=0.5)").values.item() == 0.625


levels = st.sampled_from([None, 0.0, 0.1, 0.37, 1.0])


@given(batches(), st.sampled_from(SETTLED), levels, st.sampled_from(["above", "nearest"]), grades)
def test_iprec(
    batch: Batch, ties: str, recall: float | None, level: str, least: float | None
) -> None:
    rules = {"ties": ties, "recall": recall, "recall_level": level, "min_grade": least}
    check(batch, "iprec", None, rules, "" if recall is None else f"recall={recall}")


def test_iprec_by_hand() -> None:
    """Hits at 1, 3 and 6 of 4 relevant: levels 0 to 0.2 reach 1, then 2/3, then 1/2, then none."""
    ranks = rm.rank_lists([list("abcdef")], [{"a", "c", "f", "z"}])
    result = rm.measure(ranks, "iprec iprec(recall=0.5) iprec(recall=0.9)")
    # floor(4 r + 0.9) hits: 0 1 1 2 2 2 3 3 4 4 4
    assert result.values[:, 0].tolist() == pytest.approx([(3 + 3 * 2 / 3 + 2 / 2) / 11, 2 / 3, 0])


def test_iprec_averages_no_ties() -> None:
    with pytest.raises(rm.InputError, match="iprec: scores of user row 1 tie"):
        rm.evaluate([[3, 2, 1], [1, 1, 1]], [[0, 1, 0], [0, 1, 0]], "iprec")
    same = rm.evaluate([[1, 1, 0, 0]], [[1, 1, 0, 0]], "iprec")  # any order is the same
    assert same.means["iprec"] == 1


@given(batches(enumerable=True), st.sampled_from([0.0, 0.2, 1.0, 1.2, 2.0]), grades)
def test_multiples_of_r(batch: Batch, multiple: float, least: float | None) -> None:
    rules = {"ties": "average", "multiple": multiple, "min_grade": least}
    check(batch, "r_precision", None, rules, f"multiple={multiple}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rbp(persistence=1.5)", "persistence: got 1.5; wanted a number from 0 to 1"),
        ("rbp(persistence=high)", "persistence: got 'high'"),
        ("iprec(recall=-0.1)", "recall: got -0.1"),
        ("ndcg(persistence=0.5)", "ndcg has no parameter 'persistence'"),
        ("err(max_grad=3)", "did you mean 'max_grade'"),
        ("rbp(persistence=0.5, persistence=0.6)", "given twice"),
    ],
)
def test_bad_parameters(text: str, message: str) -> None:
    with pytest.raises(rm.MetricError, match=message):
        rm.Metric.parse(text)
