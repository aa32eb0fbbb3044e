"""Differences of models: forest plots, gains of users, and metrics that move together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmill.compare import Comparison, Correlation
from rankmill.errors import InputError
from rankmill.plots.canvas import COLOURS, GREY, axes_of, colour, label, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def forest(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw every difference from the baseline with its 95 % interval, a line each.

    Filled where the interval leaves out 0.

    Parameters
    ----------
    comparison : Comparison
        From `rankmill.compare`.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
    """
    rows = comparison.differences
    ax = axes_of(ax, height=max(2.4, 1.2 + 0.28 * len(rows)), width=7.2)
    models = comparison.models[1:]
    names = []
    for place, found in enumerate(rows):
        low, high = found.interval
        shade = colour(models.index(found.model))
        is_clear = low > 0 or high < 0
        ax.plot([low, high], [place, place], color=shade, linewidth=1.6)
        face = shade if is_clear else "white"
        ax.plot([found.difference], [place], "o", color=shade, markerfacecolor=face)
        parts = (found.metric, found.segment, found.model if len(models) > 1 else "")
        names.append(label(", ".join(part for part in parts if part)) + f"  (n = {found.users:,})")
    ax.axvline(0, color=GREY, linewidth=0.9)
    ax.set_yticks(range(len(rows)), names)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    against = label(comparison.baseline)
    what = label(models[0]) if len(models) == 1 else "model"
    tidy(ax, x=f"mean difference, 95 % interval\n{what} - {against}", y="", grid="x")
    return ax


def gain(
    comparison: Comparison, metric: str, model: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the running sum of the users' differences, largest first: who carries the change.

    The curve rises while users gain, is level where they do not change, and falls while they lose;
    it ends at the mean difference.

    Parameters
    ----------
    comparison : Comparison
        From `rankmill.compare`.
    metric : str
        One of its metrics.
    model : str, optional
        Needed where there are several.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
    """
    found = comparison.find(metric, model)
    first, second = (comparison.results[name] for name in (found.baseline, found.model))
    changes = second[found.metric] - first[found.metric]
    changes = np.sort(changes[~np.isnan(changes)])[::-1]
    if not len(changes):
        raise InputError(f"metric: no user has {found.metric} in both; wanted some")
    ax = axes_of(ax)
    share = np.arange(len(changes) + 1) / len(changes)
    total = np.concatenate([[0.0], np.cumsum(changes)]) / len(changes)
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.plot(share, total, color=colour(0))
    ax.plot([1.0], [total[-1]], "o", color=colour(0), clip_on=False)
    ax.annotate(
        f"{total[-1]:+.4f}",
        (1.0, total[-1]),
        xytext=(-8, -16),
        textcoords="offset points",
        ha="right",
    )
    names = f"{label(found.model)} - {label(found.baseline)}"
    tidy(
        ax,
        x=f"share of users, largest gain first (n = {len(changes):,})\n{names}",
        y=f"{label(found.metric)}: running mean difference",
    )
    ax.set_title(
        f"better {found.better:.1%}, equal {found.equal:.1%}, worse {found.worse:.1%}",
        fontsize="medium",
        color=GREY,
        loc="right",
    )
    ax.set_xlim(0, 1)
    return ax


def correlation(found: Correlation, kind: str = "spearman", ax: Axes | None = None) -> Axes:
    """Draw how metrics move together, -1 to 1, as a heat map.

    Parameters
    ----------
    found : Correlation
        From `rankmill.correlate`.
    kind : {"pearson", "spearman", "kendall"}
        Which coefficient.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
    """
    if kind not in ("pearson", "spearman", "kendall"):
        raise InputError(f"kind: got {kind!r}; wanted pearson, spearman or kendall")
    values = getattr(found, kind)
    names = [label(name) for name in found.names]
    side = max(3.2, 1.8 + 0.5 * len(names))
    ax = axes_of(ax, height=side, width=side + 0.8)
    image = ax.imshow(values, vmin=-1, vmax=1, cmap="PuOr_r")
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(names)), names)
    if len(names) <= 15:
        for row, line in enumerate(values):
            for column, value in enumerate(line):
                text = "" if np.isnan(value) else f"{value:.2f}"
                shade = "white" if abs(value) > 0.75 else COLOURS[-1]
                ax.text(column, row, text, ha="center", va="center", color=shade, fontsize="small")
    ax.figure.colorbar(image, ax=ax, label=f"{kind.capitalize()} correlation", shrink=0.8)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return ax
