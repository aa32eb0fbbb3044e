"""Areas under curves where every row has a weight of its own."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from rankmill._engine import weighted_area
from rankmill.conventions import Conventions
from rankmill.errors import InputError
from rankmill.inputs import engine_array, label_array, numeric_array
from rankmill.inputs_scored import scored_input
from rankmill.plan import EMPTY, KINDS
from rankmill.running import Floats
from rankmill.threads import make_run


def weighted_values(
    metric: Literal["auc", "pr_auc"],
    scores: Any,
    labels: Any,
    sample_weight: Any,
    conventions: Conventions,
    *,
    groups: Any = None,
    offsets: Any = None,
    n_threads: int | None = None,
    isa: str | None = None,
) -> Floats:
    """Return the area of every user, float64 (users,); `sample_weight` has a weight >= 0 per row.

    Examples
    --------
    >>> weighted_values("pr_auc", [0.9, 0.8], [0, 1], [3, 1], Conventions())
    array([0.25])
    """
    grades = label_array("labels", labels)
    if conventions.min_grade is not None:
        grades = grades >= conventions.min_grade
    weights = numeric_array("sample_weight", sample_weight)
    if weights.shape != np.shape(scores):
        raise InputError(
            f"sample_weight: got shape {weights.shape}; wanted {np.shape(scores)}, as the scores"
        )
    run = make_run(n_threads, isa)
    scored = scored_input(
        scores,
        grades,
        groups=groups,
        offsets=offsets,
        items=None,
        exclude=None,
        min_score=None,
        order=None,
        run=run,
        together=True,
    )
    if scored.rows is not None:
        weights = weights[scored.rows]
    values = np.empty(scored.n_users, dtype=np.float64)
    rows = weights.reshape(1, -1) if weights.ndim == 1 and not scored.flat else weights
    kind = KINDS[metric]
    weighted_area(scored.input, engine_array(rows), kind, run, values, scored.explain)
    values[np.isnan(values)] = EMPTY[conventions.empty]
    return values
