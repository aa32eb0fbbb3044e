"""Models against a baseline: differences, intervals, tests, and how metrics move together."""

from rankmill.compare.comparing import compare
from rankmill.compare.correlating import Correlation, correlate
from rankmill.compare.model import Comparison, Difference, TukeyPair

__all__ = ["Comparison", "Correlation", "Difference", "TukeyPair", "compare", "correlate"]
