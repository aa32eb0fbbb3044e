"""Every case of the shared collection of public bug reports, through the public API."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import rankmill as rm

Case = dict[str, Any]
Array = npt.NDArray[Any]

# Cases whose convention is not offered, by id, with the reason.
NOT_OFFERED: dict[str, str] = {}

# Rules of `expected_by_option` that are not conventions here.
OTHER_RULES_NOT_OFFERED = {
    "empty=nan": "a mean is over the users it is defined for; `undefined` counts the others",
    "users=both": "users with relevant items and no list count; the caller may leave them out",
}

NAMES = {
    "ties": {
        "average": "average",
        "pessimistic": "worst",
        "optimistic": "best",
        "input_order": "input_order",
        "docid_desc": "id_descending",
    },
    "gain": {"linear": "linear", "exp2": "exp2"},
    "empty": {"skip": "skip", "zero": "zero", "one": "one"},
    "precision_denominator": {"k": "k", "min_k_len": "min(k, candidates)"},
    "recall_denominator": {"n_rel": "relevant", "min_k_n_rel": "min(k, relevant)"},
    "ap_denominator": {"n_rel": "relevant", "min_k_n_rel": "min(k, relevant)"},
}

FUNCTIONS = {
    "precision": "precision_at_k",
    "recall": "recall_at_k",
    "f1": "f1_at_k",
    "hit": "hit_at_k",
    "ndcg": "ndcg_at_k",
}
FIELDS = {"gain": ["ndcg"], "precision_denominator": ["precision", "f1"]}


def load_cases(shared: Path) -> list[Case]:
    return list(json.loads((shared / "cases" / "cases.json").read_text(encoding="utf-8")))


def conventions(options: dict[str, Any]) -> dict[str, Any]:
    """Options of a case as keywords of Conventions; the collection's own default gain is linear."""
    chosen = {name: NAMES[name][value] for name, value in options.items() if name in NAMES}
    unknown = set(options) - set(NAMES) - {"score_threshold"}
    assert not unknown, unknown
    return {"gain": "linear", **chosen}


def metric_key(case: Case) -> str:
    return case["metric"] if case["k"] is None else f"{case['metric']}@{case['k']}"


# --- building the inputs -----------------------------------------------------------------------


def column(values: list[Any], dtype: str | None) -> Array:
    """One column; the texts "inf", "-inf" and "nan" stand for floats, null for a gap."""
    special = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
    plain = [special.get(v, v) if isinstance(v, str) else v for v in values]
    if dtype is None and None in plain:
        dtype = "object"
    return np.array(plain if plain else [], dtype=dtype)


def generated_columns(generator: dict[str, Any]) -> tuple[list[float], list[int]]:
    if generator["type"] == "blocks":
        rows = [(score, label) for n, score, label in generator["blocks"] for _ in range(n)]
        return [score for score, _ in rows], [label for _, label in rows]
    assert generator["type"] == "formula"
    score, label = (compile(generator[name], name, "eval") for name in ("score", "label"))
    numbers = range(generator["n"])
    # The formulas come from the collection, a trusted file of this project.
    return [eval(score, {"i": i}) for i in numbers], [eval(label, {"i": i}) for i in numbers]


def in_memory(array: Array, layout: str | None, folder: Path, name: str) -> Array:
    if layout is None:
        return array
    if layout == "read_only":
        array.flags.writeable = False
        return array
    assert "memmap" in layout, layout
    array.tofile(folder / name)
    return np.memmap(folder / name, dtype=array.dtype, mode="r")


def scored_columns(case: Case, folder: Path) -> dict[str, Any]:
    """Scores, relevance, and groups and items where the case has them."""
    raw = {"scores": case.get("scores"), "labels": case.get("labels")}
    if case["form"] == "generated":
        raw["scores"], raw["labels"] = generated_columns(case["generator"])
    dtypes, layout = case.get("dtype", {}), case.get("layout")
    arrays = {
        name: in_memory(column(values or [], dtypes.get(name)), layout, folder, name)
        for name, values in raw.items()
    }
    columns: dict[str, Any] = {"scores": arrays["scores"], "relevance": arrays["labels"]}
    if case.get("groups"):
        columns["groups"] = column(case["groups"], dtypes.get("groups"))
    if case.get("ids"):
        columns["items"] = column(case["ids"], None)
    return columns


