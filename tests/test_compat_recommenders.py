"""`rankmill.compat.recommenders` on a worked example; tests/peers compares with the library."""

import math
from typing import Any

import pandas as pd
import pytest

import rankmill as rm
from rankmill.compat import recommenders as compat

# User 1 has hits at ranks 1 and 3 of 3 relevant, user 2 none of 2; 3 and 4 are in one frame only.
TRUE = pd.DataFrame(
    {
        "userID": [1, 1, 1, 2, 2, 3],
        "itemID": ["a", "b", "c", "a", "b", "a"],
        "rating": [5, 2, 1, 3, 3, 4],
    }
)
PRED = pd.DataFrame(
    {
        "userID": [2, 1, 1, 1, 4],
        "itemID": ["z", "b", "x", "a", "a"],
        "prediction": [0.5, 0.7, 0.8, 0.9, 0.1],
    }
)


@pytest.mark.parametrize(
    ("name", "options", "want"),
    [
        ("precision_at_k", {"k": 2}, 1 / 2 / 2),
        ("precision_at_k", {"k": 4}, 2 / 4 / 2),
        ("precision_at_k", {"k": 4, "relevancy_method": "by_threshold", "threshold": 1}, 1 / 8),
        ("precision_at_k", {"k": 2, "relevancy_method": None}, 2 / 2 / 2),
        ("recall_at_k", {"k": 3}, 2 / 3 / 2),
        ("map", {"k": 3}, (1 + 2 / 3) / 3 / 2),
        ("map_at_k", {"k": 2}, 1 / 2 / 2),
        ("r_precision_at_k", {"k": 3}, 2 / 3),  # user 2, who is 0, is left out
        ("r_precision_at_k", {"k": 1}, 1 / 3),
    ],
)
def test_values(name: str, options: dict[str, Any], want: float) -> None:
    assert getattr(compat, name)(TRUE, PRED, **options) == pytest.approx(want)


def test_ndcg_counts_all_users_of_the_truth() -> None:
    """Of three users one has hits, at 1 and 3; the best order of three relevant items."""
    best = 1 + 1 / math.log2(3) + 1 / 2
    want = (1 + 1 / 2) / best / 3
    assert compat.ndcg_at_k(TRUE, PRED, k=3) == pytest.approx(want)
    assert compat.ndcg_at_k(TRUE, PRED, k=3, discfun_type="log2") == pytest.approx(want)
    raw = (5 + 2 / 2) / (5 + 2 / math.log2(3) + 1 / 2) / 3
    assert compat.ndcg_at_k(TRUE, PRED, k=3, score_type="raw") == pytest.approx(raw)
    exp = (31 + 3 / 2) / (31 + 3 / math.log2(3) + 1 / 2) / 3
    assert compat.ndcg_at_k(TRUE, PRED, k=3, score_type="exp") == pytest.approx(exp)


def test_auc_of_the_pairs_in_both() -> None:
    true = TRUE.assign(rating=[1, 0, 1, 1, 0, 1])
    pred = pd.DataFrame(
        {"userID": [1, 1, 2, 9], "itemID": ["a", "b", "b", "a"], "prediction": [3, 2, 4, 9]}
    )
    assert compat.auc(true, pred) == 0.5  # 3 above 2, but not above 4


@pytest.mark.parametrize("name", sorted(set(compat.__all__) - {"auc"}))
def test_nothing_in_common(name: str) -> None:
    assert getattr(compat, name)(TRUE[5:], PRED[:1]) == 0


