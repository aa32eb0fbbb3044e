"""`evaluate_runs`: the same bits as dicts give, whatever the tables are."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmill as rm
from kinds_of_tables import KINDS

METRICS = "ndcg@3 ndcg map mrr recall@2 precision@3 hit@1 pr_auc max_f1"
SETTLED = "mrr(ties=id_descending) ndcg@2(ties=id_descending)"


@dataclass(frozen=True)
class Case:
    """Pairs with scores, with grades, and without, in any order."""

    run: list[tuple[Any, Any, float]]
    truth: list[tuple[Any, Any, float]]
    exclude: list[tuple[Any, Any]]

    def dicts(self) -> tuple[dict[Any, Any], dict[Any, Any], dict[Any, Any]]:
        run: dict[Any, Any] = {}
        truth: dict[Any, Any] = {}
        exclude: dict[Any, Any] = {}
        for user, item, score in self.run:
            run.setdefault(user, {})[item] = score
        for user, item, grade in self.truth:
            truth.setdefault(user, {})[item] = grade
        for user, item in self.exclude:
            exclude.setdefault(user, []).append(item)
        return run, truth, exclude

    def tables(self) -> tuple[pa.Table, pa.Table, pa.Table]:
        return (
            pa.table(columns(self.run, ("user", "item", "score"))),
            pa.table(columns(self.truth, ("user", "item", "grade"))),
            pa.table(columns(self.exclude, ("user", "item"))),
        )


def columns(rows: list[Any], names: tuple[str, ...]) -> dict[str, list[Any]]:
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def by_user(result: rm.Result) -> dict[Any, bytes]:
    """The bits of each user's values."""
    assert result.users is not None
    values = np.ascontiguousarray(result.values.T)
    return {user: row.tobytes() for user, row in zip(result.users.tolist(), values, strict=True)}


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Few users and items, so that all that can meet does; scores that tie, int or float."""
    text = draw(st.booleans())
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    users = [f"u{at}" if text else at - 1 for at in range(draw(st.integers(1, 6)))]
    items = [f"{'aéB'[at % 3]}{at}" if text else 2**40 + at for at in range(1, 13)]
    score: Any = draw(
        st.sampled_from(
            [lambda: int(rng.integers(-3, 3)), lambda: rng.integers(-3, 3) / 8, rng.random]
        )
    )

    def pairs(share: float) -> list[Any]:
        found = [(user, item) for user in users for item in items if rng.random() < share]
        return [found[at] for at in rng.permutation(len(found))]

    share = st.sampled_from([0.0, 0.1, 0.3, 0.7])
    truth = [(*pair, float(rng.integers(-1, 4))) for pair in pairs(draw(share))]
    truth = truth or [(users[0], items[0], 1.0)]
    known = {user for user, _, _ in truth}
    run = [(*pair, float(score())) for pair in pairs(draw(share))]
    if run and not any(user in known for user, _, _ in run):
        run.append((truth[0][0], items[-1], 0.5))
    exclude = [pair for pair in pairs(draw(share)) if pair[0] in known]
    return Case(run, truth, exclude)


@pytest.mark.slow
@settings(max_examples=30 if settings().max_examples < 100 else settings().max_examples)
@given(case=cases(), kind=st.sampled_from(sorted(KINDS)), data=st.data())
def test_the_same_bits_as_dicts(
    case: Case, kind: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Every kind of table, whatever the order of rows, with and without exclusion."""
    folder = tmp_path_factory.mktemp("tables")
    run, truth, exclude = case.dicts()
    metrics = data.draw(st.sampled_from([METRICS, f"{METRICS} {SETTLED}"]))
    excludes = data.draw(st.booleans())
    want = rm.evaluate(run, truth, metrics, exclude=exclude if excludes and exclude else None)
    made = [
        KINDS[kind](table, folder / name) if len(table) else table
        for name, table in zip(("run", "truth", "exclude"), typed(case), strict=True)
    ]
    found = rm.evaluate_runs(
        made[0],
        made[1],
        metrics,
        exclude=made[2] if excludes else None,
        n_threads=data.draw(st.sampled_from([1, 3])),
    )
    assert by_user(found) == by_user(want)
    assert found.undefined == want.undefined
    assert found.ignored == want.ignored
    assert found.means == pytest.approx(want.means, rel=0, abs=0, nan_ok=True)
    assert found.users is not None
    assert found.users.tolist() == sorted(truth)


