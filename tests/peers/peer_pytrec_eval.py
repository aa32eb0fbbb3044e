"""`rankmill.compat.pytrec_eval` against pytrec_eval."""

import inspect
import itertools

import numpy as np
import pytest
import pytrec_eval as theirs
from samples import RNG_SEED, same, users

from rankmill.compat import pytrec_eval as ours


def test_signature():
    for name in ("__init__", "evaluate"):
        want = inspect.signature(getattr(theirs.RelevanceEvaluator, name)).parameters
        have = inspect.signature(getattr(ours.RelevanceEvaluator, name)).parameters
        assert list(have) == list(want)
        assert [p.default for p in have.values()] == [p.default for p in want.values()]
    assert ours.supported_measures == set(theirs.supported_measures)
    for name, measures in ours.supported_nicknames.items():
        assert measures == set(theirs.supported_nicknames[name])


def collections():
    """Runs and judgements of a few queries: unjudged, unretrieved and merely pooled documents."""
    rng = np.random.default_rng(RNG_SEED)
    everyone = users(grades=4)
    while some := list(itertools.islice(everyone, 5)):
        run, truth = {}, {}
        for number, user in enumerate(some):
            name = f"q{number}"
            run[name] = dict(zip(user.items, map(float, user.scores), strict=True))
            judged = {d: int(g) for d, g in zip(user.items, user.grades, strict=True)}
            judged = {d: g for d, g in judged.items() if rng.random() < 0.8}
            judged |= {f"u{i}": int(rng.integers(0, 4)) for i in range(rng.integers(0, 3))}
            judged |= {d: -1 for d in user.items[:2] if rng.random() < 0.2}
            truth[name] = judged
        run["only in the run"] = {"d": 1.0}
        truth["only in the truth"] = {"d": 1}
        yield run, truth


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("judged_only", [False, True])
def test_every_measure(level, judged_only):
    measures = ours.supported_measures
    n = 0
    for run, truth in collections():
        theirs_of = theirs.RelevanceEvaluator(truth, measures, level, judged_only)
        ours_of = ours.RelevanceEvaluator(truth, measures, level, judged_only)
        want, have = theirs_of.evaluate(run), ours_of.evaluate(run)
        assert have.keys() == want.keys()
        for query, values in want.items():
            assert have[query].keys() == values.keys()
            if have[query]["num_ret"] == 0:  # there they read what lies before an array
                continue
            for name, value in values.items():
                try:
                    same(have[query][name], value)
                except AssertionError:
                    raise AssertionError((name, query, run[query], truth[query])) from None
            n += 1
    assert n > 900


@pytest.mark.parametrize(
    "names",
    [["P_3"], ["P.1,7", "P_2"], ["recall_4", "ndcg_cut_3"], ["success_2"], ["official"], ["set"],
     ["iprec_at_recall_0.25"], ["Rprec_mult.0.5,1.5"], ["map_cut_1", "map"]],
)  # fmt: skip
def test_names(names):
    for run, truth in itertools.islice(collections(), 10):
        want = theirs.RelevanceEvaluator(truth, names).evaluate(run)
        have = ours.RelevanceEvaluator(truth, names).evaluate(run)
        for query, values in want.items():
            assert have[query].keys() == values.keys()
            same([have[query][name] for name in values], list(values.values()))


def test_scores_that_differ_by_less_than_32_bits_hold():
    run, truth = {"q": {"a": 1.0, "b": 1.0 + 1e-9, "c": 0.5}}, {"q": {"a": 1, "c": 1}}
    for module in (theirs, ours):
        assert module.RelevanceEvaluator(truth, ["recip_rank"]).evaluate(run)["q"] == {
            "recip_rank": 0.5
        }


def test_empty_run():
    for module in (theirs, ours):
        assert module.RelevanceEvaluator({"q": {"a": 1}}, ["map"]).evaluate({}) == {}


def test_aggregates():
    for name in ("map", "gm_map", "num_ret"):
        values = [0.25, 0.5, 1.75]
        same(
            ours.compute_aggregated_measure(name, values),
            theirs.compute_aggregated_measure(name, values),
        )


@pytest.mark.parametrize("name", ["nothing", "P_x", "mapp", "ndcgcut_5"])
def test_both_refuse(name):
    for module in (theirs, ours):
        with pytest.raises(ValueError, match=r"unsupported measure"):
            module.RelevanceEvaluator({"q": {"a": 1}}, [name])


def test_files():
    run = ["q1 Q0 d1 1 2.5 x\n", "q1 Q0 d2 2 1.5 x\n", "q2 Q0 d1 1 1 x"]
    qrel = ["q1 0 d1 1\n", "q2 0 d2 0\n"]
    assert ours.parse_run(run) == theirs.parse_run(run)
    assert ours.parse_qrel(qrel) == theirs.parse_qrel(qrel)
