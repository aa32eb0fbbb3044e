"""`exclude=` of a table that is read in batches: what it says of some users at a time."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from numbers import Integral
from typing import Any

from rankmill.errors import InputError, InputTypeError
from rankmill.inputs_exclude import held, rows_of


class Excluded:
    """A dict {user: collection}, whose users are met batch by batch."""

    def __init__(self, exclude: Any, item: str | None) -> None:
        if not isinstance(exclude, Mapping):
            raise InputTypeError(
                f"exclude: got {type(exclude).__name__} with memory_limit= or per_user=False; "
                "wanted a dict {user: collection}, as the order of the users is not known"
            )
        if item is None:
            raise InputError("exclude: rows have no item ids; wanted item=, the column of them")
        # What can be read only once is kept: a table that mixes users is read twice.
        self._rows = {user: held("exclude", user, ids) for user, ids in exclude.items()}
        self._is_met = not self._rows

    def of(self, users: Sequence[Hashable]) -> list[Any] | None:
        """Return the collection of each user; None where no user has one."""
        if not any(user in self._rows for user in users):
            return None
        self._is_met = True
        return [self._rows.get(user, ()) for user in users]

    def check_met(self) -> None:
        """Refuse a dict none of whose users was met."""
        if not self._is_met:
            rows_of("exclude", self._rows, ())

    def check_items(self, kind: str) -> None:
        """Refuse items that are not of the kind of the table's; batches number users anew."""
        for user, ids in self._rows.items():
            for item in ids:
                if kind == "text":
                    is_right = isinstance(item, str)
                else:
                    is_right = isinstance(item, Integral) and not isinstance(item, bool)
                if not is_right:
                    raise InputTypeError(
                        f"exclude: got item {item!r} for user {user!r}; wanted {kind}, as the "
                        "items of the table are"
                    )
