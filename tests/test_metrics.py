"""`Metric` and the table of metrics."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest

from rankmill.conventions import Conventions
from rankmill.errors import InputTypeError, MetricError
from rankmill.metrics import METRICS, Metric, parse_metrics

WITHOUT = {"without_relevant", "empty"}
FIELDS = {
    "cg": {"gain", "min_grade", "ties", *WITHOUT},
    "dcg": {"gain", "min_grade", "discount", "ties", *WITHOUT},
    "idcg": {"gain", "min_grade", "discount", "ideal", "ties", *WITHOUT},
    "ndcg": {"gain", "min_grade", "discount", "ideal", "ties", "empty"},
    "precision": {"precision_denominator", "min_grade", "ties", *WITHOUT},
    "recall": {"recall_denominator", "min_grade", "ties", "empty"},
    "f1": {"precision_denominator", "recall_denominator", "min_grade", "ties", "empty"},
    "hit": {"min_grade", "ties", *WITHOUT},
    "mrr": {"min_grade", "ties", *WITHOUT},
    "map": {"ap_denominator", "min_grade", "ties", "empty"},
    "r_precision": {"min_grade", "ties", "empty"},
    "auc": {"min_grade", "empty"},
    "pr_auc": {"min_grade", "empty"},
    "max_f1": {"min_grade", "empty"},
    "rbp": {"min_grade", "ties", *WITHOUT},
    "err": {"ties", *WITHOUT},
    "iprec": {"recall_level", "min_grade", "ties", "empty"},
}
WITHOUT_K = {"r_precision", "auc", "pr_auc", "max_f1", "iprec"}


# ---- the table


def test_table() -> None:
    assert {name: set(info.conventions) for name, info in METRICS.items()} == FIELDS
    assert {name for name, info in METRICS.items() if not info.takes_k} == WITHOUT_K
    known = {field.name for field in dataclasses.fields(Conventions)}
    for name, info in METRICS.items():
        assert info.name == name
        assert set(info.conventions) <= known
        assert len(set(info.conventions)) == len(info.conventions)
        assert "empty" in info.conventions
        assert all((info.title, info.formula, info.range, info.source, info.summary))


def test_table_is_read_only() -> None:
    with pytest.raises(TypeError):
        METRICS["mine"] = METRICS["auc"]  # type: ignore[index]


# ---- Metric


@pytest.mark.parametrize("name", FIELDS)
def test_every_metric(name: str) -> None:
    assert str(Metric(name)) == name
    assert Metric(name.upper()) == Metric.parse(f" {name.title()} ") == Metric(name)
    assert Metric(name).info is METRICS[name]
    if name not in WITHOUT_K:
        assert str(Metric(name, 10)) == f"{name}@10"
        assert Metric.parse(f"{name.upper()}@10") == Metric(name, 10)


def test_params_have_one_form() -> None:
    wanted = (("gain", "linear"), ("ties", "worst"))
    for params in (
        {"ties": "worst", "gain": "linear"},
        (("gain", "linear"), ("ties", "worst")),
        [("ties", "worst"), ("gain", "linear")],
        {np.str_("ties"): np.str_("worst"), "gain": "linear"},
    ):
        made = Metric("ndcg", 10, params)
        assert made.params == wanted
        assert repr(made.params) == repr(wanted)
        assert str(made) == "ndcg@10(gain=linear, ties=worst)"
        assert hash(made) == hash(Metric("ndcg", 10, wanted))


def test_immutable_copies_and_pickles() -> None:
    made = Metric("ndcg", 10, {"gain": {1: 2}})
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.k = 5  # type: ignore[misc]
    for twin in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert twin == made
        assert hash(twin) == hash(made)
    assert dataclasses.replace(made, k=5) == Metric("ndcg", 5, {"gain": {1: 2}})


@pytest.mark.parametrize("k", [1, 10, np.int8(10), np.uint64(2**63 - 1), 2**63 - 1])
def test_k(k: Any) -> None:
    made = Metric("ndcg", k)
    assert made.k == int(k)
    assert type(made.k) is int


@pytest.mark.parametrize(
    "k", [0, -1, True, False, np.True_, 10.0, np.float64(3), "10", 2**63, float("nan"), [5]]
)
def test_bad_k(k: Any) -> None:
    with pytest.raises(MetricError) as caught:
        Metric("ndcg", k)
    assert f"got k={k!r}; wanted a whole number from 1" in str(caught.value)


@pytest.mark.parametrize("name", sorted(WITHOUT_K))
def test_k_where_there_is_none(name: str) -> None:
    with pytest.raises(MetricError) as caught:
        parse_metrics(f"{name}@10")
    text = str(caught.value)
    assert text.startswith(f"{name} takes no cutoff, got k=10")
    assert "ndcg, precision, recall" in text


def test_conventions() -> None:
    base = Conventions(ties="worst", gain="exp2", min_grade=2)
    assert Metric("ndcg", 10).conventions(base) is base
    made = Metric.parse("ndcg@10(gain=linear)").conventions(base)
    assert made == base.replace(gain="linear")
    assert Metric.parse("hit(min_grade=none)").conventions(base) == base.replace(min_grade=None)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"gain": "linear"}, "precision has no parameter 'gain'; known: precision_denominator, "),
        ({"tie": "worst"}, "; did you mean 'ties'?"),
        ({3: "worst"}, "precision has no parameter 3; known: "),
        ([("ties", "worst"), ("ties", "worst")], "parameter 'ties' is given twice"),
        ({"ties": "wrost"}, "precision: parameter ties: got 'wrost'; wanted one of 'average'"),
        ({"ties": "wrost"}, "; did you mean 'worst'?"),
        ({"min_grade": True}, "min_grade: got True"),
        ("ties", "got parameters 'ties'; wanted a mapping"),
        (3, "got parameters 3; wanted a mapping"),
    ],
)
def test_bad_params(params: Any, said: str) -> None:
    with pytest.raises(MetricError) as caught:
        Metric("precision", 10, params)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", [None, 3, b"ndcg", ["ndcg"]])
def test_name_of_another_type(name: Any) -> None:
    with pytest.raises(InputTypeError, match="metric name: got"):
        Metric(name)
