"""`rankmill.compat.recometrics` on a worked example; tests/peers compares with the library."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import rankmill as rm
from rankmill.compat.recometrics import calc_reco_metrics

# Scores fall from item to item. User 0 has items 0 and 2 of four candidates; 1 has none.
ITEMS = np.array([[0.9], [0.8], [0.7], [0.6], [0.5]])
USERS = np.ones((2, 1))
TEST = sp.csr_array([[1.0, 0, 2, 0, 0], [0, 0, 0, 0, 0]])
TRAIN = sp.csr_array([[0.0, 0, 0, 0, 1], [1, 0, 0, 0, 0]])


def test_every_metric() -> None:
    found = calc_reco_metrics(TRAIN, TEST, USERS, ITEMS, k=3, all_metrics=True)
    want = {
        "P@3": 2 / 3,
        "TP@3": 1,
        "R@3": 1,
        "AP@3": (1 + 2 / 3) / 2,
        "TAP@3": (1 + 2 / 3) / 2,
        "NDCG@3": (1 + 2 / 2) / (2 + 1 / np.log2(3)),
        "Hit@3": 1,
        "RR@3": 1,
        "ROC_AUC": 3 / 4,
        "PR_AUC": (1 + 2 / 3) / 2,
    }
    assert list(found.columns) == list(want)
    assert found.loc[0].tolist() == pytest.approx(list(want.values()))
    assert found.loc[1].isna().all()


def test_forms_of_the_result() -> None:
    plain = calc_reco_metrics(None, TEST, USERS, ITEMS, k=2, as_df=False)
    assert list(plain) == ["P@K", "AP@K", "NDCG@K", "K"]
    assert plain["P@K"].tolist() == pytest.approx([0.5, np.nan], nan_ok=True)
    every = calc_reco_metrics(None, TEST, USERS, ITEMS, k=2, cumulative=True)
    assert list(every.columns) == ["P@1", "P@2", "AP@1", "AP@2", "NDCG@1", "NDCG@2"]
    unnamed = calc_reco_metrics(None, TEST, USERS, ITEMS, k=2, rename_k=False)
    assert list(unnamed.columns) == ["P@K", "AP@K", "NDCG@K"]
    single = calc_reco_metrics(
        None, TEST, USERS.astype(np.float32), ITEMS.astype(np.float32), k=2, as_df=False
    )
    assert single["P@K"].dtype == np.float32


def test_biases() -> None:
    """Alone they are the scores; with factors they are added."""
    biases = np.array([0.0, 0, 1, 0, 0])
    for factors in ((None, None), (USERS, ITEMS)):
        found = calc_reco_metrics(None, TEST, *factors, k=1, item_biases=biases)
        assert found.loc[0, "P@1"] == 1
        assert found.loc[0, "NDCG@1"] == 1


@pytest.mark.parametrize(
    "options",
    [
        {"min_pos_test": 3},
        {"min_items_pool": 5, "X_train": TRAIN},
        {"consider_cold_start": False, "X_train": sp.csr_array(TEST.shape)},
        {"A": np.zeros((2, 1))},  # all scores the same
        {"k": 5, "X_train": TRAIN},  # more than the candidates
    ],
)
def test_users_without_a_value(options: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"X_train": None, "A": USERS, **options}
    found = calc_reco_metrics(X_test=TEST, B=ITEMS, all_metrics=True, as_df=False, **arguments)
    assert all(np.isnan(values).all() for name, values in found.items() if name != "K")


def test_users_with_few_items() -> None:
    """Where k takes all there is, only what depends on the order has a value."""
    found = calc_reco_metrics(TRAIN, TEST, USERS, ITEMS, k=4, all_metrics=True).loc[0]
    assert found.index[found.isna()].tolist() == ["P@4", "TP@4", "R@4", "Hit@4"]
    whole = sp.csr_array(np.ones((2, 5)))
    found = calc_reco_metrics(None, whole, USERS, ITEMS, k=3, all_metrics=True).loc[0]
    assert found.index[found.notna()].tolist() == ["NDCG@3"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 6}, "k: got 6; wanted at most 5"),
        ({"k": 0}, "k: got 0"),
        ({"A": None}, "A, B: got one of them as None"),
        ({"A": None, "B": None}, "wanted both, or item_biases"),
        ({"X_test": TEST.toarray()}, "X_test: got ndarray; wanted a sparse matrix"),
        ({"X_test": -TEST}, "X_test: got a stored -1.0 at row 0, item 0"),
        ({"X_test": sp.csr_array((2, 5))}, "X_test: got nothing stored"),
        ({"nthreads": 0}, "nthreads: got 0"),
        ({"precision": False, "average_precision": False, "ndcg": False}, "got no metric"),
    ],
)
def test_refusals(options: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"X_train": None, "X_test": TEST, "A": USERS, "B": ITEMS, **options}
    with pytest.raises(rm.RankmillError, match=message):
        calc_reco_metrics(**arguments)
