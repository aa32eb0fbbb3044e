"""Plots: what they show, and that every label stays inside the picture, whatever the names."""

import sys
from typing import Any

import numpy as np
import pytest

import rankmill as rm
from rankmill import plots

matplotlib = pytest.importorskip("matplotlib")
RNG = np.random.default_rng(17)
HOSTILE = ["<script>alert(1)</script>", "$x_y^{2}$", "a" * 200, "100 % \\alpha", "שלום"]


def some(n_users: int = 80, shift: float = 0.0) -> tuple[rm.Ranks, rm.Result]:
    rng = np.random.default_rng(5)
    labels = rng.random((n_users, 12)) < 0.3
    ranks = rm.rank(rng.normal(size=(n_users, 12)) + labels * (0.5 + shift), labels)
    return ranks, rm.measure(ranks, "ndcg@5 recall@5 mrr auc")


def compared(n_users: int = 80, names: tuple[str, ...] = ("A", "B"), by: Any = None) -> Any:
    results = {name: some(n_users, at / 2)[1] for at, name in enumerate(names)}
    return rm.compare(results, baseline=names[0], by=by, resamples=50)


def drawn(ax: Any) -> list[str]:
    """Draw; return the texts, all of which lie inside the picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    width, height = canvas.get_width_height()
    renderer = canvas.get_renderer()
    inches = ax.figure.get_tightbbox(renderer)
    dpi = ax.figure.dpi
    assert inches.x0 * dpi >= -1
    assert inches.y0 * dpi >= -1
    assert inches.x1 * dpi <= width + 1
    assert inches.y1 * dpi <= height + 1
    texts = [ax.xaxis.label, ax.yaxis.label, ax.title, *ax.get_xticklabels(), *ax.get_yticklabels()]
    return [text.get_text() for text in texts]


def test_names_that_have_no_letters() -> None:
    """Lone surrogates stand for bytes of a file's name; fonts have nothing for them."""
    labels = drawn(plots.forest(compared(names=("A", "\udcff"), by={"\udcfe": [0, 1] * 40})))
    assert any("\\udcfe" in label for label in labels)


def test_sweep_shows_means_and_intervals() -> None:
    swept = rm.sweep(some()[0], "ndcg", range(1, 13))
    ax = plots.sweep(swept)
    assert ax.lines[0].get_ydata().tolist() == swept.mean.tolist()
    (band,) = ax.collections
    assert band.get_paths()[0].vertices[:, 1].max() == pytest.approx(swept.high.max())
    assert {"cutoff k", "ndcg@k: mean, 95 % interval"} <= set(drawn(ax))
    assert ax.get_legend() is None
    assert len(plots.sweep({"A": swept, "B": swept}).get_legend().get_texts()) == 2


def test_distribution_is_the_share_of_users() -> None:
    result = some()[1]
    ax = plots.distribution({"A": result, "B": result}, "ndcg@5")
    values = result["ndcg@5"][~np.isnan(result["ndcg@5"])]
    x, y = ax.lines[0].get_data()
    for at, share in zip(x[1:-1], y[1:-1], strict=True):
        assert share == pytest.approx((values <= at).mean())
    assert ax.lines[1].get_xdata()[0] == pytest.approx(result.means["ndcg@5"])
    drawn(ax)


def test_forest_has_a_line_for_each_difference() -> None:
    comparison = compared(by={"kind": np.arange(80) % 2})
    ax = plots.forest(comparison)
    for line, found in zip(ax.lines[::2], comparison.differences, strict=False):
        assert tuple(line.get_xdata()) == found.interval
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels[0] == f"ndcg@5  (n = {comparison.differences[0].users})"
    assert len(labels) == len(comparison.differences) == 12
    drawn(ax)


def test_gain_ends_at_the_mean_difference() -> None:
    comparison = compared()
    ax = plots.gain(comparison, "ndcg@5")
    curve = ax.lines[1].get_ydata()
    assert curve[-1] == pytest.approx(comparison.find("ndcg@5").difference)
    assert (np.diff(curve, n=2) <= 1e-12).all()  # largest gains first
    drawn(ax)


