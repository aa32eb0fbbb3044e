"""recometrics: `calc_reco_metrics` of a factorisation model and sparse matrices, release 0.1.6.

Items that tie are averaged over their orders, where recometrics breaks ties by noise or leaves them
to its sort; a user whose scores are all the same is NaN, as there. `seed` is taken and not used.

Known differences: stored zeros and negative values in `X_test` are an error, where recometrics
takes them as relevant for all but NDCG; NaN scores are an error, where it gives NaN. A user with
nothing but relevant items has a value of NDCG and NaN otherwise, where recometrics lets k, the
noise and the other metrics decide. NDCG with ``cumulative=True`` is that of every cutoff, where
recometrics stops counting hits behind as many places as there are relevant items. `min_pos_test`
does what recometrics says of it, and does not do.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rankmill.conventions import Conventions
from rankmill.errors import InputError, InputTypeError, MissingDependencyError
from rankmill.evaluate import measure
from rankmill.factors import rank_factors
from rankmill.inputs import NumpyArray, is_sparse, sparse_parts, whole_number
from rankmill.metrics import Metric
from rankmill.ranks import Ranks
from rankmill.running import Floats

__all__ = ["calc_reco_metrics"]

_CONVENTIONS: Final = Conventions.recometrics()


@dataclass(frozen=True)
class _Column:
    """A metric: its name there, ours, and whether it is NaN where k takes all there is."""

    name: str
    metric: str
    params: dict[str, str]
    needs_choice: bool = False


_TRUNCATED: Final = "min(k, relevant)"
_AT_K: Final = {
    "precision": _Column("P@", "precision", {}, needs_choice=True),
    "trunc_precision": _Column(
        "TP@", "recall", {"recall_denominator": _TRUNCATED}, needs_choice=True
    ),
    "recall": _Column("R@", "recall", {}, needs_choice=True),
    "average_precision": _Column("AP@", "map", {}),
    "trunc_average_precision": _Column("TAP@", "map", {"ap_denominator": _TRUNCATED}),
    "ndcg": _Column("NDCG@", "ndcg", {}),
    "hit": _Column("Hit@", "hit", {}, needs_choice=True),
    "rr": _Column("RR@", "mrr", {}),
}
_WHOLE: Final = {"roc_auc": ("ROC_AUC", "auc"), "pr_auc": ("PR_AUC", "pr_auc")}


@dataclass(frozen=True)
class _Users:
    """Ranks, and for which users there is nothing to say."""

    ranks: Ranks
    undefined: NumpyArray
    cumulative: bool
    n_threads: int | None

    @property
    def only_relevant(self) -> NumpyArray:
        """Users without an item that is not relevant."""
        only: NumpyArray = np.diff(self.ranks.offsets) == self.ranks.candidates
        return only

    def values(self, column: _Column, cutoffs: list[int]) -> Floats:
        """Return a metric at some cutoffs, (users, cutoffs)."""
        metrics = [Metric(column.metric, k, column.params) for k in cutoffs]
        values = self._measure(metrics)
        gone = self.undefined if column.metric == "ndcg" else self.undefined | self.only_relevant
        values[:, gone] = np.nan
        if column.needs_choice and not self.cumulative:
            values[:, self.ranks.candidates <= cutoffs[0]] = np.nan
        return values.T

    def whole(self, metric: str) -> Floats:
        """Return a metric of the whole ranking."""
        values: Floats = self._measure([Metric(metric)])[0]
        values[self.undefined | self.only_relevant] = np.nan
        return values

    def _measure(self, metrics: list[Metric]) -> Floats:
        rules = _CONVENTIONS
        return measure(self.ranks, metrics, conventions=rules, n_threads=self.n_threads).values


def calc_reco_metrics(
    X_train: Any,  # noqa: N803 - the names it has there
    X_test: Any,  # noqa: N803
    A: Any,  # noqa: N803
    B: Any,  # noqa: N803
    k: int = 5,
    item_biases: Any = None,
    as_df: bool = True,
    precision: bool = True,
    trunc_precision: bool = False,
    recall: bool = False,
    average_precision: bool = True,
    trunc_average_precision: bool = False,
    ndcg: bool = True,
    hit: bool = False,
    rr: bool = False,
    roc_auc: bool = False,
    pr_auc: bool = False,
    all_metrics: bool = False,
    rename_k: bool = True,
    break_ties_with_noise: bool = True,
    min_pos_test: int = 1,
    min_items_pool: int = 2,
    consider_cold_start: bool = True,
    cumulative: bool = False,
    nthreads: int = -1,
    seed: Any = 1,
) -> Any:
    """Evaluate all items for every user, but for those in `X_train`.

    Parameters
    ----------
    X_train : sparse (users, items) or None
        What a user had already: no candidates.
    X_test : sparse (users, items)
        What is relevant; the values are the gains of NDCG, > 0.
    A, B : float (users, d) and (items, d), or None
        Factors; None for both if `item_biases` alone are the scores.
    k : int
        The cutoff, from 1 to the number of items.
    item_biases : float (items,), optional
        Added to the scores.
    as_df, rename_k, cumulative : bool
        A data frame with columns such as ``P@5`` (``P@K`` unless renamed), or a dict of arrays;
        every cutoff from 1 to `k`, or `k` alone.
    precision, trunc_precision, recall, average_precision, trunc_average_precision, ndcg, hit, rr, \
