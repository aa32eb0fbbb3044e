"""W5: tools that read {query: {document: score}} themselves, and the plain loop."""

from __future__ import annotations

from typing import Any

from sides import Call, Values

_TREC = {"ndcg_cut_10": "ndcg@10", "recall_10": "recall@10", "map": "map", "recip_rank": "mrr"}


def pytrec_eval(data: Any, n_threads: int) -> Call:
    """Build the evaluator and evaluate, as a caller with new judgements must."""
    import numpy as np
    import pytrec_eval

    asked = {"ndcg_cut.10", "recall.10", "map", "recip_rank"}

    def call() -> Values:
        found = pytrec_eval.RelevanceEvaluator(data.qrels, asked).evaluate(data.run)
        return {
            ours: np.array([found[query][theirs] for query in data.run])
            for theirs, ours in _TREC.items()
        }

    return call


def ir_measures(data: Any, n_threads: int) -> Call:
    """The means of ir_measures, with the provider it chooses."""
    import ir_measures as ir

    asked = {ir.nDCG @ 10: "ndcg@10", ir.R @ 10: "recall@10", ir.AP: "map", ir.RR: "mrr"}

    def call() -> Values:
        found = ir.calc_aggregate(list(asked), data.qrels, data.run)
        return {asked[measure]: value for measure, value in found.items()}

    return call


def plain_loop(data: Any, n_threads: int) -> Call:
    """The loop that the other benchmarks time too."""
    from rankmill.bench.python_reference import dict_loop

    return lambda: dict_loop(data.run, data.qrels)
