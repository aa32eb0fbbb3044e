"""Interleaved timing, and the facts about this machine that a figure is worthless without."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from rankmill.info import build_info


class Seconds(NamedTuple):
    """Of one call: the median of all rounds, and the fastest."""

    median: float
    least: float


def interleaved(sides: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, Seconds]:
    """Time one call of each side per round, so that noise meets all alike."""
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, call in sides.items():
            start = perf_counter()
            call()
            taken[name].append(perf_counter() - start)
    return {name: Seconds(median(times), min(times)) for name, times in taken.items()}


def all_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine() -> dict[str, str]:
    """Processor, compiler, versions and commit."""
    build = build_info()
    return {
        "processor": f"{_processor()}, {all_cores()} cores",
        "system": platform.platform(),
        "rankmill": f"{build['version']} ({_commit()})",
        "compiler": f"{build['compiler']}, OpenMP {build['openmp']}, {build['isa_active']}",
        "versions": f"Python {platform.python_version()}, numpy {np.__version__}",
        "numpy uses": _numpy_simd(),
        "load": _load(),
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _numpy_simd() -> str:
    """The widest instruction set numpy runs with, which its sort depends on."""
    simd: Any = np.show_config(mode="dicts")
    found = simd.get("SIMD Extensions", {}).get("found") or ["its baseline"]
    return str(found[-1])


def _load() -> str:
    """What else the machine was doing."""
    if not hasattr(os, "getloadavg"):
        return "unknown"
    return ", ".join(f"{load:.1f}" for load in os.getloadavg()) + " over 1, 5, 15 minutes"


def _commit() -> str:
    """Commit of the working folder, if it is rankmill's, marked where files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    if not Path("csrc/rankmill.h").exists():
        return "no commit"
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "no commit"
    return done.stdout.strip()
