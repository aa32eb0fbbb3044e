"""`rankmill trec` against trec_eval itself: `python benchmarks/trec.py PATH_OF_TREC_EVAL`.

Whole processes, turn by turn, on a run of two million lines; their output must be the same bytes.
Then the same call within Python, where it and numpy are loaded already.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

from rankmill.bench.timing import all_cores, machine
from rankmill.trec import evaluate

QUERIES, DOCUMENTS, JUDGED = 2_000, 1_000, 60


def write_files(folder: Path, queries: int) -> tuple[Path, Path]:
    """Half of the judged documents are in the run, which is sorted."""
    rng = np.random.default_rng(0)
    qrels, run = folder / "qrels", folder / "run"
    with qrels.open("w") as judgements, run.open("w") as results:
        for query in range(queries):
            found = rng.choice(200_000, DOCUMENTS, replace=False)
            scores = np.sort(20 * rng.random(DOCUMENTS))[::-1]
            results.writelines(
                f"{query} Q0 D{document:07d} {place} {score:.4f} run\n"
                for place, (document, score) in enumerate(zip(found, scores, strict=True))
            )
            missed = rng.integers(200_000, 400_000, JUDGED // 2)
            judged = np.unique(np.concatenate([found[:: DOCUMENTS * 2 // JUDGED], missed]))
            grades = rng.integers(0, 4, len(judged))
            judgements.writelines(
                f"{query} 0 D{document:07d} {grade}\n"
                for document, grade in zip(judged, grades, strict=True)
            )
    return qrels, run


def seconds(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def main() -> None:
    """Print the medians and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trec_eval", type=Path, help="the program")
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    for fact, value in machine().items():
        print(f"{fact}: {value}")
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(Path(folder), asked.queries)
        theirs = [str(asked.trec_eval), *map(str, files)]
        ours = [sys.executable, "-m", "rankmill", "trec", *map(str, files)]
        outputs = [
            subprocess.run(command, capture_output=True, check=True).stdout
            for command in (theirs, ours)
        ]
        if outputs[0] != outputs[1]:
            sys.exit("the outputs differ")
        calls = {
            "trec_eval": lambda: subprocess.run(theirs, capture_output=True, check=True),
            "rankmill trec": lambda: subprocess.run(ours, capture_output=True, check=True),
            "within Python, 1 thread": lambda: evaluate(*files, n_threads=1),
            f"within Python, {all_cores()} threads": lambda: evaluate(*files),
        }
        rounds = [
            {name: seconds(call) for name, call in calls.items()} for _ in range(asked.rounds)
        ]
    base = median(taken["trec_eval"] for taken in rounds)
    for name in calls:
        middle = median(taken[name] for taken in rounds)
        print(f"{name:<26} {middle:7.3f} s {base / middle:6.1f} times trec_eval")


if __name__ == "__main__":
    main()
