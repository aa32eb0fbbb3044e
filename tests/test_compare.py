"""`compare`: pairing, segments, edge cases, errors, reproducibility."""

import json

import numpy as np
import pytest

import rankmill as rm
from comparing import compared, result_of, two_models

TESTS = ["t", "wilcoxon", "bootstrap", "randomization"]


def test_users_pair_by_id_in_any_order_and_none_is_dropped_in_silence() -> None:
    base, other = two_models(0, 6)
    a = result_of(base, users=["u1", "u2", "u3", "u4", "u5", "u6"])
    order = [5, 1, 3, 0, 4, 2]
    users = np.array(["u1", "u2", "u3", "u4", "u5", "new"])[order]
    found = compared(a, result_of(other[:, order], users=users))
    assert found.unpaired == {"A": 1, "B": 1}
    assert found.results["A"].users.tolist() == ["u1", "u2", "u3", "u4", "u5"]
    assert np.array_equal(found.results["B"].values, other[:, :5])
    plain = compared(result_of(base[:, :5]), result_of(other[:, :5]))
    assert [d.p_values for d in found.differences] == [d.p_values for d in plain.differences]
    assert "1 users of B are not in every model and were left out" in str(found)


def test_more_models_pair_over_the_users_of_all() -> None:
    values = np.arange(12.0).reshape(3, 4) / 12
    ids = ([1, 2, 3, 4], [4, 3, 2, 9], [2, 4, 7, 8])
    results = {
        name: result_of(row, users=users)
        for name, row, users in zip("ABC", values, ids, strict=True)
    }
    found = rm.compare(results, resamples=20)
    assert found.unpaired == {"A": 2, "B": 2, "C": 2}
    assert found.results["A"].users.tolist() == [2, 4]
    assert found.results["B"]["ndcg@10"].tolist() == [values[1, 2], values[1, 0]]
    assert found.results["C"]["ndcg@10"].tolist() == [values[2, 0], values[2, 1]]


def test_ids_are_not_rounded_nor_read_as_others() -> None:
    big = 2**60
    a = result_of([0.1, 0.2], users=np.array([big, big + 1]))
    b = result_of([0.3, 0.4], users=np.array([big + 1, big + 2], dtype=np.uint64))
    assert compared(a, b).results["A"].users.tolist() == [big + 1]
    with pytest.raises(rm.InputError, match="users: A and B have none in common"):
        compared(a, result_of([0.1, 0.2], users=[str(big), str(big + 1)]))


def test_the_baseline_comes_first() -> None:
    base, other = two_models(1, 30)
    results = {"new": result_of(other), "old": result_of(base)}
    found = rm.compare(results, baseline="old", resamples=20)
    assert found.models == ("old", "new")
    assert found.find("mrr").difference == pytest.approx((other[2] - base[2]).mean())
    assert (found.find("mrr").model, found.find("mrr").baseline) == ("new", "old")


def test_shares_and_undefined_users() -> None:
    a = result_of([[0.5, 0.5, 0.5, np.nan, 0.5]])
    b = result_of([[0.6, 0.5, 0.4, 0.9, np.nan]])
    found = compared(a, b).find("ndcg@10")
    assert found.users == 3
    assert (found.better, found.equal, found.worse) == (1 / 3, 1 / 3, 1 / 3)
    assert found.difference == pytest.approx(0, abs=1e-16)


def test_paired_results_count_their_undefined_users() -> None:
    a = result_of([[0.5, np.nan, np.nan, 0.1]], users=[1, 2, 3, 4])
    b = result_of([[0.5, 0.2, np.nan]], users=[4, 3, 5])
    found = compared(a, b).results
    assert found["A"].undefined == {"ndcg@10": 1}
    assert found["B"].undefined == {"ndcg@10": 0}
    assert found["A"].means == {"ndcg@10": 0.1}


