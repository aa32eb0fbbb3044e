"""`rankmill.compat.ir_measures` against ir_measures and the providers it comes with."""

import itertools

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import (
    AP,
    ERR,
    RBP,
    RR,
    Bpref,
    IPrec,
    Judged,
    NumQ,
    NumRel,
    NumRet,
    P,
    R,
    Rprec,
    SetAP,
    SetF,
    SetP,
    SetR,
    Success,
    infAP,
    nDCG,
)  # fmt: skip
from samples import RNG_SEED, same, users

from rankmill import evaluate, parse_metrics
from rankmill.compat.ir_measures import provider

TREC = [
    P @ 5, P(rel=2) @ 3, R @ 5, RR, RR(rel=2), AP, AP @ 3, AP(rel=2), nDCG, nDCG @ 5, Rprec,
    Success @ 1, Success(rel=3) @ 5, Bpref, Bpref(rel=2), infAP, IPrec @ 0.1, IPrec @ 0.5, SetP,
    SetP(relative=True), SetR, SetF, SetF(beta=2.0), SetAP, NumQ, NumRel, NumRet, NumRet(rel=1),
    nDCG(gains={1: 2, 2: 9}) @ 5, P(judged_only=True) @ 5, AP(judged_only=True), ]  # fmt: skip
OTHER_TIES = [Judged @ 5, Judged, RR @ 3]
FIVE_DIGITS = [ERR @ 20, ERR @ 5, nDCG(dcg="exp-log2") @ 20, nDCG(dcg="exp-log2") @ 5]


def collections(n):
    """Queries with numbers as names; unjudged and unretrieved documents; queries of one side."""
    rng = np.random.default_rng(RNG_SEED)
    everyone = users(grades=4)
    for _ in range(n):
        qrels, run = {}, {}
        for number, user in enumerate(itertools.islice(everyone, 5)):
            run[str(number)] = dict(zip(user.items, map(float, user.scores), strict=True))
            judged = {d: int(g) for d, g in zip(user.items, user.grades, strict=True)}
            judged = {d: g for d, g in judged.items() if rng.random() < 0.8}
            qrels[str(number)] = judged | {f"u{i}": int(rng.integers(0, 4)) for i in range(2)}
        qrels["8"], run["9"] = {"d": 1}, {"d": 1.0}
        yield qrels, run


def compare(measures, qrels, run, tolerance=1e-9):
    want = {(m.query_id, m.measure): m.value for m in ir_measures.iter_calc(measures, qrels, run)}
    have = {(m.query_id, m.measure): m.value for m in provider.iter_calc(measures, qrels, run)}
    assert have.keys() == want.keys()
    for key, value in want.items():
        np.testing.assert_allclose(have[key], value, rtol=tolerance, atol=tolerance, err_msg=key)
    whole = ir_measures.calc_aggregate(measures, qrels, run)
    ours = provider.calc_aggregate(measures, qrels, run)
    for measure in measures:
        np.testing.assert_allclose(ours[measure], whole[measure], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("measure", TREC, ids=str)
def test_every_query(measure):
    for qrels, run in collections(60):
        compare([measure], qrels, run)


def test_several_at_once():
    """Those of judged documents apart: beside them ir_measures counts NumRet, whose turn it is by
    the hash of names, among the judged or among all.
    """
    of_judged = [measure for measure in TREC if "judged_only" in measure.params]
    others = [measure for measure in TREC if measure not in of_judged]
    for qrels, run in collections(20):
        compare(others, qrels, run)
        compare(of_judged, qrels, run)


def without_ties(run):
    return {
        query: {document: float(len(row) - i) for i, document in enumerate(row)}
        for query, row in run.items()
    }


@pytest.mark.parametrize("measure", FIVE_DIGITS, ids=str)
def test_gdeval(measure):
    """A program with five digits, in Perl, which orders ties otherwise."""
    for qrels, run in collections(15):
        compare([measure], qrels, without_ties(run), tolerance=1.1e-5)


@pytest.mark.parametrize("measure", OTHER_TIES, ids=str)
def test_ties_of_other_providers(measure):
    for qrels, run in collections(60):
        compare([measure], qrels, without_ties(run))


def test_in_their_pipeline():
    qrels, run = next(collections(1))
    mixed = ir_measures.providers.FallbackProvider([provider, ir_measures.pytrec_eval])
    measures = [AP, nDCG @ 5]
    want = ir_measures.calc_aggregate(measures, qrels, run)
    have = mixed.calc_aggregate(measures, qrels, run)
    assert mixed.evaluator(measures, qrels).__class__.__module__ == "rankmill.compat.ir_measures"
    for measure in measures:
        same(have[measure], want[measure])


def test_other_inputs():
    qrels, run = next(collections(1))
    want = provider.calc_aggregate([AP], qrels, run)
    named = (
        [ir_measures.Qrel(q, d, g) for q, row in qrels.items() for d, g in row.items()],
        [ir_measures.ScoredDoc(q, d, s) for q, row in run.items() for d, s in row.items()],
    )
    assert provider.calc_aggregate([AP], *named) == want
    assert provider.calc_aggregate([AP], *map(pd.DataFrame, named)) == want
    assert provider.calc([AP], *named).aggregated == want


@pytest.mark.parametrize("measure", [RBP, RBP(p=0.5), ir_measures.alpha_nDCG @ 5])
def test_not_supported(measure):
    assert not provider.supports(measure)


def test_names_are_metrics():
    """What str gives for a measure is read by rankmill, and means the same under the profile."""
    import rankmill as rm

    qrels, run = next(collections(1))
    both = {q: run[q] for q in qrels if q in run}
    truth = {q: qrels[q] for q in both}
    for measure in [P @ 5, R @ 5, RR(rel=2), AP(rel=2), nDCG @ 5, Rprec, Success @ 1, IPrec @ 0.5]:
        (metric,) = parse_metrics(str(measure))
        found = evaluate(both, truth, metric, conventions=rm.Conventions.ir_measures())
        want = {m.query_id: m.value for m in ir_measures.iter_calc([measure], truth, both)}
        same([want[q] for q in found.users], found[metric])
