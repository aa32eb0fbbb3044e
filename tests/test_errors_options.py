"""Metrics, cutoffs, conventions and options of a call that are refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rankmill as rm
from refusals import (
    LABELS,
    MATRIX,
    MIXED,
    NAN,
    NUMBERED,
    ROW_LABELS,
    TWO,
    check_refused,
    csr,
    dense,
    flat,
    put,
    row,
)

METRICS = [
    *(
        dense(
            f"ndcg: got k={k!r}; wanted a whole number from 1",
            metrics=f"ndcg@{k}",
            call=rm.evaluate,
            kind=rm.MetricError,
        )
        for k in (0, -3, "1.5", "x")
    ),
    *(
        row(f"k: got {k!r}; wanted a whole number >= 1", rm.top_k, {"scores": MATRIX, "k": k})
        for k in (0, -1, 2.0, "2", True, None)
    ),
    *(
        dense(
            f"got {shown} ... wanted at least one of cg, dcg",
            metrics=metrics,
            call=rm.evaluate,
            kind=rm.MetricError,
        )
        for metrics, shown in [([], "none"), ("", "''"), ("  ", "'  '")]
    ),
]

WRONG_TYPES = [
    row(
        "ranks: got list; wanted Ranks",
        rm.measure,
        {"ranks": [1], "metrics": "mrr"},
        rm.InputTypeError,
    ),
    dense(
        "conventions: got 'trec_eval'; wanted Conventions(...)",
        metrics="mrr",
        conventions="trec_eval",
        call=rm.evaluate,
        kind=rm.InputTypeError,
    ),
    dense(
        "metrics: got 3; wanted a text, a Metric, or a list of them",
        metrics=3,
        call=rm.evaluate,
        kind=rm.InputTypeError,
    ),
]

GAINS = [
    dense(
        "gain: grade 2000 of user row 1 has a gain that is not finite; wanted a smaller grade",
        relevance=put(LABELS, (1, 0), 2000),
        metrics="ndcg",
        call=rm.evaluate,
    ),
    flat(
        "gain: grade 1024 of user 42 has a gain that is not finite",
        relevance=put(ROW_LABELS, 2, 1024),
        groups=NUMBERED,
        metrics="dcg@3",
        call=rm.evaluate,
    ),
    dense(
        "gain: the gains of user row 1 add up to infinity; wanted smaller grades",
        relevance=np.where(LABELS, 1023, 0),
        metrics="cg",
        call=rm.evaluate,
    ),
    dense(
        "gain: grade 2 of user row 1 is not in the table; wanted every grade > 0",
        metrics="ndcg",
        conventions=rm.Conventions(gain={1: 1}),
        call=rm.evaluate,
    ),
    dense(
        "ideal='retrieved' with ties='average' ... user row 0 ... wanted ties='worst'",
        scores=np.zeros((1, 200)),
        relevance=np.arange(200)[None] % 8,
        metrics="ndcg@50(ideal=retrieved)",
        call=rm.evaluate,
    ),
    dense(
        "ideal='retrieved' with ties='average' ... user row 0 ... wanted ties='worst'",
        scores=np.zeros((1, 200_000)),
        relevance=np.arange(1, 200_001)[None] / 200_000,  # as many grades: none may run too deep
        metrics="ndcg@1(ideal=retrieved)",
        call=rm.evaluate,
    ),
]

# One of each, so that the engine is never reached.
CALLS: list[tuple[Callable[..., object], dict[str, Any]]] = [
    (rm.rank, {"scores": MATRIX, "relevance": LABELS}),
    (rm.evaluate, {"scores": MATRIX, "relevance": LABELS, "metrics": "mrr"}),
    (rm.measure, {"ranks": rm.rank(MATRIX, LABELS), "metrics": "mrr"}),
    (rm.top_k, {"scores": MATRIX, "k": 1}),
    (rm.rank_lists, {"recommended": [["x"]], "relevant": [{"x"}]}),
    (rm.precision_at_k, {"scores": MATRIX, "labels": LABELS, "k": 1}),
]
RUNNING = [
    *(
        row(
            f"isa: got {isa!r}; this build has ... baseline, of which this CPU runs ... baseline",
            call,
            {**arguments, "isa": isa},
            rm.UnavailableError,
        )
        for isa in ("pdp11", "", 3)
        for call, arguments in CALLS
    ),
    *(
        row(
            f"n_threads: got {n_threads!r}; wanted a whole number from 1",
            call,
            {**arguments, "n_threads": n_threads},
        )
        for n_threads in (0, -1, True, 1.5, "2", 10**6)
        for call, arguments in CALLS
    ),
    *(
        dense(f"min_score: got {least!r}; wanted a number", min_score=least)
        for least in (NAN, "1", True)
    ),
    dense(
        f"min_score: got {2**63}; wanted at most {2**63 - 1}",
        scores=MATRIX.astype(int),
        min_score=2**63,
    ),
    flat("groups, offsets: got both; wanted one of them", groups=MIXED, offsets=TWO),
    flat(
        "relevance: got a sparse matrix; wanted one grade per row", groups=MIXED, relevance=csr([1])
    ),
    dense(
        "auc: ... candidates ... min_score ... wanted rank() over all candidates",
        metrics=["mrr", "auc"],
        min_score=2.0,
        call=rm.evaluate,
    ),
]


def measuring(said: str, metrics: str, ranked: str | None = None, **rules: Any) -> Any:
    """Ranks of a user with a tie, settled by input order or not at all."""
    ranks = rm.rank([2, 2, 1], [1, 0, 1], ties=ranked or "average")
    conventions = rm.Conventions(**rules)
    return row(said, rm.measure, {"ranks": ranks, "metrics": metrics, "conventions": conventions})


TIES = [
    dense("ties: got 'random'; wanted one of 'average', 'worst'", ties="random"),
    dense("items: ties='id_descending' ... wanted items=, the ids", ties="id_descending"),
    flat(
        "items: ties='id_descending' ... wanted items=, the ids",
        groups=MIXED,
        metrics="mrr(ties=id_descending)",
        call=rm.evaluate,
    ),
    measuring(
        "mrr: ties='input_order' needs places ... wanted rank(..., ties='input_order')",
        "mrr",
        ties="input_order",
    ),
    measuring(
        "map@3(ties=id_descending): ties='id_descending' needs places ... wanted rank(",
        "map@3(ties=id_descending)",
    ),
    measuring(
        "mrr: ties='id_descending' needs places ... (theirs: input_order)",
        "mrr",
        "input_order",
        ties="id_descending",
    ),
    dense(
        "ties: metrics ask for id_descending and input_order; wanted one of them",
        metrics=["mrr(ties=id_descending)", "map(ties=input_order)"],
        items=[1, 2, 3],
        call=rm.evaluate,
    ),
]


@pytest.mark.parametrize(
    ("call", "arguments", "kind", "said"),
    [*METRICS, *WRONG_TYPES, *GAINS, *RUNNING, *TIES],
)
def test_refused(
    call: Callable[..., object], arguments: dict[str, Any], kind: type[Exception], said: str
) -> None:
    check_refused(call, arguments, kind, said)
