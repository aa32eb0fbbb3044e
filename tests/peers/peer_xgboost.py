"""`rankmill.compat.boosting` in XGBoost: the metrics it has too, after every round."""

import numpy as np
import pytest
import xgboost as xgb
from samples import RNG_SEED

from rankmill.compat.boosting import xgboost_metric


def data(seed, grades):
    """Groups of 1 to 20 rows, some without a relevant row; features of few values, so ties."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 20, 300)
    features = rng.integers(0, 3, (sizes.sum(), 3)).astype(float)
    share = np.repeat(rng.choice([0.0, 0.3], len(sizes)), sizes)
    labels = np.where(
        rng.random(len(features)) < share, rng.integers(1, grades + 1, len(features)), 0
    )
    made = xgb.DMatrix(features, labels)
    made.set_group(sizes)
    return made


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("theirs", "ours", "grades"),
    [
        ("ndcg@5", "ndcg@5", 4),
        ("ndcg", "ndcg", 4),
        ("map@3", "map@3", 1),
        ("pre@4", "precision@4", 1),
    ],
)
def test_own_metrics(seed, theirs, ours, grades):
    found = {}
    train = data(seed, grades)
    xgb.train(
        {
            "objective": "rank:ndcg",
            "eval_metric": theirs,
            "max_depth": 2,
            "seed": RNG_SEED,
            "lambdarank_num_pair_per_sample": 8,
        },
        train,
        num_boost_round=25,
        evals=[(train, "train"), (data(seed + 100, grades), "other")],
        custom_metric=xgboost_metric(f"{ours}(ties=input_order)"),
        evals_result=found,
        verbose_eval=False,
    )
    for values in found.values():
        have, want = values[f"{ours}(ties=input_order)"], values[theirs]
        np.testing.assert_allclose(have, want, atol=1e-6)  # XGBoost keeps six digits of ours
