"""Each profile against values that its library returned."""

import collections
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conventions_page
import parity
import rankmill as rm
from parity_modules import EXCEPTIONS as MODULE_EXCEPTIONS
from parity_modules import MODULES
from rankmill.profiles import PROFILES


def tolerance(entry: parity.Recorded) -> float:
    """Values have six decimals, but those of one program five."""
    return 1e-5 if "exp-log2" in entry.metric or "gains=" in entry.metric else 1e-6


def agrees(entry: parity.Recorded, metric: str, case: dict[str, Any]) -> bool:
    theirs = parity.numbers(entry.value)
    if theirs is None:
        return False
    try:
        result = parity.evaluate(entry.library, metric, case)
    except rm.InputError:
        return False
    found = parity.values_of(entry, result, len(theirs))
    close = np.isclose(theirs, found, rtol=0, atol=tolerance(entry), equal_nan=True)
    return len(theirs) == len(found) and bool(close.all())


@pytest.mark.parametrize("library", PROFILES)
def test_values(library: str, shared: Path) -> None:
    """Equal for every metric that the profile names, or excused by name."""
    folder = shared / "parity"
    cases = json.loads((folder / "cases.json").read_text())
    counts: collections.Counter[str] = collections.Counter()
    for entry in parity.recorded(folder):
        if entry.library != library:
            continue
        metric = parity.ours(library, entry.metric, cases[entry.case]["k"])
        if metric is None:
            counts["no counterpart"] += 1
        elif agrees(entry, metric, cases[entry.case]):
            counts["equal"] += 1
        else:
            assert parity.excuse(entry), (entry, metric)
            counts["excused"] += 1
    known = counts.total() > 0
    assert known == (library not in parity.NOT_RECORDED)
    assert not known or counts["equal"] > counts["excused"]


@pytest.mark.parametrize("case", parity.XGBOOST)
def test_values_of_xgboost(
    case: tuple[list[float], list[int], list[int], dict[str, float]],
) -> None:
    scores, labels, offsets, values = case
    for name, value in values.items():
        metric = name.replace("pre@", "precision@")
        conventions = rm.Conventions.xgboost()
        result = rm.evaluate(scores, labels, metric, offsets=offsets, conventions=conventions)
        assert result.mean(metric) == pytest.approx(value, abs=1e-9)


def test_every_excuse_is_needed(shared: Path) -> None:
    folder = shared / "parity"
    cases = json.loads((folder / "cases.json").read_text())
    used = set()
    for entry in parity.recorded(folder):
        metric = parity.ours(entry.library, entry.metric, cases[entry.case]["k"])
        if metric is not None and not agrees(entry, metric, cases[entry.case]):
            used.add(parity.excuse(entry))
    assert used == {reason for _, _, reason in parity.EXCEPTIONS}


def module_agrees(entry: parity.Recorded, value: Callable[[Any], Any], case: Any) -> bool:
    """A number within the tolerance; an error where the library raised one."""
    theirs = parity.numbers(entry.value)
    try:
        found = np.atleast_1d(value(case))
    except rm.InputError:
        return theirs is None
    return theirs is not None and np.allclose(theirs, found, rtol=0, atol=1e-6, equal_nan=True)


def test_values_of_modules(shared: Path) -> None:
    """What only drop-in modules cover."""
    folder = shared / "parity"
    cases = json.loads((folder / "cases.json").read_text())
    counts: collections.Counter[str] = collections.Counter()
    used = set()
    for entry in parity.recorded(folder):
        case = cases[entry.case]
        name = entry.metric.replace(f"@{case['k']}", "@{k}").replace(f"k={case['k']}", "k={k}")
        value = MODULES.get((entry.library, name))
        if value is None or entry.case == "nan_score":
            continue
        excuse = parity.excuse(entry, MODULE_EXCEPTIONS)
        if module_agrees(entry, value, case):
            counts["equal"] += 1
        else:
            assert excuse, entry
            used.add(excuse)
    assert counts["equal"] > 25
    assert used == {reason for _, _, reason in MODULE_EXCEPTIONS}


@pytest.mark.parametrize("library", PROFILES)
def test_profiles(library: str) -> None:
    """Every profile makes Conventions, and names metrics that exist under them."""
    profile = PROFILES[library]
    conventions = getattr(rm.Conventions, library)()
    assert conventions == rm.Conventions(**profile.choices)
    for name in profile.metrics.values():
        metric = rm.Metric.parse(name.replace("{k}", "3"))
        assert isinstance(metric.conventions(conventions), rm.Conventions)
    text = getattr(rm.Conventions, library).__doc__
    assert profile.library in text
    assert profile.version in text
    assert all(difference in text for difference in profile.differences)


def test_the_page_is_up_to_date() -> None:
    """`python tests/conventions_page.py` writes it."""
    assert conventions_page.PAGE.read_text() == conventions_page.page()
