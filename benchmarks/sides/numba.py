"""Loops written by hand in numba, as one who knows the tricks would write them."""

from __future__ import annotations

from typing import Any

import numpy as np

from sides import Call

_W2 = ("ndcg@10", "recall@10", "precision@10", "hit@10", "mrr", "map", "auc", "ndcg@5", "ndcg@100")
_W3 = ("ndcg@10", "recall@20", "map", "auc")


def w2(data: Any, n_threads: int) -> Call:
    """Sort keys of score and grade, then walk down the list; one user per turn of the loop."""
    import numba

    discount = 1.0 / np.log2(np.arange(100) + 2.0)
    measure = numba.njit(_measure_sorted)

    @numba.njit(parallel=True)  # type: ignore[untyped-decorator]
    def evaluate(scores: Any, labels: Any, offsets: Any, weights: Any) -> Any:
        n = len(offsets) - 1
        values = np.empty((9, n))
        for user in numba.prange(n):
            own = scores[offsets[user] : offsets[user + 1]]
            # float64 leaves the low 29 bits of a float32 empty: the grade fits there.
            keys = (-own).astype(np.float64).view(np.int64)
            keys |= labels[offsets[user] : offsets[user + 1]]
            keys.view(np.float64).sort()
            measure(keys & 7, weights, values, user)
        return values

    numba.set_num_threads(n_threads)
    return lambda: dict(
        zip(_W2, evaluate(data.scores, data.labels, data.offsets, discount), strict=True)
    )


def _measure_sorted(grades: Any, weights: Any, values: Any, user: int) -> None:
    """Fill the nine values of a user from grades in order of rank. Compiled by numba."""
    n = len(grades)
    dcg5 = dcg10 = dcg100 = precisions = 0.0
    hits = near = first = ranks = 0
    of_grade = np.zeros(8, np.int64)
    for place in range(n):
        grade = grades[place]
        if grade == 0:
            continue
        of_grade[grade] += 1
        hits += 1
        ranks += place
        precisions += hits / (place + 1)
        first = place + 1 if first == 0 else first
        near += place < 10
        if place < 100:
            gain = ((1 << grade) - 1) * weights[place]
            dcg100 += gain
            dcg10 += gain if place < 10 else 0.0
            dcg5 += gain if place < 5 else 0.0
    ideal5 = ideal10 = ideal100 = 0.0
    place = 0
    for grade in range(7, 0, -1):
        for _ in range(min(of_grade[grade], 100 - place)):
            gain = ((1 << grade) - 1) * weights[place]
            ideal100 += gain
            ideal10 += gain if place < 10 else 0.0
            ideal5 += gain if place < 5 else 0.0
            place += 1
    others = n - hits
    values[0, user] = dcg10 / ideal10 if hits else np.nan
    values[1, user] = near / hits if hits else np.nan
    values[2, user] = near / 10
    values[3, user] = near > 0
    values[4, user] = 1 / first if hits else 0.0
    values[5, user] = precisions / hits if hits else np.nan
    above = ranks - hits * (hits - 1) / 2
    values[6, user] = 1.0 - above / (hits * others) if hits and others else np.nan
    values[7, user] = dcg5 / ideal5 if hits else np.nan
    values[8, user] = dcg100 / ideal100 if hits else np.nan


def w3(data: Any, n_threads: int) -> Call:
    """For each relevant item, count the scores above its own: the loop becomes vector code."""
    import numba

    discount = 1.0 / np.log2(np.arange(10) + 2.0)
    total = np.concatenate((np.zeros(1), np.cumsum(discount)))

    @numba.njit(parallel=True)  # type: ignore[untyped-decorator]
    def evaluate(scores: Any, starts: Any, items: Any, weights: Any, ideal: Any) -> Any:
        n_users, n_items = scores.shape
        values = np.empty((4, n_users))
        for user in numba.prange(n_users):
            own, wanted = scores[user], items[starts[user] : starts[user + 1]]
            p = len(wanted)
            rank = np.empty(p, np.int64)
            for i in range(p):
                threshold, above = own[wanted[i]], np.int32(0)
                for item in range(n_items):
                    above += np.int32(own[item] > threshold)
                rank[i] = above
            rank.sort()
            dcg = precisions = 0.0
            near = 0
            for i in range(p):
                precisions += (i + 1) / (rank[i] + 1)
                near += rank[i] < 20
                dcg += weights[rank[i]] if rank[i] < 10 else 0.0
            values[0, user] = dcg / ideal[min(p, 10)]
            values[1, user] = near / p
            values[2, user] = precisions / p
            values[3, user] = 1.0 - (rank.sum() - p * (p - 1) / 2) / (p * (n_items - p))
        return values

    numba.set_num_threads(n_threads)
    csr = data.relevant
    return lambda: dict(
        zip(_W3, evaluate(data.scores, csr.indptr, csr.indices, discount, total), strict=True)
    )
