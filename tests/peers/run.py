"""Compare the drop-in modules with the libraries: `run.py --venvs FOLDER [PEER ...]`.

Makes an environment for each library under that folder, unless it is there, puts rankmill in it,
and runs the tests of that library. Prints a line per library: its version, and how that went.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

#: What pip installs for each, the library itself first.
PEERS: dict[str, tuple[str, ...]] = {
    "scikit_learn": ("scikit-learn",),
    "pytrec_eval": ("pytrec-eval-terrier",),
    "ir_measures": ("ir-measures", "pandas"),
    "torchmetrics": ("torchmetrics", "torch"),
    "ranx": ("ranx",),
    "recommenders": ("recommenders",),
    "recometrics": ("recometrics",),
    "implicit": ("implicit",),
    "lightgbm": ("lightgbm",),
    "xgboost": ("xgboost-cpu",),
    "catboost": ("catboost",),
    "rectools": ("rectools",),
    "lenskit": ("lenskit",),
    "recbole": ("recbole", "torch"),
}
#: Those that install in two minutes together.
QUICK = ("scikit_learn", "pytrec_eval", "ir_measures")


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


def make_environment(peer: str, folder: Path) -> Path:
    """Return the interpreter of a peer's environment."""
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        steps = [(sys.executable, "-m", "venv", folder)]
        steps += [(python, "-m", "pip", "install", "--quiet", "pytest", *PEERS[peer])]
        for step in steps:
            done = run(*step)
            if done.returncode:
                sys.exit(f"{peer}: {' '.join(map(str, step))}\n{done.stdout}{done.stderr}")
        (folder / "ready").touch()
    return python


def make_wheel(folder: Path) -> Path:
    done = run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, ROOT)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return next(folder.glob("rankmill-*.whl"))


def check(peer: str, python: Path, wheel: Path) -> tuple[bool, str]:
    """Run the tests of a peer, and return how it went."""
    install = "--quiet", "--force-reinstall", "--no-deps"
    done = run(python, "-m", "pip", "install", *install, wheel)
    if done.returncode == 0:
        test, options = HERE / f"peer_{peer}.py", ("-q", "-p", "no:cacheprovider")
        done = run(python, "-m", "pytest", *options, "-c", HERE / "pytest.ini", test)
    package = PEERS[peer][0].partition("=")[0]
    ask = f"from importlib.metadata import version as v; print(v({package!r}))"
    outcome = f"{package} {run(python, '-c', ask).stdout.strip()}: {last_line(done.stdout)}"
    print(outcome)
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n")
    return done.returncode == 0, outcome


def last_line(text: str) -> str:
    return (text.strip().splitlines() or ["nothing printed"])[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("peers", nargs="*", metavar="PEER", help=f"of {', '.join(PEERS)}")
    parser.add_argument("--venvs", type=Path, required=True, help="folder of the environments")
    parser.add_argument("--quick", action="store_true", help=f"only {', '.join(QUICK)}")
    parser.add_argument("--record", action="store_true", help="write the outcomes to a file")
    parser.add_argument("--wheel", type=Path, help="rankmill, built; default: build this tree")
    asked = parser.parse_args()
    names = asked.peers or (QUICK if asked.quick else tuple(PEERS))
    with tempfile.TemporaryDirectory() as folder:
        wheel = asked.wheel or make_wheel(Path(folder))
        found = [check(name, make_environment(name, asked.venvs / name), wheel) for name in names]
    if asked.record:
        lines = [outcome.partition(" in ")[0] for _, outcome in found]  # without the time
        (HERE / "outcomes.txt").write_text("\n".join(lines) + "\n")
    sys.exit(0 if all(passed for passed, _ in found) else 1)


if __name__ == "__main__":
    main()
