"""Every status of the engine has an exception of the right kind and a sentence."""

import re
from pathlib import Path

import pytest

import rankmill as rm
from rankmill import errors
from rankmill._engine import N_STATUS
from rankmill.status import MESSAGES, explainer

HEADER = Path(__file__).resolve().parents[1] / "csrc" / "rankmill.h"
BUILT_IN = (ValueError, TypeError, MemoryError)

# What each status is about, in the words of its sentence: the header and the table must not drift.
ABOUT = {
    "RM_NAN_SCORE": "scores: NaN",
    "RM_BAD_LABEL": "a finite grade",
    "RM_BAD_EXCLUDE": "exclude: 2.5 at",
    "RM_BAD_WEIGHT": "weights: ",
    "RM_BAD_GAIN": "has a gain that is not finite",
    "RM_NO_GAIN": "is not in the table",
    "RM_SUM_OVERFLOW": "add up to infinity",
    "RM_OFFSETS_START": "offsets: got 2.5 at 0",
    "RM_OFFSETS_ORDER": "offsets: falls to 2.5 at 8",
    "RM_OFFSETS_END": "offsets: ends at 2.5",
    "RM_ITEM_RANGE": "item 3 of user row 7 is outside the matrix",
    "RM_EXCLUDE_RANGE": "exclude: item 3 of user row 7 is outside the matrix",
    "RM_UNSORTED": "item 3 of user row 7 is out of order or stored twice",
    "RM_DUPLICATE_ITEM": "item 3 stands twice in the list of user row 7",
    "RM_PADDING": "after padding",
    "RM_TOO_MANY_CANDIDATES": "candidates; wanted at most 2147483646",
    "RM_TOO_MANY_ORDERS": "ideal='retrieved' with ties='average'",
    "RM_NO_TIE_MEAN": "iprec: scores of user row 7 tie",
    "RM_BAD_GRADE": "err: grade 2.5 of user row 7 is above max_grade",
    "RM_NOT_GROUPED": "groups: the rows of user row 7 are not together",
    "RM_TOO_MANY_USERS": "groups: more than 2147483646 users",
    "RM_CHANGED": "changed while they were read (user row 7)",
    "RM_BAD_RANKS": "ranks: entries of user row 7 are negative or out of order",
    "RM_BAD_LINE": "got 2.5 columns; wanted 6 in a run",
    "RM_DUPLICATE_DOCUMENT": "document 3 stands twice in query user row 7",
    "RM_NO_MEMORY": "short of memory",
    "RM_INTERRUPTED": "interrupted",
}


def names_in_header() -> list[str]:
    text = HEADER.read_text(encoding="utf-8")
    body = re.search(r"typedef enum \{([^}]*)\} rm_code;", text)
    assert body is not None
    without_comments = re.sub(r"/\*.*?\*/", "", body.group(1), flags=re.DOTALL)
    return re.findall(r"\bRM_\w+", without_comments)


def test_the_table_has_a_row_for_every_status() -> None:
    assert names_in_header() == ["RM_OK", *ABOUT, "RM_STATUS_END"]
    assert N_STATUS == len(MESSAGES) + 1 == len(ABOUT) + 1


@pytest.mark.parametrize(("code", "about"), list(enumerate(ABOUT.values(), start=1)))
@pytest.mark.parametrize("column", [-1, 3])
def test_sentence(code: int, about: str, column: int) -> None:
    """With or without a column, a sentence comes out and no placeholder is left in it."""
    found = explainer()(code, 7, column, 2.5)
    assert type(found) is MESSAGES[code - 1][0]
    assert about.replace(" 3 ", f" {column} ") in str(found)
    assert "{" not in str(found)


@pytest.mark.parametrize("code", range(1, N_STATUS))
def test_kind(code: int) -> None:
    """Each is a RankmillError and a built-in one; Python itself raises when it was interrupted."""
    found = explainer()(code, 0, 0, 0.0)
    assert isinstance(found, rm.RankmillError)
    interrupted = list(ABOUT).index("RM_INTERRUPTED") + 1
    assert isinstance(found, BUILT_IN) or code == interrupted


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3.0, "3"),
        (-1.0, "-1"),
        (2.5, "2.5"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (2.0**60, "1.152921504606847e+18"),
    ],
)
def test_whole_values_are_shown_without_a_fraction(value: float, shown: str) -> None:
    assert str(explainer()(2, 0, 1, value)).startswith(
        f"relevance: {shown} at user row 0, column 1"
    )


def test_places_are_named_as_the_caller_knows_them() -> None:
    explain = explainer(
        user="user {}".format,
        where="row {} of {}".format,
        item=lambda user, item: f"'{user}/{item}'",
        argument="relevant",
    )
    assert "scores: NaN at row 4 of 5;" in str(explain(1, 4, 5, 0.0))
    assert "scores: NaN at user 4;" in str(explain(1, 4, -1, 0.0))
    outside = list(ABOUT).index("RM_ITEM_RANGE") + 1
    assert str(explain(outside, 4, 5, 0.0)).startswith("relevant: item '4/5' of user 4 is outside")


@pytest.mark.parametrize(
    ("kind", "built_in"),
    [
        ("InputError", ValueError),
        ("InputTypeError", TypeError),
        ("MetricError", ValueError),
        ("UnavailableError", ValueError),
        ("OutOfMemoryError", MemoryError),
        ("MissingDependencyError", ImportError),
    ],
)
def test_exceptions_can_be_caught_as_built_in_ones(kind: str, built_in: type[Exception]) -> None:
    raised = getattr(rm, kind)
    assert raised is getattr(errors, kind)
    assert issubclass(raised, rm.RankmillError)
    assert issubclass(raised, built_in)
    assert issubclass(raised, rm.InputError) == (kind in ("InputError", "MetricError"))
