"""`rankmill.compat.boosting` with stand-ins for the libraries' data; tests/peers has the real."""

from typing import Any

import numpy as np
import pytest

import rankmill as rm
from rankmill.compat import boosting

# Groups a (hit at 2) and b (nothing relevant): reciprocal ranks 1/2, and 0 by formula.
PREDS, LABELS = [0.9, 0.8, 0.7, 0.6, 0.5], [0, 1, 1, 0, 0]
SIZES, BOUNDS, IDS = [3, 2], [0, 3, 5], ["a", "a", "a", "b", "b"]


class Data:
    """LightGBM's Dataset and XGBoost's DMatrix in one."""

    def __init__(self, *, grouped: bool = True) -> None:
        self.grouped = grouped

    def get_label(self) -> Any:
        return np.array(LABELS, dtype=np.float32)

    def get_group(self) -> Any:
        return np.array(SIZES) if self.grouped else None

    def get_uint_info(self, field: str) -> Any:
        assert field == "group_ptr"
        return np.array(BOUNDS if self.grouped else [], dtype=np.uint32)


def test_lightgbm() -> None:
    """A group without relevant rows counts as 1 in ndcg and map there."""
    found = boosting.lightgbm_metric("mrr map@2")(PREDS, Data())
    assert found == [("mrr", 0.25, True), ("map@2", (0.25 + 1) / 2, True)]
    one_group = boosting.lightgbm_metric("mrr")(PREDS, Data(grouped=False))
    assert one_group == [("mrr", 0.5, True)]


def test_xgboost() -> None:
    assert boosting.xgboost_metric("map@2")(PREDS, Data()) == ("map@2", (0.25 + 1) / 2)
    assert boosting.xgboost_metric("mrr")(PREDS, Data(grouped=False)) == ("mrr", 0.5)


def test_catboost() -> None:
    """Of training and evaluation pools, told apart by their length."""
    metric = boosting.catboost_metric("map@2", [IDS, ["x", "x"]])
    assert metric.is_max_optimal()
    assert metric.get_final_error(*metric.evaluate([PREDS], LABELS, None)) == 0.125
    assert metric.evaluate([[2, 1]], [1, 0], None) == (1.0, 1.0)
    numbers = boosting.catboost_metric("map@2", [7, 7, 7, 8, 8])
    assert numbers.evaluate([PREDS], LABELS, None) == (0.125, 1.0)


def test_other_conventions() -> None:
    rules = rm.Conventions(empty="skip")
    assert boosting.lightgbm_metric("map@2", conventions=rules)(PREDS, Data())[0][1] == 0.25


def test_refusals() -> None:
    with pytest.raises(rm.InputError, match="wanted one, as XGBoost"):
        boosting.xgboost_metric("mrr map")
    with pytest.raises(rm.InputError, match="wanted one, as CatBoost"):
        boosting.catboost_metric("mrr map", IDS)
    with pytest.raises(rm.InputError, match="two pools have 5 rows"):
        boosting.catboost_metric("mrr", [IDS, list(IDS)])
    with pytest.raises(rm.InputError, match="got 2 rows; know pools of 5"):
        boosting.catboost_metric("mrr", IDS).evaluate([[1, 2]], [0, 1], None)
    with pytest.raises(rm.InputError, match=r"preds: got shape \(1, 2\)"):
        boosting.lightgbm_metric("mrr")([[1, 2]], Data())
