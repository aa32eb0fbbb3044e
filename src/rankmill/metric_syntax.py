"""Reads metric texts such as "recall@{5,10}(min_grade=2) auc" into plain parts."""

from __future__ import annotations

import re
from typing import Final, NamedTuple, NoReturn

from rankmill.errors import MetricError

_TOKEN: Final = re.compile(
    r"(?P<name>[A-Za-z_][\w-]*)"
    r"|(?P<number>[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<quoted>'[^']*'|\"[^\"]*\")"
    r"|(?P<mark>[@(){},=:])"
)
_WHOLE: Final = re.compile(r"-?[0-9]{1,19}")
_FORM: Final = "wanted metrics like ndcg@10, recall@{5,10} or ndcg@10(gain=linear, ties=worst)"


class MetricText(NamedTuple):
    """One metric as written: nothing about its name, cutoffs or parameters is checked yet."""

    name: str
    cutoffs: tuple[int | str | None, ...]
    params: tuple[tuple[str, object], ...]


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def read_metrics(text: str) -> list[MetricText]:
    """Split a text into the metrics it names; commas or blanks stand between them.

    Examples
    --------
    >>> read_metrics("ndcg@10(gain=linear), auc")[0]
    MetricText(name='ndcg', cutoffs=(10,), params=(('gain', 'linear'),))
    >>> read_metrics("recall @ {5, 10}")
    [MetricText(name='recall', cutoffs=(5, 10), params=())]
    """
    reader = _Reader(text)
    metrics: list[MetricText] = []
    while reader.token.kind != "end":
        if metrics:
            reader.skip_separator()
        metrics.append(reader.metric())
    return metrics


class _Reader:
    """A cursor over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.last_end = 0
        self.token = self._scan(0)

    def _scan(self, at: int) -> _Token:
        while at < len(self.text) and self.text[at].isspace():
            at += 1
        if at == len(self.text):
            return _Token("end", "the end", at, at)
        match = _TOKEN.match(self.text, at)
        if match is None:
            return _Token("strange", self.text[at], at, at + 1)
        return _Token(match.lastgroup or "", match.group(), at, match.end())

    def fail(self, wanted: str) -> NoReturn:
        found = "the end" if self.token.kind == "end" else repr(self.token.text)
        where = f"at character {self.token.start + 1} of {self.text!r}"
        raise MetricError(f"got {found} {where} instead of {wanted}; {_FORM}")

    def take(self, kind: str, wanted: str) -> str:
        """Return the text of the current token, which must be of this kind, or be this mark."""
        if kind != (self.token.text if self.token.kind == "mark" else self.token.kind):
            self.fail(wanted)
        text = self.token.text
        self.last_end = self.token.end
        self.token = self._scan(self.token.end)
        return text

    def skip_if(self, mark: str) -> bool:
        if self.token.text != mark:
            return False
        self.take(mark, mark)
        return True

    def skip_separator(self) -> None:
        """Pass a comma, or demand a blank, so that "ndcg@10auc" is not two metrics."""
        if not self.skip_if(",") and self.token.start == self.last_end:
            self.fail("a comma or a blank")

    def metric(self) -> MetricText:
        name = self.take("name", "the name of a metric")
        cutoffs: tuple[int | str | None, ...] = (None,)
        if self.skip_if("@"):
            cutoffs = self.cutoffs()
        params: list[tuple[str, object]] = []
        if self.skip_if("("):
            while not self.skip_if(")"):
                if params:
                    self.skip_separator()
                params.append(self.parameter())
        if cutoffs == (None,) and self.skip_if("@"):  # "nDCG(dcg='log2')@10"
            cutoffs = self.cutoffs()
        return MetricText(name, cutoffs, tuple(params))

    def cutoffs(self) -> tuple[int | str, ...]:
        if not self.skip_if("{"):
            return (self.cutoff(),)
        found = [self.cutoff()]
        while not self.skip_if("}"):
            self.skip_separator()
            found.append(self.cutoff())
        return tuple(found)

    def cutoff(self) -> int | str:
        # A name or a fraction goes on as text: Metric says what a cutoff has to be.
        kind = "name" if self.token.kind == "name" else "number"
        text = self.take(kind, "a cutoff")
        return int(text) if _WHOLE.fullmatch(text) else text

    def parameter(self) -> tuple[str, object]:
        name = self.take("name", "the name of a parameter")
        self.take("=", "'='")
        return name, self.value()

    def value(self) -> object:
        if self.token.text == "{":
            return self.table()
        if self.token.kind == "number":
            return float(self.take("number", "a number"))
        if self.token.kind == "quoted":
            return self.take("quoted", "a value")[1:-1]
        start = self.token.start
        word = self.take("name", "a value")
        if word in ("none", "None"):
            return None
        if self.skip_if("("):  # min(k, relevant)
            while self.token.text != ")":
                self.take("," if self.token.text == "," else "name", "')'")
            self.take(")", "')'")
        return self.text[start : self.last_end]

    def table(self) -> tuple[tuple[float, float], ...]:
        """Read "{1: 1, 2: 3}"; as pairs, so that a grade given twice is noticed."""
        self.take("{", "'{'")
        pairs: list[tuple[float, float]] = []
        while not self.skip_if("}"):
            if pairs:
                self.skip_separator()
            grade = float(self.take("number", "a grade"))
            self.take(":", "':'")
            pairs.append((grade, float(self.take("number", "a gain"))))
        return tuple(pairs)
