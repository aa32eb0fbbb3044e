"""Imports inside the package go downward only: each module stands on a floor of the house."""

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "rankmill"

# Lowest floor first. A module may import from floors below its own, and from nowhere else.
# A name is a module or a sub-package of rankmill; `*` stands for any ending.
FLOORS = (
    ("errors", "profiles"),
    ("conventions", "database", "metric_syntax", "metric_table", "progress", "status", "writing"),
    ("metric_names", "storage"),
    ("metrics",),
    ("_capi",),
    ("_dicts", "_engine"),
    ("inputs", "ranks", "threads"),
    ("info", "inputs_factors", "inputs_ids", "notes", "running"),
    ("describing", "export", "inputs_exclude", "merging", "pooled", "segments", "sketch"),
    ("inputs_lists", "inputs_scored", "plan"),
    ("inputs_dicts",),
    ("ranking", "ranking_lists", "result", "topk", "weighted"),
    ("evaluate", "factors", "judged"),
    ("functions", "running_result", "sweeping"),
    ("curves",),
    ("bench", "compare", "compat"),
    ("findings", "plots"),
    ("report",),
    ("tables", "trec"),
    ("cli",),
    ("__init__", "__main__"),
)

# Imports between two modules of one floor: (importer, imported), each with its reason.
SAME_FLOOR: tuple[tuple[str, str], ...] = (
    ("__main__", "__init__"),  # `python -m rankmill` is the package's own face
)


def floor_of(module: str) -> int:
    for number, names in enumerate(FLOORS):
        if any(fnmatchcase(module, name) for name in names):
            return number
    pytest.fail(f"rankmill.{module} stands on no floor: add it to FLOORS in {__file__}")


def is_allowed(importer: str, imported: str) -> bool:
    """Tell whether the edge goes down, stays in one sub-package, or is listed."""
    if importer == imported or (importer, imported) in SAME_FLOOR:
        return True
    return floor_of(imported) < floor_of(importer)


def first_part(path: Path) -> str:
    """Name the module or sub-package of rankmill that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].split(".")[0]


def absolute(node: ast.ImportFrom, path: Path) -> str:
    """Spell out the module that a `from ... import` names."""
    if not node.level:
        return node.module or ""
    package = ("rankmill", *path.relative_to(PACKAGE).parent.parts)
    return ".".join((*package[: len(package) - node.level + 1], node.module or "")).rstrip(".")


def imported_names(path: Path) -> Iterator[str]:
    """Give the full name of everything a Python file or stub imports, wherever it does so."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{absolute(node, path)}.{alias.name}" for alias in node.names)


def imported_names_cython(path: Path) -> Iterator[str]:
    """Do the same for Cython, which `ast` cannot read: one import statement to a line."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if found := re.match(r"\s*from\s+([\w.]+)\s+c?import\s+(\w+)", line):
            yield f"{found[1]}.{found[2]}"
        elif found := re.match(r"\s*c?import\s+([\w.]+)", line):
            yield found[1]


def edges(path: Path) -> set[tuple[str, str]]:
    """Give the (importer, imported) pairs of one file that stay inside the package."""
    is_cython = path.suffix in {".pyx", ".pxd"}
    names = imported_names_cython(path) if is_cython else imported_names(path)
    parts = [name.split(".") for name in names]
    inside = [part[1:] for part in parts if part[0] == "rankmill"]
    known = {first_part(file) for file in source_files()}
    # A name that is no module, as in `from rankmill import rank`, comes from the package's face.
    modules = {part[0] if part and part[0] in known else "__init__" for part in inside}
    return {(first_part(path), module) for module in modules}


def source_files() -> list[Path]:
    suffixes = {".py", ".pyi", ".pyx", ".pxd"}
    return sorted(path for path in PACKAGE.rglob("*") if path.suffix in suffixes)


@pytest.mark.parametrize("path", source_files(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_downward(path: Path) -> None:
    floor_of(first_part(path))
    wrong = [edge for edge in edges(path) if not is_allowed(*edge)]
    assert not wrong, f"imports that do not go down (importer, imported): {wrong}"


def test_the_package_is_found() -> None:
    assert PACKAGE / "__init__.py" in source_files()


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("errors", "metrics"),
        ("ranks", "inputs"),
        ("ranking", "evaluate"),
        ("functions", "cli"),
        ("evaluate", "__init__"),
    ],
)
def test_an_upward_or_sideways_edge_is_caught(importer: str, imported: str) -> None:
    assert not is_allowed(importer, imported)


def test_relative_imports_are_spelled_out() -> None:
    module = ast.parse("from .. import errors\nfrom ..ranks import Ranks\nfrom . import other")
    statements = [node for node in module.body if isinstance(node, ast.ImportFrom)]
    place = PACKAGE / "compat" / "some.py"
    assert [absolute(statement, place) for statement in statements] == [
        "rankmill",
        "rankmill.ranks",
        "rankmill.compat",
    ]


def test_cython_imports_are_read(tmp_path: Path) -> None:
    file = tmp_path / "some.pyx"
    file.write_text("from rankmill cimport _capi\ncimport cython\n    import rankmill.errors\n")
    assert list(imported_names_cython(file)) == ["rankmill._capi", "cython", "rankmill.errors"]
