"""`rankmill.compat.ir_measures` with stand-ins for its measures; tests/peers has the library."""

from typing import Any, NamedTuple

import pandas as pd
import pytest

import rankmill as rm
from rankmill.compat.ir_measures import provider

ABSENT = object()
PARAMS = {
    "P": ("cutoff", "rel", "judged_only"),
    "AP": ("cutoff", "rel", "judged_only"),
    "nDCG": ("cutoff", "dcg", "gains", "judged_only"),
    "IPrec": ("recall", "rel"),
    "SetF": ("rel", "beta"),
    "SetP": ("rel", "relative"),
    "RBP": ("cutoff", "p", "rel"),
    "ERR": ("cutoff",),
    "Judged": ("cutoff",),
    "NumRet": ("rel",),
    "Bpref": ("rel",),
    "Other": (),
}
DEFAULTS = {"rel": 1, "dcg": "log2", "p": 0.8, "beta": 1.0}


class Mean:
    """What the library's measures aggregate by."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def add(self, value: float) -> None:
        self.values.append(value)

    def result(self) -> float:
        return sum(self.values) / len(self.values)


class Measure:
    """A measure as the library describes it."""

    DEFAULT = 0.0

    def __init__(self, name: str, **params: Any) -> None:
        self.NAME = name
        self.SUPPORTED_PARAMS = dict.fromkeys(PARAMS[name])
        self.params = params

    def __getitem__(self, name: str) -> Any:
        optional = name == "rel" and self.NAME in ("RBP", "NumRet")
        default = ABSENT if optional else DEFAULTS.get(name, ABSENT)
        return self.params.get(name, default)

    def validate_params(self) -> None:
        pass

    def aggregator(self) -> Mean:
        return Mean()


QRELS = {"1": {"a": 2, "b": 0, "c": 1, "z": 1}, "2": {"a": 1}}
RUN = {"1": {"a": 3.0, "x": 2.0, "c": 1.0, "b": 0.5}, "9": {"a": 1.0}}


@pytest.mark.parametrize(
    ("measure", "want"),
    [
        (Measure("P", cutoff=3), 2 / 3),
        (Measure("P", cutoff=3, rel=2), 1 / 3),
        (Measure("P", cutoff=2, judged_only=True), 1),
        (Measure("AP"), (1 + 2 / 3) / 3),
        (Measure("AP", rel=2), 1),
        (Measure("nDCG", cutoff=1), 1),
        (Measure("nDCG", cutoff=3, dcg="exp-log2"), 3.5 / (3 + 1 / 1.5849625007211562 + 0.5)),
        (Measure("nDCG", cutoff=1, gains={1: 5, 2: 3}), 3 / 5),
        (Measure("IPrec", recall=0.5), 2 / 3),
        (Measure("SetF"), 2 * 2 / (4 + 3)),
        (Measure("SetF", beta=2.0), 3 * 2 / (4 + 2 * 3)),
        (Measure("SetP"), 0.5),
        (Measure("SetP", relative=True), 2 / 3),
        (Measure("RBP", p=0.5, rel=1), 0.5 * (1 + 0.25)),
        (Measure("ERR"), 3 / 16 + 13 / 16 * 1 / 16 / 3),
        (Measure("Judged", cutoff=2), 0.5),
        (Measure("NumRet"), 4),
        (Measure("NumRet", rel=1), 2),
        (Measure("Bpref"), 2 / 3),
    ],
)
def test_values(measure: Measure, want: float) -> None:
    """A query of the qrels without results has the measure's default; others do not count."""
    found = provider.calc([measure], QRELS, RUN)
    values = {metric.query_id: metric.value for metric in found.per_query}
    assert values == pytest.approx({"1": want, "2": 0.0})
    assert found.aggregated[measure] == pytest.approx(want / 2)
    assert provider.calc_aggregate([measure], QRELS, RUN) == found.aggregated


def test_a_run_of_other_queries() -> None:
    found = list(provider.iter_calc([Measure("AP")], QRELS, {"9": {"a": 1.0}}))
    assert {metric.query_id: metric.value for metric in found} == {"1": 0.0, "2": 0.0}


def test_data_frames_and_named_tuples() -> None:
    class Row(NamedTuple):
        query_id: str
        doc_id: str
        relevance: int
        score: float

    rows = [Row("1", "a", 1, 0.5), Row("1", "b", 0, 0.9)]
    measure = Measure("AP")
    for data in (rows, pd.DataFrame(rows)):
        assert provider.calc_aggregate([measure], data, data) == {measure: 0.5}


def test_what_is_supported() -> None:
    assert provider.is_available()
    assert provider.install_instructions() is None
    assert provider.run_inputs([]) == ["query_id", "doc_id", "score"]
    assert provider.qrel_inputs([]) == ["query_id", "doc_id", "relevance"]
    assert provider.supports(Measure("AP"))
    assert not provider.supports(Measure("RBP"))
    assert not provider.supports(Measure("Other"))


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ({"1": {1: 1}}, {"1": {1: 1.0}}, "got id 1 in query '1'; wanted text"),
        ([("1", "a", 1)], RUN, "wanted dicts, a data frame, or named tuples"),
        (pd.DataFrame({"query_id": []}), RUN, "qrels: no column doc_id, relevance"),
    ],
)
def test_refusals(qrels: Any, run: Any, message: str) -> None:
    with pytest.raises(rm.RankmillError, match=message):
        list(provider.iter_calc([Measure("AP")], qrels, run))
    with pytest.raises(rm.InputError, match=r"measures: .* is not covered"):
        provider.evaluator([Measure("Other")], QRELS)