@pytest.mark.parametrize("form", ["name", "names", "array", "mapping", "list"])
def test_segments_are_the_same_as_comparing_their_users(form: str) -> None:
    base, other = two_models(2, 60)
    base[0, :10] = np.nan
    device = np.array(["phone", "tablet", "tv"])[np.arange(60) % 3]
    name = "segment" if form in ("array", "list") else "device"
    by = {
        "name": "device",
        "names": ["device"],
        "array": device,
        "mapping": {"device": device},
        "list": device.tolist(),
    }[form]
    found = compared(result_of(base, segments={"device": device}), result_of(other), by=by)
    for value in ("phone", "tablet", "tv"):
        part = device == value
        alone = compared(result_of(base[:, part]), result_of(other[:, part]))
        for metric in found.metrics:
            segment = found.find(metric, segment=f"{name}={value}")
            expected = alone.find(metric)
            assert segment.p_values == expected.p_values
            assert segment.interval == expected.interval
            assert segment.users == expected.users


def test_segments_follow_their_users_when_some_are_not_paired() -> None:
    a = result_of([0.1, 0.2, 0.3], users=[1, 2, 3], segments={"new": [True, False, True]})
    b = result_of([0.5, 0.9], users=[3, 2])
    for by in ("new", {"new": [True, False, True]}):
        found = compared(a, b, by=by)
        assert found.find("ndcg@10", segment="new=True").difference == pytest.approx(0.2)
        assert found.find("ndcg@10", segment="new=False").difference == pytest.approx(0.7)


def test_missing_segment_values_are_a_segment() -> None:
    base, other = two_models(3, 6, 1)
    by = {"age": np.array([1.0, np.nan, 1, np.nan, 2, 2]), "city": np.array(["x", None] * 3)}
    found = compared(result_of(base), result_of(other), by=by)
    segments = [d.segment for d in found.differences]
    assert segments == ["", "age=1.0", "age=2.0", "age=nan", "city=None", "city=x"]


def test_one_user() -> None:
    found = compared(result_of([0.2]), result_of([0.5])).find("ndcg@10")
    assert found.difference == pytest.approx(0.3)
    assert np.isnan([*found.interval, *found.bootstrap_interval, found.detectable]).all()
    assert np.isnan([found.p_values["t"], found.p_values["bootstrap"]]).all()
    assert (found.p_values["wilcoxon"], found.p_values["randomization"]) == (1, 1)


def test_no_pair_of_a_metric() -> None:
    a, b = result_of([[0.1, np.nan], [0.1, 0.2]]), result_of([[np.nan, 0.2], [0.2, 0.3]])
    found = compared(a, b)
    empty = found.find("ndcg@10")
    assert empty.users == 0
    assert np.isnan([empty.difference, empty.better, *empty.p_values.values()]).all()
    assert found.find("recall@10").users == 2
    assert not np.isnan(found.find("recall@10").adjusted["holm"]["t"])


def test_nobody_differs() -> None:
    base, _ = two_models(4, 50, 1)
    found = compared(result_of(base), result_of(base)).find("ndcg@10")
    assert found.p_values == dict.fromkeys(TESTS, 1.0)
    assert found.interval == (0, 0) == found.bootstrap_interval
    assert (found.equal, found.detectable) == (1, 0)


def test_all_differ_alike() -> None:
    base = np.linspace(0, 0.5, 40)
    found = compared(result_of(base), result_of(base + 0.25)).find("ndcg@10")
    assert found.p_values["t"] == 0
    assert found.p_values["bootstrap"] == found.p_values["randomization"] == 1 / 201
    assert found.interval == found.bootstrap_interval == (0.25, 0.25)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_tiny_and_huge_values(scale: float) -> None:
    base, other = two_models(9, 60, 1)
    plain = compared(result_of(base), result_of(other)).find("ndcg@10")
    found = compared(result_of(base * scale), result_of(other * scale)).find("ndcg@10")
    assert found.p_values == pytest.approx(plain.p_values, rel=1e-6)
    assert found.detectable == pytest.approx(plain.detectable * scale, rel=1e-6)


