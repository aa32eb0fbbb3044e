"""The measures that are asked for, with their parameters, as trec_eval's command line has them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rankmill.compat.trec_measures import NICKNAMES, SUPPORTED
from rankmill.conventions import did_you_mean
from rankmill.errors import InputTypeError, MetricError

#: What trec_eval prints, in its order: names without parameters.
_ORDER: Final = tuple(
    """
    runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P
    relstring recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G dcg ideal_dcg ndcg ndcg_rel
    Rndcg ndcg_cut map_cut relative_P success set_P set_relative_P set_recall set_map set_F
    num_nonrel_judged_ret yaap rbp rbp_resid unj
    """.split()  # noqa: SIM905
)
_OWN_TREC: Final = ("rbp", "rbp_resid", "unj")  # of "all_trec", which the release before has not
_NOT_COVERED: Final = ("prefs", "all_prefs", "qrels_jg")

_CUTOFFS: Final = ("P", "recall", "relative_P", "map_cut", "ndcg_cut", "success", "unj")
_MOST_PLACES: Final = 2**31 - 2
#: Measures at levels, and the greatest level.
_LEVELS: Final = {"iprec_at_recall": 1, "Rprec_mult": 1_000_000}
_GAINS: Final = ("ndcg", "dcg", "ideal_dcg", "ndcg_rel", "Rndcg", "G")
_PERSISTENT: Final = ("rbp", "rbp_resid")
#: How many numbers other measures take, and an example.
_NUMBERS: Final = {
    "set_F": (1, "set_F.0.5"),
    "utility": (4, "utility.1,-1,0,0"),
    "relstring": (1, "relstring.20"),
    "11pt_avg": (None, "11pt_avg.0.2,0.5,0.8"),
}
_UNDERSCORE: Final = re.compile(rf"({'|'.join((*_CUTOFFS, *_LEVELS))})_(\d[\d.,]*)", re.ASCII)
_NUMBER: Final = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_WHOLE: Final = re.compile(r"[-+]?\d+", re.ASCII)


@dataclass(frozen=True)
class Asked:
    """A measure and its parameters.

    Attributes
    ----------
    base : str
        Its name.
    text : str
        The parameters as they were given, a part of the name that is printed; or empty.
    numbers : tuple of float
        Cutoffs and levels, ascending; or numbers in the order in which they were given.
    persistence : float or None
        Of rbp.
    gains : dict of int to float
        By grade.
    """

    base: str
    text: str = ""
    numbers: tuple[float, ...] = ()
    persistence: float | None = None
    gains: dict[int, float] | None = None

    @property
    def name(self) -> str:
        """What is printed."""
        return f"{self.base}_{self.text}" if self.text else self.base

    @property
    def has_cutoffs(self) -> bool:
        """Whether it is printed once for each of some cutoffs or levels."""
        return self.base in _CUTOFFS or self.base in _LEVELS


def read_asked(measures: Iterable[str]) -> list[Asked]:
    """Read names such as ``"P.5,10"``, in the order in which trec_eval prints them.

    Parameters take the place of a measure's defaults; cutoffs that are given twice are joined.

    Raises
    ------
    InputTypeError, MetricError
        Naming what is no measure, or has parameters that it cannot have.
    """
    if isinstance(measures, (str, bytes)) or not isinstance(measures, Iterable):
        raise InputTypeError(f"measures: got {measures!r}; wanted a collection of names")
    texts: dict[str, list[str]] = {}
    for measure in measures:
        for base, text in _parts(measure):
            given = texts.setdefault(base, [])
            if text and text not in given:
                given.append(text)
    if not texts:
        raise MetricError("measures: got none; wanted at least one, such as 'official'")
    return [_read(base, texts[base]) for base in _ORDER if base in texts]


def _parts(measure: str) -> list[tuple[str, str]]:
    """Return the names that a measure stands for, each with its parameters."""
    if not isinstance(measure, str):
        raise InputTypeError(f"measures: got {measure!r}; wanted a name, such as 'map'")
    if measure in NICKNAMES:
        own = _OWN_TREC if measure == "all_trec" else ()
        return [(name, "") for name in (*NICKNAMES[measure], *own)]
    if found := _UNDERSCORE.fullmatch(measure):
        return [(found[1], found[2])]
    base, dot, text = measure.partition(".")
    if base not in _ORDER:
        hint = did_you_mean(base, {*SUPPORTED, *_ORDER}, {})
        more = "; it is not covered" if base in _NOT_COVERED else hint
        raise MetricError(f"measures: unsupported measure {measure!r}{more}")
    if dot and not text:
        raise MetricError(f"measures: got {measure!r}; wanted parameters behind the dot")
    return [(base, text)]


def _read(base: str, texts: list[str]) -> Asked:
    if not texts:
        return Asked(base)
    if base in _CUTOFFS or base in _LEVELS:
        return Asked(base, "", _cutoffs(base, texts))
    if len(texts) > 1:
        raise MetricError(f"measures: got {base} with {texts[0]!r} and {texts[1]!r}; wanted one")
    if base in _NUMBERS:
        return Asked(base, texts[0], _numbers(base, texts[0]))
    if base in _GAINS or base in _PERSISTENT:
        persistence, gains = _pairs(base, texts[0])
        return Asked(base, texts[0], (), persistence, gains)
    raise MetricError(
        f"measures: got '{base}.{texts[0]}'; wanted {base!r}, which has no parameters"
    )


def _cutoffs(base: str, texts: list[str]) -> tuple[float, ...]:
    is_whole = base in _CUTOFFS
    least, most = (1, _MOST_PLACES) if is_whole else (0, _LEVELS[base])
    found = set()
    for word in ",".join(texts).split(","):
        number = _number(word, _WHOLE if is_whole else _NUMBER)
        if not least <= number <= most:
            kind = "whole numbers" if is_whole else "numbers"
            raise MetricError(
                f"measures: got {word!r} for {base}; wanted {kind} from {least} to {most:.0f}"
            )
        found.add(number)
    return tuple(sorted(found))


def _numbers(base: str, text: str) -> tuple[float, ...]:
    count, example = _NUMBERS[base]
    found = tuple(_number(word) for word in text.split(","))
    is_wrong = any(map(math.isnan, found)) or len(found) != (count or len(found))
    if base != "utility" and min(found) < 0:
        is_wrong = True
    if base == "11pt_avg" and (max(found) > 1 or list(found) != sorted(found)):
        is_wrong, example = True, f"levels from 0 to 1 that ascend, such as {example}"
    if base == "relstring" and not found[0].is_integer():
        is_wrong = True
    if is_wrong:
        raise MetricError(f"measures: got '{base}.{text}'; wanted {example}")
    return found


def _pairs(base: str, text: str) -> tuple[float | None, dict[int, float]]:
    """Read "1=3.5,2=9": gains by grade, and for some a persistence "p=0.8"."""
    persistence: float | None = None
    gains: dict[int, float] = {}
    least = 0 if base == "rbp" else -math.inf
    for pair in text.split(","):
        key, _, word = pair.partition("=")
        number = _number(word)
        grade = int(key) if _WHOLE.fullmatch(key) else None
        is_new = persistence is None if key == "p" else grade not in gains
        if key == "p" and base in _PERSISTENT and is_new and 0 <= number <= 1:
            persistence = number
        elif grade is not None and is_new and base != "rbp_resid" and number >= least:
            gains[grade] = number
        else:
            example = f"{base}.p=0.8" if base in _PERSISTENT else f"{base}.1=3.5,2=9"
            raise MetricError(f"measures: got {pair!r} for {base}; wanted one such as {example}")
    return persistence, gains


def _number(word: str, pattern: re.Pattern[str] = _NUMBER) -> float:
    """Return a number that is written plainly; NaN for others."""
    number = float(word) if pattern.fullmatch(word) else math.nan
    return number if math.isfinite(number) else math.nan