@pytest.mark.parametrize(
    ("true", "pred", "options", "message"),
    [
        (TRUE.drop(columns="itemID"), PRED, {}, "rating_true: no column 'itemID'"),
        (TRUE, PRED.drop(columns="prediction"), {}, "rating_pred: no column 'prediction'"),
        (TRUE, PRED, {"col_user": "who"}, "no column 'who'"),
        (TRUE, PRED, {"k": 0}, "k: got 0"),
        (TRUE, PRED, {"relevancy_method": "best"}, "relevancy_method: got 'best'"),
        (TRUE, PRED.assign(itemID=range(5)), {}, "itemID: got"),
        (pd.concat([TRUE, TRUE[:1]]), PRED, {}, "rating_true: user 1 has item 'a' twice"),
        (TRUE, pd.concat([PRED, PRED[1:2]]), {}, "rating_pred: user 1 has item 'b' twice"),
        (TRUE, PRED.assign(prediction=float("nan")), {}, "rating_pred: got nan at row 0"),
        (TRUE.assign(itemID=[None, *"bcabx"]), PRED, {}, "itemID: got a missing id"),
    ],
)
def test_refusals(true: Any, pred: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        compat.recall_at_k(true, pred, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score_type": "log"}, "score_type: got 'log'"),
        ({"discfun_type": "log10"}, "discfun_type: got 'log10'"),
        ({"score_type": "raw", "col_rating": "stars"}, "no column 'stars'"),
    ],
)
def test_bad_gains(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        compat.ndcg_at_k(TRUE, PRED, **options)
    with pytest.raises(rm.InputError, match=r"got rating -1\.0 at row 0; wanted"):
        compat.ndcg_at_k(TRUE.assign(rating=-1), PRED, score_type="exp")


# The worked example that recommenders tests itself with: users 1, 2 and 3, and what comes out.
OWN_USERS = [1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1, 1]
OWN_RATINGS = [3, 5, 5, 3, 3, 1, 5, 5, 5, 4, 4, 3, 3, 3, 2, 1, 5, 4]
OWN_TRUE = pd.DataFrame(
    {
        "userID": OWN_USERS,
        "itemID": [3, 1, 4, 5, 6, 7, 2, 5, 6, 8, 9, 10, 11, 12, 13, 14, 1, 2],
        "rating": OWN_RATINGS,
    }
)
OWN_PRED = pd.DataFrame(
    {
        "userID": OWN_USERS,
        "itemID": [12, 10, 3, 5, 11, 13, 4, 10, 7, 13, 1, 3, 5, 2, 11, 14, 3, 10],
        "prediction": [12, 14, 13, 12, 11, 10, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 14, 13],
        "rating": OWN_RATINGS,
    }
)


@pytest.mark.parametrize(
    ("name", "k", "want"),
    [
        ("ndcg_at_k", 10, 0.38172),
        ("map", 10, 0.23613),
        ("map_at_k", 10, 0.23613),
        ("precision_at_k", 10, 0.26666),
        ("recall_at_k", 10, 0.37777),
        ("r_precision_at_k", 3, 0.21111),
        ("r_precision_at_k", 5, 0.24444),
        ("r_precision_at_k", 10, 0.37777),
    ],
)
def test_its_own_example(name: str, k: int, want: float) -> None:
    assert getattr(compat, name)(OWN_TRUE, OWN_PRED, k=k) == pytest.approx(want, rel=1e-4)
    perfect = getattr(compat, name)(OWN_TRUE, OWN_TRUE, col_prediction="rating", k=10)
    assert perfect == pytest.approx(0.6 if name == "precision_at_k" else 1)


def test_its_own_example_of_auc() -> None:
    binary = OWN_TRUE.assign(rating=(OWN_TRUE["rating"] >= 3).astype(float))
    assert compat.auc(binary, OWN_PRED) == pytest.approx(0.75)


def test_a_published_example_of_ndcg() -> None:
    """Of an encyclopedia: grades 3 2 3 0 1 2 ranked, with 3 and 2 not ranked, give 0.785."""
    true = pd.DataFrame({"userID": [0] * 8, "itemID": range(8), "rating": [3, 2, 3, 0, 1, 2, 3, 2]})
    pred = pd.DataFrame({"userID": [0] * 6, "itemID": range(6), "prediction": [6, 5, 4, 3, 2, 1]})
    found = compat.ndcg_at_k(true, pred, k=6, score_type="raw", discfun_type="log2")
    assert found == pytest.approx(0.785, abs=5e-4)
