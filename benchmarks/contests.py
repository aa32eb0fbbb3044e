"""What is compared with what: one entry for each workload and tool, and what both mean by a metric.

Importable without rankmill, as the workers of the peers have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

W1 = ("ndcg@10", "recall@10", "precision@10", "hit@10", "mrr", "map", "auc")
W2 = (*W1, "ndcg@5", "ndcg@100")
W3 = ("ndcg@10", "recall@20", "map", "auc")
W4 = ("precision@10", "recall@10", "ndcg@10", "map@10", "auc")
W5 = ("ndcg@10", "recall@10", "map", "mrr")
_ZERO = {"empty": "zero"}


@dataclass(frozen=True)
class Contest:
    """One tool on one workload.

    Attributes
    ----------
    workload : str
        Of rankmill.bench.workloads.
    peer : str
        An entry of `installs.PEERS`; "" for code of our own in this Python.
    side : str
        Module and function in `sides`; a module of `rankmill.compat` after "drop-in:", where both
        sides run the same code, with that module and with its library.
    metrics : tuple of str
        What both compute.
    conventions : mapping
        Fields of `rankmill.Conventions` under which both give the same values.
    users : int
        Users the peer is timed on where all would take too long, else 0; its time is scaled. Of
        drop-in modules, users that both are timed on.
    tolerance : float
        Largest difference of a value that is taken for rounding.
    serial : bool
        Whether the peer has one thread whatever it is asked for.
    bound : bool
        Whether this is no rival but work that no way can leave out, with no values to compare.
    note : str
        What a reader must know about the comparison.
    """

    workload: str
    peer: str
    side: str
    metrics: tuple[str, ...]
    conventions: Mapping[str, Any] = field(default_factory=dict)
    users: int = 0
    tolerance: float = 1e-9
    serial: bool = False
    bound: bool = False
    note: str = ""

    @property
    def drop_in(self) -> str:
        """The module of `rankmill.compat` that is compared with its library, or ""."""
        kind, _, module = self.side.partition(":")
        return module if kind == "drop-in" else ""


# Its ties stand in input order; no scores of a user tie in W1, so that the default agrees.
_LIGHTGBM = {"empty": "one", "ap_denominator": "min(k, relevant)"}
_TREC = {"ties": "id_descending", "gain": "linear", "empty": "zero"}
_PREPARED = "lists sorted and built beforehand, not timed; no auc"

CONTESTS: dict[str, Contest] = {
    "W1 scikit-learn loop": Contest(
        "W1", "scikit-learn", "scikit_learn:loop", W1, users=1_000, serial=True,
        note="a loop over users; labels are binary, so that its linear gain is the same",
    ),
    "W1 ranx": Contest(
        "W1", "ranx", "ranx:w1_prepared", W1[:-1], _ZERO, note=_PREPARED,
    ),
    "W1 LightGBM": Contest(
        "W1", "lightgbm", "lightgbm:w1", ("ndcg@10", "map@10"), _LIGHTGBM,
        note="two metrics; its data set is built beforehand, not timed",
    ),
    "W1 LightGBM ties": Contest(
        "W1", "lightgbm", "lightgbm:w1", ("ndcg@10", "map@10"),
        {**_LIGHTGBM, "ties": "input_order"},
        note="the same with its rule for ties, input order, which the engine settles while ranking",
    ),
    "W1 CatBoost": Contest(
        "W1", "catboost", "catboost:w1", ("ndcg@10", "recall@10", "precision@10", "mrr"),
        {"empty": "one"}, users=200_000, tolerance=1e-6,
        note="four metrics, one call each",
    ),
    "W1 polars": Contest(
        "W1", "polars", "polars:w1", W1, note="expressions written by hand",
    ),
    "W1 torchmetrics": Contest(
        "W1", "torchmetrics", "torchmetrics:w1", W1[:-1], _ZERO, users=10_000,
        tolerance=1e-5, note="a loop over users; scores made positive, as its recall wants; no auc",
    ),
    "W1 RecBole": Contest(
        "W1", "recbole", "recbole:w1",
        ("ndcg@10", "recall@10", "precision@10", "hit@10", "mrr@10", "map@10"),
        {"empty": "zero", "ap_denominator": "min(k, relevant)"},
        note="torch.topk, then six metric classes",
    ),
    "W2 numba": Contest(
        "W2", "numba", "numba:w2", W2, note="a loop written by hand: packed keys, one sort a user",
    ),
    "W2 ranx": Contest(
        "W2", "ranx", "ranx:w2_prepared", (*W1[:-1], *W2[-2:]), _ZERO, note=_PREPARED,
    ),
    "W3 numba": Contest(
        "W3", "numba", "numba:w3", W3, note="a loop written by hand: counts, no sort",
    ),
    "top_k torch": Contest(
        "W3", "recbole", "recbole:top_k", ("top_k",), note="torch.topk, k = 10",
    ),
    "W4 recometrics": Contest(
        "W4", "recometrics", "factors:recometrics", W4, tolerance=1e-5,
        note="its values are float32",
    ),
    "W4 implicit": Contest(
        "W4", "implicit", "factors:implicit", ("precision@10", "map@10"),
        {"ap_denominator": "min(k, relevant)"}, note="metrics of the ten best items only",
    ),
    "W4 numpy": Contest(
        "W4", "", "factors:numpy_blocks", W4, note="matmul in blocks, then counting",
    ),
    "W4 matmul": Contest(
        "W4", "", "factors:matmul", W4, bound=True, note="the bare numpy.matmul of the blocks",
    ),
    "W5 pytrec_eval": Contest(
        "W5", "pytrec_eval", "dictionaries:pytrec_eval", W5, _TREC, serial=True,
        note="reads the dictionaries in C",
    ),
    "W5 ranx": Contest(
        "W5", "ranx", "ranx:w5", W5, _ZERO, note="conversion included",
    ),
    "W5 ir_measures": Contest(
        "W5", "ir_measures", "dictionaries:ir_measures", W5, _TREC, serial=True,
        note="means; it runs pytrec_eval",
    ),
    "W5 plain loop": Contest(
        "W5", "", "dictionaries:plain_loop", W5, serial=True, note="Python, no library",
    ),
    "W6-pooled scikit-learn": Contest(
        "W6-pooled", "scikit-learn", "scikit_learn:pooled_auc", ("auc",), serial=True,
        note="roc_auc_score over all rows",
    ),
    "module sklearn": Contest(
        "W1", "scikit-learn", "drop-in:sklearn", ("ndcg@10", "map"), users=20_000, serial=True,
        note="ndcg_score, label_ranking_average_precision_score",
    ),
    "module pytrec_eval": Contest(
        "W5", "pytrec_eval", "drop-in:pytrec_eval", W5, serial=True, note="four measures",
    ),
    "module ranx": Contest("W5", "ranx", "drop-in:ranx", W5, note="four metrics, from dicts"),
    "module ir_measures": Contest(
        "W5", "ir_measures", "drop-in:ir_measures", W5, serial=True, note="four measures",
    ),
    "module torchmetrics": Contest(
        "W1", "torchmetrics", "drop-in:torchmetrics", ("ndcg@10", "recall@10", "mrr", "map"),
        users=10_000, tolerance=1e-5, note="four classes; arrays here, tensors there",
    ),
    "module recommenders": Contest(
        "W1", "recommenders", "drop-in:recommenders",
        ("precision@10", "recall@10", "ndcg@10", "map@10"), users=20_000, serial=True,
        note="data frames of pandas",
    ),
    "module recometrics": Contest(
        "W4", "recometrics", "drop-in:recometrics", ("precision@10", "map@10", "ndcg@10", "auc"),
        tolerance=1e-5, note="from factors",
    ),
    "module implicit": Contest(
        "W4", "implicit", "drop-in:implicit", ("precision@10", "map@10", "auc"), tolerance=1e-6,
        note="factors here, a model there",
    ),
}  # fmt: skip
