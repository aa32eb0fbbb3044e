"""`rankmill.compat.sklearn` on worked examples; tests/peers has the comparison with the library."""

import numpy as np
import pytest

import rankmill as rm
from rankmill.compat import sklearn as compat

GRADES = [[10, 0, 0, 1, 5]]


@pytest.mark.parametrize(
    ("scores", "k", "want"),
    [
        ([[0.1, 0.2, 0.3, 4, 70]], None, 0.6956940443813076),
        ([[0.05, 1.1, 1.0, 0.5, 0.0]], None, 0.49368019137737607),
        ([[0.05, 1.1, 1.0, 0.5, 0.0]], 4, 0.352024),
        ([[1, 0, 0, 0, 1]], 1, 0.75),  # a tie of grades 10 and 5: 7.5 of 10
    ],
)
def test_ndcg(scores: list[list[float]], k: int | None, want: float) -> None:
    assert compat.ndcg_score(GRADES, scores, k=k) == pytest.approx(want, abs=1e-6)


def test_ignored_ties_take_the_last_column_first() -> None:
    tied = [[1, 0, 0, 0, 1]]
    assert compat.dcg_score(GRADES, tied, k=1, ignore_ties=True) == 5
    assert compat.ndcg_score(GRADES, tied, k=1, ignore_ties=True) == 0.5


def test_dcg_is_linear_in_negative_labels_too() -> None:
    """By hand: 1/log2(2) - 2/log2(3)."""
    want = 1 - 2 / np.log2(3)
    assert compat.dcg_score([[1, -2, 0]], [[3, 2, 1]]) == pytest.approx(want)
    assert compat.dcg_score([[1, -2, 0]], [[3, 2, 1]], log_base=4) == pytest.approx(2 * want)


def test_label_rankings() -> None:
    labels, scores = [[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]
    assert compat.label_ranking_average_precision_score(labels, scores) == pytest.approx(5 / 12)
    assert compat.coverage_error(labels, scores) == 2.5
    assert compat.label_ranking_loss(labels, scores) == 0.75
    weights = [3, 1]
    assert compat.label_ranking_loss(labels, scores, sample_weight=weights) == 0.625
    best = [[1.0, 0.1, 0.2], [0.1, 0.2, 0.9]]
    assert compat.coverage_error(labels, best) == 1
    assert compat.label_ranking_loss(labels, best) == 0


def test_tied_pairs_are_lost() -> None:
    """One true label tied with one of two false ones, the other below."""
    assert compat.label_ranking_loss([[1, 0, 0]], [[2, 2, 1]]) == 0.5
    assert compat.coverage_error([[1, 0, 0]], [[2, 2, 1]]) == 2


@pytest.mark.parametrize("labels", [[[0, 0, 0]], [[1, 1, 1]]])
def test_rows_of_one_class(labels: list[list[int]]) -> None:
    scores = [[3, 2, 1]]
    assert compat.label_ranking_average_precision_score(labels, scores) == 1
    assert compat.label_ranking_loss(labels, scores) == 0
    assert compat.coverage_error(labels, scores) == 3 * labels[0][0]


def test_areas() -> None:
    scores = [0.1, 0.4, 0.35, 0.8]
    assert compat.roc_auc_score([0, 0, 1, 1], scores) == 0.75
    assert compat.average_precision_score([0, 0, 1, 1], scores) == pytest.approx(5 / 6)
    names = ["spam", "spam", "wanted", "wanted"]
    assert compat.roc_auc_score(names, scores) == 0.75
    assert compat.average_precision_score(names, scores, pos_label="wanted") == pytest.approx(5 / 6)


def test_weighted_areas() -> None:
    """By hand: weights 1 2 | 3 4; pairs won 3 * 1 + 4 * 3 of 7 * 3; steps 4 and 3 of 7."""
    weights = [1, 2, 3, 4]
    scores = [0.1, 0.4, 0.35, 0.8]
    truth = [0, 0, 1, 1]
    assert compat.roc_auc_score(truth, scores, sample_weight=weights) == pytest.approx(15 / 21)
    want = 4 / 7 * 1 + 3 / 7 * 7 / 9
    assert compat.average_precision_score(truth, scores, sample_weight=weights) == pytest.approx(
        want
    )


def test_groups() -> None:
    labels, scores = [1, 0, 0, 0, 1], [3, 2, 1, 5, 4]
    groups = ["ann", "ann", "ann", "bob", "bob"]
    assert compat.roc_auc_score(labels, scores, groups=groups) == 0.5
    assert compat.coverage_error(labels, scores, groups=groups) == 1.5
    assert compat.coverage_error(labels, scores, groups=groups, sample_weight=[1, 3]) == 1.75


@pytest.mark.parametrize("truth", [[0, 0], [1, 1], [True, True]])
def test_one_class_is_undefined(truth: list[int]) -> None:
    with pytest.warns(compat.UndefinedMetricWarning, match="one class"):
        assert np.isnan(compat.roc_auc_score(truth, [1, 2]))


def test_no_positive_row() -> None:
    with pytest.warns(compat.UndefinedMetricWarning, match="no positive"):
        assert compat.average_precision_score([0, 0], [1, 2]) == 0


@pytest.mark.parametrize(
    ("name", "arguments", "options", "message"),
    [
        ("ndcg_score", ([[1, -1]], [[1, 2]]), {}, "y_true: got negative"),
        ("ndcg_score", ([[1]], [[1]]), {}, "at least two labels"),
        ("ndcg_score", ([1, 0], [1, 2]), {}, r"y_true: got shape \(2,\)"),
        ("dcg_score", ([[1, 0]], [[1, 2]]), {"log_base": 1}, "log_base: got 1"),
        ("dcg_score", ([[1, 0]], [[1, 2]]), {"k": 0}, "k"),
        ("dcg_score", ([[1, 0]], [[1, 2]]), {"sample_weight": [1, 2]}, "one per sample"),
        ("coverage_error", ([[1, 2]], [[1, 2]]), {}, "other values than 0 and 1"),
        ("label_ranking_loss", ([1, 0], [1, 2]), {}, r"wanted \(samples, labels\)"),
        ("roc_auc_score", ([0, 1, 2], [1, 2, 3]), {}, "more than two classes"),
        ("roc_auc_score", ([[0, 1]], [[1, 2]]), {}, "one per row"),
        ("roc_auc_score", ([0, 1], [1, 2]), {"max_fpr": 0.1}, "max_fpr: got 0.1"),
        ("roc_auc_score", ([0, 1], [1, 2]), {"multi_class": "ovr"}, "binary labels only"),
        ("roc_auc_score", ([0, 1], [1, 2]), {"average": "mean"}, "average: got 'mean'"),
        ("roc_auc_score", ([0, 1], [1, 2, 3]), {}, "one score per row"),
        ("average_precision_score", (["a", "b"], [1, 2]), {}, "pos_label: got 1"),
    ],
)
def test_refusals(
    name: str, arguments: tuple[object, ...], options: dict[str, object], message: str
) -> None:
    with pytest.raises(rm.RankmillError, match=message):
        getattr(compat, name)(*arguments, **options)
