"""The plots of docs/benchmarks.md, as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")
from matplotlib import pyplot as plt

Series = Mapping[str, Sequence[Sequence[float]]]
mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "rankmill", "font.size": 9})


def lines(path: Path, series: Series, *, x: str, y: str) -> None:
    """One line for each series, both scales logarithmic."""
    figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
    for name, points in series.items():
        axes.plot([n for n, _ in points], [t for _, t in points], "o-", label=name)
    axes.set(xlabel=x, ylabel=y, xscale="log", yscale="log")
    axes.legend()
    _save(figure, axes, path)


def speedup(path: Path, series: Series) -> None:
    """Time of one thread over that of n, beside the line that no machine passes."""
    figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
    most = max(int(points[-1][0]) for points in series.values())
    axes.plot([1, most], [1, most], color="grey", linestyle=":", label="n times as fast")
    for name, points in series.items():
        axes.plot([n for n, _ in points], [points[0][1] / t for _, t in points], "o-", label=name)
    axes.set(xlabel="threads", ylabel="times as fast as one", xticks=range(1, most + 1))
    axes.legend()
    _save(figure, axes, path)


def bars(path: Path, ratios: Mapping[str, float]) -> None:
    """How many times as long each other tool takes; 1 is a draw."""
    figure, axes = plt.subplots(figsize=(6, 0.6 + 0.26 * len(ratios)), layout="constrained")
    axes.barh(list(ratios), list(ratios.values()))
    axes.invert_yaxis()
    axes.axvline(1, color="black", linewidth=1)
    axes.set(xscale="log", xlabel="time of the other / time of rankmill")
    _save(figure, axes, path)


def _save(figure: Any, axes: Any, path: Path) -> None:
    axes.grid(alpha=0.3)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
