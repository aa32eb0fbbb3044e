"""Metrics over cutoffs, and ROC, precision-recall and F1 curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from rankmill.curves import Curve
from rankmill.errors import InputError
from rankmill.plots.canvas import GREY, axes_of, by_name, colour, label, legend, tidy
from rankmill.sweeping import Sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AXES: Final = {
    "roc": ("false positive rate", "true positive rate"),
    "pr": ("recall", "precision"),
    "f1": ("depth k", "F1@k"),
}


def sweep(sweeps: Sweep | Mapping[str, Sweep], ax: Axes | None = None) -> Axes:
    """Draw the mean of a metric over cutoffs, with its 95 % interval.

    Parameters
    ----------
    sweeps : Sweep or mapping of model to Sweep
        Of one metric.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
    """
    models = by_name("sweeps", sweeps, Sweep)
    metrics = {swept.metric for swept in models.values()}
    if len(metrics) > 1:
        raise InputError(f"sweeps: got {' and '.join(sorted(metrics))}; wanted one metric")
    ax = axes_of(ax)
    for at, (name, swept) in enumerate(models.items()):
        marker = "o" if len(swept.k) == 1 else None
        ax.plot(swept.k, swept.mean, color=colour(at), label=label(name), marker=marker)
        ax.fill_between(swept.k, swept.low, swept.high, color=colour(at), alpha=0.2, linewidth=0)
    users = max(int(swept.users.max()) for swept in models.values())
    tidy(ax, x="cutoff k", y=f"{label(metrics.pop())}@k: mean, 95 % interval")
    ax.set_title(f"n = {users:,} users", fontsize="medium", color=GREY, loc="right")
    legend(ax, models)
    return ax


def curve(curves: Curve | Mapping[str, Curve], ax: Axes | None = None) -> Axes:
    """Draw curves averaged over users; pooled ones are dashed, the best F1 a dot.

    Parameters
    ----------
    curves : Curve or mapping of model to Curve
        Of one kind.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
    """
    models = by_name("curves", curves, Curve)
    kinds = {found.kind for found in models.values()}
    if len(kinds) > 1:
        raise InputError(f"curves: got {' and '.join(sorted(kinds))}; wanted one kind")
    kind = kinds.pop()
    ax = axes_of(ax, height=4.8, width=5.2)
    if kind == "roc":
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":")
    for at, (name, found) in enumerate(models.items()):
        ax.plot(found.x, found.y, color=colour(at), label=label(name or "mean over users"))
        if found.pooled_x is not None and found.pooled_y is not None:
            ax.plot(
                found.pooled_x,
                found.pooled_y,
                color=colour(at),
                linestyle="--",
                label=label(f"{name}, pooled" if name else "all rows, pooled"),
            )
        if not np.isnan(found.best[0]):
            x = found.best[0]
            y = float(np.interp(x, found.x, found.y))
            ax.plot([x], [y], "o", color=colour(at), label=f"best F1 {found.best[1]:.3f}")
    x_text, y_text = _AXES[kind]
    tidy(ax, x=x_text, y=y_text, grid="both")
    if kind != "f1":
        ax.set(xlim=(0, 1), ylim=(0, 1.02), aspect="equal")
    users = max(found.users for found in models.values())
    ax.set_title(f"n = {users:,} users", fontsize="medium", color=GREY, loc="right")
    ax.legend(frameon=False, fontsize="small")
    return ax
