"""`build_info`: how this installation was built and what it uses here."""

from __future__ import annotations

from typing import Any

from rankmill._engine import compiler, has_openmp, isa_names, version
from rankmill.threads import default_threads, make_run


def build_info() -> dict[str, Any]:
    """Return version, compiler, OpenMP, threads, and the instruction sets built, usable, active.

    Examples
    --------
    >>> info = build_info()
    >>> sorted(info)
    ['compiler', 'isa_active', 'isa_built', 'isa_usable', 'n_threads', 'openmp', 'version']
    >>> "baseline" in info["isa_usable"]
    True
    """
    built, usable = isa_names()
    return {
        "version": version(),
        "compiler": compiler(),
        "openmp": has_openmp(),
        "n_threads": default_threads(),
        "isa_built": built,
        "isa_usable": usable,
        "isa_active": make_run(None, None).isa,
    }
