"""`rankmill.compat.boosting` in CatBoost: the metrics it has too, after every round."""

import numpy as np
import pytest
from catboost import CatBoost, Pool
from samples import RNG_SEED

from rankmill.compat.boosting import catboost_metric


def data(seed, grades, groups):
    """Groups of 2 to 20 rows, some without a relevant row; features of few values, so ties."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 20, groups)
    features = rng.integers(0, 3, (sizes.sum(), 3)).astype(float)
    share = np.repeat(rng.choice([0.0, 0.3], len(sizes)), sizes)
    labels = np.where(
        rng.random(len(features)) < share, rng.integers(1, grades + 1, len(features)), 0
    )
    ids = np.repeat(np.arange(groups), sizes)
    return Pool(features, labels.astype(float), group_id=ids), ids


@pytest.mark.parametrize(
    ("theirs", "ours", "grades"),
    [
        ("NDCG:top=5;type=Base", "ndcg@5(empty=one)", 4),
        ("NDCG:top=3;type=Exp", "ndcg@3(gain=exp2, empty=one)", 4),
        ("MRR", "mrr", 1),
        ("MAP:top=3", "map@3", 1),
        ("PrecisionAt:top=4", "precision@4", 1),
        ("RecallAt:top=4", "recall@4(empty=one)", 1),
    ],
)
def test_own_metrics(theirs, ours, grades):
    (train, train_ids), (other, other_ids) = data(1, grades, 150), data(2, grades, 140)
    common = {
        "loss_function": "QuerySoftMax",
        "iterations": 15,
        "depth": 2,
        "random_seed": RNG_SEED,
        "verbose": False,
        "allow_writing_files": False,
        "metric_period": 1,
    }
    own = CatBoost({**common, "eval_metric": theirs})
    own.fit(train, eval_set=other)
    mine = CatBoost({**common, "eval_metric": catboost_metric(ours, [train_ids, other_ids])})
    mine.fit(train, eval_set=other)
    (want,) = [v for k, v in own.get_evals_result()["validation"].items() if k[:3] == theirs[:3]]
    have = mine.get_evals_result()["validation"]["CatBoostMetric"]
    np.testing.assert_allclose(have, want, atol=1e-9)
