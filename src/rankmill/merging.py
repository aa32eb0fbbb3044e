"""The results of different users put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankmill.errors import InputError, InputTypeError
from rankmill.inputs import NumpyArray
from rankmill.ranks import join_ids


def merged(parts: Sequence[Any]) -> dict[str, Any]:
    """Return what makes the `Result` of the users of some, in their order."""
    for other in parts[1:]:
        check_alike(parts[0], other)
    return joined(parts) | {"users": merged_users([part.users for part in parts])}


def joined(parts: Sequence[Any]) -> dict[str, Any]:
    """Do so but for the users, of parts that are known to be alike."""
    first = parts[0]
    return {
        "values": np.concatenate([part.values for part in parts], axis=1),
        "metrics": first.metrics,
        "undefined": np.sum([list(part.undefined.values()) for part in parts], axis=0),
        "conventions": first.conventions,
        "ignored": sum(part.ignored for part in parts),
        "weights": None
        if first.weights is None
        else np.concatenate([part.weights for part in parts]),
        "segments": {
            name: join_ids([part.segments[name] for part in parts]) for name in first.segments
        },
        "notes": [note for part in parts for note in part.notes],
        "filled": {
            row: np.packbits(np.concatenate([part.is_undefined(name) for part in parts]))
            for row, name in enumerate(first.names)
            if row in first.filled
        },
    }


def check_alike(first: Any, other: Any) -> None:
    """Refuse a result that was not made as the first one was."""
    if not isinstance(other, type(first)):
        raise InputTypeError(f"other: got {type(other).__name__}; wanted a Result")
    for what, wanted, got in (
        ("metrics", first.names, other.names),
        ("conventions", first.conventions, other.conventions),
        ("user ids", first.users is not None, other.users is not None),
        ("weights", first.weights is not None, other.weights is not None),
        ("segments", tuple(first.segments), tuple(other.segments)),
    ):
        if got != wanted:
            raise InputError(f"other: {what}: got {got}; wanted {wanted}, as in the first result")


def merged_users(ids: list[NumpyArray | None]) -> NumpyArray | None:
    """Join the ids of different users; none where there are none."""
    known = [array for array in ids if array is not None]
    if not known:
        return None
    joined = join_ids(known)
    seen: set[Any] = set()
    for user in joined.tolist():
        if user in seen:
            raise InputError(f"other: user {user!r} is in two results; wanted different users")
        seen.add(user)
    return joined
