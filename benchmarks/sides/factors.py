"""W4: tools that score a catalogue from embeddings themselves."""

from __future__ import annotations

from typing import Any

from sides import Call, Values


def _csr(matrix: Any) -> Any:
    """The same matrix with the 32-bit indices that both tools want."""
    import numpy as np
    from scipy.sparse import csr_matrix

    parts = (matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32))
    return csr_matrix(parts, shape=matrix.shape)


def recometrics(data: Any, n_threads: int) -> Call:
    """All five metrics, each user's scores computed by the tool."""
    import recometrics as reco

    test, train = _csr(data.relevant), _csr(data.exclude)
    names = {"P@10": "precision@10", "R@10": "recall@10", "NDCG@10": "ndcg@10", "AP@10": "map@10"}
    names["ROC_AUC"] = "auc"

    def call() -> Values:
        found = reco.calc_reco_metrics(
            train, test, data.users, data.items, k=10,
            precision=True, average_precision=True, ndcg=True, recall=True, roc_auc=True,
            hit=False, rr=False, cumulative=False, break_ties_with_noise=False,
            nthreads=n_threads,
        )  # fmt: skip
        return {ours: found[theirs].to_numpy() for theirs, ours in names.items()}

    return call


def implicit(data: Any, n_threads: int) -> Call:
    """Four metrics of the ten best items; the model's factors are given, not fitted."""
    from implicit.cpu.als import AlternatingLeastSquares
    from implicit.evaluation import ranking_metrics_at_k

    model = AlternatingLeastSquares(factors=data.users.shape[1])
    model.user_factors, model.item_factors = data.users, data.items
    test, train = _csr(data.relevant), _csr(data.exclude)

    def call() -> Values:
        found = ranking_metrics_at_k(
            model, train, test, K=10, show_progress=False, num_threads=n_threads
        )
        return {"precision@10": found["precision"], "map@10": found["map"]}

    return call


def numpy_blocks(data: Any, n_threads: int) -> Call:
    """The best numpy; BLAS takes its threads from the environment."""
    from rankmill.bench.numpy_reference import factor_rows
    from rankmill.bench.tasks import W4_METRICS

    return lambda: factor_rows(data, W4_METRICS)


def matmul(data: Any, n_threads: int) -> Call:
    """Only the scores."""
    from rankmill.bench.tasks import multiply_only

    def call() -> Values:
        multiply_only(data)
        return {}

    return call