def test_weights_that_are_next_to_nothing() -> None:
    a, b = (result_of(row, weights=[1.0, 1e-300]) for row in ([0.1, 0.2], [0.4, 0.3]))
    found = compared(a, b).find("ndcg@10")
    assert found.difference == pytest.approx(0.3)
    assert np.isnan(found.bootstrap_interval).all()


def test_the_same_bits_for_any_threads_and_instructions(isa: str) -> None:
    base, other = two_models(5, 700)
    base[1, ::7] = np.nan
    expected = compared(result_of(base), result_of(other), n_threads=1, isa="baseline")
    for threads in (1, 2, 3):
        found = compared(result_of(base), result_of(other), n_threads=threads, isa=isa)
        assert found.differences == expected.differences
    assert compared(result_of(base), result_of(other), seed=1).differences != expected.differences


def test_text_and_plain_data() -> None:
    base, other = two_models(6, 50)
    found = rm.compare(
        {"old": result_of(base), "new": result_of(other)}, resamples=50, by=np.arange(50) % 2
    )
    lines = str(found).splitlines()
    assert lines[0].split()[:3] == ["metric", "old", "model"]
    assert len(lines) == 1 + 9
    data = json.loads(json.dumps(found.to_dict()))
    assert data["differences"][0]["metric"] == "ndcg@10"
    assert data["differences"][0]["interval"] == list(found.find("ndcg@10").interval)
    assert (data["users"], data["resamples"], data["unpaired"]) == (50, 50, {"old": 0, "new": 0})


def test_conventions_that_concern_no_compared_metric_may_differ() -> None:
    other = result_of([0.1, 0.2], "mrr", conventions=rm.Conventions(gain="linear"))
    assert compared(result_of([0.1, 0.2], "mrr"), other).metrics == ("mrr",)


def test_find() -> None:
    base, other = two_models(7, 20)
    results = {"A": result_of(base), "B": result_of(other), "C": result_of(base)}
    found = rm.compare(results, resamples=20)
    assert found.find(rm.Metric("ndcg", 10), "C").model == "C"
    assert found.find("NDCG@10", "B") is found.find("ndcg@10", "B")
    with pytest.raises(rm.InputError, match="model: got None; wanted one of B, C"):
        found.find("mrr")
    with pytest.raises(rm.InputError, match="wanted one of ndcg@10, recall@10, mrr; B, C; ''"):
        found.find("map", "B")


def test_nothing_is_written_to() -> None:
    base, other = two_models(8, 300)
    for array in (base, other):
        array.flags.writeable = False
    compared(result_of(base), result_of(other))


def test_results_of_evaluate_can_be_compared() -> None:
    rng = np.random.default_rng(0)
    relevance = rng.random((200, 20)) < 0.1
    a = rm.evaluate(rng.random((200, 20)), relevance, "ndcg@10 hit@5 auc")
    b = rm.evaluate(rng.random((200, 20)) + 0.3 * relevance, relevance, "ndcg@10 hit@5 auc")
    found = compared(a, b)
    assert found.find("hit@5").users == 200
    assert found.find("auc").users == a.counts["auc"] < 200
    assert all(0 < p < 0.01 for p in found.find("auc").p_values.values())


@pytest.mark.parametrize("weighted", [False, True])
def test_contributions_of_segments_sum_to_the_change(weighted: bool) -> None:
    """Also where some pairs are undefined: shares are of the pairs of the metric."""
    rng = np.random.default_rng(5)
    base, other = two_models(3, 90)
    other[0, rng.random(90) < 0.2] = np.nan
    weights = rng.uniform(0, 3, 90) if weighted else None
    device, age = rng.integers(0, 4, 90), rng.integers(0, 2, 90)
    found = rm.compare(
        *(result_of(values, weights=weights) for values in (base, other)),
        by={"device": device, "age": age},
        resamples=20,
    )
    for metric in found.metrics:
        whole = found.find(metric)
        assert (whole.share, whole.contribution) == (1, whole.difference)
        for name, values in (("device", device), ("age", age)):
            parts = found.carriers(metric, name=name)
            assert sum(part.contribution for part in parts) == pytest.approx(whole.difference)
            assert sum(part.share for part in parts) == pytest.approx(1)
            kept = ~np.isnan(other[found.metrics.index(metric)])
            of = np.ones(90) if weights is None else weights
            for part in parts:
                here = kept & (values == int(part.segment.partition("=")[2]))
                assert part.share == pytest.approx(of[here].sum() / of[kept].sum())


