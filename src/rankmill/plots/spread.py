"""How the users' values of a metric are spread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankmill.plots.canvas import axes_of, by_name, colour, label, legend, tidy
from rankmill.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def distribution(
    results: Result | Mapping[str, Result], metric: str, ax: Axes | None = None
) -> Axes:
    """Draw which share of the users has at most each value, a step line per model.

    A cumulative distribution shows the zeros, the ones and all between without bins to choose.

    Parameters
    ----------
    results : Result or mapping of model to Result
        What was measured.
    metric : str
        One of their metrics.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
    """
    models = by_name("results", results, Result)
    ax = axes_of(ax)
    for at, (name, result) in enumerate(models.items()):
        values = np.sort(result[metric][~np.isnan(result[metric])])
        if not len(values):
            continue
        kept, last = np.unique(values, return_index=True)
        reached = np.append(last[1:], len(values)) / len(values)
        mean = result.mean(metric)
        text = f"{label(name)} (n = {len(values):,})" if name else f"n = {len(values):,}"
        ax.step(
            np.concatenate([kept[:1], kept, kept[-1:]]),
            np.concatenate([[0.0], reached, [1.0]]),
            where="post",
            color=colour(at),
            label=text,
        )
        ax.axvline(mean, color=colour(at), linewidth=0.9, linestyle=":")
    tidy(ax, x=f"{label(metric)} of a user (dotted: mean)", y="share of users with at most that")
    ax.set_ylim(0, 1.02)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, loc="lower right")
    else:
        legend(ax, {"": None})
    return ax
