"""What the figures should be: the ratio of the other side's time to the engine's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """What a task or contest should reach at some number of threads (0: the most measured)."""

    task: str
    against: str
    threads: int
    ratio: float


#: Against numpy and against the least work there is, from compare.py.
NUMPY = (
    Target("W1", "numpy sort along rows", 1, 10),
    Target("W1", "numpy, reading the inputs once", 1, 1 / 4),
    Target("W2", "numpy, one sort", 1, 30),
    Target("W3", "numpy counting", 1, 6),
    Target("top_k", "numpy argpartition and sort", 1, 4),
    Target("W6-auc", "scipy rankdata", 1, 10),
)
#: Against other tools, from peers.py.
PEERS = (
    Target("W1", "W1 scikit-learn loop", 1, 10_000),
    Target("W1", "W1 ranx", 0, 60),
    Target("W1", "W1 LightGBM", 0, 60),
    Target("W1", "W1 RecBole", 0, 60),
    Target("W2", "W2 numba", 0, 20),
    Target("W2", "W2 ranx", 0, 70),
    Target("W3", "W3 numba", 0, 6),
    Target("top_k", "top_k torch", 0, 2),
    Target("W4", "W4 matmul", 1, 1 / 1.3),
    Target("W4", "W4 matmul", 0, 1 / 1.3),
    Target("W4", "W4 numpy", 0, 8),
    Target("W4", "W4 recometrics", 0, 45),
    Target("W4", "W4 implicit", 0, 2.5),
    Target("W5", "W5 plain loop", 1, 1.5),
    Target("W5", "W5 pytrec_eval", 1, 3),
    Target("W5", "W5 ranx", 0, 12),
    Target("W6-pooled", "W6-pooled scikit-learn", 1, 8),
)
#: What bounds a task whose target is missed; docs/decisions.md has the figures.
BOUNDS = {
    "W1": "instructions: 1,950 per user at 3.5 per cycle; numpy sorts with AVX-512 where it can",
    "W2": "instructions: 11,000 per user, 3,300 to sort and search 50 rows, 5,000 to measure; "
    "numpy sorts with AVX-512 where it can",
    "W3": "vector instructions, three per score; reading alone takes half of the time or more",
    "W4": "products small enough for one thread, and counting, a quarter of the time",
    "W5": "walking the dicts: a look-up per document",
    "top_k": "reading the scores once",
    "W6-auc": "sorting and searching 50 relevant rows: half of the time",
    "W6-pooled": "one user is ranked by one thread",
}
