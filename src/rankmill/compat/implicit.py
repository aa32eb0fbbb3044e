"""implicit: metrics of a model's recommendations, `implicit.evaluation`, release 0.7.3.

`model` is anything with implicit's ``recommend(userids, user_items, N=...)``, or a pair of factors
``(user_factors, item_factors)``, whose best items are found here. Every stored value of the test
matrix is relevant; users without any are left out.

Known differences: where a model recommends fewer than K items, implicit reads beyond them; here the
places there are count. A user with nothing but relevant items has no AUC, where implicit divides by
0. There is no progress bar: `show_progress` is taken and not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rankmill.conventions import Conventions
from rankmill.errors import InputError, InputTypeError
from rankmill.evaluate import measure
from rankmill.factors import top_k_factors
from rankmill.inputs import NumpyArray, is_sparse, whole_number
from rankmill.ranking_lists import rank_lists
from rankmill.ranks import UNRANKED, Ranks
from rankmill.running import Floats

__all__ = [
    "AUC_at_k",
    "mean_average_precision_at_k",
    "ndcg_at_k",
    "precision_at_k",
    "ranking_metrics_at_k",
]

_CONVENTIONS: Final = Conventions.implicit()
_BATCH: Final = 1000  # users whose items a model is asked for at once


def ranking_metrics_at_k(
    model: Any,
    train_user_items: Any,
    test_user_items: Any,
    K: int = 10,  # noqa: N803 - the name it has there
    show_progress: bool = True,
    num_threads: int = 1,
) -> dict[str, float]:
    """Return precision, map, ndcg and auc of the first K recommendations.

    Precision is pooled: hits of all users over the sum of min(K, relevant). AUC looks at the first
    K places and takes all other items as tied behind them.

    Parameters
    ----------
    model : object with ``recommend``, or (user_factors, item_factors)
        With factors, items of `train_user_items` are left out, as ``recommend`` does by default.
    train_user_items, test_user_items : sparse (users, items)
        What was known, and what is relevant.
    K : int
        Places to look at.
    num_threads : int
        0 for all.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> factors = np.ones((1, 1)), np.array([[0.9], [0.8], [0.7], [0.6]])
    >>> train, test = sp.csr_array([[1, 0, 0, 0]]), sp.csr_array([[0, 0, 1, 0]])
    >>> found = ranking_metrics_at_k(factors, train, test, K=2)
    >>> found["precision"], found["map"], round(found["ndcg"], 4), round(found["auc"], 4)
    (1.0, 0.5, 0.6309, 0.6667)
    """
    k = whole_number("K", K, 1)
    for name, matrix in (
        ("train_user_items", train_user_items),
        ("test_user_items", test_user_items),
    ):
        if not is_sparse(matrix):
            raise InputTypeError(f"{name}: got {type(matrix).__name__}; wanted a sparse matrix")
    train, test = train_user_items.tocsr(), test_user_items.tocsr()
    if train.shape != test.shape:
        raise InputError(f"train_user_items: got shape {train.shape}; wanted {test.shape}")
    n_threads = whole_number("num_threads", num_threads, 0) or None
    users = np.flatnonzero(np.diff(test.indptr))
    if not len(users):
        raise InputError("test_user_items: got no user with a relevant item; wanted at least one")
    relevant = test[users]
    relevant.data = np.ones(len(relevant.data))
    lists = _recommended(model, train, users, k, n_threads)
    ranks = rank_lists(lists, relevant, n_threads=n_threads)
    found = _Found(ranks, k, int(test.shape[1]))
    result = measure(ranks, f"map@{k} ndcg@{k}", conventions=_CONVENTIONS, n_threads=n_threads)
    auc = found.auc()
    return {
        "precision": float(found.hits.sum() / np.minimum(found.relevant, k).sum()),
        "map": result.mean(f"map@{k}"),
        "ndcg": result.mean(f"ndcg@{k}"),
        "auc": float(np.nanmean(auc)) if not np.isnan(auc).all() else float("nan"),
    }


def precision_at_k(
    model: Any,
    train_user_items: Any,
    test_user_items: Any,
    K: int = 10,  # noqa: N803
    show_progress: bool = True,
    num_threads: int = 1,
) -> float:
    """Return the pooled precision of `ranking_metrics_at_k`."""
    arguments = (model, train_user_items, test_user_items, K, show_progress, num_threads)
    return ranking_metrics_at_k(*arguments)["precision"]


def mean_average_precision_at_k(
    model: Any,
    train_user_items: Any,
    test_user_items: Any,
    K: int = 10,  # noqa: N803
    show_progress: bool = True,
    num_threads: int = 1,
) -> float:
    """Return the mean average precision, divided by min(K, relevant)."""
    arguments = (model, train_user_items, test_user_items, K, show_progress, num_threads)
    return ranking_metrics_at_k(*arguments)["map"]


def ndcg_at_k(
    model: Any,
    train_user_items: Any,
    test_user_items: Any,
    K: int = 10,  # noqa: N803
    show_progress: bool = True,
    num_threads: int = 1,
) -> float:
    """Return NDCG with binary gains."""
    arguments = (model, train_user_items, test_user_items, K, show_progress, num_threads)
    return ranking_metrics_at_k(*arguments)["ndcg"]


def AUC_at_k(  # noqa: N802
    model: Any,
    train_user_items: Any,
    test_user_items: Any,
    K: int = 10,  # noqa: N803
    show_progress: bool = True,
    num_threads: int = 1,
) -> float:
    """Return AUC, with all but the first K items tied behind them."""
    arguments = (model, train_user_items, test_user_items, K, show_progress, num_threads)
    return ranking_metrics_at_k(*arguments)["auc"]


@dataclass(frozen=True)
class _Found:
    """Where the relevant items stand in the lists of recommendations."""

    ranks: Ranks
    k: int
    n_items: int

    @property
    def relevant(self) -> NumpyArray:
        """How many there are, of each user."""
        return np.diff(self.ranks.offsets)

    @property
    def hits(self) -> NumpyArray:
        """How many of them are in the list."""
        return np.bincount(self._owners[self._listed], minlength=len(self.ranks))

    @property
    def _owners(self) -> NumpyArray:
        return np.repeat(np.arange(len(self.ranks)), self.relevant)

    @property
    def _listed(self) -> NumpyArray:
        listed: NumpyArray = self.ranks.ahead != UNRANKED
        return listed

    def auc(self) -> Floats:
        """Share of pairs in order; NaN without an item that is not relevant."""
        listed, hits, places = self._listed, self.hits, self.ranks.candidates
        before = np.bincount(
            self._owners[listed], weights=self.ranks.ahead[listed], minlength=len(self.ranks)
        )
        # Misses in the list behind each hit; then all others, tied with the rest of the relevant.
        won = hits * (places - 1) - before - hits * (hits - 1) / 2
        others = self.n_items - self.relevant
        won = won + (hits + self.relevant) / 2 * (others - (places - hits))
        empty = np.full(len(hits), np.nan)
        values: Floats = np.divide(won, self.relevant * others, out=empty, where=others > 0)
        return values


def _recommended(
    model: Any, train: Any, users: NumpyArray, k: int, n_threads: int | None
) -> NumpyArray:
    """Return the items recommended to each user, (users, k), -1 behind the last."""
    if hasattr(model, "recommend"):
        parts = [users[at : at + _BATCH] for at in range(0, len(users), _BATCH)]
        lists = [np.asarray(model.recommend(part, train[part], N=k)[0]) for part in parts]
        for part, ids in zip(parts, lists, strict=True):
            if ids.ndim != 2 or len(ids) != len(part) or ids.dtype.kind not in "iu":
                raise InputError(
                    f"model: recommend gave ids of shape {ids.shape} and dtype {ids.dtype}; "
                    f"wanted integers ({len(part)}, K)"
                )
        wide = max(ids.shape[1] for ids in lists)
        padded = [
            np.pad(ids, ((0, 0), (0, wide - ids.shape[1])), constant_values=-1) for ids in lists
        ]
        return np.concatenate(padded)
    try:
        user_factors, item_factors = model
    except TypeError:
        raise InputTypeError(
            f"model: got {type(model).__name__}; wanted a model with recommend, or "
            "(user_factors, item_factors)"
        ) from None
    ids, _ = top_k_factors(
        np.asarray(user_factors)[users], item_factors, k, exclude=train[users], n_threads=n_threads
    )
    return ids
