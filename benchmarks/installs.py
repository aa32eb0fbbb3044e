"""Each peer in a virtual environment of its own, made on demand outside the repository."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

#: What each environment holds beside numpy and scipy, which make the workloads.
PEERS: dict[str, tuple[str, ...]] = {
    "scikit-learn": ("scikit-learn",),
    "ranx": ("ranx",),
    "pytrec_eval": ("pytrec-eval-terrier",),
    "ir_measures": ("ir-measures",),
    "recometrics": ("recometrics",),
    "implicit": ("implicit",),
    "lightgbm": ("lightgbm",),
    "catboost": ("catboost",),
    "polars": ("polars",),
    "numba": ("numba",),
    "torchmetrics": ("torch", "torchmetrics"),
    "recbole": ("torch", "recbole"),
    "recommenders": ("recommenders",),
    "rectools": ("rectools",),
    "replay": ("polars", "replay-rec"),
}
#: Tools that were looked at and are not compared on arrays; tables.py reads tables with them.
LEFT_OUT = {
    "RecTools": "pandas on top of the per-user work that polars and the loops show",
    "RePlay": "the same, with polars or Spark below",
}


def python_of(peer: str, venvs: Path) -> Path | None:
    """The interpreter of a peer's environment, if it is there."""
    python = venvs / peer / "bin" / "python"
    return python if python.exists() else None


def install(peer: str, venvs: Path) -> str:
    """Make the environment of a peer unless it is there; return why it could not be made."""
    if python_of(peer, venvs):
        return ""
    folder = venvs / peer
    try:
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "numpy", "scipy", *PEERS[peer]], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        # A half-made environment would be taken for a whole one next time.
        (folder / "bin" / "python").unlink(missing_ok=True)
        return f"could not be installed: {error}"
    return ""


def version_of(peer: str, venvs: Path) -> str:
    """Name and version of the peer's own package."""
    package = PEERS[peer][-1]
    ask = f"from importlib.metadata import version; print(version({package!r}))"
    python = python_of(peer, venvs)
    done = subprocess.run([str(python), "-c", ask], capture_output=True, text=True, check=False)
    return f"{package} {done.stdout.strip() or 'of unknown version'}"
