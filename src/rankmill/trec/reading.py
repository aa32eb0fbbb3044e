"""Two TREC files as the documents of each query, in trec_eval's order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from rankmill._engine import TrecRows, join_trec
from rankmill.errors import InputError, RankmillError
from rankmill.inputs import Int64s
from rankmill.running import Floats
from rankmill.status import Explain, explainer
from rankmill.threads import make_run
from rankmill.trec.lines import QRELS, RUN, Lines, name_of, read_lines, shown


@dataclass(frozen=True)
class Rows:
    """The documents of all queries, ascending by query; those retrieved best first.

    Attributes
    ----------
    queries : list of str
        Their names.
    offsets : int64 (queries + 1,)
        Where the retrieved documents of each start.
    grade : float64 (retrieved,)
        NaN where there is no judgement; below 0 where a document was pooled and not judged.
    missed_owner : int64 (missed,)
        The query of each document that was judged and not retrieved.
    missed_grade : float64 (missed,)
        Its grade.
    run_id : str
        The name in the run's last column.
    """

    queries: list[str]
    offsets: Int64s
    grade: Floats
    missed_owner: Int64s
    missed_grade: Floats
    run_id: str

    @property
    def lengths(self) -> Int64s:
        """Retrieved documents of each query."""
        return np.diff(self.offsets)

    @cached_property
    def owner(self) -> Int64s:
        """The query of each retrieved document."""
        return np.repeat(np.arange(len(self.queries)), self.lengths)

    @cached_property
    def place(self) -> Int64s:
        """The place of each retrieved document in its query, from 0."""
        return places(self.offsets)

    def cut(self, depth: int) -> Rows:
        """Take documents behind the first places as not retrieved."""
        kept = self.place < depth
        missed = ~kept & ~np.isnan(self.grade)
        return replace(
            self,
            offsets=starts(np.minimum(self.lengths, depth)),
            grade=self.grade[kept],
            missed_owner=np.concatenate([self.missed_owner, self.owner[missed]]),
            missed_grade=np.concatenate([self.missed_grade, self.grade[missed]]),
        )


def read(qrels: Path, run: Path, *, complete: bool, n_threads: int | None) -> Rows:
    """Read both files; queries of both, or with `complete` all of the qrels."""
    engine = make_run(n_threads, None)
    judged = _Blocks(read_lines(qrels, QRELS, engine))
    retrieved = _Blocks(read_lines(run, RUN, engine))
    names = set(judged.queries)
    common = names & set(retrieved.queries)
    if not common:
        raise InputError(f"{run}: no query of it is in {qrels}; wanted at least one")
    queries = sorted(names if complete else common)
    codes = {query: code for code, query in enumerate(queries)}
    ours, theirs = retrieved.of(codes), judged.of(codes)
    grade, missed = np.empty(ours.offsets[-1]), np.empty(theirs.offsets[-1])
    explain = _explain(queries, (ours, theirs))
    join_trec(ours.held, theirs.held, len(queries), engine, grade, missed, explain)
    is_missed = ~np.isnan(missed)
    owner = np.repeat(np.arange(len(queries)), np.diff(theirs.offsets))
    return Rows(
        [name_of(query, qrels) for query in queries],
        ours.offsets,
        grade,
        owner[is_missed],
        missed[is_missed],
        name_of(retrieved.lines.words(-1)[-1], run),  # of the last line, as trec_eval takes it
    )


def starts(lengths: Int64s) -> Int64s:
    """Return where parts of these lengths start, and where the last ends."""
    return np.concatenate([[0], np.cumsum(lengths)])


def places(offsets: Int64s) -> Int64s:
    """Return the place of each element in its part, from 0."""
    return np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))


@dataclass(frozen=True)
class _ByQuery:
    """The lines of some queries, those of a query together."""

    lines: Lines
    offsets: Int64s
    held: TrecRows


class _Blocks:
    """Lines that follow each other and are of one query."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self._starts = np.flatnonzero(lines.is_new)
        self._lengths = np.diff(self._starts, append=len(lines.is_new))
        self.queries = lines.queries(self._starts.tolist())

    def of(self, codes: Mapping[bytes, int]) -> _ByQuery:
        """Return the lines of the queries that have a code, by code."""
        lines = self.lines
        code = np.array([codes.get(query, -1) for query in self.queries], dtype=np.int64)
        sizes = np.bincount(code + 1, weights=self._lengths, minlength=len(codes) + 1)[1:]
        offsets = starts(sizes.astype(np.int64))
        rows = None
        if code[0] < 0 or (np.diff(code) < 0).any():
            chosen = np.argsort(code, kind="stable")[np.count_nonzero(code < 0) :]
            lengths = self._lengths[chosen]
            rows = np.repeat(self._starts[chosen], lengths) + places(starts(lengths))
        held = TrecRows(lines.held, lines.document, lines.length, lines.value, offsets, rows)
        return _ByQuery(lines, offsets, held)


def _explain(queries: Sequence[bytes], parts: Sequence[_ByQuery]) -> Explain:
    """Name the file by the status's value, the query, and the line."""

    def explain(code: int, query: int, line: int, part: float) -> RankmillError:
        lines = parts[int(part == 1)].lines
        sentence = explainer(
            user=lambda query: shown(queries[query]),
            where=lambda _query, line: lines.place(line),
            item=lambda _query, line: shown(lines.words(line)[2]),
        )
        return sentence(code, query, line, part)

    return explain
