"""The speed workloads, the best numpy for each, and the timing of both side by side.

Installed with the package because ``rankmill bench`` runs them; ``benchmarks/`` builds on them.
"""
