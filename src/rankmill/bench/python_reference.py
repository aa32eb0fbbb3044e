"""The plain Python loop over dictionaries that people write: W5's reference."""

from __future__ import annotations

from math import log2, nan

import numpy as np

from rankmill.bench.numpy_measure import Values
from rankmill.bench.workloads import Qrels, Run

_K = 10
_DISCOUNT = [1.0 / log2(place + 2.0) for place in range(_K)]


def dict_loop(run: Run, qrels: Qrels) -> Values:
    """ndcg@10, recall@10, map and mrr of each query of the run."""
    rows = [_one_query(found, qrels[query]) for query, found in run.items()]
    names = ("ndcg@10", "recall@10", "map", "mrr")
    return {
        name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }


def _one_query(found: dict[str, float], judged: dict[str, int]) -> tuple[float, ...]:
    """Only judged documents with a grade > 0 are in `judged`."""
    hits = 0
    near = 0
    dcg = precisions = reciprocal = 0.0
    for place, document in enumerate(sorted(found, key=found.__getitem__, reverse=True)):
        grade = judged.get(document)
        if grade is None:
            continue
        hits += 1
        precisions += hits / (place + 1)
        if hits == 1:
            reciprocal = 1.0 / (place + 1)
        if place < _K:
            near += 1
            dcg += (2.0**grade - 1.0) * _DISCOUNT[place]
    n = len(judged)
    if n == 0:
        return nan, nan, nan, reciprocal
    best = sorted(judged.values(), reverse=True)[:_K]
    ideal = sum((2.0**grade - 1.0) * _DISCOUNT[place] for place, grade in enumerate(best))
    return dcg / ideal, near / n, precisions / n, reciprocal
