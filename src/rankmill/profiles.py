"""How other libraries settle what the name of a metric leaves open: plain data, one row each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What one library does.

    Parameters
    ----------
    library, version : str
        Its name, and the release its values were compared with.
    choices : mapping
        The fields of `Conventions` that differ from ours.
    metrics : mapping
        Its names for metrics, with ``{k}`` for the cutoff, and ours under these conventions.
    differences : tuple of str
        What it does that these conventions do not: its faults, and what is out of our reach.

    Examples
    --------
    >>> PROFILES["ranx"].metrics["ndcg_burges@{k}"]
    'ndcg@{k}(gain=exp2)'
    """

    library: str
    version: str
    choices: Mapping[str, Any]
    metrics: Mapping[str, str] = field(default_factory=dict)
    differences: tuple[str, ...] = ()

    def text(self, name: str) -> str:
        """Describe the profile as the docstring of its method."""
        sets = ", ".join(f"{choice} to ``{value}``" for choice, value in self.choices.items())
        lines = [
            f"Return the conventions of {self.library}, compared with {self.version}.",
            "",
            f"Sets {sets or 'nothing'}; the other defaults are {self.library}'s already.",
        ]
        if self.differences:
            lines += ["", "Known differences:", ""]
            lines += [f"- {difference}" for difference in self.differences]
        choice, value = next(iter(self.choices.items()), ("ties", "average"))
        lines += ["", "Examples", "--------", f">>> Conventions.{name}().{choice}", repr(value)]
        return "\n".join(lines)


_NAN: Final = "NaN scores are an error here"
_RANKED: Final = "it takes ranked lists: ties were settled before, by the order of its input"

_TREC: Final = {"ties": "id_descending", "gain": "linear", "empty": "zero"}
_BINARY: Final = {"gain": "binary", "without_relevant": "undefined"}

_CUT: Final = {
    "precision@{k}": "precision@{k}",
    "recall@{k}": "recall@{k}",
    "map@{k}": "map@{k}",
    "ndcg@{k}": "ndcg@{k}",
}

PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        "scikit_learn": Profile(
            library="scikit-learn",
            version="1.9.1",
            choices={"gain": "linear", "empty": "zero"},
            metrics={
                "ndcg_score@{k}": "ndcg@{k}",
                "ndcg_score@{k} ignore_ties": "ndcg@{k}(ties=id_descending)",
                "dcg_score@{k}": "dcg@{k}",
                "roc_auc_score": "auc(empty=skip)",
                "average_precision_score": "pr_auc",
                "LRAP": "pr_auc(empty=one)",
            },
            differences=(
                "`ndcg_score(ignore_ties=True)` lets the last column of a tie come first, which is "
                "`id_descending` with the column numbers as `items`",
                "`label_ranking_average_precision_score` is `pr_auc` per user",
                "a user without relevant items counts as 0 in `ndcg_score` (scikit-learn#29521)",
                "`ndcg_score` refuses negative labels and single items; `dcg_score` adds negative "
                "labels up as negative gains, where grades <= 0 have gain 0 here",
                _NAN,
            ),
        ),
        "trec_eval": Profile(
            library="trec_eval",
            version="trec_eval 9.0.8 through pytrec_eval 0.5.11",
            choices=_TREC,
            metrics={
                "P_{k}": "precision@{k}",
                "recall_{k}": "recall@{k}",
                "success_{k}": "hit@{k}",
                "map": "map",
                "map_cut_{k}": "map@{k}",
                "ndcg": "ndcg",
                "ndcg_cut_{k}": "ndcg@{k}",
                "recip_rank": "mrr",
                "Rprec": "r_precision",
                "Rprec_mult_1.20": "r_precision(multiple=1.2)",
                "set_P": "precision",
                "set_recall": "recall",
                "set_F": "f1",
                "11pt_avg": "iprec",
                "iprec_at_recall_0.10": "iprec(recall=0.1)",
            },
            differences=(
                "gm_map is ``result.geometric_mean('map')``; bpref, infAP and judged@k, which need "
                "judgements, are in ``rankmill.judged``; set_map, set_relative_P, utility and the "
                "rest of its measures are in ``rankmill.trec`` and ``rankmill.compat.pytrec_eval``",
                "it keeps scores as 32-bit floats, so that nearly equal ones tie",
                "it compares ids as text (trec_eval#22): pass strings, integer ids compare as "
                "numbers here",
                "it leaves a query without results out of the mean unless run with -c",
                "it places NaN scores last, which are an error here",
            ),
        ),
        "ir_measures": Profile(
            library="ir_measures",
            version="0.4.3 (pytrec_eval provider)",
            choices=_TREC,
            metrics={
                "P@{k}": "precision@{k}",
                "R@{k}": "recall@{k}",
                "Success@{k}": "hit@{k}",
                "RR": "mrr",
                "AP": "map",
                "AP@{k}": "map@{k}",
                "nDCG@{k}": "ndcg@{k}",
                "nDCG(dcg='exp-log2')@{k}": "ndcg@{k}(gain=exp2)",
                "nDCG(gains={2:3,3:7})@{k}": "ndcg@{k}(gain={1: 1, 2: 3, 3: 7})",
            },
            differences=(
                "its providers differ from each other where scores tie or are NaN",
                "nDCG(dcg='exp-log2') comes from a program with five decimals",
                _NAN,
            ),
        ),
        "ranx": Profile(
            library="ranx",
            version="0.3.21",
            choices={"ties": "input_order", "gain": "linear", "empty": "zero", "min_grade": 1.0},
            metrics={
                **_CUT,
                "f1@{k}": "f1@{k}",
                "hit_rate@{k}": "hit@{k}",
                "mrr": "mrr",
                "map": "map",
                "ndcg_burges@{k}": "ndcg@{k}(gain=exp2)",
            },
            differences=(
                "its sort is unstable: ties keep their order only in lists of up to 15 documents",
                "grades below 1 are dropped, from NDCG too",
                "it places NaN scores last, which are an error here",
            ),
        ),
        "recometrics": Profile(
            library="recometrics",
            version="0.1.6.post13",
            choices={"gain": "linear", "without_relevant": "undefined"},
            metrics={
                "P@{k}": "precision@{k}",
                "TP@{k}": "recall@{k}(recall_denominator=min(k, relevant))",
                "R@{k}": "recall@{k}",
                "AP@{k}": "map@{k}",
                "TAP@{k}": "map@{k}(ap_denominator=min(k, relevant))",
                "NDCG@{k}": "ndcg@{k}",
                "Hit@{k}": "hit@{k}",
                "RR@{k}": "mrr@{k}",
                "ROC_AUC": "auc",
                "PR_AUC": "pr_auc",
            },
            differences=(
                "it breaks ties by noise of 1e-12; without it, tied positives are counted by the "
                "order of a sort, and a user whose scores all tie is NaN",
                "a user with nothing but relevant items is NaN in all but NDCG",
                "a stored zero or negative value is relevant to all but NDCG",
                "it refuses k above the number of candidates",
                _NAN,
            ),
        ),
        "implicit": Profile(
            library="implicit",
            version="0.7.3",
            choices={
                **_BINARY,
                "ties": "input_order",
                "ap_denominator": "min(k, relevant)",
                "recall_denominator": "min(k, relevant)",
            },
            metrics={
                "precision@{k}": "recall@{k}",
                "map@{k}": "map@{k}",
                "ndcg@{k}": "ndcg@{k}",
            },
            differences=(
                "its precision is pooled: hits of all users over the sum of min(k, relevant)",
                "its AUC looks at the first k places only, and takes the rest as tied behind them "
                "(implicit#348, implicit#560)",
                "where it recommends fewer than k items it reads past them, and values exceed 1 "
                "(implicit#545)",
                "ties fall as a partial sort leaves them; NaN scores come first",
                "a stored zero or negative value is relevant",
            ),
        ),
        "rectools": Profile(
            library="RecTools",
            version="0.19.0",
            choices={**_BINARY, "ties": "input_order", "ideal": "full"},
            metrics={
                "Precision@{k}": "precision@{k}",
                "Precision r_precision@{k}": "recall@{k}(recall_denominator=min(k, relevant))",
                "Recall@{k}": "recall@{k}",
                "F1Beta@{k}": "f1@{k}",
                "HitRate@{k}": "hit@{k}",
                "MRR@{k}": "mrr@{k}",
                "MAP@{k}": "map@{k}",
                "MAP divide_by_k@{k}": "map@{k}(ap_denominator=k)",
                "NDCG@{k}": "ndcg@{k}",
                "NDCG divide_by_achievable@{k}": "ndcg@{k}(ideal=all)",
            },
            differences=(
                _RANKED,
                "users without interactions are dropped, and users without recommendations are 0",
                "PAP and PartialAUC have no counterpart here",
            ),
        ),
        "replay": Profile(
            library="RePlay",
            version="0.22.0",
            choices={**_BINARY, "ties": "id_descending", "ap_denominator": "min(k, relevant)"},
            metrics={
                "Precision@{k}": "precision@{k}",
                "Recall@{k}": "recall@{k}",
                "HitRate@{k}": "hit@{k}",
                "MRR@{k}": "mrr@{k}",
                "MAP@{k}": "map@{k}",
                "NDCG@{k}": "ndcg@{k}",
            },
            differences=(
                "users absent from the truth are dropped, and an empty list there is 0",
                "RocAuc@k looks at the first k places only, and has no counterpart here",
                "NaN scores come last under pandas and first under polars, and are an error here",
                "an item listed twice counts twice, and is an error here",
            ),
        ),
        "recommenders": Profile(
            library="recommenders",
            version="1.2.1",
            choices={**_BINARY, "ties": "input_order"},
            metrics={
                "precision_at_k k={k}": "precision@{k}",
                "recall_at_k k={k}": "recall@{k}",
                "map k={k}": "map@{k}",
                "map_at_k k={k}": "map@{k}(ap_denominator=min(k, relevant))",
                "ndcg_at_k k={k}": "ndcg@{k}",
                "ndcg_at_k k={k} binary log2": "ndcg@{k}",
                "ndcg_at_k k={k} raw log2": "ndcg@{k}(gain=linear)",
                "ndcg_at_k k={k} exp log2": "ndcg@{k}(gain=exp2)",
            },
            differences=(
                "users without truth or without recommendations are both left out",
                "a relevancy threshold is taken as a number of items (recommenders#2310)",
                "r_precision_at_k is hits in the first min(k, relevant) over relevant: that is "
                "`r_precision` only where k reaches so far",
                "rows of grade 0 or below count as relevant: leave them out of the truth",
                "an item listed twice counts twice, and is an error here",
                "auc is one number over all rows",
            ),
        ),
        "torchmetrics": Profile(
            library="torchmetrics",
            version="1.9.0",
            choices={"gain": "linear", "empty": "zero", "ap_denominator": "hits"},
            metrics={
                "Precision": "precision@{k}",
                "Precision adaptive_k": "precision@{k}(precision_denominator=min(k, candidates))",
                "Recall": "recall@{k}",
                "HitRate": "hit@{k}",
                "MRR": "mrr@{k}",
                "MAP@k": "map@{k}",
                "MAP": "map",
                "nDCG@k": "ndcg@{k}",
                "AUROC": "auc",
            },
            differences=(
                "only nDCG and AUROC average ties: the others take them as a sort leaves them, "
                "each in its own way",
                "items with scores <= 0 are no hits in precision, recall, MRR and MAP: targets are "
                "zeroed where predictions are not positive",
                "AUROC(top_k) looks at the first k places only, and has no counterpart here",
                _NAN,
            ),
        ),
        "lightgbm": Profile(
            library="LightGBM",
            version="4.7.0",
            choices={
                "ties": "input_order",
                "empty": "one",
                "ap_denominator": "min(k, relevant)",
            },
            metrics={"ndcg": "ndcg@{k}", "map": "map@{k}"},
            differences=(
                "its auc is one number over all rows, not one per query",
                "its map takes a label > 0.5 as relevant",
                "a label_gain of your own is ``gain={...}`` here; query weights go to "
                "``result.mean(weights=...)``",
                _NAN,
            ),
        ),
        "xgboost": Profile(
            library="XGBoost",
            version="3.2.0",
            choices={
                "ties": "input_order",
                "empty": "one",
                "precision_denominator": "min(k, candidates)",
                "ap_denominator": "min(k, relevant)",
            },
            metrics={"ndcg@{k}": "ndcg@{k}", "map@{k}": "map@{k}", "pre@{k}": "precision@{k}"},
            differences=(
                "ties stand in the order of the rows (xgboost#3050)",
                "a metric named with a minus, such as ndcg@10-, is 0 for a query without relevant "
                "rows: ``empty=zero``",
                "ndcg_exp_gain=False is ``gain=linear``",
                "its auc of queries counts two rows of equal grade as a pair in order",
            ),
        ),
        "catboost": Profile(
            library="CatBoost",
            version="1.2.10",
            choices={
                "ties": "worst",
                "gain": "linear",
                "empty": "zero",
                "precision_denominator": "min(k, candidates)",
                "ap_denominator": "min(k, relevant)",
            },
            metrics={
                "PrecisionAt:top={k}": "precision@{k}",
                "RecallAt:top={k}": "recall@{k}(empty=one)",
                "MAP:top={k}": "map@{k}",
                "MAP": "map",
                "NDCG:top={k}": "ndcg@{k}(empty=one)",
                "NDCG:top={k};type=Exp": "ndcg@{k}(gain=exp2, empty=one)",
                "NDCG:top={k};denominator=Position": "ndcg@{k}(discount=reciprocal, empty=one)",
                "DCG:top={k}": "dcg@{k}",
                "MRR": "mrr",
                "QueryAUC:type=Ranking": "auc",
                "QueryAUC:type=Classic": "auc",
            },
            differences=(
                "a query without relevant rows is 1 under NDCG and RecallAt and 0 under the others",
                "ERR takes the label itself as the chance to stop",
                "group weights leave QueryAUC as it is",
                "AUC is one number over all rows",
                _NAN,
            ),
        ),
        "lenskit": Profile(
            library="LensKit",
            version="2025.8.1",
            choices={
                **_BINARY,
                "ties": "input_order",
                "discount": "jarvelin",
                "precision_denominator": "min(k, candidates)",
                "recall_denominator": "min(k, relevant)",
                "ap_denominator": "min(k, relevant)",
            },
            metrics={
                "Hit@{k}": "hit@{k}",
                "Precision@{k}": "precision@{k}(without_relevant=by_formula)",
                "Recall@{k}": "recall@{k}",
                "RecipRank@{k}": "mrr@{k}",
                "RBP@{k}": "rbp@{k}(persistence=0.85)",
                "AveragePrecision@{k}": "map@{k}",
                "NDCG@{k}": "ndcg@{k}",
                "NDCG offset=1@{k}": "ndcg@{k}(discount=log2)",
                "NDCG gain=rating offset=1@{k}": "ndcg@{k}(discount=log2, gain=linear)",
            },
            differences=(
                _RANKED,
                "a user without relevant items is NaN in most metrics (lenskit#400)",
                "average precision of a user without relevant items divides by zero, and that of a "
                "list of fewer than min(k, relevant) items is divided by their number",
                "a test item with a rating of 0 or below counts as relevant",
            ),
        ),
        "rs_metrics": Profile(
            library="rs_metrics",
            version="0.6.0",
            choices={
                "ties": "input_order",
                "gain": "binary",
                "precision_denominator": "min(k, candidates)",
            },
            metrics={
                "precision@{k}": "precision@{k}",
                "recall@{k}": "recall@{k}",
                "hitrate@{k}": "hit@{k}",
                "mrr@{k}": "mrr@{k}",
                "mapr@{k}": "map@{k}(empty=zero)",
                "ndcg@{k}": "ndcg@{k}",
            },
            differences=(_RANKED, "a mean over users with a NaN is NaN"),
        ),
        "recbole": Profile(
            library="RecBole",
            version="1.2.1",
            choices={"gain": "binary", "empty": "zero", "ap_denominator": "min(k, relevant)"},
            metrics={
                "Hit@{k}": "hit@{k}",
                "MRR@{k}": "mrr@{k}",
                "Precision@{k}": "precision@{k}",
                "Recall@{k}": "recall@{k}(empty=skip)",
                "MAP@{k}": "map@{k}",
                "NDCG@{k}": "ndcg@{k}",
                "GAUC": "auc(empty=skip)",
            },
            differences=(
                "ties fall as torch.topk leaves them, and NaN scores come first",
                "GAUC weighs each user by its relevant items: ``result.mean('auc', weights=...)``",
                "it refuses k above the number of candidates",
            ),
        ),
        "spark_mllib": Profile(
            library="Spark MLlib",
            version="its source, release 4.0 (RankingMetrics)",
            choices={**_BINARY, "ties": "input_order", "discount": "ln", "empty": "zero"},
            metrics={
                "precisionAt({k})": "precision@{k}",
                "recallAt({k})": "recall@{k}",
                "meanAveragePrecision": "map",
                "meanAveragePrecisionAt({k})": "map@{k}(ap_denominator=min(k, relevant))",
                "ndcgAt({k})": "ndcg@{k}",
            },
            differences=(
                _RANKED,
                "its NDCG of graded truth has gain exp2: say ``ndcg(gain=exp2)``",
            ),
        ),
    }
)
