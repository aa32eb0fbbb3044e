"""The stages of a command: how long each took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rankmill.progress import Bar


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
        bar = Bar(name, total)
        start = time.perf_counter()
        try:
            yield bar.advance
        finally:
            bar.close()
            self.seconds[name] = time.perf_counter() - start