@pytest.mark.parametrize("kind", ["roc", "pr", "f1"])
def test_curves(kind: Any) -> None:
    ranks, _ = some()
    pooled = rm.rank([3, 2, 1, 0], [1, 0, 1, 0])
    found = rm.curve(ranks, kind, pooled=pooled, points=21)
    ax = plots.curve(found)
    averaged = ax.lines[1 if kind == "roc" else 0]
    assert averaged.get_ydata().tolist() == found.y.tolist()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[:2] == ["mean over users", "all rows, pooled"]
    drawn(plots.curve({"A": found, "B": found}))


def test_correlation_is_a_heat_map() -> None:
    found = rm.correlate(some()[1])
    ax = plots.correlation(found)
    assert np.array_equal(ax.images[0].get_array(), found.spearman)
    assert ax.texts[0].get_text() == "1.00"
    drawn(ax)
    drawn(plots.correlation(found, "kendall"))


def test_hostile_names_are_text() -> None:
    names = tuple(HOSTILE)
    comparison = compared(names=names)
    texts = drawn(plots.forest(comparison))
    assert any("script" in text for text in texts)
    swept = rm.sweep(some()[0], "ndcg", range(1, 4))
    drawn(plots.sweep(dict.fromkeys(HOSTILE, swept)))
    drawn(plots.distribution(dict.fromkeys(HOSTILE, some()[1]), "mrr"))
    drawn(plots.gain(comparison, "mrr", names[2]))


def test_little_and_much_data() -> None:
    one = rm.evaluate([[3, 2, 1]], [[0, 1, 0]], "ndcg@5 mrr")
    nobody = rm.evaluate([[3, 2, 1]], [[0, 0, 0]], "recall@5")
    drawn(plots.distribution(one, "mrr"))
    drawn(plots.distribution(nobody, "recall@5"))
    drawn(plots.sweep(rm.sweep(rm.rank([[1, 2]], [[0, 0]]), "recall", [1])))
    metrics = [f"ndcg@{k}" for k in range(1, 41)]
    many = rm.evaluate(RNG.random((50, 30)), RNG.random((50, 30)) < 0.2, metrics)
    drawn(plots.correlation(rm.correlate(many)))
    drawn(plots.forest(rm.compare(many, many, resamples=10)))


def test_the_caller_s_axes_and_no_global_state() -> None:
    from matplotlib.figure import Figure

    before = dict(matplotlib.rcParams)
    ax = Figure().add_subplot()
    assert plots.distribution(some()[1], "mrr", ax=ax) is ax
    assert dict(matplotlib.rcParams) == before
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or not pyplot.get_fignums()


def test_bad_arguments() -> None:
    ranks, result = some()
    swept = {"A": rm.sweep(ranks, "ndcg", [1]), "B": rm.sweep(ranks, "mrr", [1])}
    curves = {"A": rm.curve(ranks, "pr"), "B": rm.curve(ranks, "roc")}
    nobody = rm.evaluate([[3, 2, 1]], [[0, 0, 0]], "recall@5")
    for make, message in (
        (lambda: plots.sweep(swept), "sweeps: got mrr and ndcg; wanted one metric"),
        (lambda: plots.curve(curves), "curves: got pr and roc; wanted one kind"),
        (lambda: plots.sweep({}), "sweeps: wanted a Sweep"),
        (lambda: plots.distribution({"A": 3}, "mrr"), "results: got int for 'A'"),  # type: ignore[dict-item]
        (lambda: plots.correlation(rm.correlate(result), "phi"), "kind: got 'phi'"),
        (lambda: plots.gain(rm.compare(nobody, nobody), "recall@5"), "no user has recall@5"),
    ):
        with pytest.raises(rm.RankmillError, match=message):
            make()


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(rm.MissingDependencyError, match=r"pip install 'rankmill\[plots\]'"):
        plots.distribution(some()[1], "mrr")
