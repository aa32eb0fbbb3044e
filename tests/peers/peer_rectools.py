"""`Conventions.rectools` against RecTools."""

import itertools

import numpy as np
import pandas as pd
import pytest
import rectools.metrics as theirs
from samples import RNG_SEED, same, users

import rankmill as rm
from rankmill.profiles import PROFILES

METRICS = {
    "Precision@{k}": lambda k: theirs.Precision(k=k),
    "Precision r_precision@{k}": lambda k: theirs.Precision(k=k, r_precision=True),
    "Recall@{k}": lambda k: theirs.Recall(k=k),
    "F1Beta@{k}": lambda k: theirs.F1Beta(k=k),
    "HitRate@{k}": lambda k: theirs.HitRate(k=k),
    "MRR@{k}": lambda k: theirs.MRR(k=k),
    "MAP@{k}": lambda k: theirs.MAP(k=k),
    "MAP divide_by_k@{k}": lambda k: theirs.MAP(k=k, divide_by_k=True),
    "NDCG@{k}": lambda k: theirs.NDCG(k=k),
    "NDCG divide_by_achievable@{k}": lambda k: theirs.NDCG(k=k, divide_by_achievable=True),
}


def batches(n=60):
    """Ranked lists of some users, and what is relevant of them, not all of it ranked."""
    rng = np.random.default_rng(RNG_SEED)
    everyone = users(ties=False)
    for _ in range(n):
        lists, truth = {}, {}
        for number, user in enumerate(itertools.islice(everyone, 8)):
            order = np.argsort(-user.scores)
            lists[number] = [user.items[i] for i in order]
            truth[number] = {d for d, g in zip(user.items, user.grades, strict=True) if g}
            truth[number] |= {f"u{i}" for i in range(rng.integers(0, 3))}
        yield lists, {user: items for user, items in truth.items() if items}


def test_all_metrics_of_the_profile():
    assert set(METRICS) == set(PROFILES["rectools"].metrics)


@pytest.mark.parametrize("k", [1, 4, 40])
@pytest.mark.parametrize("name", METRICS)
def test_every_user(name, k):
    ours = PROFILES["rectools"].metrics[name].replace("{k}", str(k))
    for lists, truth in batches():
        if not truth:
            continue
        reco = [(u, d, rank) for u, row in lists.items() for rank, d in enumerate(row, start=1)]
        pairs = [(u, d) for u, items in truth.items() for d in items]
        want = METRICS[name](k).calc_per_user(
            pd.DataFrame(reco, columns=["user_id", "item_id", "rank"]),
            pd.DataFrame(pairs, columns=["user_id", "item_id"]),
        )
        ranks = rm.rank_lists({user: lists[user] for user in truth}, truth)
        found = rm.measure(ranks, ours, conventions=rm.Conventions.rectools())
        same(found.values[0], want.reindex(found.users).to_numpy())
