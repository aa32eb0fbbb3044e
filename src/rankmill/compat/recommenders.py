"""recommenders: ranking metrics of two data frames, `python_evaluation`, release 1.2.1.

`rating_true` holds the truth, one row per user and item, all of which is relevant whatever its
rating; `rating_pred` the recommendations. Only users of both count, but for `ndcg_at_k`, which
takes users without recommendations as 0, and leaves out those without gains; `r_precision_at_k` is
the mean over the users for whom it is not 0, as there.

Known differences: a pair of user and item that stands twice is an error, where recommenders counts
it twice; so are missing and infinite predictions, and negative ratings as gains.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rankmill.compat.frame_pairs import Pairs, check_column
from rankmill.compat.sklearn import roc_auc_score
from rankmill.conventions import Conventions
from rankmill.errors import InputError
from rankmill.evaluate import measure
from rankmill.inputs import NumpyArray, numeric_array, whole_number
from rankmill.metrics import Metric
from rankmill.ranks import Ranks
from rankmill.running import Floats

__all__ = [
    "auc",
    "map",
    "map_at_k",
    "ndcg_at_k",
    "precision_at_k",
    "r_precision_at_k",
    "recall_at_k",
]

_CONVENTIONS: Final = Conventions.recommenders().replace(empty="zero")
_GAINS: Final = {"binary": "binary", "raw": "linear", "exp": "exp2"}


@dataclass(frozen=True)
class _Ranked:
    """What the metrics of one call are made of."""

    ranks: Ranks | None  # None: no user has both
    top: int | None
    k: int

    @classmethod
    def of(
        cls,
        true: Any,
        pred: Any,
        columns: tuple[str, str, str],
        cut: tuple[str | None, int, int],
        grades: Floats | None = None,
        everyone: bool = False,
    ) -> _Ranked:
        """Rank what the frames hold, for users of both or for all users of the truth."""
        col_user, col_item, col_prediction = columns
        check_column("rating_pred", pred, col_prediction)
        method, k, threshold = cut
        cuts = {"top_k": k, "by_threshold": threshold, None: None}
        if method not in cuts:
            raise InputError(
                f"relevancy_method: got {method!r}; wanted 'top_k', 'by_threshold' or None"
            )
        top = cuts[method]
        whole_number("k", k, 1)
        if top is not None:
            whole_number("threshold" if method == "by_threshold" else "k", top, 1)
        pairs = Pairs.of(true, pred, col_user, col_item)
        scores = numeric_array("rating_pred", pred[col_prediction].to_numpy())
        scores = scores.astype(np.float64)
        if not np.isfinite(scores).all():
            at = int(np.argmin(np.isfinite(scores)))
            raise InputError(f"rating_pred: got {scores[at]} at row {at}; wanted a finite number")
        if top is None:  # the rows are taken as ranked already
            scores = -np.arange(len(scores), dtype=np.float64)
        n = builtins.max(
            users.max(initial=-1) + 1 for users in (pairs.users_true, pairs.users_pred)
        )
        counted = np.bincount(pairs.users_true, minlength=n) > 0
        if not everyone:
            counted &= np.bincount(pairs.users_pred, minlength=n) > 0
        grades = np.ones(len(true)) if grades is None else grades
        ranks = pairs.rank(grades, scores, counted) if counted.any() else None
        return cls(ranks, top, k)

    def values(self, name: str, k: int | None, **params: Any) -> Floats:
        """Return the values of a metric, one per user."""
        assert self.ranks is not None
        metric = Metric(name, k, params)
        return measure(self.ranks, metric, conventions=_CONVENTIONS)[metric]

    @property
    def relevant(self) -> NumpyArray:
        """How many items are true of each user."""
        assert self.ranks is not None
        return np.diff(self.ranks.offsets)

    @property
    def hits(self) -> Floats:
        """How many of them are recommended within the cut."""
        return self.values("cg", self.top, gain="binary")


def precision_at_k(
    rating_true: Any,
    rating_pred: Any,
    col_user: str = "userID",
    col_item: str = "itemID",
    col_prediction: str = "prediction",
    relevancy_method: str | None = "top_k",
    k: int = 10,
    threshold: int = 10,
    **_: Any,
) -> float:
    """Mean over users of hits / k.

    Examples
    --------
    >>> import pandas as pd
    >>> true = pd.DataFrame({"userID": [1, 1], "itemID": [7, 8], "rating": [5, 3]})
    >>> pred = pd.DataFrame({"userID": [1, 1], "itemID": [8, 9], "prediction": [0.9, 0.8]})
    >>> precision_at_k(true, pred, k=2), recall_at_k(true, pred, k=2), map(true, pred, k=2)
    (0.5, 0.5, 0.5)
    """
    columns = (col_user, col_item, col_prediction)
    cut = (relevancy_method, k, threshold)
    found = _Ranked.of(rating_true, rating_pred, columns, cut)
    return 0.0 if found.ranks is None else float((found.hits / k).mean())


def recall_at_k(
    rating_true: Any,
    rating_pred: Any,
    col_user: str = "userID",
    col_item: str = "itemID",
    col_prediction: str = "prediction",
    relevancy_method: str | None = "top_k",
    k: int = 10,
    threshold: int = 10,
    **_: Any,
) -> float:
    """Mean over users of hits / relevant items."""
    columns = (col_user, col_item, col_prediction)
    cut = (relevancy_method, k, threshold)
    found = _Ranked.of(rating_true, rating_pred, columns, cut)
    return 0.0 if found.ranks is None else float((found.hits / found.relevant).mean())


def r_precision_at_k(
    rating_true: Any,
    rating_pred: Any,
    col_user: str = "userID",
    col_item: str = "itemID",
    col_prediction: str = "prediction",
    relevancy_method: str | None = "top_k",
    k: int = 10,
    threshold: int = 10,
    **_: Any,
) -> float:
    """Mean of (hits in the first R places, within the cut) / R, over users with such a hit."""
    columns = (col_user, col_item, col_prediction)
    cut = (relevancy_method, k, threshold)
    found = _Ranked.of(rating_true, rating_pred, columns, cut)
    if found.ranks is None or not found.hits.any():
        return 0.0
    values = found.values("r_precision", None)
    if found.top is not None:
        capped = found.values("recall", found.top)
        values = np.where(found.relevant <= found.top, values, capped)
    return float(values[values > 0].mean()) if values.any() else float("nan")


def map(  # noqa: A001 - the name it has there
    rating_true: Any,
    rating_pred: Any,
    col_user: str = "userID",
    col_item: str = "itemID",
    col_prediction: str = "prediction",
    relevancy_method: str | None = "top_k",
    k: int = 10,
    threshold: int = 10,
    **_: Any,
) -> float:
    """Mean average precision, divided by the relevant items."""
    columns = (col_user, col_item, col_prediction)
    cut = (relevancy_method, k, threshold)
    found = _Ranked.of(rating_true, rating_pred, columns, cut)
    return 0.0 if found.ranks is None else float(found.values("map", found.top).mean())


def map_at_k(
    rating_true: Any,
    rating_pred: Any,
    col_user: str = "userID",
    col_item: str = "itemID",
    col_prediction: str = "prediction",
    relevancy_method: str | None = "top_k",
    k: int = 10,
    threshold: int = 10,
    **_: Any,
) -> float:
    """Mean average precision, divided by the relevant items or k if that is less."""
    columns = (col_user, col_item, col_prediction)
    cut = (relevancy_method, k, threshold)
    found = _Ranked.of(rating_true, rating_pred, columns, cut)
    if found.ranks is None:
        return 0.0
    share = found.relevant / np.minimum(found.relevant, k)
    return float((found.values("map", found.top) * share).mean())


def ndcg_at_k(
    rating_true: Any,
    rating_pred: Any,
    col_user: str = "userID",
    col_item: str = "itemID",
    col_rating: str = "rating",
    col_prediction: str = "prediction",
    relevancy_method: str | None = "top_k",
    k: int = 10,
    threshold: int = 10,
    score_type: str = "binary",
    discfun_type: str = "loge",
    **_: Any,
) -> float:
    """Normalised discounted cumulative gain, averaged over the users of the truth."""
    if score_type not in _GAINS:
        raise InputError(f"score_type: got {score_type!r}; wanted {', '.join(_GAINS)}")
    if discfun_type not in ("loge", "log2"):
        raise InputError(f"discfun_type: got {discfun_type!r}; wanted 'loge' or 'log2'")
    check_column("rating_true", rating_true, col_rating)
    grades = numeric_array("rating_true", rating_true[col_rating].to_numpy()).astype(np.float64)
    if score_type == "binary":
        grades = np.ones(len(grades))
    elif not (grades >= 0).all():
        at = int(np.argmin(grades >= 0))
        raise InputError(f"rating_true: got rating {grades[at]} at row {at}; wanted gains >= 0")
    columns = (col_user, col_item, col_prediction)
    cut = (relevancy_method, k, threshold)
    found = _Ranked.of(rating_true, rating_pred, columns, cut, grades, everyone=True)
    if found.ranks is None or not found.hits.any():
        return 0.0
    gain = _GAINS[score_type]
    ideal, dcg = found.values("idcg", k, gain=gain), found.values("dcg", found.top, gain=gain)
    return float((dcg[ideal > 0] / ideal[ideal > 0]).mean())


def auc(
    rating_true: Any,
    rating_pred: Any,
    col_user: str = "userID",
    col_item: str = "itemID",
    col_rating: str = "rating",
    col_prediction: str = "prediction",
) -> float:
    """Area under the ROC curve over all pairs in both frames, of binary ratings."""
    check_column("rating_true", rating_true, col_rating)
    check_column("rating_pred", rating_pred, col_prediction)
    at = Pairs.of(rating_true, rating_pred, col_user, col_item).at
    truth = rating_true[col_rating].to_numpy()[at[at >= 0]]
    return roc_auc_score(truth, rating_pred[col_prediction].to_numpy()[at >= 0])
