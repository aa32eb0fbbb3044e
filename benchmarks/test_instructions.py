"""The guard itself: what it lets pass and what it does not. The counts are checked by .ci/run."""

import pytest

from callgrind import STAGES
from instructions import WORKLOADS, committed, regressions

KNOWN = {"W1": {"rm_rank": 1000.0, "rm_measure": 200.0}}


@pytest.mark.parametrize(("rank", "slower"), [(900.0, 0), (1049.0, 0), (1051.0, 1)])
def test_five_percent_more_is_a_regression(rank: float, slower: int) -> None:
    found = {"W1": {"rm_rank": rank, "rm_measure": 200.0}}
    assert len(regressions(found, KNOWN)) == slower


def test_every_stage_of_every_build_is_committed() -> None:
    for figures in committed().values():
        assert {name: set(stages) for name, stages in figures.items()} == {
            name: set(STAGES) for name in WORKLOADS
        }
