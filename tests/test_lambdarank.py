"""What LightGBM itself printed for the NDCG of its lambdarank example."""

import csv
from pathlib import Path

import numpy as np
import pytest

import rankmill as rm

PRINTED = {
    "ndcg@1": 0.6230476190476191,
    "ndcg@3": 0.6509173252385406,
    "ndcg@5": 0.676527125093091,
    "ndcg@10": 0.7334017838782358,
}


@pytest.mark.parametrize(
    "choice",
    [rm.Conventions(ties="input_order", empty="one"), rm.Conventions.lightgbm()],
    ids=["explicit", "profile"],
)
def test_ndcg_of_fifty_queries(shared: Path, choice: rm.Conventions) -> None:
    with (shared / "lambdarank" / "candidates.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    result = rm.evaluate(
        np.array([float(row["score"]) for row in rows]),
        np.array([int(row["label"]) for row in rows]),
        list(PRINTED),
        groups=np.array([int(row["query"]) for row in rows]),
        conventions=choice,
    )
    assert result.n_users == 50
    assert result.means == pytest.approx(PRINTED, rel=1e-9)
