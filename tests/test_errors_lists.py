"""What `rank_lists`, the drop-in functions and `Result` refuse, and what the exception says."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import rankmill as rm
from refusals import (
    INF,
    LABELS,
    MATRIX,
    MIXED,
    NAN,
    ROW_LABELS,
    ROWS,
    check_refused,
    csr,
    put,
    row,
)


def lists(
    said: str,
    recommended: Any,
    relevant: Any,
    *,
    kind: type[Exception] = rm.InputError,
    **options: Any,
) -> Any:
    arguments = {"recommended": recommended, "relevant": relevant, **options}
    return row(said, rm.rank_lists, arguments, kind)


GRADES = [
    lists(
        "relevant: got nan for item 'y' of user 1; wanted a finite grade",
        [["x"], ["y"]],
        [{"x": 1}, {"y": NAN}],
    ),
    lists(
        "relevant: got inf for item 'y' of user 'bob'",
        {"ann": ["x"], "bob": ["y"]},
        {"ann": {"x"}, "bob": {"y": INF}},
    ),
    lists(
        "relevant: nan at user row 1, column 1; wanted a finite grade",
        np.array([[0], [1]]),
        csr([1, 0], [0, NAN]),
    ),
]

SHAPES = [
    lists("relevant: got 1 collections; wanted 2, one per user", [["x"], ["y"]], [{"x"}]),
    lists("relevant: got 1 rows; wanted 2, one per list", np.array([[0], [1]]), csr([1, 0])),
    lists("recommended: got 1 collections; wanted 2", [[0]], csr([1, 0], [0, 1])),
    lists("recommended: got shape (2,); wanted (users, depth)", np.array([1, 2]), [{1}]),
    lists(
        "exclude: got shape (2, 3); wanted (2, 2)",
        np.array([[0], [1]]),
        csr([1, 0], [0, 1]),
        exclude=csr([1, 0, 0], [1, 0, 0]),
    ),
    lists("exclude: got 2 collections; wanted 1", [["x"]], [{"x"}], exclude=[["y"], ["z"]]),
    lists("recommended: got no users; wanted at least one", np.ones((0, 3), dtype=int), []),
    lists("got no users; wanted at least one", [], sp.csr_array((0, 3))),
    lists("got no users; wanted at least one", [], []),
    lists("got no users; wanted at least one", {}, {}),
]

ITEMS = [
    lists(
        "recommended: item 3 of user row 1 is outside the matrix; wanted one of its columns",
        np.array([[0, 1], [2, 3]]),
        csr([1, 0, 0], [0, 1, 0]),
    ),
    *(
        lists(
            f"recommended: item {item} of user row 1 is outside the matrix",
            [[0], [1, item]],
            csr([1, 0, 0], [0, 1, 0]),
        )
        for item in (9, -1)
    ),
    lists("relevant: item -5 of user row 1 is outside", np.array([[0], [1]]), [{0}, {-5}]),
    lists(
        f"recommended: got item {2**63}; wanted ids below 2**63",
        np.array([[2**63]], dtype=np.uint64),
        [{1}],
    ),
    lists(
        "recommended: item 3 stands twice in the list of user row 1; wanted distinct items",
        np.array([[1, 2], [3, 3]]),
        [{1}, {3}],
    ),
    lists(
        "recommended: item 1 stands twice in the list of user row 1",
        [[0], [1, 2, 1]],
        csr([1, 0, 0], [0, 1, 0]),
    ),
    lists(
        "recommended: item 'y' stands twice in the list of user 'bob'; wanted distinct items",
        {"ann": ["x"], "bob": ["y", "x", "y"]},
        {"ann": {"x"}, "bob": {"y"}},
    ),
    lists("relevant: item 'y' stands twice for user 0", [["x"]], [["y", "x", "y"]]),
    lists(
        "recommended: the list of user row 1 goes on at place 2 after padding at 1; wanted "
        "negative ids at the end only",
        np.array([[1, 2, 3], [4, -1, 5]]),
        [{1}, {5}],
    ),
]

TYPES = [
    lists(
        "recommended: got dtype float64; wanted integer item ids",
        np.array([[0.5]]),
        [{0}],
        kind=rm.InputTypeError,
    ),
    lists(
        "recommended has items of type int and relevant of type str for user 'ann'; wanted",
        {"ann": [1, 2]},
        {"ann": {"1", "2"}},
        kind=rm.InputTypeError,
    ),
    lists(
        "recommended: none of its 1 users, such as 1, is ... relevant, with users such as '1'",
        {1: ["x"]},
        {"1": {"x"}},
    ),
    lists(
        "recommended: got {'x'} for user 'ann'; wanted a sequence of ranked items",
        {"ann": {"x"}},
        {"ann": {"x"}},
        kind=rm.InputTypeError,
    ),
    lists(
        "recommended: got 'xy' for user 'ann'; wanted a sequence of ranked items",
        {"ann": "xy"},
        {"ann": {"x"}},
        kind=rm.InputTypeError,
    ),
    lists(
        "relevant: got 'xy' for user 'ann'; wanted a set of items",
        {"ann": ["x"]},
        {"ann": "xy"},
        kind=rm.InputTypeError,
    ),
    lists("relevant: got str; wanted a sparse matrix", {0: ["x"]}, "xy", kind=rm.InputTypeError),
    lists(
        "relevant: item '1' of user row 1 is no integer",
        np.array([[0], [1]]),
        [{0}, {"1"}],
        kind=rm.InputTypeError,
    ),
    lists(
        "recommended: item 'x' of user row 0 is no integer",
        [["x"]],
        csr([1, 0]),
        kind=rm.InputTypeError,
    ),
    lists(
        "recommended: unhashable type: 'list' in the list of user 0",
        [[["x"]]],
        [{"x"}],
        kind=rm.InputTypeError,
    ),
    row(
        "auc: ... candidates ... (ranked lists ... wanted rank() over all candidates",
        rm.measure,
        {"ranks": rm.rank_lists([["x"]], [{"x"}]), "metrics": "auc"},
    ),
]


def sampled(said: str, **changes: Any) -> Any:
    arguments = {"scores": MATRIX, "labels": LABELS, "sample_size": 1, "k": 1, "seed": 0}
    return row(said, rm.sampled_metrics, {**arguments, **changes})


def weighted(said: str, weights: Any, **changes: Any) -> Any:
    arguments = {"scores": ROWS, "labels": ROW_LABELS, "sample_weight": weights, **changes}
    return row(said, rm.auc_score, arguments)


FUNCTIONS = [
    *(
        row(
            f"ndcg: got k={k!r}; wanted a whole number from 1",
            rm.ndcg_at_k,
            {"scores": MATRIX, "labels": LABELS, "k": k},
            rm.MetricError,
        )
        for k in (0, -1, 2.0, "2", True)
    ),
    row(
        "unknown convention 'gian'; known: ties, gain, ... did you mean 'gain'?",
        rm.ndcg_at_k,
        {"scores": MATRIX, "labels": LABELS, "k": 1, "gian": "linear"},
    ),
    row(
        "auc: ... candidates ... wanted rank() over all candidates",
        rm.auc_score,
        {"scores": ["x"], "labels": {"x"}},
    ),
    sampled("sample_size: got 0; wanted a whole number >= 1", sample_size=0),
    sampled("seed: got -1; wanted a whole number >= 0", seed=-1),
    sampled("seed: got 0.5; wanted a whole number >= 0", seed=0.5),
    sampled("scores, labels: got (5,) and (5,); wanted", scores=ROWS, labels=ROW_LABELS),
    weighted("sample_weight: got shape (2,); wanted (5,)", [1, 2]),
    weighted("weights: -5 at row 0 (user b); wanted a finite number >= 0", -ROWS, groups=MIXED),
    weighted("weights: nan at user row 0, column 1", put(ROWS, 1, NAN)),
    weighted("weights: inf at user row 0, column 1", put(ROWS, 1, INF)),
    weighted("scores: NaN at row 3 (user a)", ROWS, scores=put(ROWS, 3, NAN), groups=MIXED),
]


def mean(said: str, weights: Any) -> Any:
    result = rm.evaluate(MATRIX, LABELS, "mrr")
    return row(said, result.mean, {"metric": "mrr", "weights": weights})


RESULTS = [
    mean("weights: got 3; wanted 2, one per user", [1, 2, 3]),
    mean("weights: got -1.0 at user row 1; wanted a number >= 0", [1, -1]),
    mean("weights: got nan at user row 1; wanted a number >= 0", [1, NAN]),
    mean("weights: got inf at 1; wanted finite values", [1, INF]),
    mean("weights: got dtype complex128; wanted real numbers", [1, 1j]),
    mean("weights: got dtype <U1; wanted real numbers", ["1", "2"]),
    row(
        "values: got -inf at 1; wanted finite values",
        rm.RunningMean().update,
        {"values": [1, -INF]},
    ),
    row("values: got dtype <U1; wanted real numbers", rm.RunningMean().update, {"values": ["a"]}),
]


@pytest.mark.parametrize(
    ("call", "arguments", "kind", "said"),
    [*GRADES, *SHAPES, *ITEMS, *TYPES, *FUNCTIONS, *RESULTS],
)
def test_refused(
    call: Callable[..., object], arguments: dict[str, Any], kind: type[Exception], said: str
) -> None:
    check_refused(call, arguments, kind, said)


def test_lists_may_be_empty() -> None:
    assert rm.rank_lists([[], ["x"]], [{"x"}, set()]).candidates.tolist() == [0, 1]
    assert rm.rank_lists(
        np.array([[-1, -1], [0, -1]]), csr([1, 0], [1, 0])
    ).candidates.tolist() == [
        0,
        1,
    ]
