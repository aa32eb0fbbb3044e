"""``rankmill conventions``: what the profiles of other libraries choose."""

from __future__ import annotations

from argparse import Namespace

from rankmill.cli.report import show_json
from rankmill.conventions import Conventions
from rankmill.notes import table_lines
from rankmill.profiles import PROFILES


def run(args: Namespace) -> None:
    """Run the command with the arguments of `arguments.parse`."""
    if args.json:
        profiles = {name: _facts(name) for name in ([args.name] if args.name else PROFILES)}
        show_json(profiles)
    elif args.name:
        _show(args.name)
    else:
        rows = [
            (name, profile.library, profile.version, _choices(name))
            for name, profile in PROFILES.items()
        ]
        header = ("name", "library", "checked with", "sets")
        widths = [max(len(row[at]) for row in [header, *rows]) for at in range(3)]
        for row in [header, *rows]:
            cells = [cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)]
            print("  ".join(cells).rstrip())


def _show(name: str) -> None:
    profile = PROFILES[name]
    print(f"{profile.library} {profile.version}: --profile {name}, Conventions.{name}()\n")
    defaults, chosen = Conventions(), getattr(Conventions, name)()
    rows = [
        (field, str(getattr(chosen, field)), str(getattr(defaults, field)))
        for field in Conventions.__slots__
    ]
    print("\n".join(table_lines([("choice", "here", "our default"), *rows])))
    if profile.metrics:
        print("\nits name = ours under these conventions:")
        for theirs, ours in profile.metrics.items():
            print(f"  {theirs} = {ours}")
    if profile.differences:
        print("\nwhat it does otherwise:")
        for difference in profile.differences:
            print(f"  - {difference}")


def _choices(name: str) -> str:
    return ", ".join(f"{field}={value}" for field, value in PROFILES[name].choices.items())


def _facts(name: str) -> dict[str, object]:
    profile = PROFILES[name]
    return {
        "library": profile.library,
        "version": profile.version,
        "choices": dict(profile.choices),
        "metrics": dict(profile.metrics),
        "differences": list(profile.differences),
    }
