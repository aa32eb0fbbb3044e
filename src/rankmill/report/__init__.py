"""`report`: a result or a comparison as one file to read, print or paste."""

from rankmill.report.writing import report

__all__ = ["report"]
