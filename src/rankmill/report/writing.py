"""`report`: HTML with plots, or tables in Markdown and LaTeX."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Final

from rankmill.compare import Comparison
from rankmill.errors import InputError, InputTypeError
from rankmill.report.html import page
from rankmill.report.tables import latex, markdown
from rankmill.result import Result
from rankmill.writing import replacing, utf8

_FORMATS: Final[dict[str, Callable[[Result | Comparison, str], str]]] = {
    ".html": page,
    ".md": markdown,
    ".tex": latex,
}


def report(
    data: Result | Comparison, path: str | os.PathLike[str], *, title: str | None = None
) -> None:
    """Write a report, which appears under its name when it is whole.

    Parameters
    ----------
    data : Result or Comparison
        What is reported.
    path : str or path
        By its end: ``.html``, one file that needs no network: summary, `findings`, tables that
        sort, plots, conventions, and how it was made; ``.md`` and ``.tex``: its tables, with marks
        of significance.
    title : str, optional
        Default: what is reported.

    Raises
    ------
    InputError, InputTypeError
        If the name ends otherwise, or `data` is neither.
    MissingDependencyError
        For HTML without matplotlib.

    Examples
    --------
    >>> import tempfile, rankmill as rm
    >>> from pathlib import Path
    >>> result = rm.evaluate([[3, 2, 1], [1, 2, 3]], [[0, 1, 0], [0, 0, 1]], "mrr")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rm.report(result, Path(folder, "report.md"))
    ...     print(Path(folder, "report.md").read_text().splitlines()[4])
    | mrr | 0.7500 | 0.2600 to 1.2400 | 0.5000 | 2 | 0 |
    """
    if not isinstance(data, (Result, Comparison)):
        raise InputTypeError(f"data: got {type(data).__name__}; wanted a Result or a Comparison")
    if not isinstance(path, (str, os.PathLike)):
        raise InputTypeError(f"path: got {path!r}; wanted the name of a file")
    name = os.fspath(path)
    formats: Mapping[str, Any] = _FORMATS
    make = next((made for end, made in formats.items() if name.endswith(end)), None)
    if make is None:
        raise InputError(f"path: got {name!r}; wanted a name that ends in {', '.join(_FORMATS)}")
    if title is None:
        models = " and ".join(data.models) if isinstance(data, Comparison) else ""
        title = f"Comparison of {models}" if models else "Evaluation"
    page = utf8("data", make(data, title))
    with replacing(path) as whole:
        whole.write_bytes(page)
