"""False alarms and coverage by simulation; tests/ab_simulation.py makes the table of the docs."""

import numpy as np
import pytest
from scipy import stats

from ab_simulation import CASES, LEVEL, differences, ndcg_like, result, simulate
from rankmill.compare.tukey import tukey_pairs

pytestmark = pytest.mark.slow
RUNS = 500


def plausible(share: float, chance: float, runs: int = RUNS) -> bool:
    """Whether as many of the runs can come of this chance: a test that fails once in 10,000."""
    return bool(stats.binomtest(round(share * runs), runs, chance).pvalue > 1e-4)


@pytest.mark.parametrize("users", [100, 1000])
@pytest.mark.parametrize("case", ["ndcg, A/A", "dcg, A/A"])
def test_false_alarms_and_coverage(case: str, users: int) -> None:
    """Differences of two models alike are symmetric: every test keeps its level, or is strict."""
    tally = simulate(case, users, RUNS, 999)
    exact = plausible(tally.rejected["randomization"], LEVEL)
    assert exact, tally
    for test, share in tally.rejected.items():
        assert plausible(share, LEVEL) or share < LEVEL, (test, tally)
    # Percentiles of few, heavy-tailed values are known to be narrow: held to no better than 85 %.
    assert plausible(tally.covered["t"], 1 - LEVEL) or tally.covered["t"] > 1 - LEVEL, tally
    assert plausible(tally.covered["bootstrap"], 1 - LEVEL) or case == "dcg, A/A", tally
    assert tally.covered["bootstrap"] > 0.85, tally


def test_the_detectable_difference_is_found_four_times_in_five() -> None:
    """A true lift of x times `detectable` has the power that the normal distribution gives it."""
    draw, lift = CASES["ndcg, lift"]
    users = 430
    found = [each.detectable for each in differences(draw, users, 200, 9)]
    level, power = stats.norm.ppf(0.975), stats.norm.ppf(0.8)
    expected = stats.norm.cdf(lift / np.mean(found) * (level + power) - level)
    tally = simulate("ndcg, lift", users, RUNS, 9)
    assert 0.6 < expected < 0.95
    assert abs(tally.rejected["t"] - expected) < 5 * (0.2 * 0.8 / RUNS) ** 0.5, (tally, expected)


def test_tukey_raises_a_false_alarm_in_one_family_of_twenty() -> None:
    """Three models alike: how often does any pair of them come out as different?"""
    alarms, runs = 0, 200
    for run in range(runs):
        rng = np.random.default_rng(run)
        base = ndcg_like(rng, 200)
        models = [np.where(rng.random(200) < 0.3, ndcg_like(rng, 200), base) for _ in range(3)]
        results = {name: result(values) for name, values in zip("ABC", models, strict=True)}
        alarms += min(pair.p_value for pair in tukey_pairs(results, "ndcg@10")) <= LEVEL
    assert plausible(alarms / runs, LEVEL, runs), alarms
