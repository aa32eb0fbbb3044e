"""What Qrels and Run of `rankmill.compat.ranx` have in common: {query: {document: value}}."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, KeysView, Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from rankmill.errors import InputError, MissingDependencyError

_Number = TypeVar("_Number", int, float)


class Collection(Generic[_Number]):
    """Values of documents for queries."""

    _what: ClassVar[str]
    _kind: ClassVar[str]  # of a data frame's scores
    _columns: ClassVar[tuple[int, int]]  # of a TREC file: how many, and which is the value

    def __init__(
        self, data: Mapping[str, Mapping[str, Any]] | None = None, name: str | None = None
    ) -> None:
        number = self._number
        self.data: dict[str, dict[str, _Number]] = {
            query: {document: number(value) for document, value in documents.items()}
            for query, documents in (data or {}).items()
        }
        self.name = name

    @staticmethod
    def _number(value: Any) -> Any:
        """Make a value what it is kept as."""
        raise NotImplementedError

    def keys(self) -> KeysView[str]:
        """Return the queries."""
        return self.data.keys()

    def get_query_ids(self) -> list[str]:
        """Return the queries, ascending."""
        return sorted(self.data)

    def get_doc_ids_and_scores(self) -> list[dict[str, _Number]]:
        """Return {document: value} of each query, by ascending query."""
        return [dict(self.data[query]) for query in sorted(self.data)]

    def add_score(self, q_id: str, doc_id: str, score: Any) -> None:
        """Set the value of one document."""
        self.data.setdefault(q_id, {})[doc_id] = self._number(score)

    def add(self, q_id: str, doc_ids: list[str], scores: list[Any]) -> None:
        """Set all documents of a query."""
        self.add_multi([q_id], [doc_ids], [scores])

    def add_multi(
        self, q_ids: list[str], doc_ids: list[list[str]], scores: list[list[Any]]
    ) -> None:
        """Set all documents of some queries."""
        for query, documents, values in zip(q_ids, doc_ids, scores, strict=True):
            pairs = zip(documents, map(self._number, values), strict=True)
            self.data[query] = dict(pairs)

    def sort(self) -> None:
        """Bring queries in order, and the documents of each by value, descending."""
        self.data = {
            query: dict(sorted(self.data[query].items(), key=lambda pair: -pair[1]))
            for query in sorted(self.data)
        }

    def to_dict(self) -> dict[str, dict[str, _Number]]:
        """Return a copy as plain dicts."""
        return {query: dict(documents) for query, documents in self.data.items()}

    def to_dataframe(self) -> Any:
        """Return a pandas data frame of q_id, doc_id and score."""
        rows = [
            (query, document, value)
            for query, documents in self.data.items()
            for document, value in documents.items()
        ]
        return load_pandas().DataFrame(rows, columns=["q_id", "doc_id", "score"])

    def size(self) -> int:
        """Return the number of queries."""
        return len(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, q_id: str) -> dict[str, _Number]:
        """Return {document: value} of a query."""
        return dict(self.data[q_id])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.data!r})"

    def save(self, path: str, kind: str | None = None) -> None:
        """Write a "json", "trec" or "parquet" file."""
        kind = kind_of(path, kind)
        if kind == "json":
            Path(path).write_text(json.dumps(self.data, indent=2), encoding="utf-8")
        elif kind == "parquet":
            self.to_dataframe().to_parquet(path, index=False)
        else:
            lines = [line for query in self.data for line in self._lines(query)]
            Path(path).write_text("\n".join(lines), encoding="utf-8")

    def _lines(self, query: str) -> Iterable[str]:
        """Return the lines of a TREC file."""
        raise NotImplementedError

    @classmethod
    def _read_file(cls, path: str, kind: str | None) -> tuple[dict[str, Any], str | None]:
        """Return what a file holds, and the name in its last column."""
        kind = kind_of(path, kind)
        if kind == "json":
            found: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
            return found, None
        opener: Any = gzip.open if kind == "gz" else open
        data: dict[str, dict[str, Any]] = {}
        name = None
        with opener(path, "rt", encoding="utf-8") as lines:
            for row, line in enumerate(lines, start=1):
                words = line.split()
                width, at = cls._columns
                if len(words) != width:
                    raise InputError(
                        f"{path}, line {row}: got {len(words)} columns; wanted {width}"
                    )
                try:
                    data.setdefault(words[0], {})[words[2]] = cls._number(words[at])
                except ValueError:
                    raise InputError(
                        f"{path}, line {row}: got {words[at]!r}; wanted a number"
                    ) from None
                name = name or words[-1]
        return data, name

    @classmethod
    def _from_frame(cls, frame: Any, q_id_col: str, doc_id_col: str, score_col: str) -> Self:
        for column in (q_id_col, doc_id_col, score_col):
            if column not in frame:
                raise InputError(f"df: no column {column!r}; it has {', '.join(map(str, frame))}")
        if frame[score_col].dtype.kind != cls._kind:
            raise InputError(
                f"df: column {score_col!r} is {frame[score_col].dtype}; wanted {cls._what}"
            )
        made = cls()
        columns = (frame[column].tolist() for column in (q_id_col, doc_id_col, score_col))
        for query, document, value in zip(*columns, strict=True):
            if not (isinstance(query, str) and isinstance(document, str)):
                raise InputError(f"df: got ids {query!r} and {document!r}; wanted text")
            made.data.setdefault(query, {})[document] = value
        return made


def kind_of(path: str, kind: str | None) -> str:
    """Return the kind of a file, by its ending unless it is given."""
    ending = Path(path).suffix[1:] if kind is None else kind
    found = {"txt": "trec", "parq": "parquet"}.get(ending, ending)
    if found not in ("json", "trec", "gz", "parquet"):
        raise InputError(f"kind: got {found!r} for {path}; wanted json, trec, gz or parquet")
    return found


def load_pandas() -> Any:
    """Import pandas, which the core does without."""
    try:
        import pandas
    except ImportError:
        raise MissingDependencyError(
            "data frames need pandas; install it: pip install pandas pyarrow"
        ) from None
    return pandas