def test_carriers_come_first() -> None:
    """8 users gain 0.1, 4 gain 0.3 and 4 lose 0.2: 0.05, 0.075 and -0.05 of 0.075."""
    kind = np.repeat(["many", "few", "lost", "none"], [8, 4, 4, 2])
    base = np.repeat([0.3, 0.4, 0.5, np.nan], [8, 4, 4, 2])
    for sign in (1, -1):
        change = sign * np.repeat([0.1, 0.3, -0.2, 0.0], [8, 4, 4, 2])
        found = rm.compare(
            result_of(base), result_of(base + change), by={"kind": kind}, resamples=9
        )
        parts = found.carriers(found.metrics[0])
        assert [p.segment for p in parts] == ["kind=few", "kind=many", "kind=none", "kind=lost"]
        amounts = [p.contribution * sign for p in parts]
        assert amounts == pytest.approx([0.075, 0.05, 0, -0.05])


def test_carriers_without_segments_or_of_several() -> None:
    base, other = two_models(3, 8)
    plain = rm.compare(result_of(base), result_of(other), resamples=9)
    with pytest.raises(rm.InputError, match=r"name: got None; wanted .*: none was given"):
        plain.carriers("mrr")
    by = {"a": [0, 1] * 4, "b": [0, 0, 1, 1] * 2}
    several = rm.compare(result_of(base), result_of(other), by=by, resamples=9)
    for name in (None, "c"):
        with pytest.raises(rm.InputError, match=rf"name: got {name!r}; wanted one of .*: a, b"):
            several.carriers("mrr", name=name)


def test_segments_that_are_spelled_alike_or_missing() -> None:
    """No user is lost: missing values are one segment, and 1 is not "1"."""
    base, other = two_models(3, 6)
    models = result_of(base), result_of(other)

    def parts(values: object) -> dict[str, int]:
        column = np.array(values, dtype=object)
        found = rm.compare(*models, by={"kind": column}, resamples=9)
        return {d.segment: d.users for d in found.differences if d.metric == "mrr" and d.segment}

    assert parts([1, "1", 1, "1", 2, 2]) == {"kind=int 1": 2, "kind=str '1'": 2, "kind=2": 2}
    assert parts([0.5, np.float64(0.5), "a", "a", "a", "a"]) == {"kind=0.5": 2, "kind=a": 4}
    nan = float("nan")
    assert parts([1.0, nan, 2.0, 1.0, None, 2.0]) == {"kind=1.0": 2, "kind=2.0": 2, "kind=nan": 2}
    assert parts([None, None, "None", "a", "a", "b"]) == {
        "kind=None": 2, "kind=str 'None'": 1, "kind=a": 2, "kind=b": 1,
    }  # fmt: skip
    odd = {"k": ["1=z", *"wwwww"], "k=1": ["z", *"qqqqq"]}
    with pytest.raises(rm.InputError, match="by: two names make the segment 'k=1=z'"):
        rm.compare(*models, by=odd, resamples=9)
    named = rm.compare(*models, by={"k": list("aabbcc"), "k=1": list("xxyyzz")}, resamples=9)
    for name in ("k", "k=1"):
        whole = named.find("mrr").difference
        parts_of = named.carriers("mrr", name=name)
        assert sum(part.contribution for part in parts_of) == pytest.approx(whole)
    by = {"a": list("xxyyzz"), "b": list("xyxyxy")}
    with pytest.raises(rm.InputError, match="name: got ''; wanted one of"):
        rm.compare(*models, by=by, resamples=9).carriers("mrr", name="")
