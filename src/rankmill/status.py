"""What the C engine's status codes mean: one exception and one sentence per code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from rankmill.errors import InputError, OutOfMemoryError, RankmillError

#: Makes the exception of a status from (code, row, column, value).
Explain: TypeAlias = Callable[[int, int, int, float], RankmillError]

_MOST_CANDIDATES: Final = 2**31 - 2

# One row per rm_code from 1 on, in its order. {where} is a place in the scores, {user} a user,
# {item} an item id and {value} a number from the data.
MESSAGES: Final[tuple[tuple[type[RankmillError], str], ...]] = (
    (InputError, "scores: NaN at {where}; wanted a number (infinities are fine)"),
    (InputError, "{relevance}: {value} at {where}; wanted a finite grade"),
    (InputError, "exclude: {value} at {where}; wanted a finite number, or no number at all"),
    (InputError, "weights: {value} at {where}; wanted a finite number >= 0"),
    (
        InputError,
        "gain: grade {value} of {user} has a gain that is not finite; wanted a smaller grade "
        "or gain='linear'",
    ),
    (InputError, "gain: grade {value} of {user} is not in the table; wanted every grade > 0 there"),
    (
        InputError,
        "gain: the gains of {user} add up to infinity; wanted smaller grades or gain='linear'",
    ),
    (InputError, "offsets: got {value} at 0; wanted 0 at the start"),
    (InputError, "offsets: falls to {value} at {next_row}; wanted offsets that do not decrease"),
    (InputError, "offsets: ends at {value} (index {row}); wanted the number of rows"),
    (
        InputError,
        "{argument}: item {item} of {user} is outside the matrix; wanted one of its columns",
    ),
    (
        InputError,
        "exclude: item {item} of {user} is outside the matrix; wanted one of its columns",
    ),
    (
        InputError,
        "sparse rows: item {item} of {user} is out of order or stored twice; wanted "
        "increasing indices in each row",
    ),
    (
        InputError,
        "recommended: item {item} stands twice in the list of {user}; wanted distinct items",
    ),
    (
        InputError,
        "recommended: the list of {user} goes on at place {item} after padding at {value}; wanted "
        "negative ids at the end only",
    ),
    (InputError, "{user} has {value} candidates; wanted at most " + str(_MOST_CANDIDATES)),
    (
        InputError,
        "ideal='retrieved' with ties='average': the tie at the cutoff of {user} has too many "
        "ways to fill the places left; wanted ties='worst', 'best' or 'input_order' there",
    ),
    (
        InputError,
        "iprec: scores of {user} tie, and ties='average' has no formula for it; wanted "
        "ties='worst', 'best', 'input_order' or 'id_descending'",
    ),
    (
        InputError,
        "err: grade {value} of {user} is above max_grade; wanted err(max_grade=...) at least "
        "the greatest grade",
    ),
    (InputError, "groups: the rows of {user} are not together; wanted grouped rows"),
    (
        InputError,
        "groups: more than " + str(_MOST_CANDIDATES) + " users; wanted parts and Ranks.concat",
    ),
    (
        InputError,
        "the arrays changed while they were read ({user}); wanted arrays that stay as they are",
    ),
    (
        InputError,
        "ranks: entries of {user} are negative or out of order; wanted Ranks as rank made",
    ),
    (InputError, "{where}: got {value} columns; wanted 6 in a run, 4 in qrels"),
    (
        InputError,
        "{where}: document {item} stands twice in query {user}; wanted it once",
    ),
    (OutOfMemoryError, "the engine is short of memory; nothing was computed"),
    (RankmillError, "interrupted"),
)


def explainer(
    *,
    user: Callable[[int], str] = "user row {}".format,
    where: Callable[[int, int], str] = "user row {}, column {}".format,
    item: Callable[[int, int], object] = lambda _user, item: item,
    argument: str = "relevance",
    relevance: str = "relevance",
) -> Explain:
    """Make the function that turns a status into its exception.

    Parameters
    ----------
    user, where : callable
        Name a user, and a place in a user's row, as the caller knows them.
    item : callable
        Name an item id of a user.
    argument, relevance : str
        The arguments that hold the item ids, and the grades.
    """

    def explain(code: int, row: int, column: int, value: float) -> RankmillError:
        kind, text = MESSAGES[code - 1]
        return kind(
            text.format(
                user=user(row),
                where=where(row, column) if column >= 0 else user(row),
                item=item(row, column),
                argument=argument,
                relevance=relevance,
                value=int(value)
                if value == value and abs(value) < 2**53 and value == int(value)
                else value,
                row=row,
                next_row=row + 1,
            )
        )

    return explain
