"""`Conventions.lenskit` against LensKit."""

import lenskit.metrics.ranking as theirs
import numpy as np
import pytest
from lenskit.data import ItemList
from lenskit.metrics.ranking import LogRankWeight
from samples import RNG_SEED, same, users

import rankmill as rm
from rankmill.profiles import PROFILES

METRICS = {
    "Hit@{k}": lambda k: theirs.Hit(k),
    "Precision@{k}": lambda k: theirs.Precision(k),
    "Recall@{k}": lambda k: theirs.Recall(k),
    "RecipRank@{k}": lambda k: theirs.RecipRank(k),
    "RBP@{k}": lambda k: theirs.RBP(k),
    "AveragePrecision@{k}": lambda k: theirs.AveragePrecision(k),
    "NDCG@{k}": lambda k: theirs.NDCG(k),
    "NDCG offset=1@{k}": lambda k: theirs.NDCG(k, weight=LogRankWeight(offset=1)),
    "NDCG gain=rating offset=1@{k}": lambda k: theirs.NDCG(
        k, weight=LogRankWeight(offset=1), gain="rating"
    ),
}


def test_all_metrics_of_the_profile():
    assert set(METRICS) == set(PROFILES["lenskit"].metrics)


@pytest.mark.parametrize("k", [1, 4, 40])
@pytest.mark.parametrize("name", METRICS)
def test_every_user(name, k):
    rng = np.random.default_rng(RNG_SEED)
    metric = METRICS[name](k)
    ours = PROFILES["lenskit"].metrics[name].replace("{k}", str(k))
    lists, truths, want = [], [], []
    for user in users(ties=False, grades=4, n=300):
        order = np.argsort(-user.scores)
        truth = {d: float(g) for d, g in zip(user.items, user.grades, strict=True) if g}
        truth |= {f"u{i}": 1.0 for i in range(rng.integers(0, 3))}
        if not truth:  # some of them divide by zero
            continue
        if "Average" in name and len(user.items) < min(k, len(truth)):
            continue  # it divides by the length of the list then
        lists.append([user.items[i] for i in order])
        truths.append(truth)
        test = ItemList(item_ids=list(truth), rating=list(truth.values()))
        want.append(metric.measure_list(ItemList(item_ids=lists[-1], ordered=True), test))
    ranks = rm.rank_lists(lists, truths)
    found = rm.measure(ranks, ours, conventions=rm.Conventions.lenskit())
    same(found.values[0], want)
