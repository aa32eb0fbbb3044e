"""`Conventions`: every value, every refusal, and the named profiles."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmill.conventions import CHOICES, Conventions
from rankmill.errors import InputError, RankmillError

DEFAULTS = {
    "ties": "average",
    "gain": "exp2",
    "discount": "log2",
    "ideal": "all",
    "empty": "skip",
    "without_relevant": "by_formula",
    "precision_denominator": "k",
    "recall_denominator": "relevant",
    "ap_denominator": "relevant",
    "recall_level": "above",
    "min_grade": None,
}
VALUES: dict[str, list[Any]] = {
    "ties": ["average", "worst", "best", "input_order", "id_descending"],
    "gain": ["exp2", "linear", "binary"],
    "discount": ["log2", "ln", "jarvelin", "reciprocal"],
    "ideal": ["all", "uncut", "retrieved", "full"],
    "empty": ["skip", "zero", "half", "one"],
    "without_relevant": ["by_formula", "undefined"],
    "precision_denominator": ["k", "min(k, candidates)"],
    "recall_denominator": ["relevant", "min(k, relevant)"],
    "ap_denominator": ["relevant", "min(k, relevant)", "k", "hits"],
    "recall_level": ["above", "nearest"],
}


def test_defaults() -> None:
    assert dataclasses.asdict(Conventions()) == DEFAULTS


@pytest.mark.parametrize("field", VALUES)
def test_named_values(field: str) -> None:
    assert list(CHOICES[field]) == VALUES[field]
    for value in VALUES[field]:
        assert getattr(Conventions(**{field: value}), field) == value


@pytest.mark.parametrize("field", VALUES)
@pytest.mark.parametrize("value", ["nonsense", "", "Average", None, 3, True, b"k", ["k"], 1.5])
def test_other_values_are_refused(field: str, value: Any) -> None:
    with pytest.raises(InputError) as caught:
        Conventions(**{field: value})
    text = str(caught.value)
    assert text.startswith(f"{field}: got {value!r}; wanted one of ")
    assert all(repr(option) in text for option in VALUES[field])


@pytest.mark.parametrize(
    ("field", "typed", "meant"),
    [
        ("ties", "averge", "average"),
        ("ties", "WORST", "worst"),
        ("ties", "pessimistic", "worst"),
        ("ties", "docid_desc", "id_descending"),
        ("gain", "lineer", "linear"),
        ("gain", "exponential", "exp2"),
        ("ideal", "retreived", "retrieved"),
        ("empty", "nan", "skip"),
        ("precision_denominator", "min(k, candidate)", "min(k, candidates)"),
        ("precision_denominator", "n", "min(k, candidates)"),
        ("recall_denominator", "k", "min(k, relevant)"),
        ("ap_denominator", "min(k, n)", "min(k, relevant)"),
    ],
)
def test_refusals_name_the_nearest_value(field: str, typed: str, meant: str) -> None:
    with pytest.raises(InputError) as caught:
        Conventions(**{field: typed})  # type: ignore[arg-type]
    assert str(caught.value).endswith(f"; did you mean {meant!r}?")


@pytest.mark.parametrize(
    "typed", ["min(k,candidates)", "min( k , candidates )", " min (k,\tcandidates) "]
)
def test_blanks_within_min_do_not_matter(typed: Any) -> None:
    assert Conventions(precision_denominator=typed) == Conventions(
        precision_denominator="min(k, candidates)"
    )


@pytest.mark.parametrize("value", [1, 2.5, np.float32(0.5), np.int8(3), Fraction(1, 2)])
def test_min_grade(value: Any) -> None:
    stored = Conventions(min_grade=value).min_grade
    assert stored == float(value)
    assert type(stored) is float


@pytest.mark.parametrize(
    "value",
    [0, -1, 0.0, -0.0, float("nan"), float("inf"), True, np.True_, "2", 1j, 10**400, np.ones(1)],
)
def test_bad_min_grade(value: Any) -> None:
    with pytest.raises(
        InputError, match=r"^min_grade: got .*; wanted None or a finite number > 0$"
    ):
        Conventions(min_grade=value)


@pytest.mark.parametrize(
    "table",
    [
        {3: 7, 1: 1, 0: 0, -1: 0},
        MappingProxyType({1.0: 1.0, 3.0: 7.0, 0.0: 0.0, -1.0: 0.0}),
        {np.int64(1): np.float32(1), np.int8(3): Fraction(7), np.float64(0): 0, -1: -0.0},
        ((-1, 0), (0, 0), (1, 1), (3, 7)),
    ],
)
def test_gain_tables_have_one_form(table: Any) -> None:
    made = Conventions(gain=table)
    pairs = ((-1.0, 0.0), (0.0, 0.0), (1.0, 1.0), (3.0, 7.0))
    assert made.gain == made.gain_table == pairs
    assert repr(made.gain) == repr(pairs)
    assert all(type(number) is float for pair in pairs for number in pair)
    assert made == Conventions(gain=dict(pairs))
    assert hash(made) == hash(Conventions(gain=dict(pairs)))


def test_a_gain_table_is_a_copy() -> None:
    table: dict[float, float] = {1: 1}
    made = Conventions(gain=table)
    table[2] = 5
    assert made.gain == ((1.0, 1.0),)


def test_named_gain_has_no_table() -> None:
    assert Conventions().gain_table is None


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "empty table"),
        ((), "empty table"),
        ({1: -1}, "got -1 for grade 1"),
        ({1: float("nan")}, "got nan for grade 1"),
        ({1: float("inf")}, "got inf for grade 1"),
        ({1: True}, "got True for grade 1"),
        ({1: "2"}, "got '2' for grade 1"),
        ({1: 10**400}, "for grade 1"),
        ({True: 1}, "got grade True"),
        ({"1": 1}, "got grade '1'"),
        ({float("nan"): 1}, "got grade nan"),
        ({float("inf"): 1}, "got grade inf"),
        ({0: 1}, "got 1 for grade 0; wanted 0 up to grade 0"),
        ({-2: 0.5}, "got 0.5 for grade -2; wanted 0 up to grade 0"),
        ({1: 5, 2: 3}, "got 3 for grade 2 but 5 for grade 1"),
        (((1, 1), (1, 2)), "got grade 1; wanted finite numbers, each once"),
        ((1, 2), "got 1 in the table"),
        (((1, 2, 3),), r"got \(1, 2, 3\) in the table"),
    ],
)
def test_bad_gain_tables(table: Any, said: str) -> None:
    with pytest.raises(InputError, match=f"^gain: .*{said}"):
        Conventions(gain=table)


@given(
    st.dictionaries(
        st.floats(min_value=0.001, max_value=1e6),
        st.floats(min_value=0, max_value=1e300),
        min_size=1,
    )
)
def test_any_rising_table_is_kept(table: dict[float, float]) -> None:
    rising = dict(zip(sorted(table), sorted(table.values()), strict=True))
    backwards = dict(reversed(rising.items()))
    assert Conventions(gain=backwards).gain == tuple(rising.items())


def test_immutable_and_keyword_only() -> None:
    made = Conventions()
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.ties = "worst"  # type: ignore[misc]
    with pytest.raises(TypeError):
        Conventions("worst")  # type: ignore[call-arg]


def test_copies_and_pickles() -> None:
    made = Conventions(gain={1: 2}, ties="best", min_grade=2)
    for twin in (copy.deepcopy(made), pickle.loads(pickle.dumps(made)), dataclasses.replace(made)):
        assert twin == made
        assert hash(twin) == hash(made)


def test_replace() -> None:
    made = Conventions(gain={1: 2})
    assert made.replace(ties="worst") == Conventions(gain={1: 2}, ties="worst")
    assert made.replace() == made
    with pytest.raises(InputError, match=r"^empty: got 'none'"):
        made.replace(empty="none")
    with pytest.raises(InputError, match=r"unknown convention 'tie'; .*; did you mean 'ties'\?$"):
        made.replace(tie="worst")


def test_errors_are_value_errors_and_ours() -> None:
    for base in (ValueError, RankmillError):
        with pytest.raises(base):
            Conventions(ties="no")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("profile", "changed"),
    [
        (
            Conventions.trec_eval(),
            {"ties": "id_descending", "gain": "linear", "empty": "zero"},
        ),
        (Conventions.scikit_learn(), {"gain": "linear", "empty": "zero"}),
        (
            Conventions.lightgbm(),
            {"ties": "input_order", "empty": "one", "ap_denominator": "min(k, relevant)"},
        ),
    ],
)
def test_profiles(profile: Conventions, changed: dict[str, str]) -> None:
    assert dataclasses.asdict(profile) == {**DEFAULTS, **changed}
