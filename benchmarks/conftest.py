"""`--full` runs the benchmarks at the sizes of docs/benchmarks.md instead of smoke sizes."""

import pytest

from rankmill.bench.workloads import Size

#: Each needs libraries of a peer's own environment.
collect_ignore = ["sides"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="benchmarks at their full sizes")


@pytest.fixture(scope="session")
def size(request: pytest.FixtureRequest) -> Size:
    """The size of every workload of this run."""
    return "full" if request.config.getoption("--full") else "smoke"
