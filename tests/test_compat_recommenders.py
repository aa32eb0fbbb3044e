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
    with pytest.raises(rm.InputError, match=r"got rating 0\.0 at row 0; wanted"):
        compat.ndcg_at_k(TRUE.assign(rating=0), PRED, score_type="exp")
