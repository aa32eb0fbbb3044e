"""`Conventions.recbole` against RecBole's metric classes; scores that do not tie."""

import numpy as np
import pytest
import torch
from samples import matrices, same

import rankmill as rm
from rankmill.profiles import PROFILES

setattr(np, "float", float)  # noqa: B010 - RecBole still uses the name
from recbole.evaluator import metrics as theirs  # noqa: E402

CLASSES = {
    "Hit": False,
    "MRR": False,
    "Precision": False,
    "Recall": True,
    "MAP": True,
    "NDCG": True,
}


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("name", CLASSES)
def test_every_user(name, k):
    metric = getattr(theirs, name)({"topk": [k], "metric_decimal_place": 4})
    ours = PROFILES["recbole"].metrics[f"{name}@{{k}}"].replace("{k}", str(k))
    for scores, labels in matrices(ties=False):
        best = torch.topk(torch.from_numpy(scores), k, dim=1).indices
        relevant = torch.gather(torch.from_numpy(labels), 1, best).numpy() > 0
        lengths = [labels.sum(axis=1)] if CLASSES[name] else []
        with np.errstate(invalid="ignore", divide="ignore"):
            want = metric.metric_info(relevant, *lengths)[:, -1]
        found = rm.evaluate(scores, labels, ours, conventions=rm.Conventions.recbole())
        same(found.values[0], np.asarray(want, dtype=float))
