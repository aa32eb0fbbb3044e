"""`rankmill.compat.implicit` on a worked example; tests/peers compares with the library."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import rankmill as rm
from rankmill.compat import implicit as compat

# Users 0 and 2 are recommended items 1, 2, 3 (0 is known); user 1 has no test item.
FACTORS = np.ones((3, 1)), np.array([[0.9], [0.8], [0.7], [0.6], [0.5]])
TRAIN = sp.csr_array([[1, 0, 0, 0, 0]] * 3)
TEST = sp.csr_array([[0, 1, 0, 2, 3], [0, 0, 0, 0, 0], [0, 0, 0, 1, 0]])


class Model:
    """Recommends the same items to everyone, and remembers what it was asked."""

    def __init__(self, ids: list[int], dtype: str = "int32") -> None:
        self.ids, self.dtype = ids, dtype
        self.asked: list[int] = []

    def recommend(self, userids: Any, user_items: Any, N: int) -> Any:  # noqa: N803
        assert user_items.shape[0] == len(userids)
        self.asked += userids.tolist()
        ids = np.array([self.ids[:N]] * len(userids), dtype=self.dtype)
        return ids, ids * 0.5


@pytest.mark.parametrize("model", [FACTORS, Model([1, 2, 3, 4])], ids=["factors", "model"])
def test_values(model: Any) -> None:
    """User 0 hits at 1 and 3 of 3 relevant, user 2 at 3 of 1; AUC: the rest ties."""
    dcg = 1 + 1 / np.log2(3) + 1 / 2
    found = compat.ranking_metrics_at_k(model, TRAIN, TEST, K=3, show_progress=False)
    assert found == pytest.approx(
        {
            "precision": 3 / (3 + 1),
            "map": ((1 + 2 / 3) / 3 + 1 / 3) / 2,
            "ndcg": ((1 + 1 / 2) / dcg + 1 / 2) / 2,
            # 1 miss behind the first hit, 2.5 of 3 hits before the rest; 2 misses before the other
            "auc": ((1 + 2.5 * 1) / 6 + 2 / 4) / 2,
        }
    )
    for name, key in [
        ("precision_at_k", "precision"),
        ("mean_average_precision_at_k", "map"),
        ("ndcg_at_k", "ndcg"),
        ("AUC_at_k", "auc"),
    ]:
        assert getattr(compat, name)(model, TRAIN, TEST, K=3) == found[key]


def test_only_users_with_test_items_are_asked_for() -> None:
    model = Model([1, 2, 3])
    compat.precision_at_k(model, TRAIN, TEST, K=3)
    assert model.asked == [0, 2]


def test_models_that_recommend_less() -> None:
    """Only the places there are count: one hit of four that could be, for the two users."""
    found = compat.ranking_metrics_at_k(Model([1]), TRAIN, TEST, K=3)
    assert found["precision"] == 1 / 4
    assert found["map"] == 1 / 3 / 2


def test_users_with_nothing_but_relevant_items_have_no_auc() -> None:
    test = sp.csr_array(np.ones((1, 3)))
    found = compat.ranking_metrics_at_k(
        (FACTORS[0][:1], FACTORS[1][:3]), sp.csr_array((1, 3)), test, K=2
    )
    assert np.isnan(found["auc"])
    assert found["precision"] == 1


@pytest.mark.parametrize(
    ("model", "train", "test", "options", "message"),
    [
        (FACTORS, TRAIN, TEST, {"K": 0}, "K: got 0"),
        (FACTORS, TRAIN, TEST, {"num_threads": -1}, "num_threads: got -1"),
        (FACTORS, TRAIN[:2], TEST, {}, r"train_user_items: got shape \(2, 5\)"),
        (FACTORS, TRAIN.toarray(), TEST, {}, "train_user_items: got ndarray"),
        (FACTORS, TRAIN, sp.csr_array((3, 5)), {}, "no user with a relevant item"),
        (3, TRAIN, TEST, {}, "model: got int"),
        (Model([1, 2], "float64"), TRAIN, TEST, {}, "recommend gave ids"),
        (Model([1, 1, 2]), TRAIN, TEST, {}, "stands twice"),
    ],
)
def test_refusals(model: Any, train: Any, test: Any, options: Any, message: str) -> None:
    with pytest.raises(rm.RankmillError, match=message):
        compat.ranking_metrics_at_k(model, train, test, **options)
