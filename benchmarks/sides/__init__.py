"""What each side of a comparison runs.

A function takes the data and the number of threads, prepares what is not timed, and returns the
call to time. That call returns {rankmill's name of the metric: value of each user, or the mean}.
Libraries are imported inside, as each worker has only its own.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

Values: TypeAlias = dict[str, Any]
Call: TypeAlias = Callable[[], Values]
