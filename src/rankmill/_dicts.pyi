from typing import Any

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]

def read_dicts(
    rows: list[Any],
    truths: list[Any],
    scores: _Floats,
    grades: _Floats,
    marks: npt.NDArray[np.int64],
) -> list[list[float]] | None: ...
