"""Weights and segments of the users of `evaluate_runs`, from a table of their own."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmill as rm
from kinds_of_tables import KINDS

RUN = pa.table({"user": ["b", "a", "c"], "item": [1, 1, 1], "score": [1.0, 1.0, 1.0]})
TRUTH = pa.table({"user": ["b", "c", "a"], "item": [1, 2, 1]})
USERS = pa.table(
    {
        "user": ["c", "z", "a", "b"],
        "clicks": [3.0, 100.0, 1.0, 0.0],
        "country": ["de", "at", "ch", "de"],
        "age": [30, 40, 50, 60],
    }
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind: str, tmp_path: Path) -> None:
    """In the order of the result's users: a and b are right, c is wrong."""
    users = KINDS[kind](USERS, tmp_path / "users")
    found = rm.evaluate_runs(
        RUN, TRUTH, "mrr", users=users, weight="clicks", segment=["country", "age"]
    )
    assert found.users is not None
    assert found.users.tolist() == ["a", "b", "c"]
    assert found["mrr"].tolist() == [1, 1, 0]
    assert found.weights is not None
    assert (found.weights.tolist(), found.weights.dtype) == ([1, 0, 3], np.float64)
    assert found.means == {"mrr": 1 / 4}
    assert list(found.segments) == ["country", "age"]
    assert found.segments["country"].tolist() == ["ch", "de", "de"]
    assert found.segments["age"].tolist() == [50, 60, 30]


def test_one_of_them() -> None:
    found = rm.evaluate_runs(RUN, TRUTH, "mrr", users=USERS, segment="age")
    assert (found.weights, list(found.segments)) == (None, ["age"])
    weighted = rm.evaluate_runs(RUN, TRUTH, "mrr", users=USERS, weight="age")
    assert weighted.segments == {}
    assert weighted.means == {"mrr": 110 / 140}
    frame = USERS.to_pandas().assign(country=pd.Categorical(USERS["country"].to_pylist()))
    found = rm.evaluate_runs(RUN, TRUTH, "mrr", users=frame, segment="country")
    assert found.segments["country"].tolist() == ["ch", "de", "de"]


FRAME = pl.DataFrame(USERS)


@pytest.mark.parametrize(
    ("users", "message"),
    [
        (
            FRAME.filter(pl.col("user") != "b"),
            "users: no row of user 'b', who is in truth; wanted e",
        ),
        (pl.concat([FRAME, FRAME[2:3]]), "users: user 'a' stands at rows 2 and 4; wanted one"),
        (
            FRAME.with_columns(user=pl.Series([1, 2, 3, 4])),
            "user: truth has text, such as 'b', and users has in",
        ),
        (
            FRAME.with_columns(clicks=-pl.col("clicks")),
            r"users, weight: got -3.0 at row 0 .user c.",
        ),
        (FRAME.with_columns(clicks=pl.lit(float("nan"))), "users, weight: got nan at row 0"),
        (FRAME.with_columns(clicks=pl.lit("x")), "users, weight: column 'clicks' holds VARCHAR"),
        (FRAME.with_columns(country=pl.lit(None)), "users, segment country: no value at row 0"),
        (FRAME.drop("country"), "users, segment country: no column 'country'"),
    ],
)
def test_what_is_wrong_is_named(users: Any, message: str) -> None:
    with pytest.raises(rm.RankmillError, match=message):
        rm.evaluate_runs(RUN, TRUTH, "mrr", users=users, weight="clicks", segment="country")


def test_arguments() -> None:
    with pytest.raises(rm.InputError, match="wanted users=, the table that has it"):
        rm.evaluate_runs(RUN, TRUTH, "mrr", segment="country")
    with pytest.raises(rm.InputTypeError, match="segment: got 3; wanted names of columns"):
        rm.evaluate_runs(RUN, TRUTH, "mrr", users=USERS, segment=[3])  # type: ignore[list-item]
