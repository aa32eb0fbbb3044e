"""`rankmill.compat.sklearn` against scikit-learn."""

import inspect

import numpy as np
import pytest
import sklearn.metrics as theirs
from samples import RNG_SEED, matrices, same, users

from rankmill.compat import sklearn as ours

BINARY = ["label_ranking_average_precision_score", "coverage_error", "label_ranking_loss"]
GRADED = ["ndcg_score", "dcg_score"]
FLAT = ["roc_auc_score", "average_precision_score"]


@pytest.mark.parametrize("name", [*BINARY, *GRADED, *FLAT])
def test_signature(name):
    want = inspect.signature(getattr(theirs, name)).parameters
    have = dict(inspect.signature(getattr(ours, name)).parameters)
    assert have.pop("groups").default is None
    assert list(have) == list(want)
    assert [p.default for p in have.values()] == [p.default for p in want.values()]
    assert [p.kind for p in have.values()] == [p.kind for p in want.values()]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", BINARY)
def test_binary(name, weighted):
    rng = np.random.default_rng(RNG_SEED)
    for scores, labels in matrices():
        if name == "coverage_error" and not (labels.any() and (labels == 0).any()):
            continue  # it takes a matrix with one value only for something else
        weights = rng.integers(1, 5, len(scores)) if weighted else None
        want = getattr(theirs, name)(labels, scores, sample_weight=weights)
        same(getattr(ours, name)(labels, scores, sample_weight=weights), want)


@pytest.mark.parametrize("name", GRADED)
@pytest.mark.parametrize("k", [None, 1, 3, 50])
def test_graded(name, k):
    for scores, labels in matrices(grades=4):
        want = getattr(theirs, name)(labels, scores, k=k)
        same(getattr(ours, name)(labels, scores, k=k), want)


def test_graded_options():
    rng = np.random.default_rng(RNG_SEED)
    for scores, labels in matrices(grades=3, ties=False):
        weights = rng.random(len(scores)) + 0.1
        options = {"k": 4, "sample_weight": weights, "ignore_ties": True}
        same(
            ours.ndcg_score(labels, scores, **options), theirs.ndcg_score(labels, scores, **options)
        )
        signed = labels - 1.5
        options["log_base"] = float(rng.choice([1.5, 2, 10]))
        same(ours.dcg_score(signed, scores, **options), theirs.dcg_score(signed, scores, **options))


@pytest.mark.parametrize("name", FLAT)
@pytest.mark.parametrize("weighted", [False, True])
def test_flat(name, weighted):
    rng = np.random.default_rng(RNG_SEED)
    for user in users(most=60):
        weights = rng.integers(0, 4, len(user.scores)) + 0.5 if weighted else None
        want = getattr(theirs, name)(user.grades, user.scores, sample_weight=weights)
        same(getattr(ours, name)(user.grades, user.scores, sample_weight=weights), want)


@pytest.mark.parametrize("labels", [(-1, 1), (0, 2), ("a", "b"), (False, True), (0.0, 1.0)])
def test_labels(labels):
    for user in users(most=40, n=200):
        truth = np.array(labels)[user.grades]
        same(ours.roc_auc_score(truth, user.scores), theirs.roc_auc_score(truth, user.scores))
        if len(set(truth)) == 2:
            options = {"pos_label": labels[1]}
            same(
                ours.average_precision_score(truth, user.scores, **options),
                theirs.average_precision_score(truth, user.scores, **options),
            )


@pytest.mark.parametrize("name", [*BINARY, *GRADED])
def test_groups_are_rows(name):
    for scores, labels in matrices(n=200):
        if labels.any() and (labels == 0).any():
            groups = np.repeat(np.arange(len(scores)), scores.shape[1])
            flat = getattr(ours, name)(labels.ravel(), scores.ravel(), groups=groups)
            same(flat, getattr(theirs, name)(labels, scores))


@pytest.mark.parametrize("name", FLAT)
def test_groups_are_means(name):
    for scores, labels in matrices(n=200):
        both = labels.any(axis=1) & (labels == 0).any(axis=1)
        if both.any():
            groups = np.repeat(np.arange(both.sum()), scores.shape[1])
            rows = zip(labels[both], scores[both], strict=True)
            want = np.mean([getattr(theirs, name)(*row) for row in rows])
            flat = labels[both].ravel(), scores[both].ravel()
            same(getattr(ours, name)(*flat, groups=groups), want)


@pytest.mark.parametrize("name", [*BINARY, *GRADED, *FLAT])
@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        ([[1, 0, 0]], [[0.5, np.nan, 0.1]]),
        ([[1, 0]], [[0.5, 0.2, 0.1]]),
        ([[1, 0], [0, 1]], [[0.5, 0.2]]),
        ([], []),
    ],
)
def test_both_refuse(name, labels, scores):
    if name in FLAT:
        labels, scores = np.ravel(labels), np.ravel(scores)
    for module in (theirs, ours):
        with pytest.raises((ValueError, IndexError)):
            getattr(module, name)(labels, scores)