def with_number_ids(case: Case, side: str) -> Any:
    """Lists or relevant items of a case, item ids turned into numbers where the case says so."""
    wanted = case.get("dtype", {}).get(f"{side} ids", "str")
    users = case[side]
    if wanted == "str":
        return users
    if side == "recommended":
        return {user: [int(item) for item in items] for user, items in users.items()}
    return {user: {int(item): g for item, g in truth.items()} for user, truth in users.items()}


# --- running ----------------------------------------------------------------------------------


def run(case: Case, options: dict[str, Any], folder: Path) -> float:
    """The mean that the engine gives for a case."""
    key, choice = metric_key(case), rm.Conventions(**conventions(options))
    if case["form"] == "lists":
        ranks = rm.rank_lists(
            with_number_ids(case, "recommended"),
            with_number_ids(case, "relevant"),
            exclude=case.get("exclude"),
        )
        return float(rm.measure(ranks, [key], conventions=choice).means[key])
    columns = scored_columns(case, folder)
    if "weights" in case:
        assert case["metric"] == "auc"
        weights = column(case["weights"], case.get("dtype", {}).get("weights"))
        return float(rm.auc_score(columns["scores"], columns["relevance"], sample_weight=weights))
    least = options.get("score_threshold")
    result = rm.evaluate(**columns, metrics=[key], conventions=choice, min_score=least)
    return float(result.means[key])


def property_holds() -> bool:
    """Subnormals and NaN behave after the import, in the importing and in a new thread."""
    program = """
import threading
import rankmill
def check():
    assert 5e-324 > 0.0 and float("nan") != float("nan") and 1e-310 / 2 > 0.0
    done.append(True)
done = []
check()
thread = threading.Thread(target=check)
thread.start()
thread.join()
assert len(done) == 2
"""
    return subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_case(shared_case: Case, tmp_path: Path) -> None:
    case, expect = shared_case, shared_case["expect"]
    if case["id"] in NOT_OFFERED:
        pytest.skip(NOT_OFFERED[case["id"]])
    if expect == "invariant":
        assert case["metric"] == "import"
        assert property_holds()
        return
    if expect == "error":
        with pytest.raises(rm.RankmillError):
            run(case, case["options"], tmp_path)
        return
    try:
        found = run(case, case["options"], tmp_path)
    except rm.RankmillError:
        assert expect in ("value_or_error", "nan_or_error")
        return
    if expect == "nan_or_error":
        assert math.isnan(found)
    else:
        assert found == pytest.approx(case["expected"], rel=case["tolerance"], abs=0)


def test_case_under_other_rules(shared_case: Case, tmp_path: Path) -> None:
    for rule, value in shared_case.get("expected_by_option", {}).items():
        if rule in OTHER_RULES_NOT_OFFERED:
            continue
        name, _, choice = rule.partition("=")
        found = run(shared_case, {**shared_case["options"], name: choice}, tmp_path)
        assert found == pytest.approx(value, rel=shared_case["tolerance"], abs=0), rule


def test_case_by_function(shared_case: Case, tmp_path: Path) -> None:
    """The drop-in functions agree where a case is one user's scores and a cutoff, or an AUC."""
    case = shared_case
    plain = {"score_threshold", "weights", "groups", "ids"}.isdisjoint({*case, *case["options"]})
    if case["form"] != "scored" or case["expect"] != "value" or not plain:
        return
    scores, labels = (scored_columns(case, tmp_path)[name] for name in ("scores", "relevance"))
    if case["metric"] == "auc":
        found = rm.auc_score(scores, labels)
    elif case["metric"] in FUNCTIONS and case["k"] is not None:
        chosen = conventions(case["options"])
        fits = {
            name: value
            for name, value in chosen.items()
            if case["metric"] in FIELDS.get(name, [case["metric"]])
        }
        found = getattr(rm, FUNCTIONS[case["metric"]])(scores, labels, case["k"], **fits)
    else:
        return
    assert found == pytest.approx(case["expected"], rel=case["tolerance"], abs=0)


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "3"])
def test_cutoff_of_a_metric_object(k: Any) -> None:
    with pytest.raises((rm.InputError, rm.InputTypeError)):
        rm.evaluate(np.array([3.0, 2, 1]), np.array([0, 1, 0]), [rm.Metric("mrr", k)])


def test_users_named_by_text_here_and_number_there() -> None:
    """No shared user at all is an error, not a mean of 0."""
    with pytest.raises(rm.RankmillError):
        rm.rank_lists({"1": ["a"], "2": ["b"]}, {1: {"a"}, 2: {"b"}})
