"""Plots of results: each takes an Axes, or makes one, and returns it.

They need matplotlib (``pip install 'rankmill[plots]'``), make figures without pyplot, and change
no global setting. Save one by ``axes.figure.savefig("plot.svg")``.
Where names have letters that matplotlib's font lacks, it warns: choose a font that has them by
``matplotlib.rcParams["font.family"]``. Reports need none, as the reader's browser draws the text.
"""

from rankmill.plots.comparing import correlation, forest, gain
from rankmill.plots.curves import curve, sweep
from rankmill.plots.spread import distribution

__all__ = ["correlation", "curve", "distribution", "forest", "gain", "sweep"]
