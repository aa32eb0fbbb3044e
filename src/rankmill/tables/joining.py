"""Reads the tables of `evaluate_runs`: opens, checks and joins them, and says what it noticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from rankmill._engine import Run
from rankmill.errors import InputError
from rankmill.inputs import NumpyArray
from rankmill.notes import Note
from rankmill.ranks import UNRANKED, Order, Ranks
from rankmill.running import Floats
from rankmill.tables.attributes import attribute_table, read_attributes
from rankmill.tables.events import add_earlier, add_grades, add_truth, leakage
from rankmill.tables.landing import Landing, number_users
from rankmill.tables.pairs import Table, check_same_ids

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_BEFORE: Final = "before"
_SHOWN: Final = 3


@dataclass(frozen=True, kw_only=True)
class Request:
    """The arguments of `evaluate_runs`."""

    run: Any
    truth: Any
    exclude: Any
    users: Any
    ids: dict[str, str]
    score: str
    grade: str | None
    grades: Any
    event: str
    after: Any
    time: str | None
    weight: str | None
    segment: str | Sequence[str] | None

    def check(self) -> None:
        """Refuse what does not go together."""
        if self.grade is not None and self.grades is not None:
            raise InputError(
                f"grade, grades: got column {self.grade!r} and grades of events; wanted one of them"
            )
        if self.excludes_earlier and self.after is None:
            raise InputError("exclude: got 'before'; wanted after=, the time that parts the truth")

    @property
    def excludes_earlier(self) -> bool:
        """Whether the truth itself says what to exclude."""
        return isinstance(self.exclude, str) and self.exclude == _BEFORE

    @property
    def times(self) -> dict[str, str]:
        """The column of the times, if it is needed."""
        if self.after is None and self.time is None:
            return {}
        return {"time": self.time or "time"}

    @property
    def is_log(self) -> bool:
        """Whether pairs may repeat."""
        return self.grades is not None or bool(self.times)


@dataclass(frozen=True)
class Read:
    """What is left of the tables."""

    ranks: Ranks
    weights: Floats | None
    segments: dict[str, NumpyArray]
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class Reading:
    """Reads the tables of a request over one connection."""

    connection: DuckDBPyConnection
    request: Request
    order: Order | None
    engine: Run

    def read(self) -> Read:
        """Join the tables and rank what comes of it."""
        run, truth = self._run(), self._truth()
        exclude, people = self._exclude(), self._people()
        check_same_ids([t for t in (truth, run, exclude, people) if t is not None])
        leaks = self._prepare(truth, exclude)
        ids = number_users(self.connection)
        for table in (run, exclude):
            if table is not None:
                _check_users(table)
        excludes = self.request.excludes_earlier or (exclude is not None and exclude.n_rows > 0)
        ranks = Landing(self.connection, run, ids, excludes, self.order).ranks(self.engine)
        weights, segments = (None, {}) if people is None else read_attributes(people)
        # Where every row is a candidate there is nobody to look for.
        ignored = None if ranks.candidates.sum() == run.n_rows else _ignored(run)
        notes = [note for note in (leaks, _no_match(ranks, run, truth), ignored) if note]
        if ignored:
            ranks = replace(ranks, ignored=int(ignored.figures["users"]))
        return Read(ranks, weights, segments, tuple(notes))

    def _run(self) -> Table:
        request = self.request
        run = Table.of(self.connection, "run", request.run, request.ids | {"score": request.score})
        if run.n_rows:
            run.check_distinct("user", "item")
        return run

    def _truth(self) -> Table:
        request = self.request
        columns, optional = request.ids | request.times, []
        if request.grades is not None:
            columns["event"] = request.event
        else:
            columns["grade"] = request.grade or "grade"
            optional = [] if request.grade else ["grade"]
        truth = Table.of(self.connection, "truth", request.truth, columns, optional)
        if not truth.n_rows:
            raise InputError("truth: got no rows; wanted at least one")
        return truth

    def _exclude(self) -> Table | None:
        request = self.request
        if request.exclude is None or request.excludes_earlier:
            return None
        columns = request.ids | request.times
        exclude = Table.of(self.connection, "exclude", request.exclude, columns, ["time"])
        if not request.is_log:
            exclude.check_distinct("user", "item")
        return exclude

    def _people(self) -> Table | None:
        request = self.request
        return attribute_table(
            self.connection, request.users, request.ids["user"], request.weight, request.segment
        )

    def _prepare(self, truth: Table, exclude: Table | None) -> Note | None:
        """Make the views of pairs that are joined; note leakage."""
        request = self.request
        if request.grades is not None:
            add_grades(self.connection, truth, request.grades)
        add_truth(self.connection, truth, by_event=request.grades is not None, after=request.after)
        if request.excludes_earlier:
            add_earlier(self.connection)
        if exclude is None:
            return None
        self.connection.execute(
            f'CREATE TEMP VIEW exclude_pairs AS SELECT "user", item FROM {exclude.view}'
        )
        if exclude.n_rows and "time" in exclude.types:
            return leakage(self.connection, truth, exclude)
        return None


def _check_users(table: Table) -> None:
    """Refuse a table that has rows and no user in common with the truth."""
    if not table.n_rows:
        return
    found = table.connection.execute(
        f'SELECT 1 FROM {table.view} SEMI JOIN numbered ON "user" = id LIMIT 1'
    ).fetchone()
    if found is None:
        known = table.connection.execute("SELECT id FROM numbered LIMIT 1").fetchall()[0][0]
        raise InputError(
            f"{table.name}: none of its users, such as {table.example('user')!r}, is in truth, "
            f"with users such as {known!r}; wanted users in common"
        )


def _ignored(run: Table) -> Note | None:
    """Note users of the run who are not in the truth."""
    strangers = f'(SELECT DISTINCT "user" FROM {run.view} ANTI JOIN numbered ON "user" = id)'
    count = run.connection.execute(f"SELECT count(*) FROM {strangers}").fetchall()[0][0]
    if not count:
        return None
    found = run.connection.execute(f'FROM {strangers} ORDER BY "user" LIMIT {_SHOWN}').fetchall()
    names = [name for (name,) in found]
    shown = ", ".join(map(repr, names))
    if count == 1:
        text = f"user {shown} of the run is not in truth, and was left out"
    else:
        such = ": " if count == len(names) else ", such as "
        text = f"{count} users of the run are not in truth, and were left out{such}{shown}"
    return Note("ignored", text, {"users": count}, tuple(names))


def _no_match(ranks: Ranks, run: Table, truth: Table) -> Note | None:
    """Note that no relevant item is a candidate, as ids that are spelled differently would do."""
    if not run.n_rows or not len(ranks.ahead) or (ranks.ahead != UNRANKED).any():
        return None
    ours, theirs = run.example("item"), truth.example("item")
    text = (
        "no relevant item is among the candidates of its user; the run has items such as "
        f"{ours!r}, truth such as {theirs!r}"
    )
    return Note("no match", text, {"relevant": len(ranks.ahead)}, (ours, theirs))
