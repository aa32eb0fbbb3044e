"""The loop over users that people write around scikit-learn, and its pooled AUC."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from sides import Call, Values


def loop(data: Any, n_threads: int) -> Call:
    """W1: one user after another; scikit-learn where it has the metric, numpy where not."""
    import numpy as np
    from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score

    def one(scores: Any, labels: Any) -> list[float]:
        found = labels[np.argsort(-scores)]
        hits, relevant = int(found[:10].sum()), int(found.sum())
        first = int(found.argmax()) + 1
        if relevant == 0:
            return [math.nan, math.nan, 0.0, 0.0, 0.0, math.nan, math.nan]
        return [
            ndcg_score(labels[None], scores[None], k=10),
            hits / relevant,
            hits / 10,
            float(hits > 0),
            1.0 / first,
            average_precision_score(labels, scores),
            roc_auc_score(labels, scores),
        ]

    def call() -> Values:
        rows = [one(data.scores[a:b], data.labels[a:b]) for a, b in pairwise(data.offsets)]
        names = ("ndcg@10", "recall@10", "precision@10", "hit@10", "mrr", "map", "auc")
        return dict(zip(names, np.array(rows).T, strict=True))

    return call


def pooled_auc(data: Any, n_threads: int) -> Call:
    """W6: one AUC over all rows."""
    from sklearn.metrics import roc_auc_score

    return lambda: {"auc": roc_auc_score(data.labels, data.scores)}