def typed(case: Case) -> tuple[pa.Table, ...]:
    """Tables that have types without rows, too."""
    ids = pa.string() if isinstance(case.truth[0][0], str) else pa.int64()
    number = {"score": pa.float64(), "grade": pa.float64()}
    return tuple(
        table.cast(pa.schema([(name, number.get(name, ids)) for name in table.column_names]))
        for table in case.tables()
    )


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(columns)


RUN = frame(user=[1, 1, 1, 2, 9], item=["a", "b", "c", "b", "a"], score=[3.0, 2.0, 2.0, 0.5, 1.0])
TRUTH = frame(user=[1, 1, 1, 3], item=["b", "x", "c", "a"], grade=[2, 3, 0, 1])


@settings(max_examples=10)
@given(case=cases(), excludes=st.booleans())
def test_a_few_rows_at_a_time(case: Case, excludes: bool) -> None:
    """As when there are more than numpy holds at once."""
    run, truth, exclude = case.dicts()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankmill.tables.landing._ROWS_AT_ONCE", 5)
        patch.setattr("rankmill.tables.pairs._SORTED_HERE", 0)
        table, judged, out = typed(case)
        seen: list[rm.Ranks] = []
        patch.setattr(
            "rankmill.tables.runs.measure",
            lambda ranks, *args, **options: (
                seen.append(ranks),
                rm.measure(ranks, *args, **options),
            )[1],
        )
        options: dict[str, Any] = {"n_threads": 1, "memory_limit": "200MB"}
        rm.evaluate_runs(table, judged, METRICS, exclude=out if excludes else None, **options)
    out_of = exclude if excludes and exclude else None
    want = rm.rank(run, dict(sorted(truth.items())), exclude=out_of)
    for name in ("offsets", "ahead", "tied", "grade", "candidates", "users"):
        assert getattr(seen[0], name).tolist() == getattr(want, name).tolist(), name
    assert (seen[0].complete, seen[0].ignored) == (want.complete, want.ignored)


def test_meaning() -> None:
    """By hand: b stands at place 2 or 3 and x was missed; user 3 has no list; 2 and 9 no truth."""
    found = rm.evaluate_runs(RUN, TRUTH, "mrr recall@3 precision@3")
    assert found.users is not None
    assert (found.users.tolist(), found.users.dtype) == ([1, 3], np.int64)
    assert found["mrr"].tolist() == [(1 / 2 + 1 / 3) / 2, 0]
    assert found["recall@3"].tolist() == [1 / 2, 0]
    assert found["precision@3"].tolist() == [1 / 3, 0]
    assert found.ignored == 2
    assert str(found).splitlines()[-1] == (
        "2 users of the run are not in truth, and were left out: 2, 9"
    )


def test_many_users_without_truth_are_named_in_part() -> None:
    run = frame(user=[*range(10)], item=[1] * 10, score=[1] * 10)
    found = rm.evaluate_runs(run, frame(user=[0], item=[1]), "mrr")
    assert found.means == {"mrr": 1.0}
    (note,) = found.notes
    assert (note.rule, note.figures, note.examples) == ("ignored", {"users": 9}, (1, 2, 3))
    assert note.text == "9 users of the run are not in truth, and were left out, such as 1, 2, 3"


def test_the_same_as_ranked_lists() -> None:
    """Where nothing ties, scores say no more than the order."""
    run = RUN.assign(score=[3.0, 2.0, 1.0, 0.5, 1.0])
    lists = {1: ["a", "b", "c"], 2: ["b"], 9: ["a"]}
    ranks = rm.rank_lists(lists, {1: {"b": 2, "x": 3, "c": 0}, 3: {"a": 1}})
    want = rm.measure(ranks, METRICS)
    found = rm.evaluate_runs(run, TRUTH, METRICS)
    assert by_user(found) == by_user(want)
    assert found.ignored == want.ignored


def test_exclude() -> None:
    """Neither candidates nor relevant; a user may be left with nothing."""
    out = frame(user=[1, 1, 3, 7], item=["a", "x", "a", "q"])
    found = rm.evaluate_runs(RUN, TRUTH, "mrr recall", exclude=out)
    assert found["mrr"].tolist() == [(1 + 1 / 2) / 2, 0]
    np.testing.assert_array_equal(found["recall"], [1, np.nan])


