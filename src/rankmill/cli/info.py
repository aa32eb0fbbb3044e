"""``rankmill info``: how this installation was built and what it uses here."""

from __future__ import annotations

from argparse import Namespace

from rankmill.cli.report import show_json
from rankmill.info import build_info


def run(args: Namespace) -> None:
    """Run the command with the arguments of `arguments.parse`."""
    info = build_info()
    if args.json:
        show_json(info)
        return
    rows = {
        "version": info["version"],
        "compiler": info["compiler"],
        "OpenMP": "yes" if info["openmp"] else "no: one thread",
        "threads": info["n_threads"],
        "instruction sets built": ", ".join(info["isa_built"]),
        "usable on this CPU": ", ".join(info["isa_usable"]),
        "in use": info["isa_active"],
    }
    for name, value in rows.items():
        print(f"{name:<{max(map(len, rows))}}  {value}")
