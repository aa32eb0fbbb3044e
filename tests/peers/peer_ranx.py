"""`rankmill.compat.ranx` against ranx. The lists are short: longer ties have no order there."""

import inspect
import itertools

import numpy as np
import pandas as pd
import pytest
import ranx as theirs
from samples import RNG_SEED, same, users

from rankmill.compat import ranx as ours

METRICS = [
    "hits", "hit_rate", "precision", "recall", "f1", "r-precision", "mrr", "map", "dcg", "ndcg",
    "dcg_burges", "ndcg_burges", "bpref", "rbp.5", "rbp.95",
]  # fmt: skip
CUT = [m for m in METRICS if m not in ("bpref", "r-precision") and not m.startswith("rbp")]


def collections(n=60):
    """Qrels and a run of a few queries each: unjudged and unretrieved documents, two grades."""
    rng = np.random.default_rng(RNG_SEED)
    everyone = users(most=15, grades=3)
    for _ in range(n):
        qrels, run = {}, {}
        for number, user in enumerate(itertools.islice(everyone, 16)):
            name = f"q{number}"
            run[name] = dict(zip(user.items, map(float, user.scores), strict=True))
            judged = {d: int(g) for d, g in zip(user.items, user.grades, strict=True)}
            judged = {d: g for d, g in judged.items() if rng.random() < 0.8}
            judged |= {f"u{i}": int(rng.integers(0, 4)) for i in range(rng.integers(1, 3))}
            judged["no"] = 0  # ranx divides by 0 where nothing was judged not relevant
            qrels[name] = judged
        yield qrels, run


@pytest.mark.parametrize("name", ["evaluate", "Run", "Qrels"])
def test_signature(name):
    want, have = (inspect.signature(getattr(module, name)) for module in (theirs, ours))
    assert list(have.parameters) == list(want.parameters)
    for mine, other in zip(have.parameters.values(), want.parameters.values(), strict=True):
        assert mine.default == other.default


@pytest.mark.parametrize("name", ["from_dict", "from_df", "from_file", "from_parquet"])
@pytest.mark.parametrize("kind", ["Qrels", "Run"])
def test_signature_of_makers(kind, name):
    want, have = (inspect.signature(getattr(getattr(m, kind), name)) for m in (theirs, ours))
    assert list(have.parameters) == list(want.parameters)


@pytest.mark.parametrize("suffix", ["", "-l1", "-l2", "-l3"])
@pytest.mark.parametrize("metric", [*METRICS, *(f"{name}@3" for name in CUT), "ndcg@50", "map@1"])
def test_every_query(metric, suffix):
    for qrels, run in collections(8):
        name = metric + suffix
        if "bpref" in name:  # without relevant documents ranx has no number
            level = int(suffix[2:] or 1)
            keep = [q for q, truth in qrels.items() if max(truth.values()) >= level]
            qrels, run = {q: qrels[q] for q in keep}, {q: run[q] for q in keep}
        if not qrels:
            continue
        pair = theirs.Qrels(qrels), theirs.Run(run)
        want = theirs.evaluate(*pair, name, return_mean=False)
        have = ours.evaluate(ours.Qrels(qrels), ours.Run(run), name, return_mean=False)
        same(have, want)


def test_means_and_what_is_kept():
    for qrels, run in collections(5):
        runs = []
        for module in (theirs, ours):
            kept = module.Run(run)
            names = ["ndcg@5", "mrr"]
            found = module.evaluate(module.Qrels(qrels), kept, names, return_std=True)
            one = module.evaluate(module.Qrels(qrels), kept, "map")
            runs.append((found, one, kept))
        (want, want_one, other), (have, have_one, mine) = runs
        same(have_one, want_one)
        for metric in want:
            same(list(have[metric].values()), list(want[metric].values()))
            same(mine.mean_scores[metric], other.mean_scores[metric])
            same(mine.std_scores[metric], other.std_scores[metric])
            scores = dict(other.scores[metric])
            same([mine.scores[metric][query] for query in scores], list(scores.values()))


def test_comparable():
    qrels, run = {"a": {"x": 1}, "b": {"x": 1}}, {"b": {"x": 1.0}, "c": {"x": 1.0}}
    for module in (theirs, ours):
        pair = module.Qrels(qrels), module.Run(run)
        with pytest.raises((AssertionError, ValueError), match="make_comparable"):
            module.evaluate(*pair, "mrr")
        assert module.evaluate(*pair, "mrr", make_comparable=True) == 0.5


def test_files_and_frames(tmp_path):
    qrels, run = next(collections(1))
    for kind in ("json", "trec", "txt"):
        path = str(tmp_path / f"file.{kind}")
        theirs.Run(run, name="x").save(path)
        read = [module.Run.from_file(path).to_dict() for module in (theirs, ours)]
        assert read[0] == read[1]
        ours.Run(run, name="x").save(path)
        assert theirs.Run.from_file(path).to_dict() == dict(theirs.Run(run).to_dict())
        theirs.Qrels(qrels).save(path)
        read = [module.Qrels.from_file(path).to_dict() for module in (theirs, ours)]
        assert read[0] == read[1]
        ours.Qrels(qrels).save(path)
        assert theirs.Qrels.from_file(path).to_dict() == theirs.Qrels(qrels).to_dict()
    frame = theirs.Run(run).to_dataframe().astype({"q_id": object, "doc_id": object})
    read = [module.Run.from_df(frame).to_dict() for module in (theirs, ours)]
    assert read[0] == read[1]
    ids = {"q_id": ["q", "q"], "doc_id": ["a", "b"]}
    for module in (theirs, ours):
        with pytest.raises((AssertionError, ValueError)):
            module.Run.from_df(pd.DataFrame({**ids, "score": [1, 2]}))
        with pytest.raises((AssertionError, ValueError)):
            module.Qrels.from_df(pd.DataFrame({**ids, "score": [1.5, 2]}))


@pytest.mark.parametrize("metric", ["nothing", "rbp", "ndcg@x"])
def test_both_refuse(metric):
    for module in (theirs, ours):
        with pytest.raises(ValueError, match=r"."):
            module.evaluate(module.Qrels({"q": {"a": 1}}), module.Run({"q": {"a": 1.0}}), metric)


def test_relevance_level():
    qrels = {"q": {"a": 1, "b": 2, "c": 3}}
    levels = []
    for module in (theirs, ours):
        made = module.Qrels(qrels)
        made.set_relevance_level(2)
        levels.append(dict(made.to_dict()["q"]))
    assert levels[0] == levels[1]