roc_auc, pr_auc, all_metrics : bool
        What to compute.
    min_pos_test, min_items_pool : int
        Users with fewer relevant items or candidates are NaN.
    consider_cold_start : bool
        Whether users without training items count; else they are NaN.
    nthreads : int
        Below 0 it counts back from all CPUs: -1 is all of them.
    break_ties_with_noise, seed
        Not used: ties are averaged.

    Returns
    -------
    DataFrame or dict
        A row per user; float32 if both factors are.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> items = np.array([[0.9], [0.8], [0.7], [0.6]])
    >>> test = sp.csr_array([[1.0, 0, 1, 0]])
    >>> found = calc_reco_metrics(None, test, np.ones((1, 1)), items, k=3, as_df=False)
    >>> found["P@K"].round(3), found["K"]
    (array([0.667]), 3)
    """
    asked = {
        "precision": precision,
        "trunc_precision": trunc_precision,
        "recall": recall,
        "average_precision": average_precision,
        "trunc_average_precision": trunc_average_precision,
        "ndcg": ndcg,
        "hit": hit,
        "rr": rr,
        "roc_auc": roc_auc,
        "pr_auc": pr_auc,
    }
    if not (all_metrics or any(asked.values())):
        raise InputError("precision, ...: got no metric; wanted at least one")
    if not is_sparse(X_test):
        raise InputTypeError(f"X_test: got {type(X_test).__name__}; wanted a sparse matrix")
    n_items = int(X_test.shape[1])
    if whole_number("k", k, 1) > n_items:
        raise InputError(f"k: got {k}; wanted at most {n_items}, the number of items")
    left, right, dtype = _factors(A, B, item_biases, X_test.shape)
    _check_test(X_test)
    n_threads = _threads(nthreads)
    ranks = rank_factors(
        left, right, X_test, exclude=X_train, item_bias=item_biases, n_threads=n_threads
    )
    cold = None if consider_cold_start or X_train is None else _row_lengths(X_train) == 0
    undefined = _undefined(ranks, min_pos_test, max(min_items_pool, k), cold)
    users = _Users(ranks, undefined, cumulative, n_threads)
    cutoffs = list(range(1, k + 1)) if cumulative else [k]
    found: dict[str, NumpyArray] = {}
    for option, column in _AT_K.items():
        if all_metrics or asked[option]:
            at_k = users.values(column, cutoffs).astype(dtype)
            found[column.name + "K"] = at_k if cumulative else at_k[:, 0]
    for option, (name, metric) in _WHOLE.items():
        if all_metrics or asked[option]:
            found[name] = users.whole(metric).astype(dtype)
    if as_df:
        return _frame(found, cutoffs, k if rename_k or cumulative else "K")
    return {**found, "K": k}


def _factors(a: Any, b: Any, biases: Any, shape: tuple[int, int]) -> tuple[Any, Any, Any]:
    """Return the factors, 0 where the biases alone are the scores, and the result's type."""
    if (a is None) != (b is None) or (a is None and biases is None):
        raise InputError("A, B: got one of them as None; wanted both, or item_biases without them")
    if a is None:
        return np.zeros((shape[0], 1)), np.zeros((shape[1], 1)), np.float64
    single = getattr(a, "dtype", None) == np.float32 and getattr(b, "dtype", None) == np.float32
    return a, b, np.float32 if single else np.float64


def _check_test(matrix: Any) -> None:
    starts, items, values = sparse_parts("X_test", matrix)
    positive = np.greater(values, 0)
    if not positive.size:
        raise InputError("X_test: got nothing stored; wanted at least one relevant item")
    if not positive.all():
        at = int(np.argmin(positive))
        row = int(np.searchsorted(starts, at, side="right")) - 1
        raise InputError(
            f"X_test: got a stored {values[at]} at row {row}, item {items[at]}; wanted values > 0"
        )


def _row_lengths(matrix: Any) -> NumpyArray:
    starts, _, values = sparse_parts("X_train", matrix)
    stored = np.concatenate([[0], np.cumsum(np.asarray(values) != 0)])
    return np.diff(stored[np.asarray(starts)])


def _undefined(
    ranks: Ranks, min_relevant: int, min_candidates: int, cold: NumpyArray | None
) -> NumpyArray:
    """Tell the users of whom nothing can be said: too few items, or all with the same score."""
    relevant = np.diff(ranks.offsets)
    owners = np.repeat(np.arange(len(ranks)), relevant)
    all_tied = np.zeros(len(ranks), dtype=bool)
    all_tied[owners[ranks.tied == ranks.candidates[owners]]] = True
    too_few = (relevant < max(min_relevant, 1)) | (ranks.candidates < min_candidates)
    undefined: NumpyArray = too_few | all_tied
    return undefined if cold is None else undefined | cold


def _threads(nthreads: int) -> int | None:
    if nthreads == 0:
        raise InputError("nthreads: got 0; wanted a number of threads, or -1 for all")
    return nthreads if nthreads > 0 else max(1, (os.cpu_count() or 1) + 1 + nthreads)


def _frame(found: dict[str, NumpyArray], cutoffs: list[int], label: int | str) -> Any:
    try:
        import pandas
    except ImportError:
        raise MissingDependencyError(
            "as_df: data frames need pandas; install it (pip install pandas) or say as_df=False"
        ) from None
    columns: dict[str, NumpyArray] = {}
    for name, values in found.items():
        if values.ndim == 2:
            columns |= {name[:-1] + str(c): values[:, i] for i, c in enumerate(cutoffs)}
        else:
            columns[name[:-1] + str(label) if name.endswith("@K") else name] = values
    return pandas.DataFrame(columns)
