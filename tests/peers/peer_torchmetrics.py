"""`rankmill.compat.torchmetrics` against torchmetrics; its values have 32 bits."""

import inspect

import numpy as np
import pytest
import torch
import torchmetrics.retrieval as theirs
from samples import RNG_SEED

from rankmill.compat import torchmetrics as ours

TIED = {"RetrievalNormalizedDCG", "RetrievalAUROC"}


def batches(n=150, *, ties=False, grades=1, seed=RNG_SEED):
    """Queries of several lengths, some without a positive or a negative target, in mixed order."""
    rng = np.random.default_rng(seed + ties + grades)
    for _ in range(n):
        size = int(rng.integers(1, 60))
        indexes = rng.integers(0, 8, size) * 3
        scores = rng.permutation(size) / 64 - rng.choice([0.0, 0.3])
        if ties:
            scores = rng.integers(-2, 6, size) / 8
        share = rng.choice([0.0, 0.2, 0.6, 1.0], 25)[indexes]
        target = np.where(rng.random(size) < share, rng.integers(1, grades + 1, size), 0)
        tensors = torch.tensor(scores, dtype=torch.float32), torch.tensor(target)
        yield *tensors, torch.tensor(indexes)


def compare(name, options, batch):
    values = []
    for module in (theirs, ours):
        metric = getattr(module, name)(**options)
        half = len(batch[0]) // 2
        for part in (slice(0, half), slice(half, None)):
            if (batch[1][part] != options.get("ignore_index", -1)).any():
                metric.update(batch[0][part], batch[1][part], indexes=batch[2][part])
        values.append(metric.compute())
    have, want = values[1], values[0]
    assert isinstance(have, type(want))
    for mine, other in zip(
        have if isinstance(have, tuple) else [have],
        want if isinstance(want, tuple) else [want],
        strict=True,
    ):
        assert isinstance(mine, torch.Tensor)
        assert mine.shape == other.shape
        np.testing.assert_allclose(mine, other, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("name", ours.__all__)
def test_signature(name):
    want = inspect.signature(getattr(theirs, name).__init__).parameters
    have = inspect.signature(getattr(ours, name).__init__).parameters
    assert list(have) == list(want)
    assert [p.default for p in have.values()] == [p.default for p in want.values()]


def test_all_classes():
    assert set(ours.__all__) == set(theirs.__all__)


@pytest.mark.parametrize("action", ["neg", "pos", "skip"])
@pytest.mark.parametrize("name", sorted(set(ours.__all__) - {"RetrievalRecallAtFixedPrecision"}))
def test_defaults(name, action):
    for batch in batches():
        compare(name, {"empty_target_action": action}, batch)


@pytest.mark.parametrize("aggregation", ["median", "min", "max", lambda values, dim: values.sum()])
def test_aggregations(aggregation):
    for batch in batches(60):
        compare("RetrievalMRR", {"aggregation": aggregation}, batch)


@pytest.mark.parametrize("k", [1, 3, 50])
@pytest.mark.parametrize(
    "name", [n for n in ours.__all__ if "Curve" not in n and "Fixed" not in n and "RPre" not in n]
)
def test_cutoffs(name, k):
    for batch in batches():
        compare(name, {"top_k": k}, batch)
        if (batch[1] == 0).any():
            compare(name, {"top_k": k, "ignore_index": 1}, batch)


@pytest.mark.parametrize("name", sorted(TIED))
def test_ties(name):
    for batch in batches(ties=True):
        compare(name, {}, batch)


def test_graded_targets():
    for batch in batches(grades=4, ties=True):
        compare("RetrievalNormalizedDCG", {"top_k": 4}, batch)


@pytest.mark.parametrize("adaptive", [False, True])
def test_precision(adaptive):
    for batch in batches():
        compare("RetrievalPrecision", {"top_k": 7, "adaptive_k": adaptive}, batch)
        compare("RetrievalPrecisionRecallCurve", {"max_k": 7, "adaptive_k": adaptive}, batch)


@pytest.mark.parametrize("least", [0.0, 0.3, 1.0])
def test_recall_at_fixed_precision(least):
    """The cutoff is compared where they do not choose among equal recalls by a rounding."""
    agreed = 0
    for batch in batches(80):
        values = []
        for module in (theirs, ours):
            metric = module.RetrievalRecallAtFixedPrecision(min_precision=least)
            values.append(metric(batch[0], batch[1], indexes=batch[2]))
        np.testing.assert_allclose(values[1][0], values[0][0], rtol=2e-6, atol=2e-6)
        agreed += int(values[1][1] == values[0][1])
    assert agreed > 60


def test_forward_keeps_what_came_before():
    first, second = list(batches(2))
    values = []
    for module in (theirs, ours):
        metric = module.RetrievalMAP()
        each = [float(metric(*batch)) for batch in (first, second)]
        values.append([*each, float(metric.compute())])
        metric.reset()
    np.testing.assert_allclose(values[1], values[0], rtol=2e-6)


@pytest.mark.parametrize(
    ("preds", "target", "indexes"),
    [
        ([0.5], [2], [0]),
        ([0.5], [-1], [0]),
        ([1], [1], [0]),
        ([0.5, 0.4], [1], [0]),
        ([0.5], [1], [0.0]),
        ([], [], []),
    ],
)
def test_both_refuse(preds, target, indexes):
    arguments = [torch.tensor(values) for values in (preds, target, indexes)]
    for module in (theirs, ours):
        with pytest.raises((ValueError, TypeError)):
            module.RetrievalMAP().update(*arguments)


def test_both_refuse_queries_without_targets():
    batch = torch.tensor([0.5]), torch.tensor([0]), torch.tensor([0])
    for module in (theirs, ours):
        metric = module.RetrievalMAP(empty_target_action="error")
        metric.update(*batch)
        with pytest.raises(ValueError, match="no positive target"):
            metric.compute()
