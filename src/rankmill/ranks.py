"""`Ranks`: where each user's relevant items landed, all that any metric needs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from rankmill._engine import Entries, check_offsets
from rankmill.errors import InputError, InputTypeError
from rankmill.status import explainer
from rankmill.storage import loaded_objects, read_arrays, stored_objects, write_arrays

#: `Ranks.ahead` of a relevant item that was no candidate.
UNRANKED: Final = 2**31 - 1

Order = Literal["input_order", "id_descending"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Ranks:
    """Where the relevant items of each user landed; made by `rank` and `rank_lists`.

    The entries of user u are ``offsets[u]:offsets[u + 1]``, sorted by `ahead`, then grade
    descending, then `position`. Ranks of parts of the users join with `concat`.

    Attributes
    ----------
    offsets : int64 (users + 1,)
        Each user's slice of the entries.
    ahead : int32 (entries,)
        Candidates with a strictly higher score; `UNRANKED` if the item was no candidate.
    tied : int32 (entries,)
        Candidates with exactly the same score, itself included; 0 if it was no candidate.
    position : int32 (entries,) or None
        0-based place with ties settled by `order`.
    grade : float64 (entries,)
        The relevance grade, > 0.
    candidates : int64 (users,)
        Candidates after exclusion.
    users : array (users,) or None
        The users' ids, where they were given.
    order : {"input_order", "id_descending"} or None
        What `position` was settled by.
    complete : bool
        False if only part of the candidates is known (`rank_lists`, ``min_score=``), so that AUC
        has no meaning.
    ignored : int
        Users that had a list but no entry among the relevant, and were left out.
    """

    offsets: npt.NDArray[np.int64]
    ahead: npt.NDArray[np.int32]
    tied: npt.NDArray[np.int32]
    position: npt.NDArray[np.int32] | None
    grade: npt.NDArray[np.float64]
    candidates: npt.NDArray[np.int64]
    users: npt.NDArray[Any] | None = None
    order: Order | None = None
    complete: bool = True
    ignored: int = 0

    @property
    def n_users(self) -> int:
        """Number of users."""
        return len(self.candidates)

    @property
    def nbytes(self) -> int:
        """Memory of the arrays but for the ids: 16 bytes per entry (20 with places) and user."""
        arrays = (self.offsets, self.ahead, self.tied, self.position, self.grade, self.candidates)
        return sum(array.nbytes for array in arrays if array is not None)

    def __len__(self) -> int:
        return self.n_users

    def __repr__(self) -> str:
        return f"Ranks(users={self.n_users}, relevant={len(self.ahead)}, order={self.order!r})"

    def entries(self) -> Entries:
        """Return the arrays as the engine takes them; edited ones may be refused."""
        self._check()
        return Entries(
            self.offsets, self.ahead, self.tied, self.position, self.grade, self.candidates
        )

    def _check(self) -> None:
        n = len(self.ahead)
        wanted = {"ahead": np.int32, "tied": np.int32, "grade": np.float64}
        if self.position is not None:
            wanted["position"] = np.int32
        for name, dtype in wanted.items():
            array = getattr(self, name)
            if array.dtype != dtype or array.shape != (n,) or not array.flags.c_contiguous:
                raise InputError(f"Ranks.{name}: wanted {n} contiguous values of {np.dtype(dtype)}")
        users = len(self.candidates)
        if len(self.offsets) != users + 1 or users == 0:
            raise InputError(f"Ranks.offsets: got {len(self.offsets)}; wanted {users} users + 1")
        check_offsets(self.offsets, n, explainer())

    def part(self, first: int, end: int) -> Ranks:
        """Return the Ranks of the users from row `first` up to `end`, which share memory."""
        bounds = self.offsets[first : end + 1]
        entries = slice(bounds[0], bounds[-1])
        return replace(
            self,
            offsets=bounds - bounds[0],
            ahead=self.ahead[entries],
            tied=self.tied[entries],
            position=None if self.position is None else self.position[entries],
            grade=self.grade[entries],
            candidates=self.candidates[first:end],
            users=None if self.users is None else self.users[first:end],
        )

    @staticmethod
    def concat(parts: Sequence[Ranks]) -> Ranks:
        """Join Ranks of different users, in the order given.

        Raises
        ------
        InputError
            If there are no parts, or they were ranked under different `order`, or only some have
            user ids.

        Examples
        --------
        >>> import rankmill as rm
        >>> a = rm.rank([[3, 2, 1]], [[0, 1, 0]])
        >>> b = rm.rank([[1, 2]], [[0, 1]])
        >>> rm.measure(rm.Ranks.concat([a, b]), "mrr")["mrr"]
        array([0.5, 1. ])
        """
        if isinstance(parts, Ranks) or not isinstance(parts, Iterable):
            raise InputTypeError(f"parts: got {type(parts).__name__}; wanted a list of Ranks")
        parts = list(parts)
        if not parts:
            raise InputError("parts: got none; wanted at least one Ranks")
        for part in parts:
            if not isinstance(part, Ranks):
                raise InputTypeError(f"parts: got {type(part).__name__}; wanted Ranks")
        if len({part.order for part in parts}) > 1:
            found = sorted({str(part.order) for part in parts})
            raise InputError(f"parts: got Ranks of order {', '.join(found)}; wanted one order")
        if len({part.users is None for part in parts}) > 1:
            raise InputError("parts: only some have user ids; wanted all or none")
        shifts = np.cumsum([0] + [len(part.ahead) for part in parts])
        offsets = [part.offsets[:-1] + shift for part, shift in zip(parts, shifts, strict=False)]
        positions = [part.position for part in parts if part.position is not None]
        users = [part.users for part in parts if part.users is not None]
        return Ranks(
            offsets=np.concatenate([*offsets, shifts[-1:]]).astype(np.int64, copy=False),
            ahead=np.concatenate([part.ahead for part in parts]),
            tied=np.concatenate([part.tied for part in parts]),
            position=np.concatenate(positions) if positions else None,
            grade=np.concatenate([part.grade for part in parts]),
            candidates=np.concatenate([part.candidates for part in parts]),
            users=join_ids(users) if users else None,
            order=parts[0].order,
            complete=all(part.complete for part in parts),
            ignored=sum(part.ignored for part in parts),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to one file, which appears under its name when it is whole.

        Ids that are Python objects must be integers or text.

        Examples
        --------
        >>> import tempfile, rankmill as rm
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     rm.rank([[3, 2, 1]], [[0, 1, 0]]).save(file.name)
        ...     rm.Ranks.load(file.name)
        Ranks(users=1, relevant=1, order=None)
        """
        arrays = {name: getattr(self, name) for name in _STORED}
        arrays = {name: array for name, array in arrays.items() if array is not None}
        facts = {name: getattr(self, name) for name in ("order", "complete", "ignored")}
        if self.users is not None and self.users.dtype == object:
            arrays["users"] = stored_objects("users", self.users)
            facts["users"] = "objects"
        elif self.users is not None:
            arrays["users"] = self.users
        write_arrays(path, _STORED_AS, arrays, facts)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, mmap: bool = True) -> Ranks:
        """Return the Ranks of a file of `save`.

        Parameters
        ----------
        path : str or path
            The file.
        mmap : bool
            Map the file instead of reading it: nothing is read before it is needed, and processes
            share it. The file must stay as it is; what is written to the arrays stays in memory.

        Raises
        ------
        InputError
            If the file is of another program, kind or version, or not whole.
        OSError
            If it cannot be read.
        """
        arrays, facts = read_arrays(path, _STORED_AS, mmap=mmap)
        if facts.pop("users", None) == "objects":
            arrays["users"] = loaded_objects(arrays["users"])
        ranks = cls(**{"position": None, **arrays, **facts})
        ranks._check()
        return ranks


