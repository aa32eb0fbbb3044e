"""RecBole's metric classes, and torch.topk as its collector calls it."""

from __future__ import annotations

from typing import Any

import numpy as np

from sides import Call, Values

_K = 10


def w1(data: Any, n_threads: int) -> Call:
    """Find the best ten, look up which of them are relevant, and hand that to six classes."""
    import torch

    np.float = float  # type: ignore[attr-defined]  # noqa: NPY001 - RecBole still uses the name
    from recbole.evaluator import metrics as m

    torch.set_num_threads(n_threads)
    scores = torch.from_numpy(data.scores.reshape(data.n_users, -1))
    labels = torch.from_numpy(data.labels.reshape(data.n_users, -1))
    config = {"topk": [_K], "metric_decimal_place": 4}
    listed = {"ndcg": m.NDCG, "recall": m.Recall, "precision": m.Precision, "map": m.MAP}
    listed = {name: kind(config) for name, kind in listed.items()}
    first = {"hit": m.Hit(config), "mrr": m.MRR(config)}
    takes_lengths = {"ndcg", "recall", "map"}

    def call() -> Values:
        best = torch.topk(scores, _K, dim=1).indices
        relevant = torch.gather(labels, 1, best).numpy() > 0
        lengths = labels.sum(dim=1, dtype=torch.int64).numpy()
        with np.errstate(invalid="ignore", divide="ignore"):
            values = {
                f"{name}@{_K}": metric.metric_info(
                    relevant, *([lengths] if name in takes_lengths else [])
                )[:, -1]
                for name, metric in (listed | first).items()
            }
        # Users without relevant items count as 0 here; their 0 / 0 is NaN.
        return {name: np.nan_to_num(value) for name, value in values.items()}

    return call


def top_k(data: Any, n_threads: int) -> Call:
    """Only torch.topk."""
    import torch

    torch.set_num_threads(n_threads)
    scores = torch.from_numpy(data.scores)
    return lambda: {"top_k": torch.topk(scores, _K, dim=1).indices.numpy()}
