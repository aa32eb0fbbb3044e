"""How often the tests of `compare` cry wolf, and how often its intervals hold the truth.

Pairs of models on users like real ones: most differences are 0, the others skewed, and few.

    python tests/ab_simulation.py [--runs 2000] [--resamples 999]
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

import rankmill as rm
from rankmill.compare.model import TESTS

Floats = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], tuple[Floats, Floats]]

LEVEL = 0.05
COLUMNS = ("interval t", "interval bootstrap", *TESTS)  # % that hold the truth; % rejected
SIZES = (20, 100, 1000, 10_000)
LIFT = 0.03


def ndcg_like(rng: np.random.Generator, users: int) -> Floats:
    """60 % zeros, 5 % ones, the rest small."""
    values = rng.beta(0.6, 3.0, users)
    kind = rng.random(users)
    return np.where(kind < 0.6, 0.0, np.where(kind > 0.95, 1.0, values))


def alike(rng: np.random.Generator, users: int) -> tuple[Floats, Floats]:
    """A/A: each of two models has its own luck with 30 % of the users."""
    base = ndcg_like(rng, users)
    models = [np.where(rng.random(users) < 0.15, ndcg_like(rng, users), base) for _ in range(2)]
    return models[0], models[1]


def rare(rng: np.random.Generator, users: int) -> tuple[Floats, Floats]:
    """A/A with hits: 2 % of the users change, from 0 to 1 or back."""
    base = (rng.random(users) < 0.1).astype(np.float64)
    flips = rng.random((2, users)) < 0.01
    return np.where(flips[0], 1 - base, base), np.where(flips[1], 1 - base, base)


def heavy(rng: np.random.Generator, users: int) -> tuple[Floats, Floats]:
    """A/A of values without a bound, such as DCG: log-normal, half of them 0."""
    models = rng.lognormal(0.0, 1.5, (2, users)) * (rng.random((2, users)) < 0.5)
    return models[0], models[1]


def skewed(rng: np.random.Generator, users: int) -> tuple[Floats, Floats]:
    """Means alike, but differences that are not symmetric: many lose a little, few gain much."""
    base = np.full(users, 0.3)
    gains = rng.random(users) < 0.04
    losses = rng.random(users) < 0.4 / 0.96
    change = np.where(gains, 0.5, np.where(losses, -0.05, 0.0))
    return base, base + change  # 0.04 * 0.5 = 0.4 * 0.05


def better(rng: np.random.Generator, users: int) -> tuple[Floats, Floats]:
    """A real effect: A/A, and then 10 % of the users gain 0.3."""
    base, other = alike(rng, users)
    return base, other + np.where(rng.random(users) < 10 * LIFT / 3, 0.3, 0.0)


#: Name of each case: how it is drawn, and the true mean difference.
CASES: dict[str, tuple[Draw, float]] = {
    "ndcg, A/A": (alike, 0.0),
    "hits, A/A": (rare, 0.0),
    "dcg, A/A": (heavy, 0.0),
    "skewed": (skewed, 0.0),
    "ndcg, lift": (better, LIFT),
}


@dataclass
class Tally:
    """Shares over the runs of one case."""

    runs: int
    covered: dict[str, float] = field(default_factory=dict)
    rejected: dict[str, float] = field(default_factory=dict)


def result(values: Floats) -> rm.Result:
    """A Result of one metric."""
    metric = rm.parse_metrics("ndcg@10")
    undefined = np.zeros(1, dtype=np.int64)
    return rm.Result(values[np.newaxis], metric, undefined, conventions=rm.Conventions())


def differences(draw: Draw, users: int, runs: int, resamples: int) -> Iterator[rm.Difference]:
    for run in range(runs):
        base, other = draw(np.random.default_rng([run, users]), users)
        found = rm.compare(result(base), result(other), resamples=resamples, seed=run, n_threads=1)
        yield found.find("ndcg@10")


def simulate(case: str, users: int, runs: int, resamples: int) -> Tally:
    """Compare models of one case again and again."""
    draw, truth = CASES[case]
    covered = np.zeros(2)
    rejected = np.zeros(len(TESTS))
    for found in differences(draw, users, runs, resamples):
        intervals = (found.interval, found.bootstrap_interval)
        covered += [low - 1e-12 <= truth <= high + 1e-12 for low, high in intervals]
        rejected += [found.p_values[test] <= LEVEL for test in TESTS]
    return Tally(
        runs,
        dict(zip(("t", "bootstrap"), (covered / runs).tolist(), strict=True)),
        dict(zip(TESTS, (rejected / runs).tolist(), strict=True)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--resamples", type=int, default=999)
    options = parser.parse_args()
    started = time.perf_counter()
    sys.stdout.write(row_of("case", "users", *COLUMNS) + "\n" + row_of(*["---"] * 8) + "\n")
    for case in CASES:
        for users in SIZES:
            tally = simulate(case, users, options.runs, options.resamples)
            shares = (*tally.covered.values(), *tally.rejected.values())
            cells = (f"{100 * share:.1f}" for share in shares)
            sys.stdout.write(row_of(case, f"{users:,}", *cells) + "\n")
            sys.stdout.flush()
    error = 100 * np.sqrt(LEVEL * (1 - LEVEL) / options.runs)
    sys.stdout.write(
        f"\n{options.runs} runs, {options.resamples} resamples; standard error of 5 %: "
        f"{error:.1f}; {time.perf_counter() - started:.0f} s\n"
    )


def row_of(*cells: str) -> str:
    """Write a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
