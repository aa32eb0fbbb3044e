"""The Ranks of judged documents whose places are known."""

from __future__ import annotations

import numpy as np

from rankmill.compat.trec_ranks import Judgements
from rankmill.inputs import Int64s
from rankmill.judged import UNSEEN
from rankmill.ranks import UNRANKED, Ranks
from rankmill.running import Floats
from rankmill.trec.reading import Rows, starts


def judgements(rows: Rows, level: int) -> Judgements:
    """Return the Ranks of the relevant documents, and what makes those of the other judged."""
    at = np.flatnonzero(~np.isnan(rows.grade))
    owner = np.searchsorted(rows.offsets, at, side="right") - 1
    missed = rows.missed_owner
    ahead = np.concatenate([at - rows.offsets[owner], np.full(len(missed), UNRANKED)])
    owner = np.concatenate([owner, missed])
    grade = np.concatenate([rows.grade[at], rows.missed_grade])

    def others() -> Ranks:
        kinds = np.where(grade < 0, UNSEEN, 1.0)
        return _ranks(rows.lengths, owner, ahead, np.where(grade < level, kinds, 0.0))

    return Judgements(level, _ranks(rows.lengths, owner, ahead, grade), others)


def _ranks(candidates: Int64s, owner: Int64s, ahead: Int64s, grade: Floats) -> Ranks:
    """Keep the documents of a grade above 0; no two tie."""
    kept = np.flatnonzero(grade > 0)
    entries = kept[np.lexsort((-grade[kept], ahead[kept], owner[kept]))]
    places = ahead[entries].astype(np.int32)
    return Ranks(
        offsets=starts(np.bincount(owner[entries], minlength=len(candidates))),
        ahead=places,
        tied=(places != UNRANKED).astype(np.int32),
        position=None,
        grade=grade[entries],
        candidates=candidates,
        complete=False,
    )