def test_grades() -> None:
    """The column "grade" if there is one, another that is named, else 1."""
    plain = TRUTH[["user", "item"]]
    graded = TRUTH.rename(columns={"grade": "stars"})
    gain = "dcg(gain=linear)"
    high = rm.evaluate_runs(RUN, TRUTH, gain)[gain]
    assert rm.evaluate_runs(RUN, graded, gain, grade="stars")[gain].tolist() == high.tolist()
    low = rm.evaluate_runs(RUN, plain, gain)[gain][0]
    assert high[0] == pytest.approx(2 * (1 / np.log2(3) + 1 / np.log2(4)) / 2)
    assert low == pytest.approx(1 / np.log2(3) + 1 / np.log2(4))
    truths = TRUTH.assign(grade=[True, True, False, True])
    assert rm.evaluate_runs(RUN, truths, "recall")["recall"].tolist() == [1 / 2, 0]


def test_auc() -> None:
    """Over the run's candidates, as long as nothing relevant is missing from it."""
    truth = frame(user=[1], item=["b"])
    assert rm.evaluate_runs(RUN, truth, "auc")["auc"].tolist() == [(0 + 1 / 2) / 2]
    with pytest.raises(rm.InputError, match="auc: not all candidates are known"):
        rm.evaluate_runs(RUN, TRUTH, "auc")
    out = frame(user=[1, 3], item=["x", "a"])
    assert rm.evaluate_runs(RUN, TRUTH, "auc", exclude=out)["auc"][0] == (0 + 1 / 2) / 2


def test_input_order_is_that_of_the_rows() -> None:
    run = frame(user=[1, 2, 1], item=["b", "a", "a"], score=[1, 1, 1])
    truth = frame(user=[1], item=["a"])
    for rows, value in ((run, 1 / 2), (run[::-1], 1.0)):
        found = rm.evaluate_runs(rows, truth, "mrr(ties=input_order)")
        assert found.values.tolist() == [[value]]


def test_integers_that_floats_would_merge() -> None:
    """Ids and scores above 2**53, and ids of other widths on the other side."""
    big = 2**60
    run = pa.table(
        {
            "user": pa.array([big, big, big + 1], pa.uint64()),
            "item": pa.array([1, 2, 2], pa.int8()),
            "score": [2**53, 2**53 + 1, 0],
        }
    )
    truth = frame(user=[big, big + 1], item=[2, 2])
    found = rm.evaluate_runs(run, truth, "mrr")
    assert found["mrr"].tolist() == [1, 1]
    assert found.users is not None
    assert found.users.tolist() == [big, big + 1]
    top = rm.evaluate_runs(
        run.set_column(0, "user", pa.array([2**64 - 1] * 3, pa.uint64())).slice(0, 2),
        pa.table({"user": pa.array([2**64 - 1], pa.uint64()), "item": [2]}),
        "mrr(ties=id_descending)",
    )
    assert top.users is not None
    assert top.users.tolist() == [2**64 - 1]


def test_types_of_scores_and_ids(tmp_path: Path) -> None:
    """Categoricals, decimals, float32, booleans and infinities."""
    run = RUN.assign(item=pd.Categorical(RUN["item"], ["c", "b", "a"], ordered=True))
    for kind in ("float32", "int8", "bool", "decimal"):
        scores = run["score"] > 2 if kind == "bool" else run["score"]
        if kind == "decimal":
            scores = pa.array(scores).cast(pa.decimal128(8, 3)).to_pandas()
        typed = run.assign(score=scores if kind == "decimal" else scores.astype(kind))
        found = rm.evaluate_runs(typed, TRUTH, "mrr(ties=id_descending)")
        assert found["mrr(ties=id_descending)"].tolist() == [1 / 3, 0], kind
    run["score"] = [-np.inf, 0, 0, 1, np.inf]
    assert rm.evaluate_runs(run, TRUTH, "mrr")["mrr"][0] == (1 + 1 / 2) / 2


def test_categories_are_their_values() -> None:
    """Integers stay integers, and what has no category has no value."""
    run = RUN.assign(user=pd.Categorical(RUN["user"], [9, 2, 1]))
    assert rm.evaluate_runs(run, TRUTH, "mrr")["mrr"].tolist() == [(1 / 2 + 1 / 3) / 2, 0]
    run = RUN.assign(item=pd.Categorical(["a", "b", None, "b", "a"]))
    with pytest.raises(rm.InputError, match=r"run, item: no value at row 2 \(user 1\)"):
        rm.evaluate_runs(run, TRUTH, "mrr")


def test_a_run_without_rows() -> None:
    """Then nobody was shown anything."""
    for empty in (RUN[:0], pa.table(RUN[:0])):
        found = rm.evaluate_runs(empty, TRUTH, "mrr(ties=id_descending) recall", exclude=empty)
        assert found.values.tolist() == [[0, 0], [0, 0]]
        assert found.notes == ()
