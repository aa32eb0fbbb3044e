"""Hypothesis profiles, instruction sets, and the test data that lies beside the repository."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import rankmill as rm

collect_ignore = ["peers"]  # these have environments of their own

NO_SHARED = "no shared test data: set RANKMILL_SHARED or put it in ../shared"

# The quick profile draws the same examples every time, so that a red run is about the change at
# hand; the long one keeps looking for new ones.
_SLOW_DRAWS = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "quick", max_examples=50, deadline=None, derandomize=True, suppress_health_check=_SLOW_DRAWS
)
settings.register_profile(
    "long",
    max_examples=2000,
    deadline=None,
    print_blob=True,
    suppress_health_check=_SLOW_DRAWS,
)
settings.load_profile(os.environ.get("RANKMILL_HYPOTHESIS", "quick"))


@pytest.fixture(scope="session", params=rm.build_info()["isa_usable"])
def isa(request: pytest.FixtureRequest) -> str:
    """Each instruction set this build has and this CPU runs."""
    return str(request.param)


def find_shared() -> Path | None:
    """The folder of shared test data: RANKMILL_SHARED, else ``shared`` beside the repository."""
    named = os.environ.get("RANKMILL_SHARED")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared test data; without it the test is skipped."""
    folder = find_shared()
    if folder is None:
        pytest.skip(NO_SHARED)
    return folder


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test with a ``shared_case`` argument once per case that its module loads."""
    if "shared_case" not in metafunc.fixturenames:
        return
    folder = find_shared()
    if folder is None:
        skip = pytest.mark.skip(reason=NO_SHARED)
        metafunc.parametrize("shared_case", [pytest.param(None, marks=skip)])
        return
    cases = metafunc.module.load_cases(folder)
    metafunc.parametrize("shared_case", cases, ids=[case["id"] for case in cases])
