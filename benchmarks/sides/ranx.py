"""ranx: on lists sorted and built beforehand, and on dictionaries with the conversion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sides import Call, Values

#: rankmill's name of a metric: ranx's.
NAMES = {
    "ndcg": "ndcg_burges",
    "recall": "recall",
    "precision": "precision",
    "hit": "hit_rate",
    "mrr": "mrr",
    "map": "map",
}
_W1 = ("ndcg@10", "recall@10", "precision@10", "hit@10", "mrr", "map")
_W2 = (*_W1, "ndcg@5", "ndcg@100")
_W5 = ("ndcg@10", "recall@10", "map", "mrr")


def _translated(metrics: tuple[str, ...]) -> dict[str, str]:
    parts = {metric: metric.partition("@") for metric in metrics}
    return {NAMES[name] + at + k: metric for metric, (name, at, k) in parts.items()}


def _evaluated(qrels: Any, run: Any, names: Mapping[str, str], n_threads: int) -> Values:
    import ranx

    found = ranx.evaluate(
        qrels, run, list(names), return_mean=False, threads=n_threads, save_results_in_run=False
    )
    return {names[name]: values for name, values in found.items()}


def _lists(data: Any) -> tuple[Any, Any]:
    """Run and judgements as ranx takes them fastest: (id, score) pairs, sorted, in numba lists."""
    import numba
    import numpy as np

    @numba.njit  # type: ignore[untyped-decorator]
    def build(scores: Any, labels: Any, offsets: Any) -> Any:
        runs, judged = numba.typed.List(), numba.typed.List()
        for user in range(len(offsets) - 1):
            own, grades = (
                scores[offsets[user] : offsets[user + 1]],
                labels[offsets[user] : offsets[user + 1]],
            )
            order = np.argsort(-own)
            run = np.empty((len(own), 2))
            truth = np.empty((np.count_nonzero(grades), 2))
            n = 0
            for place in range(len(own)):
                run[place, 0], run[place, 1] = order[place], own[order[place]]
            for grade in range(127, 0, -1):
                if n == len(truth):
                    break
                for item in range(len(grades)):
                    if grades[item] == grade:
                        truth[n, 0], truth[n, 1] = item, grade
                        n += 1
            runs.append(run)
            judged.append(truth)
        return judged, runs

    judged, runs = build(data.scores, data.labels, data.offsets)
    return judged, runs


def w1_prepared(data: Any, n_threads: int) -> Call:
    """W1 without auc, which ranx lacks."""
    judged, runs = _lists(data)
    return lambda: _evaluated(judged, runs, _translated(_W1), n_threads)


def w2_prepared(data: Any, n_threads: int) -> Call:
    """W2 without auc."""
    judged, runs = _lists(data)
    return lambda: _evaluated(judged, runs, _translated(_W2), n_threads)


def w5(data: Any, n_threads: int) -> Call:
    """Dictionaries in, values out."""
    import numpy as np
    import ranx

    names = _translated(_W5)
    theirs = {query: place for place, query in enumerate(ranx.Run(data.run).keys())}
    order = np.array([theirs[query] for query in data.run])  # it sorts the queries by name

    def call() -> Values:
        found = _evaluated(ranx.Qrels(data.qrels), ranx.Run(data.run), names, n_threads)
        return {name: values[order] for name, values in found.items()}

    return call