_STORED: Final = ("offsets", "ahead", "tied", "position", "grade", "candidates")
_STORED_AS: Final = "Ranks"


def join_ids(ids: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Join ids without making those of different types one type."""
    if len({array.dtype.kind for array in ids}) > 1:
        ids = [array.astype(object) for array in ids]
    return np.concatenate(ids)


def with_missed(ranks: Ranks, missed: Sequence[Sequence[float]]) -> Ranks:
    """Add relevant items that were no candidates: the grades of each user, descending."""
    counts = np.array([len(grades) for grades in missed], dtype=np.int64)
    grades = np.array([grade for user in missed for grade in user], dtype=np.float64)
    return add_missed(ranks, counts, grades)


def add_missed(
    ranks: Ranks, counts: npt.NDArray[np.int64], grades: npt.NDArray[np.float64]
) -> Ranks:
    """Do so with the number of each user's, and their grades end to end."""
    at = np.repeat(ranks.offsets[1:], counts)
    offsets = ranks.offsets + np.concatenate([[0], np.cumsum(counts)])
    position = ranks.position
    return replace(
        ranks,
        offsets=offsets,
        ahead=np.insert(ranks.ahead, at, UNRANKED),
        tied=np.insert(ranks.tied, at, 0),
        position=None if position is None else np.insert(position, at, UNRANKED),
        grade=np.insert(ranks.grade, at, grades),
        complete=ranks.complete and len(grades) == 0,
    )


def empty_ranks(
    counts: npt.NDArray[np.int64],
    order: Order | None,
    *,
    candidates: npt.NDArray[np.int64] | None = None,
    **extra: Any,
) -> Ranks:
    """Return Ranks with room for entries, to be filled by the engine.

    counts holds a zero and the entries of each user; it becomes the offsets.
    """
    offsets = np.cumsum(counts, out=counts)
    n = int(offsets[-1])
    if candidates is None:
        candidates = np.empty(len(offsets) - 1, dtype=np.int64)
    return Ranks(
        offsets=offsets,
        ahead=np.empty(n, dtype=np.int32),
        tied=np.empty(n, dtype=np.int32),
        position=np.empty(n, dtype=np.int32) if order else None,
        grade=np.empty(n, dtype=np.float64),
        candidates=candidates,
        order=order,
        **extra,
    )
