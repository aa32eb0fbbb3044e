"""What must not change a single bit: input form, row order, layout, threads, instruction set."""

import dataclasses
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm
import reference
from forms import (
    LIST_FORMS,
    SPARSE_KINDS,
    dense,
    flat,
    flat_with_exclusion,
    grouped,
    is_candidate,
    key,
    list_form,
    matrices,
    names,
    sparse_relevance,
    wanted,
)
from strategies import SETTLED, Array, Batch, batches, conventions, cutoffs

ISAS = rm.build_info()["isa_usable"]


def bits(ranks: rm.Ranks) -> list[bytes]:
    arrays = [ranks.offsets, ranks.ahead, ranks.tied, ranks.position, ranks.grade, ranks.candidates]
    return [b"" if array is None else np.asarray(array).tobytes() for array in arrays]


@given(batches(), st.sampled_from(["average", *SETTLED]), st.sampled_from(SPARSE_KINDS))
def test_input_forms_give_the_same_bits(batch: Batch, ties: str, sparse_kind: str) -> None:
    base = rm.rank(**flat(batch), ties=ties, n_threads=1, isa=ISAS[-1])
    want = bits(base)
    scores, grades = matrices(batch)
    in_matrix = dense(batch)
    sparse = sparse_relevance(grades, sparse_kind, batch.seed)
    assert bits(rm.rank(**in_matrix, ties=ties)) == want
    assert bits(rm.rank(**{**in_matrix, "relevance": sparse}, ties=ties)) == want, sparse_kind
    assert bits(rm.rank(**flat_with_exclusion(batch), ties=ties)) == want
    if ties != "id_descending":
        for form in ("lists", "dict"):
            assert bits(rm.rank(**dense(batch, form), ties=ties)) == want, form
    if len(batch.users) == 1 and is_candidate(batch).all():
        assert bits(rm.rank(scores[0], grades[0], items=batch.items, ties=ties)) == want


@given(batches(), conventions(ties=["average", *SETTLED]), cutoffs())
def test_row_order_changes_no_bit(batch: Batch, rules: dict[str, Any], ks: list[int]) -> None:
    """Users mixed, and the rows of a user too unless their order is the tie rule."""
    metrics = names(wanted(ks))
    choice = rm.Conventions(**rules)
    rows, users = grouped(batch, keep_order=rules["ties"] == "input_order")
    if not users:
        return
    want = rm.evaluate(**flat(batch), metrics=metrics, conventions=choice).values[:, users]
    found = rm.evaluate(**rows, metrics=metrics, conventions=choice).values
    assert found.tobytes() == np.ascontiguousarray(want).tobytes()


def each_alone(ranks: rm.Ranks, metrics: list[str], choice: rm.Conventions) -> Array:
    alone = [rm.measure(ranks, metric, conventions=choice).values for metric in metrics]
    return np.concatenate(alone)


@given(batches(max_users=8), conventions(ties=["average", *SETTLED]))
def test_many_cutoffs_are_each_alone(batch: Batch, rules: dict[str, Any]) -> None:
    """One walk over the entries gives them all, and stops within ties."""
    choice = rm.Conventions(**rules)
    ranks = rm.rank(**flat(batch), ties=rules["ties"])
    for metric in reference.CUTOFF_METRICS:
        metrics = [*(key(metric, k) for k in (1, 2, 3, 4, 5, 6, 7, 9, 12, 33, 64, 1000)), metric]
        found = rm.measure(ranks, metrics, conventions=choice).values
        assert found.tobytes() == each_alone(ranks, metrics, choice).tobytes(), metric


@pytest.mark.parametrize("ties", ["average", "worst", "best"])
def test_many_cutoffs_of_a_huge_user(ties: str) -> None:
    """Whose gains are made when asked for."""
    rng = np.random.default_rng(5)
    scores, grades = rng.integers(0, 40, (1, 9000)), rng.integers(0, 4, (1, 9000))
    ranks, choice = rm.rank(scores, grades), rm.Conventions(ties=ties, min_grade=2)
    for metric in ("cg", "dcg", "idcg", "ndcg", "precision", "recall", "f1", "hit", "mrr", "map"):
        metrics = [key(metric, k) for k in (1, 50, 225, 226, 300, 5000, 8999, 20_000)]
        found = rm.measure(ranks, metrics, conventions=choice).values
        assert found.tobytes() == each_alone(ranks, metrics, choice).tobytes(), metric


