"""`--full` runs the benchmarks at the sizes of docs/benchmarks.md instead of smoke sizes."""

from pathlib import Path

import pytest

from rankmill.bench.workloads import Size

# Docstrings are looked for in test files only: the others need what not everyone has installed.
_HERE = Path(__file__).parent
collect_ignore = [path.name for path in _HERE.iterdir() if not path.name.startswith("test_")]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="benchmarks at their full sizes")


@pytest.fixture(scope="session")
def size(request: pytest.FixtureRequest) -> Size:
    """The size of every workload of this run."""
    return "full" if request.config.getoption("--full") else "smoke"
