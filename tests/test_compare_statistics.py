"""Figures of `compare` against scipy and statsmodels on the same data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import DescrStatsW

import rankmill as rm
from comparing import Floats, result_of, skewed, two_models
from rankmill.compare.corrections import benjamini_hochberg, holm
from rankmill.compare.statistics import estimate, wilcoxon_p

RESAMPLES = 4000
SIZES = (12, 40, 300, 5000)


def monte_carlo(p_value: float) -> float:
    """Five standard errors of a difference of two estimated p-values.

    The other may be twice the share of one tail, as scipy has it: its variance is p (2 - p) / n.
    """
    return 5 * np.sqrt((p_value * (1 - p_value) + p_value * (2 - p_value)) / RESAMPLES) + 1e-3


@pytest.mark.parametrize("users", SIZES)
def test_t_test_and_interval(users: int) -> None:
    base, other = two_models(users, users)
    comparison = rm.compare(result_of(base), result_of(other), resamples=50)
    for row, name in enumerate(comparison.metrics):
        found = comparison.find(name)
        expected = stats.ttest_rel(other[row], base[row])
        assert np.isclose(found.p_values["t"], expected.pvalue, rtol=1e-9)
        assert np.allclose(found.interval, tuple(expected.confidence_interval(0.95)), rtol=1e-9)
        assert found.difference == pytest.approx(np.mean(other[row] - base[row]), rel=1e-12)
        assert found.means == pytest.approx((base[row].mean(), other[row].mean()), rel=1e-12)
        assert found.relative == pytest.approx(found.difference / base[row].mean(), rel=1e-12)


@pytest.mark.parametrize("users", SIZES)
def test_wilcoxon(users: int) -> None:
    base, other = two_models(users, users)
    comparison = rm.compare(result_of(base), result_of(other), resamples=50)
    for row, name in enumerate(comparison.metrics):
        expected = stats.wilcoxon(other[row] - base[row], zero_method="wilcox").pvalue
        found = comparison.find(name).p_values["wilcoxon"]
        if users > 50:
            assert np.isclose(found, expected, rtol=1e-6)
        else:  # scipy looks for zeros before it chooses the exact distribution
            apart = other[row] - base[row]
            assert np.isclose(found, stats.wilcoxon(apart[apart != 0]).pvalue, rtol=1e-6)


def test_wilcoxon_of_differences_that_rounding_sets_apart() -> None:
    apart = np.array([0.3 - 0.2, 0.2 - 0.1, -(0.4 - 0.3), 0.9 - 0.8, 0.5, -0.25, 0.7] * 9)
    exact = np.array([1, 1, -1, 1, 5, -2.5, 7] * 9)
    assert wilcoxon_p(apart) == pytest.approx(stats.wilcoxon(exact).pvalue, rel=1e-12)


@pytest.mark.parametrize("users", [20, 300])
def test_resampling_tests(users: int) -> None:
    base, other = two_models(users + 1, users)
    comparison = rm.compare(result_of(base), result_of(other), resamples=RESAMPLES, seed=3)
    rng = np.random.default_rng(0)
    for row, name in enumerate(comparison.metrics):
        found, apart = comparison.find(name), other[row] - base[row]
        expected = stats.permutation_test(
            (other[row], base[row]),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=RESAMPLES,
            rng=rng,
        ).pvalue
        allowed = monte_carlo(expected)
        assert abs(found.p_values["randomization"] - expected) <= allowed
        drawn = rng.choice(apart, (RESAMPLES, users)).mean(axis=1)
        shifted = np.mean(np.abs(drawn - apart.mean()) >= abs(apart.mean()))
        allowed = monte_carlo(shifted)
        assert abs(found.p_values["bootstrap"] - shifted) <= allowed


@pytest.mark.parametrize("users", [50, 1000])
def test_bootstrap_interval(users: int) -> None:
    base, other = two_models(users, users)
    comparison = rm.compare(result_of(base), result_of(other), resamples=RESAMPLES)
    for row, name in enumerate(comparison.metrics):
        apart = other[row] - base[row]
        expected = stats.bootstrap(
            (apart,), np.mean, method="percentile", n_resamples=RESAMPLES, rng=7
        )
        low, high = comparison.find(name).bootstrap_interval
        # The standard error of a 2.5 % quantile of a normal variable is 2.7 s / sqrt(n).
        allowed = 5 * 2.7 * np.sqrt(2 / RESAMPLES) * expected.standard_error
        assert low == pytest.approx(expected.confidence_interval.low, abs=allowed)
        assert high == pytest.approx(expected.confidence_interval.high, abs=allowed)


@pytest.mark.parametrize("users", [20, 60, 1000, 20000])
def test_detectable_difference(users: int) -> None:
    base, other = two_models(users, users)
    comparison = rm.compare(result_of(base), result_of(other), resamples=10)
    effect = TTestPower().solve_power(nobs=users, alpha=0.05, power=0.8)
    for row, name in enumerate(comparison.metrics):
        spread = np.std(other[row] - base[row], ddof=1)
        assert comparison.find(name).detectable == pytest.approx(effect * spread, rel=2e-3)


@settings(max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_corrections(p_values: list[float]) -> None:
    array = np.array(p_values)
    assert np.allclose(holm(array), multipletests(array, method="holm")[1], atol=1e-12)
    expected = multipletests(array, method="fdr_bh")[1]
    assert np.allclose(benjamini_hochberg(array), expected, atol=1e-12)
    assert np.allclose(holm(np.append(array, np.nan))[:-1], holm(array))


def test_the_family_is_every_model_metric_and_segment() -> None:
    base, other = two_models(5, 400)
    third = two_models(6, 400)[1]
    results = {"A": result_of(base), "B": result_of(other), "C": result_of(third)}
    halves = np.arange(400) % 2
    comparison = rm.compare(results, by={"half": halves}, resamples=200)
    assert len(comparison.differences) == 2 * 3 * 3
    for test in ("t", "wilcoxon", "bootstrap", "randomization"):
        p_values = np.array([each.p_values[test] for each in comparison.differences])
        for ours, theirs in (("holm", "holm"), ("benjamini_hochberg", "fdr_bh")):
            found = [each.adjusted[ours][test] for each in comparison.differences]
            assert np.allclose(found, multipletests(p_values, method=theirs)[1], atol=1e-12)


def test_weighted_difference() -> None:
    base, other = two_models(8, 500)
    weights = np.random.default_rng(1).integers(1, 9, 500).astype(float)
    weights[:20] = 0.0
    comparison = rm.compare(
        result_of(base, weights=weights), result_of(other, weights=weights), resamples=RESAMPLES
    )
    kept = weights > 0
    for row, name in enumerate(comparison.metrics):
        found, apart = comparison.find(name), (other - base)[row, kept]
        mean = DescrStatsW(apart, weights[kept]).mean
        assert found.users == 480
        assert found.difference == pytest.approx(mean, rel=1e-12)
        ratios = _jackknife(apart, weights[kept])
        error = np.sqrt(479 / 480 * ((ratios - ratios.mean()) ** 2).sum())
        width = found.interval[1] - found.interval[0]
        assert width == pytest.approx(2 * stats.t.ppf(0.975, 479) * error, rel=0.02)
        low, high = found.bootstrap_interval
        assert high - low == pytest.approx(width, rel=0.12)
        assert np.isnan(found.p_values["wilcoxon"])
        assert abs(found.p_values["randomization"] - found.p_values["t"]) < 0.03


def _jackknife(apart: Floats, weights: Floats) -> Floats:
    """Weighted means without each user in turn."""
    total, weight = (apart * weights).sum(), weights.sum()
    left: Floats = (total - apart * weights) / (weight - weights)
    return left


def test_equal_weights_change_nothing() -> None:
    base, other = two_models(9, 200)
    plain = rm.compare(result_of(base), result_of(other), resamples=300)
    weights = np.full(200, 2.5e307)
    weighted = rm.compare(
        result_of(base, weights=weights), result_of(other, weights=weights), resamples=300
    )
    for one, two in zip(plain.differences, weighted.differences, strict=True):
        assert one.interval == pytest.approx(two.interval, rel=1e-9)
        assert one.bootstrap_interval == pytest.approx(two.bootstrap_interval, rel=1e-9)
        for test in ("t", "bootstrap", "randomization"):
            assert one.p_values[test] == pytest.approx(two.p_values[test], rel=1e-9)


@settings(max_examples=20)
@given(st.integers(2, 200), st.floats(-1e6, 1e6), st.integers(0, 99))
def test_estimate_of_any_order(users: int, shift: float, seed: int) -> None:
    values = skewed(np.random.default_rng(seed), users, 1)[0] + shift
    found = estimate(values)
    assert found == estimate(values[::-1].copy())
    assert found.error == pytest.approx(stats.sem(values), rel=1e-6, abs=1e-9)
