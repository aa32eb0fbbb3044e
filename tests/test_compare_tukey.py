"""Tukey's HSD over the same users, and correlations, against statsmodels and scipy."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.formula.api import ols

import rankmill as rm
from comparing import result_of, skewed


def three_models(users: int) -> dict[str, rm.Result]:
    rng = np.random.default_rng(users)
    base = skewed(rng, users, 2)
    noise = rng.normal(0, 0.1, (3, 2, users))
    return {
        name: result_of(base + noise[row] + 0.02 * row) for row, name in enumerate(("A", "B", "C"))
    }


@pytest.mark.parametrize("users", [5, 40])
def test_error_is_that_of_the_two_way_analysis(users: int) -> None:
    """Difference, p-value and interval from the residuals of value ~ user + model."""
    results = three_models(users)
    comparison = rm.compare(results, resamples=20)
    assert len(comparison.tukey) == 2 * 3
    for metric in comparison.metrics:
        rows = [
            (user, model, value)
            for model, result in results.items()
            for user, value in enumerate(result[metric])
        ]
        frame = pd.DataFrame(rows, columns=["user", "model", "value"])
        fit = ols("value ~ C(user) + C(model)", frame).fit()
        error = np.sqrt(fit.mse_resid / users)
        for pair in (pair for pair in comparison.tukey if pair.metric == metric):
            apart = np.mean(results[pair.second][metric] - results[pair.first][metric])
            reach = stats.studentized_range.ppf(0.95, 3, fit.df_resid) * error
            p_value = stats.studentized_range.sf(abs(apart) / error, 3, fit.df_resid)
            assert pair.difference == pytest.approx(apart, rel=1e-9)
            assert pair.interval == pytest.approx((apart - reach, apart + reach), rel=1e-6)
            assert pair.p_value == pytest.approx(p_value, rel=1e-5, abs=1e-12)
            assert pair.users == users


def test_two_models_by_tukey_are_the_paired_t_test() -> None:
    """For two models the studentized range is sqrt(2) |t|, so both tests are one."""
    from rankmill.compare.tukey import tukey_pairs

    results = {name: three_models(30)[name] for name in "AB"}
    (pair,) = tukey_pairs(results, "ndcg@10")
    expected = stats.ttest_rel(results["B"]["ndcg@10"], results["A"]["ndcg@10"]).pvalue
    assert pair.p_value == pytest.approx(expected, rel=1e-5)


def test_users_without_the_metric_in_some_model_are_left_out_and_few_are_nan() -> None:
    values = np.array([[0.1, 0.2, np.nan], [0.2, np.nan, 0.1], [0.3, 0.5, 0.5]])
    results = {name: result_of(row) for name, row in zip("ABC", values, strict=True)}
    pairs = rm.compare(results, resamples=20).tukey
    assert {pair.users for pair in pairs} == {1}
    assert all(np.isnan(pair.p_value) for pair in pairs)


def test_models_that_do_not_differ_or_differ_alike() -> None:
    row = np.linspace(0, 1, 20)
    results = {"A": result_of(row), "B": result_of(row), "C": result_of(row + 0.25)}
    found = {(p.first, p.second): p for p in rm.compare(results, resamples=20).tukey}
    assert found["A", "B"].p_value == 1
    assert found["A", "C"].p_value == pytest.approx(0, abs=1e-12)


def test_correlation_over_users() -> None:
    rng = np.random.default_rng(4)
    values = skewed(rng, 300)
    values[1] = np.where(rng.random(300) < 0.5, values[0], values[1])
    values[2, :50] = np.nan
    found = rm.correlate(result_of(values))
    frame = pd.DataFrame(values.T)
    for method in ("pearson", "spearman", "kendall"):
        expected = frame.corr(method=method).to_numpy()
        assert np.allclose(getattr(found, method), expected, atol=1e-12)
    assert found.n.tolist() == [[300, 300, 250], [300, 300, 250], [250, 250, 250]]
    assert found.over == "users"
    assert str(found).splitlines()[0].split() == ["pearson", "over", "users", *found.names]


def test_correlation_over_models() -> None:
    rng = np.random.default_rng(5)
    values = skewed(rng, 6 * 40).reshape(3, 6, 40)
    results = {f"m{model}": result_of(values[:, model]) for model in range(6)}
    found = rm.correlate(results)
    means = values.mean(axis=2)
    assert found.pearson == pytest.approx(np.corrcoef(means), rel=1e-9)
    assert found.kendall[0, 1] == pytest.approx(stats.kendalltau(means[0], means[1]).statistic)
    assert (found.over, found.n[0, 1]) == ("models", 6)


def test_metrics_that_do_not_vary_have_no_correlation() -> None:
    found = rm.correlate(result_of([[0.5, 0.5, 0.5], [0.1, 0.2, 0.3], [np.nan, np.nan, 1.0]]))
    assert np.isnan(found.spearman[0]).all()
    assert np.isnan(found.pearson[2]).all()
    assert found.kendall[1, 1] == 1


def test_bad_input_of_correlate() -> None:
    one = result_of([0.1, 0.2])
    with pytest.raises(rm.InputTypeError, match="results: got list"):
        rm.correlate([one, one])
    with pytest.raises(rm.InputError, match="results: got 1; wanted two models"):
        rm.correlate({"A": one})
    with pytest.raises(rm.MetricError, match="results: B has mrr and A ndcg@10"):
        rm.correlate({"A": one, "B": result_of([0.1, 0.2], "mrr")})
    with pytest.raises(rm.InputError, match="ndcg@10: got inf at user row 1"):
        rm.correlate(result_of([0.1, np.inf]))
