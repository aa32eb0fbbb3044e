"""`rankmill bench` at its small sizes: it runs, says where, and its ratios are of its times."""

import json

import pytest

from command_line import run


@pytest.mark.slow
def test_bench_as_json() -> None:
    code, out, err = run("bench", "--quick", "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert {"processor", "compiler", "versions", "load"} <= set(said["machine"])
    lines = said["lines"]
    assert {line["task"][:2] for line in lines} >= {"W1", "W2", "W3", "W4", "W5", "W6"}
    for line in lines:
        assert line["ratio"] == line["theirs"] / line["ours"]
