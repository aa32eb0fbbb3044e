"""`rankmill.compat.recometrics` against recometrics: distinct scores, in 64 bits."""

import inspect

import numpy as np
import pandas as pd
import pytest
import recometrics as theirs
import scipy.sparse as sp
from samples import RNG_SEED, same

from rankmill.compat import recometrics as ours


def models(n=60):
    """Factors and matrices: users without test items, and with hardly an item left."""
    rng = np.random.default_rng(RNG_SEED)
    for _ in range(n):
        users, items, d = (
            int(rng.integers(1, 12)),
            int(rng.integers(6, 30)),
            int(rng.integers(1, 5)),
        )
        share = rng.choice([0.0, 0.1, 0.4, 0.8], (users, 1))
        test = np.where(rng.random((users, items)) < share, rng.integers(1, 5, (users, items)), 0)
        train = (rng.random((users, items)) < rng.choice([0.0, 0.2, 0.9], (users, 1))) & (test == 0)
        full = (train.sum(axis=1) + (test > 0).sum(axis=1)) == items
        test[full] = 0  # what they make of users with nothing else hangs on the other arguments
        if not test.any():
            continue
        yield (
            sp.csr_matrix(train.astype(float)),
            sp.csr_matrix(test.astype(float)),
            rng.normal(size=(users, d)),
            rng.normal(size=(items, d)),
        )


def compare(*arguments, **options):
    options = {"break_ties_with_noise": False, "nthreads": 1, **options}
    want = theirs.calc_reco_metrics(*arguments, **options)
    have = ours.calc_reco_metrics(*arguments, **options)
    if isinstance(want, pd.DataFrame):
        assert list(have.columns) == list(want.columns)
        assert (have.dtypes == want.dtypes).all()
        same(have, want)
        return
    assert list(have) == list(want)
    for name, values in want.items():
        same(have[name], values)


def test_signature():
    want, have = (inspect.signature(m.calc_reco_metrics).parameters for m in (theirs, ours))
    assert list(have) == list(want)
    assert [p.default for p in have.values()] == [p.default for p in want.values()]


@pytest.mark.parametrize("k", [1, 3, 6])
def test_all_metrics(k):
    for model in models():
        compare(*model, k=k, all_metrics=True)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rename_k": False},
        {"as_df": False},
        {"cumulative": True, "k": 4, "ndcg": False, "rr": True, "hit": True, "recall": True},
        {"as_df": False, "cumulative": True, "ndcg": False, "trunc_precision": True, "k": 3},
        {"min_items_pool": 8},
        {"consider_cold_start": False},
        {"precision": False, "roc_auc": True},
    ],
)
def test_options(options):
    for model in models():
        compare(*model, **options)


def test_cumulative_ndcg():
    """Theirs stops counting behind as many places as there are relevant items."""
    for _, test, users, items in models(30):
        options = {"cumulative": True, "k": 5, "precision": False, "average_precision": False}
        have = ours.calc_reco_metrics(None, test, users, items, **options)
        for k in range(2, 6):  # NDCG@1 alone is NaN there
            one = {**options, "cumulative": False, "k": k, "break_ties_with_noise": False}
            want = theirs.calc_reco_metrics(None, test, users, items, **one)
            same(have[f"NDCG@{k}"], want[f"NDCG@{k}"])


def test_without_training_and_with_biases():
    rng = np.random.default_rng(RNG_SEED)
    for _, test, users, items in models(30):
        biases = rng.normal(size=len(items))
        compare(None, test, users, items, all_metrics=True)
        compare(None, test, users, items, item_biases=biases, all_metrics=True)
        compare(None, test, None, None, item_biases=biases, all_metrics=True)


def test_single_precision():
    for train, test, users, items in models(20):
        model = train, test, users.astype(np.float32), items.astype(np.float32)
        options = {"k": 3, "all_metrics": True, "break_ties_with_noise": False}
        want = theirs.calc_reco_metrics(*model, **options)
        have = ours.calc_reco_metrics(*model, **options)
        assert (have.dtypes == want.dtypes).all()
        np.testing.assert_allclose(have, want, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("k", [0, 100])
def test_both_refuse(k):
    for module in (theirs, ours):
        with pytest.raises((ValueError, AssertionError)):
            module.calc_reco_metrics(*next(models(1)), k=k)
