"""Ranking and recommendation metrics for millions of users: rank once, measure many.

>>> import rankmill as rm
>>> result = rm.evaluate([[0.9, 0.1, 0.5]], [[0, 1, 2]], ["ndcg@10", "recall@{1,2}"])
>>> result.means["recall@2"]
0.5
"""

from rankmill._engine import version as _version
from rankmill.compare import Comparison, Correlation, Difference, compare, correlate
from rankmill.conventions import Conventions
from rankmill.curves import Curve, curve
from rankmill.errors import (
    InputError,
    InputTypeError,
    MetricError,
    MissingDependencyError,
    OutOfMemoryError,
    RankmillError,
    UnavailableError,
)
from rankmill.evaluate import evaluate, measure
from rankmill.factors import rank_factors, top_k_factors
from rankmill.findings import findings
from rankmill.functions import (
    RunningMean,
    auc_score,
    average_precision,
    dcg_at_k,
    f1_at_k,
    hit_at_k,
    mean_average_precision,
    mean_reciprocal_rank,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    sampled_metrics,
)
from rankmill.info import build_info
from rankmill.metrics import METRICS, Metric, parse_metrics
from rankmill.pooled import PooledAUC
from rankmill.ranking import rank
from rankmill.ranking_lists import rank_lists
from rankmill.ranks import Ranks
from rankmill.report import report
from rankmill.result import Result
from rankmill.running_result import RunningResult
from rankmill.sweeping import Sweep, sweep
from rankmill.tables import evaluate_runs, evaluate_table
from rankmill.topk import top_k

__version__ = _version()

__all__ = [
    "METRICS",
    "Comparison",
    "Conventions",
    "Correlation",
    "Curve",
    "Difference",
    "InputError",
    "InputTypeError",
    "Metric",
    "MetricError",
    "MissingDependencyError",
    "OutOfMemoryError",
    "PooledAUC",
    "RankmillError",
    "Ranks",
    "Result",
    "RunningMean",
    "RunningResult",
    "Sweep",
    "UnavailableError",
    "auc_score",
    "average_precision",
    "build_info",
    "compare",
    "correlate",
    "curve",
    "dcg_at_k",
    "evaluate",
    "evaluate_runs",
    "evaluate_table",
    "f1_at_k",
    "findings",
    "hit_at_k",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "measure",
    "ndcg_at_k",
    "parse_metrics",
    "precision_at_k",
    "rank",
    "rank_factors",
    "rank_lists",
    "recall_at_k",
    "report",
    "sampled_metrics",
    "sweep",
    "top_k",
    "top_k_factors",
]
