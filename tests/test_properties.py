"""The engine against the plain-Python reference."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm
import reference
from forms import LIST_FORMS, dense, flat, grouped, key, list_form, names, wanted
from strategies import SETTLED, Array, Batch, batches, conventions, cutoffs

ISAS = rm.build_info()["isa_usable"]


def expected(batch: Batch, metrics: list[tuple[str, int | None]], rules: dict[str, Any]) -> Array:
    """Reference values [metric, user]; None where undefined."""
    columns = [
        reference.evaluate_metrics(
            metrics,
            user.scores.tolist(),
            user.grades.tolist(),
            ids=batch.items[user.columns].tolist(),
            **rules,
        )
        for user in batch.users
    ]
    return np.array(columns, dtype=object).T


def close(found: float, value: float) -> bool:
    return math.isclose(found, value, rel_tol=1e-12) or (math.isnan(found) and math.isnan(value))


def check(
    result: rm.Result,
    want: Array,
    metrics: list[tuple[str, int | None]],
    empty: str,
    note: str = "",
) -> None:
    """Per-user values, means and counts of a result against the reference."""
    fill = {"skip": math.nan, "zero": 0.0, "half": 0.5, "one": 1.0}[empty]
    for (metric, k), row in zip(metrics, want, strict=True):
        name = key(metric, k)
        per_user = [fill if value is None else value for value in row]
        found = result[name].tolist()
        assert all(map(close, found, per_user)), (note, name, found, per_user)
        n_defined = sum(value is not None for value in row)
        assert result.counts[name] == n_defined, (note, name)
        assert result.undefined[name] == len(row) - n_defined, (note, name)
        mean = reference.mean([None if math.isnan(value) else value for value in found])
        assert result.means[name] == mean or math.isnan(mean), (note, name)
        assert math.isnan(result.means[name]) == math.isnan(mean), (note, name)


@given(batches(enumerable=True), conventions(ties=["average"]), cutoffs())
def test_average_over_all_orders_of_a_tie(
    batch: Batch, rules: dict[str, Any], ks: list[int]
) -> None:
    metrics = wanted(ks)
    want = expected(batch, metrics, rules)
    choice = rm.Conventions(**rules)
    for isa in ISAS:
        result = rm.evaluate(**flat(batch), metrics=names(metrics), conventions=choice, isa=isa)
        check(result, want, metrics, rules["empty"], isa)


@given(batches(), conventions(ties=SETTLED), cutoffs())
def test_ties_settled_by_a_rule(batch: Batch, rules: dict[str, Any], ks: list[int]) -> None:
    metrics = wanted(ks)
    want = expected(batch, metrics, rules)
    choice = rm.Conventions(**rules)
    for isa in ISAS:
        result = rm.evaluate(**flat(batch), metrics=names(metrics), conventions=choice, isa=isa)
        check(result, want, metrics, rules["empty"], isa)


@given(batches(enumerable=True), conventions(ties=["average", *SETTLED]), cutoffs())
def test_matrix_with_exclusion(batch: Batch, rules: dict[str, Any], ks: list[int]) -> None:
    metrics = wanted(ks)
    result = rm.evaluate(
        **dense(batch), metrics=names(metrics), conventions=rm.Conventions(**rules)
    )
    check(result, expected(batch, metrics, rules), metrics, rules["empty"])


@given(batches(enumerable=True), conventions(ties=["average", *SETTLED]), cutoffs())
def test_shuffled_groups(batch: Batch, rules: dict[str, Any], ks: list[int]) -> None:
    metrics = wanted(ks)
    rows, users = grouped(batch, keep_order=True)
    if not users:
        return
    result = rm.evaluate(**rows, metrics=names(metrics), conventions=rm.Conventions(**rules))
    assert result.users is not None
    assert list(result.users) == users
    check(result, expected(batch, metrics, rules)[:, users], metrics, rules["empty"])


def thresholds(batch: Batch) -> st.SearchStrategy[Any]:
    """A score of the batch, or a number between scores that their type holds exactly."""
    scores = np.concatenate([user.scores for user in batch.users])
    between = [0.5, 1.5, 100.5] if scores.dtype.kind in "iub" else [-2.5, 0.5, 1.5, 1000.0]
    present = np.unique(scores) * 1  # a threshold is a number: not True or False
    return st.sampled_from([-math.inf, *between, *present.tolist()])


@given(batches(enumerable=True), conventions(ties=["average", *SETTLED]), cutoffs(), st.data())
def test_score_threshold(
    batch: Batch, rules: dict[str, Any], ks: list[int], data: st.DataObject
) -> None:
    """Candidates below ``min_score`` go, but the relevant ones among them still count."""
    least = data.draw(thresholds(batch))
    metrics = [metric for metric in wanted(ks) if metric[0] != "auc"]
    columns = []
    for user in batch.users:
        kept = np.array([score >= least for score in user.scores.tolist()], dtype=bool)
        columns.append(
            reference.evaluate_metrics(
                metrics,
                user.scores[kept].tolist(),
                user.grades[kept].tolist(),
                unretrieved=user.grades[~kept].tolist(),
                ids=batch.items[user.columns][kept].tolist(),
                **rules,
            )
        )
    choice = rm.Conventions(**rules)
    result = rm.evaluate(**flat(batch), metrics=names(metrics), conventions=choice, min_score=least)
    check(result, np.array(columns, dtype=object).T, metrics, rules["empty"])


@given(
    batches(distinct=True),
    conventions(ties=["average", *SETTLED[:3]]),
    cutoffs(),
    st.sampled_from(LIST_FORMS),
    st.data(),
)
def test_ranked_lists(
    batch: Batch, rules: dict[str, Any], ks: list[int], form: str, data: st.DataObject
) -> None:
    """Lists that miss some relevant items, with some items excluded."""
    metrics = [metric for metric in wanted(ks) if metric[0] != "auc"]
    rng = np.random.default_rng(batch.seed)
    depth = data.draw(st.integers(0, batch.shape[1]))
    lists, relevant, exclude = [], [], []
    for user in batch.users:
        order = np.argsort(user.scores)[::-1] if len(user.scores) else np.array([], dtype=int)
        lists.append(user.columns[order][:depth].tolist())
        relevant.append(dict(zip(user.columns.tolist(), user.grades.tolist(), strict=True)))
        exclude.append(np.flatnonzero(rng.random(batch.shape[1]) < 0.2).tolist())
    want = [
        [
            reference.evaluate_list(name, k, listed, truth, exclude=gone, **rules)
            for listed, truth, gone in zip(lists, relevant, exclude, strict=True)
        ]
        for name, k in metrics
    ]
    recommended, truths, gone_form = list_form(form, lists, relevant, exclude, batch)
    ranks = rm.rank_lists(recommended, truths, exclude=gone_form)
    result = rm.measure(ranks, names(metrics), conventions=rm.Conventions(**rules))
    check(result, np.array(want, dtype=object), metrics, rules["empty"], form)


# --- long users ----------------------------------------------------------------------------------

# Candidates and relevant among them: around the sizes where an engine may change its way of
# counting (blocks of 4096 candidates, some 50 relevant items).
LONG_USERS = [(257, 257), (600, 300), (4095, 47), (4096, 48), (4097, 49), (8200, 64)]


@pytest.fixture(scope="module", params=["worst", "input_order"])
def long_users(request: pytest.FixtureRequest) -> tuple[dict[str, Any], Array, Any]:
    """Rows of the long users, their reference values, and the tie rule."""
    rng = np.random.default_rng(1)
    ties = str(request.param)
    scores = [rng.integers(0, 100, n) for n, _ in LONG_USERS]
    grades = [rng.permutation(n) < relevant for n, relevant in LONG_USERS]
    graded = [np.where(flag, rng.integers(1, 5, len(flag)), 0) for flag in grades]
    columns = [
        reference.evaluate_metrics(wanted([10, 4096]), one.tolist(), truth.tolist(), ties=ties)
        for one, truth in zip(scores, graded, strict=True)
    ]
    rows = {
        "scores": np.concatenate(scores),
        "relevance": np.concatenate(graded),
        "offsets": np.cumsum([0, *(n for n, _ in LONG_USERS)]),
    }
    return rows, np.array(columns, dtype=object).T, ties


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "uint8", "int64", "uint64"])
def test_long_users(long_users: tuple[dict[str, Any], Array, Any], dtype: str, isa: str) -> None:
    rows, want, ties = long_users
    metrics, choice = wanted([10, 4096]), rm.Conventions(ties=ties)
    typed = {**rows, "scores": rows["scores"].astype(dtype)}
    result = rm.evaluate(**typed, metrics=names(metrics), conventions=choice, isa=isa)
    check(result, want, metrics, "skip", isa)


# Grades of a tie, with some orders to write out: levels of several items each, none relevant, all.
TIES = [
    [2, 2, 2, 2, 1, 1, 0, 0],
    [1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
    [3, 2, 1, 0, 0, 0],
    [2, 2, 2, 1, 1, 1],
    [4, 4, 4, 3, 3, 3, 3],
    [1, 0, 0, 0, 0, 0, 0, 0],
    [0, 0, 0],
]


@pytest.mark.parametrize("ideal", ["all", "retrieved"])
@pytest.mark.parametrize(
    "gain",
    [
        "exp2",
        pytest.param("linear", marks=pytest.mark.slow),
        pytest.param({1: 0, 2: 3, 3: 3, 4: 5}, marks=pytest.mark.slow),
    ],
)
def test_every_cutoff_through_a_tie(ideal: Any, gain: Any) -> None:
    """A tie after other items, so that some gains are retrieved for certain and some by chance."""
    metrics = wanted(list(range(1, 15)))
    rules: dict[str, Any] = {"ideal": ideal, "gain": gain}
    users = [(head, tie) for head in ([], [0], [3, 1], [1, 1, 2]) for tie in TIES]
    scores = [[*range(9, 9 - len(head), -1), *[1] * len(tie), 0] for head, tie in users]
    grades = [[*head, *tie, 2] for head, tie in users]
    columns = [
        reference.evaluate_metrics(metrics, one, truth, **rules)
        for one, truth in zip(scores, grades, strict=True)
    ]
    result = rm.evaluate(
        np.concatenate(scores),
        np.concatenate(grades),
        names(metrics),
        offsets=np.cumsum([0, *map(len, scores)]),
        conventions=rm.Conventions(**rules),
    )
    check(result, np.array(columns, dtype=object).T, metrics, "skip")


@pytest.mark.parametrize("size", [1000, 100_000])
@pytest.mark.parametrize("ahead", [0, 2])
def test_one_relevant_item_in_a_large_tie(size: int, ahead: int) -> None:
    """Each of its places is equally likely, so the orders can be written out place by place."""
    scores = np.array([1.0] * ahead + [0.0] * size)
    grades = np.array([0] * (ahead + size - 1) + [2])
    ranks = range(ahead + 1, ahead + size + 1)
    for k in (1, 3, 50, size):
        inside = [rank for rank in ranks if rank <= k]
        want = {
            "hit": len(inside) / size,
            "recall": len(inside) / size,
            "precision": len(inside) / size / k,
            "mrr": math.fsum(1 / rank for rank in inside) / size,
            "map": math.fsum(1 / rank for rank in inside) / size,
            "dcg": math.fsum(3 / math.log2(rank + 1) for rank in inside) / size,
        }
        found = rm.evaluate(scores, grades, [f"{name}@{k}" for name in want]).means
        for name, value in want.items():
            assert close(found[f"{name}@{k}"], value), (name, k, found[f"{name}@{k}"], value)


# --- means and parameters ------------------------------------------------------------------------


@given(batches(max_users=8), conventions(ties=SETTLED), st.data())
def test_weighted_mean(batch: Batch, rules: dict[str, Any], data: st.DataObject) -> None:
    """sum(weight * value) / sum(weight), both over the counted users."""
    n_users = len(batch.users)
    one = st.integers(0, 1000).map(float) | st.floats(0.0625, 16)
    weights = data.draw(st.lists(one, min_size=n_users, max_size=n_users))
    result = rm.evaluate(**flat(batch), metrics=["ndcg@5"], conventions=rm.Conventions(**rules))
    counted = [(w, v) for w, v in zip(weights, result["ndcg@5"], strict=True) if not math.isnan(v)]
    total = math.fsum(w for w, _ in counted)
    if total == 0:
        return
    want = math.fsum(w * v for w, v in counted) / total
    assert close(result.mean("ndcg@5", weights=np.array(weights)), want)


@given(batches(), st.sampled_from(["exp2", "linear"]), st.integers(1, 40))
def test_parameters_in_a_metric_equal_conventions(batch: Batch, gain: Any, k: int) -> None:
    spelled = f"ndcg@{k}(gain={gain})"
    with_parameter = rm.evaluate(**flat(batch), metrics=[spelled])
    plain = rm.evaluate(**flat(batch), metrics=[f"ndcg@{k}"], conventions=rm.Conventions(gain=gain))
    assert with_parameter.values.tobytes() == plain.values.tobytes()
    assert with_parameter.names == (spelled,)


@given(batches(), cutoffs())
def test_braces_are_several_cutoffs(batch: Batch, ks: list[int]) -> None:
    spelled = "recall@{" + ",".join(map(str, ks)) + "}"
    found = rm.evaluate(**flat(batch), metrics=[spelled])
    want = rm.evaluate(**flat(batch), metrics=[f"recall@{k}" for k in ks])
    assert found.names == want.names == tuple(f"recall@{k}" for k in ks)
    assert found.values.tobytes() == want.values.tobytes()


def test_retrieved_ideal_of_a_large_tie() -> None:
    """Half of 2,000 tied items are relevant, and half retrieved: DCG over the ideal of h hits."""
    n, relevant, k = 2000, 1000, 1000
    discounts = [1 / math.log2(rank + 1) for rank in range(1, k + 1)]
    ideal = [0.0, *itertools.accumulate(discounts)]
    want = sum(
        math.comb(relevant, hits)
        * math.comb(n - relevant, k - hits)
        / math.comb(n, k)
        * (hits / k * ideal[k] / ideal[hits])
        for hits in range(1, k + 1)
    )
    found = rm.evaluate(
        [0.0] * n, [1] * relevant + [0] * (n - relevant), f"ndcg@{k}(ideal=retrieved)"
    )
    assert close(next(iter(found.means.values())), want)