@given(batches(max_users=8), conventions(ties=["average", *SETTLED]), cutoffs())
def test_threads_isa_and_parts_change_no_bit(
    batch: Batch, rules: dict[str, Any], ks: list[int]
) -> None:
    rows, metrics, choice = flat(batch), names(wanted(ks)), rm.Conventions(**rules)
    base = rm.rank(**rows, ties=rules["ties"], n_threads=1)
    want = rm.measure(base, metrics, conventions=choice, n_threads=1).values.tobytes()
    for isa, n_threads in itertools.product(ISAS, [1, 2, 3]):
        ranks = rm.rank(**rows, ties=rules["ties"], isa=isa, n_threads=n_threads)
        assert bits(ranks) == bits(base), (isa, n_threads)
        result = rm.measure(ranks, metrics, conventions=choice, n_threads=n_threads)
        assert result.values.tobytes() == want, n_threads
    parts = [
        rm.rank(**flat(dataclasses.replace(batch, users=[user])), ties=rules["ties"])
        for user in batch.users
    ]
    assert bits(rm.Ranks.concat(parts)) == bits(base)


def layouts(array: Array, folder: Path) -> dict[str, Array]:
    """The same values, laid out in memory in other ways."""
    spaced = np.zeros([2 * n + 1 for n in array.shape], dtype=array.dtype)
    window = spaced[tuple(slice(1, None, 2) for _ in array.shape)]
    window[...] = array
    backwards = array[..., ::-1].copy()[..., ::-1]
    locked = array.copy()
    locked.flags.writeable = False
    path = folder / "values.npy"
    np.save(path, array)
    unaligned = np.frombuffer(b"x" + array.tobytes(), dtype=np.uint8)[1:]
    return {
        "strided": window,
        "backwards": backwards,
        "fortran": np.asfortranarray(array),
        "read-only": locked,
        "byte-swapped": array.astype(array.dtype.newbyteorder()),
        "memory-mapped": np.load(path, mmap_mode="r"),
        "unaligned": unaligned.view(array.dtype).reshape(array.shape),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("layouts")


@given(batch=batches())
def test_memory_layout_changes_no_bit(batch: Batch, folder: Path) -> None:
    in_matrix, rows = dense(batch), flat(batch)
    for arguments in (in_matrix, rows):
        want = bits(rm.rank(**arguments))
        for name in ("scores", "relevance"):
            if arguments[name].size == 0:
                continue
            for layout, array in layouts(arguments[name], folder).items():
                before = array.tobytes()
                assert bits(rm.rank(**{**arguments, name: array})) == want, (name, layout)
                assert array.tobytes() == before, layout


@given(batches(distinct=True), st.sampled_from(LIST_FORMS))
def test_ranked_lists_give_the_bits_of_their_scores(batch: Batch, form: str) -> None:
    lists, relevant = [], []
    for user in batch.users:
        order = np.argsort(user.scores)[::-1]
        lists.append(user.columns[order].tolist())
        relevant.append(dict(zip(user.columns.tolist(), user.grades.tolist(), strict=True)))
    nothing: list[list[int]] = [[] for _ in lists]
    recommended, truths, _ = list_form(form, lists, relevant, nothing, batch)
    found, want = rm.rank_lists(recommended, truths), rm.rank(**flat(batch))
    for field in ("offsets", "ahead", "tied", "grade"):
        assert getattr(found, field).tobytes() == getattr(want, field).tobytes(), field


# --- enough users for several threads ------------------------------------------------------------


@pytest.fixture(scope="module")
def many_users() -> dict[str, Any]:
    """4,000 users of 70 items, a third of the scores tied."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(4000, 70)).round(1).astype(np.float32)
    return {"scores": scores, "relevance": rng.choice([0, 0, 0, 0, 1, 2, 4], size=scores.shape)}


@pytest.mark.parametrize("ties", ["average", "input_order"])
def test_many_users_same_bits(many_users: dict[str, Any], isa: str, ties: Any) -> None:
    metrics, choice = names(wanted([1, 10])), rm.Conventions(ties=ties)
    base = rm.rank(**many_users, ties=ties, n_threads=1)
    want = rm.measure(base, metrics, conventions=choice, n_threads=1)
    for n_threads in (1, 2, 3):
        ranks = rm.rank(**many_users, ties=ties, n_threads=n_threads, isa=isa)
        assert bits(ranks) == bits(base)
        result = rm.measure(ranks, metrics, conventions=choice, n_threads=n_threads)
        assert result.values.tobytes() == want.values.tobytes()
        assert result.means == want.means
