"""Recorded values that no profile but a drop-in module covers: how to get ours."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from rankmill.compat import implicit, pytrec_eval, recommenders, torchmetrics

Case = dict[str, Any]


def flat(case: Case) -> tuple[Any, Any, Any]:
    """Scores, labels and users of all rows."""
    users = case["users"]
    scores = [float(score) for user in users for score in user["scores"]]
    labels = [label for user in users for label in user["labels"]]
    owners = np.repeat(np.arange(len(users)), [len(user["items"]) for user in users])
    return np.array(scores), np.array(labels), owners


def torch_value(name: str, **options: Any) -> Callable[[Case], float]:
    def value(case: Case) -> float:
        top_k = {} if "MRR" in name else {"top_k": case["k"]}
        return float(getattr(torchmetrics, name)(**options, **top_k)(*flat(case)))

    return value


def n_relevant(case: Case) -> list[float]:
    run, truth = {}, {}
    for number, user in enumerate(case["users"]):
        name = f"q{number}"
        run[name] = dict(zip(user["items"], map(float, user["scores"]), strict=True))
        truth[name] = dict(zip(user["items"], user["labels"], strict=True))
    found = pytrec_eval.RelevanceEvaluator(truth, ["num_rel"]).evaluate(run)
    return [row["num_rel"] for row in found.values()]


def r_precision(case: Case) -> float:
    scores, labels, owners = flat(case)
    items = [item for user in case["users"] for item in user["items"]]
    rows = pd.DataFrame({"userID": owners, "itemID": items})
    true = rows.assign(rating=labels)[labels > 0]
    return recommenders.r_precision_at_k(true, rows.assign(prediction=scores), k=case["k"])


class Model:
    """Recommends the items of each user by score; ties stay in order."""

    def __init__(self, case: Case) -> None:
        self.scores = [np.array(user["scores"], dtype=float) for user in case["users"]]

    def recommend(self, userids: Any, user_items: Any, N: int) -> Any:  # noqa: N803
        ids = [np.argsort(-self.scores[user], kind="stable")[:N] for user in userids]
        return np.array(ids), None


def limited_auc(case: Case) -> float:
    test = sp.csr_array(np.array([user["labels"] for user in case["users"]]) > 0)
    return implicit.AUC_at_k(Model(case), sp.csr_array(test.shape), test, K=case["k"])


#: Library and its metric, with {k}: our value, or values per user.
MODULES: dict[tuple[str, str], Callable[[Case], Any]] = {
    ("trec_eval", "num_rel"): n_relevant,
    ("torchmetrics", "AUROC@k"): torch_value("RetrievalAUROC"),
    **{
        ("torchmetrics", f"{name} empty_target_action={action}"): torch_value(
            made, empty_target_action=action
        )
        for action in ("neg", "pos", "skip", "error")
        for name, made in (("MRR", "RetrievalMRR"), ("nDCG@k", "RetrievalNormalizedDCG"))
    },
    ("recommenders", "r_precision_at_k k={k}"): r_precision,
    ("implicit", "auc@{k}"): limited_auc,
}

#: Recorded values that differ: library, case/metric, and why.
EXCEPTIONS: list[tuple[str, str, str]] = [
    ("torchmetrics", "tie_pos_*/AUROC*", "which of the tied items are the first k is left open"),
    ("implicit", "tie_pos_*/auc*", "ties fall as its partial sort leaves them"),
]
