"""The same code with a library and with the drop-in module that stands in for it."""

from __future__ import annotations

import importlib
from typing import Any

from sides import Call, Values

#: Module of rankmill.compat: what it stands in for.
LIBRARIES = {
    "sklearn": "sklearn.metrics",
    "pytrec_eval": "pytrec_eval",
    "ranx": "ranx",
    "ir_measures": "ir_measures",
    "torchmetrics": "torchmetrics.retrieval",
    "recometrics": "recometrics",
    "implicit": "implicit.evaluation",
    "recommenders": "recommenders.evaluation.python_evaluation",
}


def prepare(name: str, data: Any, n_threads: int, *, engine: bool) -> Call:
    """Import one of the two, and prepare the data that both take."""
    module = importlib.import_module(f"rankmill.compat.{name}" if engine else LIBRARIES[name])
    call: Call = globals()[f"_{name}"](module, data, n_threads)
    return call


def _matrices(data: Any) -> tuple[Any, Any]:
    shape = (data.n_users, -1)
    return data.scores.reshape(shape), data.labels.reshape(shape)


def _owners(data: Any) -> Any:
    import numpy as np

    return np.repeat(np.arange(data.n_users), np.diff(data.offsets))


def _sklearn(module: Any, data: Any, n_threads: int) -> Call:
    scores, labels = _matrices(data)

    def call() -> Values:
        return {
            "ndcg@10": module.ndcg_score(labels, scores, k=10),
            "map": module.label_ranking_average_precision_score(labels, scores),
        }

    return call


def _pytrec_eval(module: Any, data: Any, n_threads: int) -> Call:
    asked = {"ndcg_cut.10": "ndcg@10", "recall.10": "recall@10", "map": "map", "recip_rank": "mrr"}

    def call() -> Values:
        found = module.RelevanceEvaluator(data.qrels, set(asked)).evaluate(data.run)
        values = {ours: name.replace(".", "_") for name, ours in asked.items()}
        return {
            ours: module.compute_aggregated_measure(name, [row[name] for row in found.values()])
            for ours, name in values.items()
        }

    return call


def _ranx(module: Any, data: Any, n_threads: int) -> Call:
    names = ["ndcg@10", "recall@10", "map", "mrr"]

    def call() -> Values:
        pair = module.Qrels(data.qrels), module.Run(data.run)
        found: Values = module.evaluate(*pair, names, threads=n_threads)
        return found

    return call


class _Measure:
    """A measure for those who lack ir_measures: what a provider asks of one."""

    DEFAULT = 0.0
    SUPPORTED_PARAMS = ("cutoff", "rel", "dcg")

    def __init__(self, name: str, cutoff: int | None = None) -> None:
        self.NAME, self.cutoff = name, cutoff

    def __getitem__(self, name: str) -> Any:
        return {"cutoff": self.cutoff, "rel": 1, "dcg": "log2"}[name]

    def validate_params(self) -> None:
        pass

    def aggregator(self) -> Any:
        return _Mean()


class _Mean:
    def __init__(self) -> None:
        self.total, self.count = 0.0, 0

    def add(self, value: float) -> None:
        self.total += value
        self.count += 1

    def result(self) -> float:
        return self.total / self.count


def _ir_measures(module: Any, data: Any, n_threads: int) -> Call:
    if hasattr(module, "provider"):
        asked = {
            _Measure("nDCG", 10): "ndcg@10",
            _Measure("R", 10): "recall@10",
            _Measure("AP"): "map",
            _Measure("RR"): "mrr",
        }
        calculate = module.provider.calc_aggregate
    else:
        asked = {
            module.nDCG @ 10: "ndcg@10",
            module.R @ 10: "recall@10",
            module.AP: "map",
            module.RR: "mrr",
        }
        calculate = module.calc_aggregate

    def call() -> Values:
        found = calculate(list(asked), data.qrels, data.run)
        return {asked[measure]: value for measure, value in found.items()}

    return call


def _torchmetrics(module: Any, data: Any, n_threads: int) -> Call:
    import numpy as np

    # Its recall takes scores of 0 and less for "not predicted": make them all positive, exactly.
    rows = [data.scores.astype(np.float64) + 17.0, data.labels.astype(np.int64), _owners(data)]
    if module.__name__.startswith("torchmetrics"):
        import torch

        torch.set_num_threads(n_threads)
        rows = [torch.from_numpy(array) for array in rows]
    classes = {
        "ndcg@10": module.RetrievalNormalizedDCG(top_k=10),
        "recall@10": module.RetrievalRecall(top_k=10),
        "mrr": module.RetrievalMRR(),
        "map": module.RetrievalMAP(),
    }

    def call() -> Values:
        return {name: float(metric(*rows)) for name, metric in classes.items()}

    return call


def _csr(matrix: Any) -> Any:
    """The same matrix with the 32-bit indices that the libraries want."""
    import numpy as np
    from scipy.sparse import csr_matrix

    parts = (matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32))
    return csr_matrix(parts, shape=matrix.shape)


def _recometrics(module: Any, data: Any, n_threads: int) -> Call:
    test, train = _csr(data.relevant), _csr(data.exclude)

    def call() -> Values:
        found = module.calc_reco_metrics(
            train, test, data.users, data.items, k=10, as_df=False, roc_auc=True,
            break_ties_with_noise=False, nthreads=n_threads,
        )  # fmt: skip
        names = {"P@K": "precision@10", "AP@K": "map@10", "NDCG@K": "ndcg@10", "ROC_AUC": "auc"}
        return {ours: found[theirs] for theirs, ours in names.items()}

    return call


def _implicit(module: Any, data: Any, n_threads: int) -> Call:
    model: Any = data.users, data.items
    if module.__name__.startswith("implicit"):
        from implicit.cpu.als import AlternatingLeastSquares

        model = AlternatingLeastSquares(factors=data.users.shape[1])
        model.user_factors, model.item_factors = data.users, data.items
    test, train = _csr(data.relevant), _csr(data.exclude)

    def call() -> Values:
        found = module.ranking_metrics_at_k(
            model, train, test, K=10, show_progress=False, num_threads=n_threads
        )
        return {"precision@10": found["precision"], "map@10": found["map"], "auc": found["auc"]}

    return call


def _recommenders(module: Any, data: Any, n_threads: int) -> Call:
    import numpy as np
    import pandas as pd

    ids = {"userID": _owners(data), "itemID": np.arange(len(data.scores))}
    pred = pd.DataFrame({**ids, "prediction": data.scores})
    true = pd.DataFrame({**ids, "rating": data.labels})[data.labels > 0]

    def call() -> Values:
        return {
            "precision@10": module.precision_at_k(true, pred, k=10),
            "recall@10": module.recall_at_k(true, pred, k=10),
            "ndcg@10": module.ndcg_at_k(true, pred, k=10),
            "map@10": module.map_at_k(true, pred, k=10),
        }

    return call
