"""`rankmill.compat.boosting` in LightGBM: the metrics it has too, after every round."""

import lightgbm as lgb
import numpy as np
import pytest
from samples import RNG_SEED, same

from rankmill.compat.boosting import lightgbm_metric


def data(seed, grades):
    """Groups of 1 to 20 rows, some without a relevant row; features of few values, so ties."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 20, 300)
    features = rng.integers(0, 3, (sizes.sum(), 3)).astype(float)
    share = np.repeat(rng.choice([0.0, 0.3], len(sizes)), sizes)
    labels = np.where(
        rng.random(len(features)) < share, rng.integers(1, grades + 1, len(features)), 0
    )
    return lgb.Dataset(features, labels, group=sizes, free_raw_data=False)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("grades", [1, 4])
def test_own_metrics(seed, grades):
    names = [f"{name}@{k}" for name in ("ndcg", "map") for k in (1, 3, 10)]
    found = {}
    lgb.train(
        {
            "objective": "lambdarank",
            "metric": ["ndcg", "map"],
            "eval_at": [1, 3, 10],
            "verbose": -1,
            "num_leaves": 4,
            "min_data_in_leaf": 1,
            "seed": RNG_SEED,
            "deterministic": True,
        },
        train := data(seed, grades),
        num_boost_round=25,
        valid_sets=[train, data(seed + 100, grades)],
        feval=lightgbm_metric([f"{name}(empty=one)" for name in names]),
        callbacks=[lgb.record_evaluation(found)],
    )
    assert len(found) == 2
    for values in found.values():
        for name in names:
            same(values[f"{name}(empty=one)"], values[name])
