"""Values that other libraries returned on tiny inputs, and ours under their profiles."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np

import rankmill as rm
from rankmill.profiles import PROFILES

# Their names in the recorded values, where ours differ.
LIBRARIES = {
    "sklearn": "scikit_learn",
    "pytrec_eval": "trec_eval",
}

# Profiles of which no values are recorded: one has them below, one was read from its source.
NOT_RECORDED = {"xgboost", "spark_mllib"}

# What XGBoost 3.2.0 printed with its scores as base margins: scores, labels, offsets, values.
XGBOOST: list[tuple[list[float], list[int], list[int], dict[str, float]]] = [
    (
        [0.9, 0.8, 0.7, 0.6, 0.5],
        [1, 0, 1, 0, 0],
        [0, 5],
        {"ndcg@3": 0.91972078914818756, "map@3": 0.83333333333333326, "pre@3": 0.66666666666666663},
    ),
    ([0.5] * 4, [1, 0, 0, 0], [0, 4], {"ndcg@2": 1.0, "map@2": 1.0, "pre@2": 0.5}),
    ([0.5] * 4, [0, 0, 0, 1], [0, 4], {"ndcg@2": 0.0, "map@2": 0.0, "pre@2": 0.0}),
    (
        [0.9, 0.8, 0.7, 0.6, 0.5] * 2,
        [1, 0, 1, 0, 0, 0, 0, 0, 0, 0],
        [0, 5, 10],
        {"ndcg@3": 0.95986039457409378, "map@3": 0.91666666666666663, "pre@3": 0.33333333333333331},
    ),
    ([0.9, 0.8], [1, 0], [0, 2], {"ndcg@5": 1.0, "map@5": 1.0, "pre@5": 0.5}),
    (
        [0.9, 0.8, 0.7, 0.6, 0.5],
        [1, 0, 1, 0, 1],
        [0, 5],
        {"ndcg@2": 0.61314719276545837, "map@2": 0.5, "pre@2": 0.5},
    ),
    ([0.9, 0.8, 0.7, 0.6], [1, 3, 0, 2], [0, 4], {"ndcg@2": 0.60908991725787109}),
]


@dataclass(frozen=True)
class Recorded:
    """One call of a library: of one user, or of all at once."""

    library: str
    case: str
    metric: str  # as the library names it, its cutoff included
    user: int | None  # None: a value for all users
    mean: bool
    value: Any  # a number, a list per user, or a text

    @property
    def name(self) -> str:
        """What an exception is matched with."""
        part = "" if self.user is None else f"u{self.user}."
        return f"{self.case}/{part}{'mean ' if self.mean else ''}{self.metric}"


def recorded(folder: Path) -> Iterator[Recorded]:
    """All values of the libraries that have a profile."""
    for line in (folder / "values.jsonl").read_text().splitlines():
        row = json.loads(line)
        library = LIBRARIES.get(row["peer"], row["peer"])
        if library not in PROFILES:
            continue
        metric = row["metric"]
        user = re.match(r"u(\d+)\.", metric)
        metric = metric[user.end() :] if user else metric
        mean = re.match(r"(mean|aggregate) ", metric)
        metric = metric[mean.end() :] if mean else metric
        metric = re.sub(r" \((numeric qids|2 rows)\)$| (pandas|polars)$", "", metric)
        number = int(user[1]) if user else None
        for name, value in parts(metric, row["value"]):
            yield Recorded(library, row["case"], name, number, bool(mean), value)


def parts(metric: str, value: Any) -> list[tuple[str, Any]]:
    """Several metrics in one call, "metrics@3": "precision=... map=...", one by one."""
    together = re.match(r"metrics@(\d+)$", metric)
    if together is None or str(value).startswith("RAISES"):
        return [(metric, value)]
    pairs = (part.split("=") for part in value.split())
    return [(f"{name}@{together[1]}", float(number)) for name, number in pairs]


def ours(library: str, metric: str, k: int) -> str | None:
    """Our name for a metric of a library; None if there is none."""
    for theirs, name in PROFILES[library].metrics.items():
        if theirs.replace("{k}", str(k)) == metric:
            return name.replace("{k}", str(k))
    return None


def evaluate(library: str, metric: str, case: dict[str, Any]) -> rm.Result:
    """Evaluate the users of a case by one of our metrics under the library's conventions."""
    users = case["users"]
    offsets = np.cumsum([0, *(len(user["items"]) for user in users)])
    scores = np.array([float(score) for user in users for score in user["scores"]])
    labels = np.array([label for user in users for label in user["labels"]])
    items = np.array([item for user in users for item in user["items"]])
    if library == "scikit_learn":
        items = np.concatenate([np.arange(len(user["items"])) for user in users])
    conventions = getattr(rm.Conventions, library)()
    return rm.evaluate(
        scores, labels, metric, offsets=offsets, items=items, conventions=conventions
    )


