"""The numbers that trec_eval itself prints for its own test data, per query and over all."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmill as rm

CUTOFFS = [1, 5, 10, 15, 20, 30, 100, 200, 500, 1000]
CAPPED: dict[str, Any] = {"recall_denominator": "min(k, relevant)"}

# trec_eval's name -> our metric and, where it needs one, a convention of its own.
SAME_METRICS: dict[str, tuple[str, dict[str, Any]]] = {
    "map": ("map", {}),
    "Rprec": ("r_precision", {}),
    "Rprec_mult_1.00": ("r_precision", {}),
    "recip_rank": ("mrr", {}),
    "ndcg": ("ndcg", {}),
    "set_P": ("precision", {}),
    "set_recall": ("recall", {}),
    "set_F": ("f1", {}),
    "set_relative_P": ("recall", CAPPED),
    **{f"P_{k}": (f"precision@{k}", {}) for k in CUTOFFS},
    **{f"recall_{k}": (f"recall@{k}", {}) for k in CUTOFFS},
    **{f"map_cut_{k}": (f"map@{k}", {}) for k in CUTOFFS},
    **{f"ndcg_cut_{k}": (f"ndcg@{k}", {}) for k in CUTOFFS},
    **{f"success_{k}": (f"hit@{k}", {}) for k in CUTOFFS},
    **{f"relative_P_{k}": (f"recall@{k}", CAPPED) for k in CUTOFFS},
}

Judged = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


@pytest.fixture(scope="module")
def run(shared: Path) -> Run:
    """Scores of the retrieved documents of each query."""
    found: Run = {}
    for line in (shared / "trec_eval" / "results.test").read_text(encoding="utf-8").splitlines():
        query, _, document, _, score, _ = line.split()
        found.setdefault(query, {})[document] = float(score)
    return found


@pytest.fixture(scope="module")
def judged(shared: Path) -> Judged:
    """Grades of the judged documents of each query."""
    found: Judged = {}
    for line in (shared / "trec_eval" / "qrels.test").read_text(encoding="utf-8").splitlines():
        query, _, document, grade = line.split()
        found.setdefault(query, {})[document] = int(grade)
    return found


@pytest.fixture(scope="module")
def printed(shared: Path) -> dict[tuple[str, str], str]:
    """What trec_eval prints for (metric, query); the query "all" is the mean."""
    text = (shared / "trec_eval" / "out.test.aq").read_text(encoding="utf-8")
    lines = [line.split() for line in text.splitlines()]
    return {(name, query): value for name, query, value in lines}


def ranks_of_rows(run: Run, judged: Judged) -> rm.Ranks:
    """The engine breaks ties by id; judged documents not retrieved fall under the threshold."""
    rows = [
        (query, document, run[query].get(document, -np.inf), judged[query].get(document, 0))
        for query in run
        for document in sorted(run[query] | judged[query])
    ]
    queries, documents, scores, grades = zip(*rows, strict=True)
    return rm.rank(
        np.array(scores),
        np.array(grades),
        groups=np.array(queries),
        items=np.array(documents),
        min_score=min(min(documents.values()) for documents in run.values()),
        ties="id_descending",
    )


def ranks_of_lists(run: Run, judged: Judged) -> rm.Ranks:
    """Lists put in trec_eval's order here: by score, then by id, both descending."""
    lists = {
        query: sorted(scores, key=lambda document: (scores[document], document), reverse=True)
        for query, scores in run.items()
    }
    return rm.rank_lists(lists, judged)


@pytest.mark.parametrize("form", [ranks_of_rows, ranks_of_lists])
@pytest.mark.parametrize("profile", ["explicit", "trec_eval"])
def test_printed_values(
    run: Run,
    judged: Judged,
    printed: dict[tuple[str, str], str],
    form: Any,
    profile: str,
) -> None:
    ranks = form(run, judged)
    settled: dict[str, Any] = {"ties": "id_descending"} if form is ranks_of_rows else {}
    compared = 0
    assert ranks.users is not None
    for name, (metric, extra) in SAME_METRICS.items():
        choice = rm.Conventions(gain="linear", **settled, **extra)
        if profile == "trec_eval":
            if extra or form is not ranks_of_rows:
                continue
            choice = rm.Conventions.trec_eval()
        result = rm.measure(ranks, [metric], conventions=choice)
        found = dict(zip(ranks.users, result[metric], strict=True))
        found["all"] = result.means[metric]
        for query, value in found.items():
            if (name, query) in printed:
                assert f"{value:.4f}" == printed[name, query], (name, query)
                compared += 1
    if form is ranks_of_rows or profile == "explicit":
        assert compared > 150


def test_geometric_mean(run: Run, judged: Judged, printed: dict[tuple[str, str], str]) -> None:
    result = rm.measure(ranks_of_lists(run, judged), "map")
    assert f"{result.geometric_mean('map'):.4f}" == printed["gm_map", "all"]


def test_both_forms_give_the_same_ranks(run: Run, judged: Judged) -> None:
    rows, lists = ranks_of_rows(run, judged), ranks_of_lists(run, judged)
    choice = rm.Conventions(ties="id_descending")
    metrics = ["ndcg", "map", "ndcg@10", "recall@100"]
    found = rm.measure(rows, metrics, conventions=choice).values
    assert found.tobytes() == rm.measure(lists, metrics).values.tobytes()
