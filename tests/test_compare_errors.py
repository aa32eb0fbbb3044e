"""What `compare` refuses, and how it says so."""

import sys

import numpy as np
import pytest

import rankmill as rm
from comparing import compared, result_of

A = result_of([0.1, 0.2], users=[1, 2])
B = result_of([0.3, 0.2], users=[1, 2])
WRONG: dict[str, tuple[object, str]] = {
    "one result": (lambda: rm.compare(A), "b: got NoneType; wanted a Result"),
    "a list": (lambda: rm.compare([A, B]), "results: got list; wanted two Results"),
    "one model": (lambda: rm.compare({"A": A}), "results: got 1; wanted two models"),
    "no result": (lambda: rm.compare({"A": A, "B": 3}), "results: got 'B': int"),
    "both forms": (lambda: rm.compare({"A": A, "B": B}, B), "beside a mapping"),
    "baseline": (lambda: compared(A, B, baseline="C"), "baseline: got 'C'; wanted one of A, B"),
    "metrics differ": (lambda: compared(A, result_of([0.1], "mrr")), "do not both have mrr, ndcg"),
    "no such metric": (lambda: compared(A, B, metrics="mrr"), "result has no 'mrr'"),
    "conventions": (
        lambda: compared(A, result_of([0.1, 0.2], conventions=rm.Conventions(gain="linear"))),
        "conventions: ndcg@10 has gain='exp2' in A and 'linear' in B",
    ),
    "ids in one": (lambda: compared(A, result_of([0.1, 0.2])), "users: B has no user ids"),
    "rows": (
        lambda: compared(result_of([0.1]), result_of([0.1, 0.2])),
        "users: got 1 of A and 2 of B, without ids",
    ),
    "twice": (
        lambda: compared(A, result_of([0.1, 0.2], users=[1, 1])),
        "users: B has 2 rows of 1 users",
    ),
    "infinite": (lambda: compared(A, result_of([0.1, np.inf], users=[1, 2])), "got inf of B"),
    "weights in one": (
        lambda: compared(A, result_of([0.1, 0.2], users=[1, 2], weights=[1, 2])),
        "weights: only B has them",
    ),
    "NaN weight": (
        lambda: compared(*(result_of([0.1, 0.2], weights=[1, np.nan]) for _ in range(2))),
        "weights: got nan of A at user row 1",
    ),
    "weights differ": (
        lambda: compared(*(result_of([0.1, 0.2], weights=[1, w]) for w in (2, 3))),
        "weights: got 2.0 of A and 3.0 of B at user row 1",
    ),
    "segment length": (lambda: compared(A, B, by=[1, 2, 3]), r"by: got shape \(3,\)"),
    "segment scalar": (lambda: compared(A, B, by=3), r"by: got shape \(\)"),
    "segment generator": (lambda: compared(A, B, by=iter([1, 2])), r"by: got shape \(\)"),
    "segment name": (lambda: compared(A, B, by="city"), "by: got 'city'; the segments of the"),
    "segments differ": (
        lambda: compared(
            *(result_of([0.1, 0.2], segments={"d": ["x", y]}) for y in ("x", "y")), by="d"
        ),
        "by: d of user row 1 is 'x' in the baseline and 'y' in B",
    ),
    "segment key": (lambda: compared(A, B, by={1: [1, 2]}), "by: got 1; wanted names"),
    "resamples": (lambda: compared(A, B, resamples=0), "resamples: got 0"),
    "seed": (lambda: compared(A, B, seed=-1), "seed: got -1"),
    "large seed": (lambda: compared(A, B, seed=2**64), "wanted a whole number below"),
    "threads": (lambda: compared(A, B, n_threads=0), "n_threads: got 0"),
    "many segments": (
        lambda: compared(*(result_of(np.zeros(1001)) for _ in range(2)), by=np.arange(1001)),
        "by: segment has 1001 distinct values; wanted at most 1000",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_bad_input(what: str) -> None:
    call, message = WRONG[what]
    with pytest.raises((rm.InputError, rm.InputTypeError), match=message):
        call()  # type: ignore[operator]


def test_scipy_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(rm.MissingDependencyError, match=r"pip install 'rankmill\[stats\]'"):
        compared(A, B)
