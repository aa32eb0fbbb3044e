"""Models against a baseline: differences, intervals, tests, and how metrics move together."""

from rankmill.compare.model import Comparison, Difference, TukeyPair

__all__ = ["Comparison", "Difference", "TukeyPair"]
