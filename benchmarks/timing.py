"""Interleaved timing, and the facts about this machine that a figure is worthless without."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import scipy

import rankmill as rm


def interleaved(sides: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median seconds of each side. One call of each per round, so that noise meets all alike."""
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, call in sides.items():
            start = perf_counter()
            call()
            taken[name].append(perf_counter() - start)
    return {name: median(times) for name, times in taken.items()}


def all_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine() -> dict[str, str]:
    """Processor, compiler, versions and commit."""
    build = rm.build_info()
    return {
        "processor": f"{_processor()}, {all_cores()} cores",
        "system": platform.platform(),
        "rankmill": f"{build['version']} ({_commit()})",
        "compiler": f"{build['compiler']}, OpenMP {build['openmp']}, {build['isa_active']}",
        "versions": f"Python {platform.python_version()}, numpy {np.__version__}, "
        f"scipy {scipy.__version__}",
        "numpy uses": _numpy_simd(),
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


def _commit() -> str:
    """Commit of the folder this file lies in, marked where files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    folder = Path(__file__).resolve().parent
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "no commit"
    return done.stdout.strip()
