"""The stages of a command: how long each took, and a progress bar for those that take long."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE: Final = 2.0  # seconds


class Stages:
    """Times stages one after the other.

    Attributes
    ----------
    seconds : dict
        Wall-clock seconds of each stage that is over.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
        """Time what runs inside; the block may call what it is given with each part done.

        Parameters
        ----------
        name : str
            Key of `seconds` and title of the progress bar.
        total : int, optional
            How many parts there are; without it the bar only shows that work goes on.
        """
        bar = _Bar(name, total)
        start = time.perf_counter()
        try:
            yield bar.advance
        finally:
            bar.close()
            self.seconds[name] = time.perf_counter() - start


class _Bar:
    """A bar on stderr, if that is a terminal and rich is there, once patience has run out."""

    def __init__(self, title: str, total: int | None) -> None:
        self._title, self._total, self._done = title, total, 0
        self._shown: tuple[Progress, TaskID] | None = None
        self._timer = Timer(_PATIENCE, self._show)
        self._timer.daemon = True
        if sys.stderr.isatty():
            self._timer.start()

    def advance(self, parts: int) -> None:
        self._done += parts
        if self._shown:
            progress, task = self._shown
            progress.update(task, completed=self._done)

    def close(self) -> None:
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
