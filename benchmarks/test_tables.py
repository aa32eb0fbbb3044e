"""The comparison of tables at its smallest: every form gives what polars gives by expressions."""

import sys
from pathlib import Path

import numpy as np
import pytest

from peers import PeerError
from sides import tables
from table_contests import CONTESTS, METRICS
from table_files import make_files
from tables import compare, outcomes

_USERS = 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables")
    assert make_files(path, _USERS) == _USERS * 100
    return path


@pytest.mark.parametrize("form", sorted({contest.form for contest in CONTESTS.values()}))
def test_forms(folder: Path, form: str) -> None:
    found, want = tables.engine(folder, 1, form)(), tables.polars_parquet(folder, 1)()
    for metric in METRICS:
        assert found[metric].shape == (_USERS,)
        np.testing.assert_allclose(found[metric], want[metric], rtol=0, atol=1e-12)
    assert 0 < found["recall@10"].mean() < 0.5


@pytest.mark.parametrize("name", [n for n, c in CONTESTS.items() if c.peer == "polars"])
def test_contests_that_can_be_held_here(folder: Path, name: str) -> None:
    outcome = compare(name, Path(sys.executable), "polars", folder, _USERS * 100, 1)
    assert outcome.ours > 0
    assert outcome.theirs > 0
    assert "polars" in outcome.row()


def test_values_that_differ_are_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tables.TOLERANCE", -1.0)
    with pytest.raises(PeerError, match="ndcg@10 differs"):
        compare("polars", Path(sys.executable), "polars", folder, _USERS * 100, 1)


def test_absent_tools_are_named(tmp_path: Path) -> None:
    said = list(outcomes(list(CONTESTS), tmp_path, "smoke", 1))
    assert len(said) == len(CONTESTS)
    assert all("is absent; --install makes" in str(line) for line in said)
