"""A progress bar for what takes long."""

from __future__ import annotations

import sys
from threading import Timer
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE: Final = 2.0  # seconds


class Bar:
    """A bar on stderr, if that is a terminal and rich is there, once patience has run out."""

    def __init__(self, title: str, total: int | None) -> None:
        self._title, self._total, self._done = title, total, 0
        self._shown: tuple[Progress, TaskID] | None = None
        self._timer = Timer(_PATIENCE, self._show)
        self._timer.daemon = True
        if sys.stderr.isatty():
            self._timer.start()

    def advance(self, parts: int) -> None:
        """Count parts that are done."""
        self._done += parts
        if self._shown:
            progress, task = self._shown
            progress.update(task, completed=self._done)

    def close(self) -> None:
        """Take the bar away."""
        if self._timer.is_alive():
            self._timer.cancel()
            self._timer.join()
        if self._shown:
            self._shown[0].stop()

    def _show(self) -> None:
        try:
            from rich.console import Console
            from rich.progress import Progress
        except ImportError:
            return
        progress = Progress(console=Console(stderr=True), transient=True)
        task = progress.add_task(self._title, total=self._total, completed=self._done)
        progress.start()
        self._shown = (progress, task)