def numbers(value: Any) -> list[float] | None:
    """The numbers of a recorded value, one per user or one in all; None if the library raised."""
    if isinstance(value, (int, float)):
        return [float(value)]
    if isinstance(value, list):
        return [float(one) for one in value]
    if value.startswith("RAISES"):
        return None
    words = re.split(r"[\s,{}\[\]]+", re.sub(r"(\S+=|\S+: )", "", value))
    return [float(word) for word in words if word]


def values_of(entry: Recorded, result: rm.Result, wanted: int) -> list[float]:
    """Our values for what the library gave: one user's, each user's, or their mean."""
    values: list[float] = result[result.names[0]].tolist()
    if entry.user is not None:
        return [values[entry.user]]
    if entry.mean or (wanted == 1 and len(values) > 1 and not math.isnan(sum(values))):
        return [result.mean(result.names[0])]
    if wanted < len(values):  # it leaves out users for whom there is no value
        values = [value for value in values if not math.isnan(value)]
    return values if wanted == len(values) else [result.mean(result.names[0])]


# Where a library's value is not ours, and why: library, case/metric, reason.
_FAULTS = "a fault of the library, see its profile"
EXCEPTIONS: list[tuple[str, str, str]] = [
    ("*", "nan_score/*", "NaN scores are an error in rankmill"),
    ("scikit_learn", "graded/*_score", "raises: labels must be binary there"),
    ("scikit_learn", "graded/*LRAP", "raises: labels must be binary there"),
    ("scikit_learn", "neg_rel/*", "raises, or adds negative labels up as negative gains"),
    ("recometrics", "tie_pos_*", "NaN where all scores tie: " + _FAULTS),
    ("recometrics", "no_neg/*", "NaN for a user with nothing but relevant items: " + _FAULTS),
    ("recometrics", "neg_rel/*", "a stored negative value is relevant there: " + _FAULTS),
    ("torchmetrics", "tie_pos_*", "each metric takes ties as its own sort leaves them: " + _FAULTS),
    ("torchmetrics", "graded/*", "raises: labels must be binary there"),
    ("torchmetrics", "neg_rel/*", "raises, or adds a negative gain"),
    ("implicit", "tie_pos_*", "ties fall as its partial sort leaves them"),
    ("recbole", "tie_pos_*", "ties fall as torch.topk leaves them"),
    (
        "catboost",
        "graded/QueryAUC*",
        "ranks pairs of grades there, and relevant against others here",
    ),
    ("catboost", "neg_rel/*", "negative labels have negative gains there, and none here"),
    ("lightgbm", "neg_rel/*", "raises: labels must not be negative there"),
    ("lenskit", "no_pos/*AveragePrecision*", "divides by zero: " + _FAULTS),
    ("lenskit", "neg_rel/*", "a test item of any rating is relevant there"),
]


def excuse(entry: Recorded, among: list[tuple[str, str, str]] = EXCEPTIONS) -> str | None:
    """The reason why a value need not be ours; None: it must be."""
    for library, pattern, reason in among:
        if fnmatch(entry.library, library) and fnmatch(entry.name, pattern):
            return reason
    return None
