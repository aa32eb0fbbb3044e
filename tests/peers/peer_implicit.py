"""`rankmill.compat.implicit` against implicit: distinct scores, and K items to recommend."""

import inspect

import implicit.evaluation as theirs
import numpy as np
import pytest
import scipy.sparse as sp
from implicit.cpu.matrix_factorization_base import MatrixFactorizationBase
from samples import RNG_SEED, same

from rankmill.compat import implicit as ours

NAMES = sorted(ours.__all__)


class Model(MatrixFactorizationBase):
    """Factors that someone else has fitted."""

    def __init__(self, users, items):
        super().__init__()
        self.user_factors, self.item_factors = users, items

    def fit(self, user_items, show_progress=True):
        raise NotImplementedError

    def save(self, file):
        raise NotImplementedError


def models(n=100):
    """Users without test items, with few and with many; users in no order of activity."""
    rng = np.random.default_rng(RNG_SEED)
    for _ in range(n):
        users, items, d = int(rng.integers(1, 12)), int(rng.integers(25, 60)), 4
        share = rng.choice([0.0, 0.05, 0.3], (users, 1))
        test = (rng.random((users, items)) < share) * rng.integers(1, 4, (users, items))
        train = (rng.random((users, items)) < 0.2) & (test == 0)
        if test.any():
            factors = (rng.normal(size=(n, d)).astype(np.float32) for n in (users, items))
            yield Model(*factors), sp.csr_matrix(train.astype(float)), sp.csr_matrix(test * 1.0)


@pytest.mark.parametrize("name", NAMES)
def test_signature(name):
    want = inspect.signature(getattr(theirs, name)).parameters
    have = inspect.signature(getattr(ours, name)).parameters
    assert list(have) == list(want)
    assert [p.default for p in have.values()] == [p.default for p in want.values()]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("k", [1, 5, 10])
def test_values(name, k):
    for model, train, test in models():
        options = {"K": k, "show_progress": False}
        want = getattr(theirs, name)(model, train, test, **options)
        for given in (model, (model.user_factors, model.item_factors)):
            have = getattr(ours, name)(given, train, test, **options)
            if isinstance(want, dict):
                assert list(have) == list(want)
                same(list(have.values()), list(want.values()))
            else:
                same(have, want)
