"""Writes docs/conventions.md from the profiles and from what `parity` excuses."""

import importlib
from collections.abc import Iterator
from pathlib import Path

import rankmill as rm
from parity import EXCEPTIONS
from parity_modules import EXCEPTIONS as MODULE_EXCEPTIONS
from rankmill.conventions import CHOICES
from rankmill.profiles import PROFILES

PAGE = Path(__file__).parents[1] / "docs" / "conventions.md"
OUTCOMES = Path(__file__).parent / "peers" / "outcomes.txt"
MODULES = (
    "sklearn",
    "pytrec_eval",
    "ranx",
    "ir_measures",
    "recometrics",
    "implicit",
    "recommenders",
    "torchmetrics",
    "boosting",
)

INTRODUCTION = """# Conventions of other libraries

The same metric's name gives different values in every library. `Conventions.<name>()` makes
rankmill give theirs:

    rm.evaluate(scores, relevance, "ndcg@10", conventions=rm.Conventions.ranx())

This page is made from `src/rankmill/profiles.py`, and the profiles are tested with values that the
libraries returned on tiny inputs.
"""

DROP_IN = """## Drop-in modules

Change the import, keep the code: each module has the signatures and the numbers of its library, and
imports nothing of it.
"""

COMPARED = """### Compared with the libraries

`python tests/peers/run.py --venvs FOLDER --record` runs the modules and the libraries on the same
random inputs, thousands of them, and compares all values to 1e-9 (1e-6 where the library has 32
bits or prints six digits). Its last outcome, by library and release:
"""


def row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def choices() -> Iterator[str]:
    """Libraries times choices; a choice that is ours too is left blank."""
    fields = [*CHOICES, "min_grade"]
    defaults = rm.Conventions()
    yield row(["library", *(f"`{field}`" for field in fields)])
    yield row(["---"] * (len(fields) + 1))
    yield row(["rankmill", *(str(getattr(defaults, field)) for field in fields)])
    for profile in PROFILES.values():
        made = rm.Conventions(**profile.choices)
        cells = [
            "" if getattr(made, field) == getattr(defaults, field) else str(getattr(made, field))
            for field in fields
        ]
        yield row([profile.library, *cells])


def library(name: str) -> Iterator[str]:
    profile = PROFILES[name]
    yield f"## {profile.library}"
    yield ""
    yield f"`Conventions.{name}()`, compared with {profile.version}."
    yield ""
    yield row(["there", "here"])
    yield row(["---", "---"])
    for theirs, ours in profile.metrics.items():
        yield row([f"`{theirs}`", f"`{ours}`"])
    yield ""
    for difference in profile.differences:
        yield f"- {difference}"
    excused = [(pattern, reason) for which, pattern, reason in EXCEPTIONS if which in (name, "*")]
    if profile.differences:
        yield ""
    yield "Recorded values that differ, as case/metric:"
    yield ""
    for pattern, reason in excused:
        yield f"- `{pattern}`: {reason}"
    yield ""


def module(name: str) -> Iterator[str]:
    """What the docstring of a drop-in module says."""
    text = importlib.import_module(f"rankmill.compat.{name}").__doc__ or ""
    yield f"### `rankmill.compat.{name}`"
    yield ""
    yield text.replace("``", "`").strip()
    yield ""
    for which, pattern, reason in MODULE_EXCEPTIONS:
        if which == name:
            yield f"- recorded value `{pattern}` differs: {reason}"
            yield ""


def page() -> str:
    lines = [INTRODUCTION, *choices(), ""]
    for name in PROFILES:
        lines += library(name)
    lines += [DROP_IN]
    for name in MODULES:
        lines += module(name)
    lines += [COMPARED, *(f"- {line}" for line in OUTCOMES.read_text().splitlines()), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page())
