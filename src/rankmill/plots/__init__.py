"""Plots of results: each takes an Axes, or makes one, and returns it.

They need matplotlib (``pip install 'rankmill[plots]'``), make figures without pyplot, and change
no global setting. Save one by ``axes.figure.savefig("plot.svg")``.
"""

from rankmill.plots.comparing import correlation, forest, gain
from rankmill.plots.curves import curve, sweep
from rankmill.plots.spread import distribution

__all__ = ["correlation", "curve", "distribution", "forest", "gain", "sweep"]
