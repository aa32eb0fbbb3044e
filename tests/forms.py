"""One batch of users in every form that the engine takes."""

import itertools
from typing import Any

import numpy as np
import scipy.sparse as sp

import reference
from strategies import Array, Batch

NO_CUTOFF = ["r_precision", "auc", "pr_auc", "max_f1"]


def wanted(ks: list[int]) -> list[tuple[str, int | None]]:
    """Every metric, the ones with a cutoff at each k and without."""
    with_cutoff = itertools.product(reference.CUTOFF_METRICS, [None, *ks])
    return [*with_cutoff, *((name, None) for name in NO_CUTOFF)]


def key(name: str, k: int | None) -> str:
    return name if k is None else f"{name}@{k}"


def names(metrics: list[tuple[str, int | None]]) -> list[str]:
    return [key(name, k) for name, k in metrics]


def is_candidate(batch: Batch) -> Array:
    mask = np.zeros(batch.shape, dtype=bool)
    for row, user in enumerate(batch.users):
        mask[row, user.columns] = True
    return mask


def matrices(batch: Batch) -> tuple[Array, Array]:
    """Dense scores and grades; cells outside the candidates hold something, to be excluded."""
    scores, grades = batch.filler_scores.copy(), batch.filler_grades.copy()
    for row, user in enumerate(batch.users):
        scores[row, user.columns], grades[row, user.columns] = user.scores, user.grades
    return scores, grades


def exclusion(batch: Batch, form: str) -> Any:
    """What a dense matrix of the batch must leave out; None if it is full."""
    left_out = ~is_candidate(batch)
    if not left_out.any():
        return None
    if form == "csr":
        return sp.csr_array(left_out)
    columns = [np.flatnonzero(row).tolist() for row in left_out]
    if form == "dict":
        return {user: ids for user, ids in enumerate(columns) if ids}
    return columns


def dense(batch: Batch, exclude_form: str = "csr") -> dict[str, Any]:
    scores, grades = matrices(batch)
    exclude = exclusion(batch, exclude_form)
    # Ids beside columns would leave open which of the two an exclusion by list names.
    items = batch.items if exclude is None or exclude_form == "csr" else None
    return {"scores": scores, "relevance": grades, "exclude": exclude, "items": items}


def flat(batch: Batch) -> dict[str, Any]:
    """Rows of user after user, with offsets."""
    lengths = [len(user.columns) for user in batch.users]
    return {
        "scores": np.concatenate([user.scores for user in batch.users]),
        "relevance": np.concatenate([user.grades for user in batch.users]),
        "items": batch.items[np.concatenate([user.columns for user in batch.users])],
        "offsets": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
    }


def grouped(batch: Batch, *, keep_order: bool) -> tuple[dict[str, Any], list[int]]:
    """Rows of all users mixed, and which user of the batch each user id of the result is.

    ``keep_order`` leaves the rows of one user in input order. Users without a row drop out.
    """
    rng = np.random.default_rng(batch.seed)
    owner = np.repeat(np.arange(len(batch.users)), [len(user.columns) for user in batch.users])
    mixed = rng.permutation(len(owner))
    if keep_order:
        places = owner[mixed]
        mixed = np.empty_like(mixed)
        for user in range(len(batch.users)):
            mixed[places == user] = np.flatnonzero(owner == user)
    rows = flat(batch)
    del rows["offsets"]
    rows = {name: values[mixed] for name, values in rows.items()}
    first_seen = list(dict.fromkeys(owner[mixed].tolist()))
    return {**rows, "groups": owner[mixed]}, first_seen


def flat_with_exclusion(batch: Batch) -> dict[str, Any]:
    """Every cell of the matrix as a row, those of no candidate excluded by item id."""
    scores, grades = matrices(batch)
    n_users, width = batch.shape
    return {
        "scores": scores.ravel(),
        "relevance": grades.ravel(),
        "items": np.tile(batch.items, n_users),
        "offsets": np.arange(n_users + 1, dtype=np.int64) * width,
        "exclude": [batch.items[row].tolist() for row in ~is_candidate(batch)],
    }


def sparse_relevance(grades: Array, kind: str, seed: int) -> Any:
    """The grades as a sparse matrix, with stored zeros, or unsorted, or with wide indices."""
    if kind in ("csc_array", "coo_array", "csr_matrix", "csc_matrix", "coo_matrix"):
        return getattr(sp, kind)(grades)
    matrix = sp.csr_array(grades)
    if kind == "stored zeros":
        rows, columns = np.indices(grades.shape)
        return sp.csr_array((grades.ravel(), (rows.ravel(), columns.ravel())), shape=grades.shape)
    rng = np.random.default_rng(seed)
    for start, stop in itertools.pairwise(matrix.indptr):
        mixed = start + rng.permutation(stop - start)
        matrix.indices[start:stop] = matrix.indices[mixed]
        matrix.data[start:stop] = matrix.data[mixed]
    matrix.has_sorted_indices = False
    if kind == "wide indices":
        matrix.indices, matrix.indptr = matrix.indices.astype("i8"), matrix.indptr.astype("i8")
    return matrix


SPARSE_KINDS = [
    "csc_array",
    "coo_array",
    "csr_matrix",
    "csc_matrix",
    "coo_matrix",
    "stored zeros",
    "unsorted",
    "wide indices",
]


LIST_FORMS = ["array and matrices", "array and dicts", "sequences", "sequences and matrix", "dict"]


def list_form(
    form: str,
    lists: list[list[int]],
    relevant: list[dict[int, float]],
    exclude: list[list[int]],
    batch: Batch,
) -> tuple[Any, Any, Any]:
    """Lists, relevant items and exclusions of users as the engine takes them."""
    if form == "dict":
        users = [f"user {i}" for i in range(len(lists))]
        listed = [[f"item {i}" for i in items] for items in lists]
        truths = [{f"item {i}": grade for i, grade in truth.items()} for truth in relevant]
        gone = [{f"item {i}" for i in items} for items in exclude]
        by_user = [dict(zip(users, side, strict=True)) for side in (listed, truths, gone)]
        return by_user[0], by_user[1], by_user[2]
    truth_matrix, gone_matrix = np.zeros(batch.shape), np.zeros(batch.shape, dtype=bool)
    for user, truth in enumerate(relevant):
        truth_matrix[user, list(truth)] = list(truth.values())
        gone_matrix[user, exclude[user]] = True
    padded = np.full((len(lists), max(map(len, lists)) + 1), -1, dtype=np.int64)
    for row, items in zip(padded, lists, strict=True):
        row[: len(items)] = items
    return (
        padded if form.startswith("array") else lists,
        sp.csr_array(truth_matrix) if form.endswith(("matrix", "matrices")) else relevant,
        sp.csr_array(gone_matrix) if form.endswith("matrices") else exclude,
    )
