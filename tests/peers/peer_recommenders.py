"""`rankmill.compat.recommenders` against recommenders."""

import inspect

import numpy as np
import pandas as pd
import pytest
import recommenders.evaluation.python_evaluation as theirs
from samples import RNG_SEED, same

from rankmill.compat import recommenders as ours

CUT = [name for name in ours.__all__ if name != "auc"]
COLUMNS = {"col_user": "u", "col_item": "i", "col_prediction": "p"}


def frames(n=60, *, text=False):
    """Users of one frame only, users without a hit, ties, and rows in mixed order."""
    rng = np.random.default_rng(RNG_SEED + text)
    for _ in range(n):
        pairs = [(u, i) for u in range(6) for i in range(25)]
        true = [pairs[j] for j in rng.permutation(len(pairs))[: rng.integers(1, 50)]]
        pred = [pairs[j] for j in rng.permutation(len(pairs))[: rng.integers(1, 90)]]
        pred = [pair for pair in pred if pair[0] != 5]
        true = [pair for pair in true if pair[0] != 0]
        name = (lambda x: f"id{x}") if text else (lambda x: x)
        yield (
            pd.DataFrame(
                {
                    "u": [name(u) for u, _ in true],
                    "i": [name(i) for _, i in true],
                    "rating": rng.integers(1, 6, len(true)),
                }
            ),
            pd.DataFrame(
                {
                    "u": [name(u) for u, _ in pred],
                    "i": [name(i) for _, i in pred],
                    "p": rng.integers(0, 12, len(pred)) / 4,
                }
            ),
        )


def usable(true, pred):
    """They raise where no frame has a row."""
    return len(true) and len(pred)


@pytest.mark.parametrize("name", ours.__all__)
def test_signature(name):
    want = inspect.signature(getattr(theirs, name)).parameters
    have = inspect.signature(getattr(ours, name)).parameters
    assert list(have) == list(want)
    assert [p.default for p in have.values()] == [p.default for p in want.values()]


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize(
    "cut",
    [
        {"k": 1}, {"k": 5}, {}, {"relevancy_method": "by_threshold", "threshold": 3, "k": 5},
        {"relevancy_method": None, "k": 4},
    ],
)  # fmt: skip
def test_cuts(name, text, cut):
    for true, pred in frames(text=text):
        if usable(true, pred):
            want = getattr(theirs, name)(true, pred.copy(), **COLUMNS, **cut)
            same(getattr(ours, name)(true, pred, **COLUMNS, **cut), want)


@pytest.mark.parametrize("score_type", ["binary", "raw", "exp"])
@pytest.mark.parametrize("discfun_type", ["loge", "log2"])
def test_gains(score_type, discfun_type):
    options = {"score_type": score_type, "discfun_type": discfun_type, "k": 4}
    for true, pred in frames():
        if usable(true, pred):
            want = theirs.ndcg_at_k(true, pred.copy(), **COLUMNS, **options)
            same(ours.ndcg_at_k(true, pred, **COLUMNS, **options), want)


def test_auc():
    for true, pred in frames():
        binary = true.assign(rating=(true["rating"] > 3).astype(int))
        both = binary.merge(pred, on=["u", "i"])
        if both["rating"].nunique() == 2:
            same(ours.auc(binary, pred, **COLUMNS), theirs.auc(binary, pred, **COLUMNS))


def test_both_refuse():
    true = pd.DataFrame({"u": [1], "i": [1], "rating": [1]})
    pred = pd.DataFrame({"u": [1], "i": [1], "p": [1.0]})
    for module in (theirs, ours):
        for left, right, options in [
            (true, pred.rename(columns={"p": "x"}), {}),
            (true, pred.astype({"i": str}), {}),
            (true.drop(columns="i"), pred, {}),
            (true, pred, {"relevancy_method": "other"}),
        ]:
            with pytest.raises(Exception, match=r"."):
                module.precision_at_k(left, right, **COLUMNS, **options)
