"""Qrels and Run of `rankmill.compat.ranx`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rankmill.compat.ranx_collection import Collection, kind_of, load_pandas
from rankmill.running import Floats


class Qrels(Collection[int]):
    """Relevance judgements: whole numbers, relevant from 1 on.

    Examples
    --------
    >>> qrels = Qrels({"q1": {"d1": 2}})
    >>> qrels.add_score("q1", "d2", 1)
    >>> qrels["q1"]
    {'d1': 2, 'd2': 1}
    """

    _what = "integers"
    _kind = "i"
    _columns = (4, 3)

    def __init__(
        self, qrels: Mapping[str, Mapping[str, int]] | None = None, name: str | None = None
    ) -> None:
        super().__init__(qrels, name)

    @staticmethod
    def _number(value: Any) -> int:
        return int(value)

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The judgements."""
        return self.data

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Make `rel_lvl` the least relevant grade, by subtraction."""
        self.data = {
            query: {document: grade - (rel_lvl - 1) for document, grade in documents.items()}
            for query, documents in self.data.items()
        }

    def _lines(self, query: str) -> Iterable[str]:
        return [f"{query} 0 {document} {grade}" for document, grade in self.data[query].items()]

    @staticmethod
    def from_dict(d: Mapping[str, Mapping[str, int]]) -> Qrels:
        """Make Qrels of {query: {document: grade}}."""
        return Qrels(d)

    @staticmethod
    def from_file(path: str, kind: str | None = None) -> Qrels:
        """Read a "json", "trec", "gz" (TREC, compressed) or "parquet" file."""
        if kind_of(path, kind) == "parquet":
            return Qrels.from_parquet(path)
        return Qrels(Qrels._read_file(path, kind)[0])

    @staticmethod
    def from_df(
        df: Any, q_id_col: str = "q_id", doc_id_col: str = "doc_id", score_col: str = "score"
    ) -> Qrels:
        """Make Qrels of a data frame with whole numbers as scores."""
        return Qrels._from_frame(df, q_id_col, doc_id_col, score_col)

    @staticmethod
    def from_parquet(
        path: str,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: dict[str, Any] | None = None,
    ) -> Qrels:
        """Read a Parquet file by pandas."""
        frame = load_pandas().read_parquet(path, **(pd_kwargs or {}))
        return Qrels.from_df(frame, q_id_col, doc_id_col, score_col)


class Run(Collection[float]):
    """Scores of retrieved documents, and the results of `evaluate`.

    Examples
    --------
    >>> run = Run({"q1": {"d1": 0.5, "d2": 0.9}}, name="mine")
    >>> run.sort()
    >>> run
    Run({'q1': {'d2': 0.9, 'd1': 0.5}})
    """

    _what = "floats"
    _kind = "f"
    _columns = (6, 4)

    def __init__(
        self, run: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None
    ) -> None:
        super().__init__(run, name)
        self.metadata: dict[str, Any] = {}
        self.scores: dict[str, dict[str, float]] = {}
        self.mean_scores: dict[str, float] = {}
        self.std_scores: dict[str, float] = {}

    @staticmethod
    def _number(value: Any) -> float:
        return float(value)

    @property
    def run(self) -> dict[str, dict[str, float]]:
        """The scores of documents."""
        return self.data

    def make_comparable(self, qrels: Qrels) -> Run:
        """Give queries of qrels that lack here empty results, and drop all others."""
        self.data = {query: self.data.get(query, {}) for query in qrels.data}
        return self

    def keep(self, values: Mapping[str, Floats], queries: list[str], *, with_std: bool) -> None:
        """Remember what `evaluate` found."""
        for metric, scores in values.items():
            self.scores[metric] = dict(zip(queries, scores.tolist(), strict=True))
            self.mean_scores[metric] = float(np.mean(scores))
            if with_std:
                self.std_scores[metric] = float(np.std(scores))

    def _lines(self, query: str) -> Iterable[str]:
        pairs = sorted(self.data[query].items(), key=lambda pair: -pair[1])
        return [
            f"{query} Q0 {document} {rank} {score} {self.name}"
            for rank, (document, score) in enumerate(pairs, start=1)
        ]

    @staticmethod
    def from_dict(d: Mapping[str, Mapping[str, float]], name: str | None = None) -> Run:
        """Make a Run of {query: {document: score}}."""
        return Run(d, name)

    @staticmethod
    def from_file(path: str, kind: str | None = None, name: str | None = None) -> Run:
        """Read a "json", "trec", "gz" (TREC, compressed) or "parquet" file."""
        if kind_of(path, kind) == "parquet":
            return Run.from_parquet(path, name=name)
        data, found = Run._read_file(path, kind)
        return Run(data, name or found)

    @staticmethod
    def from_df(
        df: Any,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Run:
        """Make a Run of a data frame with floats as scores."""
        made = Run._from_frame(df, q_id_col, doc_id_col, score_col)
        made.name = name
        return made

    @staticmethod
    def from_parquet(
        path: str,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: dict[str, Any] | None = None,
        name: str | None = None,
    ) -> Run:
        """Read a Parquet file by pandas."""
        frame = load_pandas().read_parquet(path, **(pd_kwargs or {}))
        return Run.from_df(frame, q_id_col, doc_id_col, score_col, name)
