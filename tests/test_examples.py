"""The examples of docs/ run, and print what they show."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("name", ["examples/ab_test.md"])
def test_example(name: str) -> None:
    failed, run = doctest.testfile(
        str(DOCS / name), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert run > 10
    assert failed == 0
