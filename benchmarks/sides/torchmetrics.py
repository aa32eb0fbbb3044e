"""torchmetrics' retrieval classes on the CPU."""

from __future__ import annotations

from typing import Any

from sides import Call, Values


def w1(data: Any, n_threads: int) -> Call:
    """Six classes, each of which groups the rows and loops over the users."""
    import numpy as np
    import torch
    from torchmetrics import retrieval as r

    torch.set_num_threads(n_threads)
    # Its recall takes scores of 0 and less for "not predicted": make them all positive, exactly.
    scores = torch.from_numpy(data.scores.astype(np.float64) + 17.0)
    labels = torch.from_numpy(data.labels.astype(np.int64))
    users = torch.from_numpy(np.repeat(np.arange(data.n_users), np.diff(data.offsets)))
    classes = {
        "ndcg@10": r.RetrievalNormalizedDCG(top_k=10),
        "recall@10": r.RetrievalRecall(top_k=10),
        "precision@10": r.RetrievalPrecision(top_k=10),
        "hit@10": r.RetrievalHitRate(top_k=10),
        "mrr": r.RetrievalMRR(),
        "map": r.RetrievalMAP(),
    }

    def call() -> Values:
        return {
            name: float(metric(scores, labels, indexes=users)) for name, metric in classes.items()
        }

    return call
