"""CatBoost's eval_metric, one call for each metric."""

from __future__ import annotations

from typing import Any

from sides import Call

_NAMES = {
    "ndcg@10": "NDCG:top=10;type=Exp;denominator=LogPosition",
    "recall@10": "RecallAt:top=10",
    "precision@10": "PrecisionAt:top=10",
    "mrr": "MRR",
}


def w1(data: Any, n_threads: int) -> Call:
    """Evaluate four metrics that mean the same; floats and group ids are made beforehand."""
    import numpy as np
    from catboost.utils import eval_metric

    labels, scores = data.labels.astype(np.float32), data.scores.astype(np.float64)
    users = np.repeat(np.arange(data.n_users), np.diff(data.offsets))
    return lambda: {
        name: eval_metric(labels, scores, theirs, group_id=users, thread_count=n_threads)[0]
        for name, theirs in _NAMES.items()
    }
