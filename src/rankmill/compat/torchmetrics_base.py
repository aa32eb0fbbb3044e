"""What the retrieval metrics of `rankmill.compat.torchmetrics` have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, TypeAlias

import numpy as np

from rankmill.conventions import Conventions
from rankmill.errors import InputError, InputTypeError
from rankmill.evaluate import evaluate
from rankmill.inputs import Int64s, NumpyArray
from rankmill.metrics import Metric
from rankmill.running import Floats

EmptyTarget: TypeAlias = Literal["error", "skip", "neg", "pos"]
Aggregation: TypeAlias = Literal["mean", "median", "min", "max"] | Callable[..., Any]

_CONVENTIONS: Final = Conventions.torchmetrics()
_EMPTY: Final = {"neg": 0.0, "pos": 1.0}
_AGGREGATIONS: Final[dict[str, Callable[[Floats], Any]]] = {
    "mean": lambda values: values.mean(axis=0),
    "median": lambda values: np.sort(values, axis=0)[(len(values) - 1) // 2],  # the lower one
    "min": lambda values: values.min(axis=0),
    "max": lambda values: values.max(axis=0),
}


@dataclass(frozen=True)
class Rows:
    """All that was fed to a metric, flat; queries numbered by ascending index."""

    queries: Int64s
    preds: NumpyArray
    target: NumpyArray

    def per_query(self, rows: NumpyArray) -> Int64s:
        """Count rows that hold, of each query."""
        return np.bincount(self.queries[rows], minlength=int(self.queries.max()) + 1)

    def measure(
        self,
        metrics: list[Metric],
        target: NumpyArray,
        min_score: float | None = None,
        **rules: Any,
    ) -> Floats:
        """Return the values of some metrics, (metrics, queries)."""
        return evaluate(
            self.preds,
            target,
            metrics,
            groups=self.queries,
            min_score=min_score,
            conventions=_CONVENTIONS.replace(**rules),
        ).values

    def one(
        self, metric: Metric, target: NumpyArray, min_score: float | None = None, **rules: Any
    ) -> Floats:
        """Return the values of one metric."""
        values: Floats = self.measure([metric], target, min_score, **rules)[0]
        return values

    @property
    def positive(self) -> NumpyArray:
        """The targets that can be hit: those of positive predictions."""
        return np.where(self.preds > 0, self.target, 0)

    def best(self, k: int) -> Rows:
        """Return the rows of the k best predictions of each query, the first where they tie."""
        order = np.lexsort((-self.preds, self.queries))
        queries = self.queries[order]
        place = np.arange(len(queries)) - np.searchsorted(queries, queries)
        kept = order[place < k]
        return Rows(self.queries[kept], self.preds[kept], self.target[kept])


class Retrieval:
    """What the metrics have in common: feed with `update`, ask by `compute`, forget by `reset`."""

    binary: ClassVar[bool] = True
    lacking: ClassVar[str] = "positive"

    def __init__(
        self,
        empty_target_action: EmptyTarget,
        ignore_index: int | None,
        aggregation: Aggregation,
        **kwargs: Any,
    ) -> None:
        if kwargs:
            raise InputError(f"{next(iter(kwargs))}: rankmill has no such argument")
        if empty_target_action not in ("error", "skip", "neg", "pos"):
            raise InputError(
                f"empty_target_action: got {empty_target_action!r}; wanted 'error', 'skip', 'neg' "
                "or 'pos'"
            )
        if ignore_index is not None and not isinstance(ignore_index, int):
            raise InputError(f"ignore_index: got {ignore_index!r}; wanted an integer or None")
        if not (callable(aggregation) or aggregation in _AGGREGATIONS):
            raise InputError(
                f"aggregation: got {aggregation!r}; wanted {', '.join(_AGGREGATIONS)} or a callable"
            )
        self.empty_target_action = empty_target_action
        self.ignore_index = ignore_index
        self.aggregation = aggregation
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._fed: list[tuple[NumpyArray, NumpyArray, NumpyArray]] = []
        self.tensors = False

    def update(self, preds: Any, target: Any, indexes: Any) -> None:
        """Take predictions, their targets, and the query of each, all of one shape."""
        self.tensors |= type(preds).__module__.partition(".")[0] == "torch"
        self._fed.append(self._checked(preds, target, indexes))

    def __call__(self, preds: Any, target: Any, indexes: Any) -> Any:
        """Take a batch and return its own value."""
        before, self._fed = self._fed, []
        try:
            self.update(preds, target, indexes)
            return self.compute()
        finally:
            self._fed = before + self._fed

    forward = __call__

    def compute(self) -> Any:
        """Return the aggregate over all queries so far."""
        if not self._fed:
            raise InputError("compute: got nothing yet; wanted an update before")
        indexes, preds, target = (np.concatenate(parts) for parts in zip(*self._fed, strict=True))
        _, queries = np.unique(indexes, return_inverse=True)
        order = np.argsort(queries, kind="stable")  # so that values come by ascending index
        rows = Rows(queries[order], preds[order], target[order])
        return self._result(self._handled(self._values(rows), rows))

    def _handled(self, values: Floats, rows: Rows) -> Floats:
        """Give queries that lack a kind of target what is wanted for them."""
        empty = rows.per_query(self._counted(rows.target)) == 0
        if self.empty_target_action == "error" and empty.any():
            raise InputError(
                f"target: `compute` met a query with no {self.lacking} target; wanted one, or "
                "another empty_target_action"
            )
        values[empty] = _EMPTY.get(self.empty_target_action, np.nan)
        kept: Floats = values[~empty] if self.empty_target_action == "skip" else values
        return kept

    def _result(self, values: Floats) -> Any:
        return self._as_given(self._aggregate(values) if len(values) else 0.0)

    def _aggregate(self, values: Floats) -> Any:
        if callable(self.aggregation):
            return self.aggregation(self._as_given(values), dim=0 if values.ndim > 1 else None)
        return _AGGREGATIONS[self.aggregation](values)

    def _as_given(self, values: Any) -> Any:
        """Return a tensor if one came in."""
        torch = sys.modules.get("torch") if self.tensors else None
        if torch is None or isinstance(values, torch.Tensor):
            return values
        return torch.tensor(values, dtype=torch.float32)

    def _counted(self, target: NumpyArray) -> NumpyArray:
        """Tell the rows of which a query must have some."""
        return np.asarray(target > 0)

    def _values(self, rows: Rows) -> Floats:
        """Return the value of each query; (queries, k) if there is one per k."""
        raise NotImplementedError

    def _checked(
        self, preds: Any, target: Any, indexes: Any
    ) -> tuple[NumpyArray, NumpyArray, NumpyArray]:
        if indexes is None:
            raise InputError("indexes: got None; wanted the query of each prediction")
        scores = _array("preds", preds, "f")
        labels = _array("target", target, "biuf")
        queries = _array("indexes", indexes, "iu")
        if not scores.shape == labels.shape == queries.shape:
            raise InputError(
                f"preds, target, indexes: got shapes {scores.shape}, {labels.shape} and "
                f"{queries.shape}; wanted one shape"
            )
        if self.ignore_index is not None:
            kept = labels != self.ignore_index
            scores, labels, queries = scores[kept], labels[kept], queries[kept]
        if scores.size == 0 or scores.ndim == 0:
            raise InputError("preds, target, indexes: got no rows; wanted at least one")
        if labels.min() < 0 or (self.binary and labels.max() > 1):
            wanted = "binary targets" if self.binary else "targets >= 0"
            raise InputError(f"target: got {labels.min()} to {labels.max()}; wanted {wanted}")
        return queries.ravel(), scores.astype(np.float32).ravel(), labels.ravel()


def _array(name: str, values: Any, kinds: str) -> NumpyArray:
    """Return a tensor, or anything like an array, as a numpy array of some kind of numbers."""
    if hasattr(values, "detach"):
        values = values.detach()
    try:
        if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
            array = np.from_dlpack(values)
        else:
            array = np.asarray(values)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        raise InputTypeError(
            f"{name}: {error}; wanted something in this machine's memory"
        ) from None
    if array.dtype.kind not in kinds:
        names = {"f": "floats", "iu": "integers", "biuf": "booleans, integers or floats"}
        raise InputTypeError(f"{name}: got dtype {array.dtype}; wanted {names[kinds]}")
    return array


def cutoff(name: str, k: Any) -> int | None:
    """Check a cutoff."""
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
        raise InputError(f"{name}: got {k!r}; wanted a whole number >= 1 or None")
    return None if k is None else int(k)


def boolean(name: str, value: Any) -> bool:
    """Check a switch."""
    if value is not True and value is not False:
        raise InputError(f"{name}: got {value!r}; wanted True or False")
    return bool(value)
