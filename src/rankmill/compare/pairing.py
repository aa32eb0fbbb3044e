"""The users and metrics that all models have, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankmill.errors import InputError, InputTypeError, MetricError
from rankmill.inputs import Int64s, NumpyArray
from rankmill.metrics import Metric, Metrics, parse_metrics
from rankmill.result import Result


@dataclass(frozen=True)
class Paired:
    """Results of the same users in the same order, the baseline first.

    Attributes
    ----------
    rows : int64 (users,)
        Where the users stood in the baseline's result.
    unpaired : dict of str to int
        Users of each model that some other lacks.
    """

    results: dict[str, Result]
    rows: Int64s
    unpaired: dict[str, int]

    @property
    def baseline(self) -> Result:
        """The result of the baseline."""
        return next(iter(self.results.values()))


def pair_results(results: Mapping[str, Result], metrics: Metrics | None) -> Paired:
    """Pair the users of all models, by id or, where no result has ids, by row."""
    wanted = _wanted(results, metrics)
    for metric in wanted:
        _check_conventions(metric, results)
    rows = _common_rows(results)
    if not len(next(iter(rows.values()))):
        raise InputError(
            f"users: {' and '.join(results)} have none in common; wanted results of the same users"
        )
    paired = {name: _take(result, rows[name], wanted) for name, result in results.items()}
    _check_values(paired)
    _check_weights(paired)
    unpaired = {name: result.n_users - len(rows[name]) for name, result in results.items()}
    return Paired(paired, next(iter(rows.values())), unpaired)


def _wanted(results: Mapping[str, Result], metrics: Metrics | None) -> tuple[Metric, ...]:
    baseline, first = next(iter(results.items()))
    wanted = first.metrics if metrics is None else parse_metrics(metrics)
    for name, result in results.items():
        if metrics is None and set(result.names) != set(first.names):
            odd = sorted(set(result.names) ^ set(first.names))
            raise MetricError(
                f"metrics: {baseline} and {name} do not both have {', '.join(odd)}; wanted the "
                "same metrics, or metrics= to choose common ones"
            )
        for metric in wanted:
            _ = result[metric]  # says what it has if this is missing
    return wanted


def _check_conventions(metric: Metric, results: Mapping[str, Result]) -> None:
    """Check the conventions that concern a metric; the others may differ."""
    baseline, first = next(iter(results.items()))
    for name, result in results.items():
        ours, theirs = metric.conventions(first.conventions), metric.conventions(result.conventions)
        for field in metric.info.conventions:
            if getattr(ours, field) != getattr(theirs, field):
                raise InputError(
                    f"conventions: {metric} has {field}={getattr(ours, field)!r} in {baseline} and "
                    f"{getattr(theirs, field)!r} in {name}; wanted one convention"
                )


def _common_rows(results: Mapping[str, Result]) -> dict[str, Int64s]:
    """Return the rows of the users that all have, in the baseline's order."""
    baseline, first = next(iter(results.items()))
    rows = {baseline: np.arange(first.n_users)}
    for name, result in list(results.items())[1:]:
        if (result.users is None) != (first.users is None):
            without = name if result.users is None else baseline
            raise InputError(
                f"users: {without} has no user ids and another model has; wanted ids in all "
                "results, or in none"
            )
        if first.users is None or result.users is None:
            if result.n_users != first.n_users:
                raise InputError(
                    f"users: got {first.n_users} of {baseline} and {result.n_users} of {name}, "
                    "without ids; wanted as many, in the same order, or results with ids"
                )
            rows[name] = rows[baseline]
            continue
        found = _find(name, first.users, result.users)
        kept = found[rows[baseline]] >= 0
        rows = {other: places[kept] for other, places in rows.items()}
        rows[name] = found[rows[baseline]]
    return rows


def _find(name: str, wanted: NumpyArray, users: NumpyArray) -> Int64s:
    """Return the row of each wanted id among the users, or -1."""
    if wanted.dtype == users.dtype and np.array_equal(wanted, users):
        return np.arange(len(users))
    # Ids are compared as Python compares them: 1 is not "1", and no integer is rounded.
    place = {user: row for row, user in enumerate(users.tolist())}
    ids = wanted.tolist()
    for model, n_rows, n_users in (
        (name, len(users), len(place)),
        ("the baseline", len(ids), len(set(ids))),
    ):
        if n_rows != n_users:
            raise InputError(
                f"users: {model} has {n_rows} rows of {n_users} users; wanted each user once"
            )
    return np.array([place.get(user, -1) for user in ids], dtype=np.int64)


def _take(result: Result, rows: Int64s, wanted: tuple[Metric, ...]) -> Result:
    """Return some metrics of some users."""
    values = np.stack([result[metric] for metric in wanted])
    missing = [np.count_nonzero(result.is_undefined(metric)[rows]) for metric in wanted]
    if len(rows) != result.n_users or (np.diff(rows) != 1).any():
        values = np.ascontiguousarray(values[:, rows])
    return Result(
        values,
        wanted,
        np.array(missing, dtype=np.int64),
        conventions=result.conventions,
        users=None if result.users is None else result.users[rows],
        ignored=result.ignored,
        weights=None if result.weights is None else result.weights[rows],
        segments={name: np.asarray(column)[rows] for name, column in result.segments.items()},
    )


def _check_values(results: Mapping[str, Result]) -> None:
    for name, result in results.items():
        infinite = np.isinf(result.values)
        if infinite.any():
            metric, row = np.argwhere(infinite)[0].tolist()
            raise InputError(
                f"{result.names[metric]}: got {result.values[metric, row]} of {name} at user row "
                f"{row}; wanted finite values (NaN where undefined)"
            )


def _check_weights(results: Mapping[str, Result]) -> None:
    """Users weigh the same in every model."""
    baseline, first = next(iter(results.items()))
    for name, result in results.items():
        ours, theirs = first.weights, result.weights
        if (ours is None) != (theirs is None):
            has = baseline if theirs is None else name
            raise InputError(f"weights: only {has} has them; wanted weights in all models, or none")
        if ours is None or theirs is None:
            continue
        bad = ~((theirs >= 0) & np.isfinite(theirs))
        if bad.any():
            row = int(np.argmax(bad))
            raise InputError(
                f"weights: got {theirs[row]} of {name} at user row {row}; wanted a finite number "
                ">= 0"
            )
        if not np.array_equal(ours, theirs):
            row = int(np.argmax(ours != theirs))
            raise InputError(
                f"weights: got {ours[row]} of {baseline} and {theirs[row]} of {name} at user row "
                f"{row}; wanted one weight per user"
            )


def check_results(results: object) -> None:
    """Check that these are results by model."""
    if not isinstance(results, Mapping):
        raise InputTypeError(
            f"results: got {type(results).__name__}; wanted two Results, or a mapping of name to "
            "Result"
        )
    if len(results) < 2:
        raise InputError(f"results: got {len(results)}; wanted two models or more")
    for name, result in results.items():
        if not isinstance(name, str) or not isinstance(result, Result):
            raise InputTypeError(
                f"results: got {name!r}: {type(result).__name__}; wanted a name and a Result"
            )
