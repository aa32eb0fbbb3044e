"""What the plots share: figures without pyplot, colours, and text that stays text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from rankmill.errors import InputError, MissingDependencyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_T = TypeVar("_T")

#: Okabe and Ito's palette, which people see alike whatever their colour vision.
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
GREY: Final = "#767676"
_LONGEST: Final = 36


def axes_of(ax: Axes | None, height: float = 4.0, width: float = 6.4) -> Axes:
    """Return the caller's Axes, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError(
            "plots need matplotlib; wanted: pip install 'rankmill[plots]'"
        ) from None
    return Figure(figsize=(width, height), layout="constrained").add_subplot()


def colour(at: int) -> str:
    """Return the colour of a series."""
    return COLOURS[at % len(COLOURS)]


def label(text: str) -> str:
    """Return a name as matplotlib draws it: cut in the middle, and never read as mathematics."""
    if len(text) > _LONGEST:
        half = (_LONGEST - 1) // 2
        text = f"{text[:half]}…{text[-half:]}"
    text = text.encode(errors="backslashreplace").decode()  # lone surrogates cannot be drawn
    return text.replace("$", r"\$")


def tidy(ax: Axes, *, x: str, y: str, grid: Literal["x", "y", "both"] = "y") -> None:
    """Label the axes and take away what says nothing."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(axis=grid, color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def by_name(argument: str, data: Any, kind: type[_T]) -> dict[str, _T]:
    """Return one or several of a kind by name; the name of a single one is empty."""
    found = {"": data} if isinstance(data, kind) else data
    if not isinstance(found, Mapping) or not found:
        raise InputError(f"{argument}: wanted a {kind.__name__}, or some by name")
    for name, value in found.items():
        if not isinstance(value, kind):
            raise InputError(
                f"{argument}: got {type(value).__name__} for {name!r}; wanted a {kind.__name__}"
            )
    return dict(found)


def legend(ax: Axes, names: Mapping[str, Any]) -> None:
    """Show the names where there are some."""
    if len(names) > 1 or "" not in names:
        ax.legend(frameon=False)
