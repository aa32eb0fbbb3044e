"""Full-catalogue ranking from factors against ranking of the score matrix itself."""

import tracemalloc
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp

import rankmill as rm
from rankmill import factors as factors_module

Array = npt.NDArray[Any]
FIELDS = ("offsets", "ahead", "tied", "position", "grade", "candidates")


def whole_factors(
    n_users: int, n_items: int, d: int, dtype: str, seed: int = 0
) -> tuple[Array, ...]:
    """Factors whose products are whole numbers, so that every way to add them up is exact."""
    rng = np.random.default_rng(seed)
    users = rng.integers(-4, 5, (n_users, d)).astype(dtype)
    items = rng.integers(-4, 5, (n_items, d)).astype(dtype)
    return users, items, users @ items.T


def truth(shape: tuple[int, int], density: float, seed: int) -> sp.csr_array:
    rng = np.random.default_rng(seed)
    matrix = sp.random_array(shape, density=density, format="csr", rng=rng)
    matrix.data[:] = rng.integers(1, 4, matrix.nnz)
    return matrix


def assert_same(left: rm.Ranks, right: rm.Ranks) -> None:
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(left, field), getattr(right, field), err_msg=field)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("n_users", "n_items", "d"), [(1, 1, 1), (7, 63, 1), (130, 2049, 5), (300, 4500, 16)]
)
@pytest.mark.parametrize("ties", ["average", "input_order", "id_descending"])
def test_ranks_are_those_of_the_score_matrix(
    isa: str, n_users: int, n_items: int, d: int, dtype: str, ties: str
) -> None:
    users, items, scores = whole_factors(n_users, n_items, d, dtype)
    relevance = truth(scores.shape, 0.01, 1)
    exclude = truth(scores.shape, 0.02, 2)
    ids = np.random.default_rng(3).permutation(n_items)
    options: dict[str, Any] = {"exclude": exclude, "ties": ties, "items": ids}
    found = rm.rank_factors(users, items, relevance, isa=isa, **options)
    assert_same(found, rm.rank(scores, relevance, **options))


def test_many_relevant_items_are_searched() -> None:
    users, items, scores = whole_factors(20, 3000, 8, "float32")
    relevance = truth(scores.shape, 0.3, 1)
    assert_same(rm.rank_factors(users, items, relevance), rm.rank(scores, relevance))


@pytest.mark.parametrize("relevant", [0.005, 0.3])
def test_many_items_are_excluded(relevant: float) -> None:
    users, items, scores = whole_factors(20, 3000, 8, "float32")
    relevance, exclude = truth(scores.shape, relevant, 1), truth(scores.shape, 0.4, 2)
    exclude = sp.csr_array(exclude - exclude.multiply(relevance != 0))
    found = rm.rank_factors(users, items, relevance, exclude=exclude)
    assert_same(found, rm.rank(scores, relevance, exclude=exclude))


def test_bias_is_added() -> None:
    users, items, scores = whole_factors(20, 3000, 8, "float32")
    bias = np.random.default_rng(4).integers(-9, 9, 3000)
    relevance = truth(scores.shape, 0.01, 1)
    found = rm.rank_factors(users, items, relevance, item_bias=bias)
    assert_same(found, rm.rank(scores + bias.astype("float32"), relevance))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_block_and_threads_change_no_bit(dtype: str) -> None:
    rng = np.random.default_rng(5)
    users = rng.normal(size=(400, 33)).astype(dtype)
    items = rng.normal(size=(5000, 33)).astype(dtype)
    relevance = truth((400, 5000), 0.004, 6)
    first = rm.rank_factors(users, items, relevance, block=1, n_threads=1)
    for block in (128, 129, 10_000):
        for n_threads in (1, 2, 3):
            again = rm.rank_factors(users, items, relevance, block=block, n_threads=n_threads)
            assert_same(again, first)


def test_equal_items_tie_wherever_they_stand() -> None:
    """A tile's edge, or the rest of a tile, must not change a score."""
    rng = np.random.default_rng(7)
    one = rng.normal(size=(1, 37)).astype("float32")
    items = np.repeat(one, 4100, axis=0)
    relevance = sp.csr_array(np.ones((3, 4100)))
    ranks = rm.rank_factors(rng.normal(size=(3, 37)).astype("float32"), items, relevance)
    assert set(ranks.tied.tolist()) == {4100}
    assert set(ranks.ahead.tolist()) == {0}


def test_other_rounding_of_gathered_items_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scores of relevant items then come from the tiles themselves."""
    rng = np.random.default_rng(8)
    users, items = rng.normal(size=(140, 9)), rng.normal(size=(3000, 9))
    relevance = truth((140, 3000), 0.01, 9)
    want = rm.rank_factors(users, items, relevance)
    gather = factors_module._gather_scores

    def off_by_a_bit(*arguments: Any) -> None:
        gather(*arguments)
        scores = arguments[4]
        scores[::3] = np.nextafter(scores[::3], np.inf)

    monkeypatch.setattr(factors_module, "_gather_scores", off_by_a_bit)
    assert_same(rm.rank_factors(users, items, relevance), want)


def test_other_rounding_of_some_users_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of five blocks that share the layout of the items, two."""
    rng = np.random.default_rng(8)
    users, items = rng.normal(size=(300, 9)), rng.normal(size=(3000, 9))
    relevance = truth((300, 3000), 0.01, 9)
    want = rm.rank_factors(users, items, relevance)
    gather = factors_module._gather_scores
    blocks = iter(range(5))

    def off_by_a_bit(*arguments: Any) -> None:
        gather(*arguments)
        scores = arguments[4]
        if next(blocks) in (1, 4):
            scores[-1] = np.nextafter(scores[-1], -np.inf)

    monkeypatch.setattr(factors_module, "_gather_scores", off_by_a_bit)
    assert_same(rm.rank_factors(users, items, relevance, block=64, n_threads=1), want)
    assert next(blocks, None) is None


def test_layouts_are_read_as_they_are() -> None:
    users, items, scores = whole_factors(150, 2500, 6, "float32")
    relevance = truth(scores.shape, 0.01, 1)
    want = rm.rank(scores, relevance)
    users.flags.writeable = False
    for given in (items[::-1][::-1], np.asfortranarray(items), items.astype(">f4")):
        assert_same(rm.rank_factors(users, given, relevance), want)


@pytest.mark.parametrize("k", [1, 10, 2500, 3000])
@pytest.mark.parametrize("excluded", [False, True])
def test_top_k_factors(isa: str, k: int, excluded: bool) -> None:
    users, items, scores = whole_factors(150, 2500, 4, "float32")
    exclude = truth(scores.shape, 0.05, 2) if excluded else None
    ids, best = rm.top_k_factors(users, items, k, exclude=exclude, isa=isa)
    want_ids, want_best = rm.top_k(scores, k, exclude=exclude)
    np.testing.assert_array_equal(ids, want_ids)
    np.testing.assert_array_equal(best, want_best)


def test_memory_does_not_grow_with_the_catalogue() -> None:
    rng = np.random.default_rng(10)
    users = rng.normal(size=(128, 4)).astype("float32")
    for n_items in (20_000, 200_000):
        items = rng.normal(size=(n_items, 4)).astype("float32")
        relevance = sp.csr_array((np.ones(128), (np.arange(128), np.arange(128))), (128, n_items))
        tracemalloc.start()
        rm.rank_factors(users, items, relevance, n_threads=1)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 16 * 2**20


def test_memory_does_not_grow_with_the_users() -> None:
    """But for what is returned, also where their factors are copied."""
    items = np.zeros((64, 1030))
    peaks = []
    for n_users in (256, 2048):
        users = np.zeros((n_users, 1030))
        tracemalloc.start()
        rm.top_k_factors(users, items, 1, n_threads=1)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 2**20


def test_errors_name_what_was_wrong() -> None:
    users, items, _ = whole_factors(3, 5, 2, "float32")
    relevance = sp.csr_array((3, 5))
    with pytest.raises(rm.InputError, match="item_factors: got 1 columns where user_factors has 2"):
        rm.rank_factors(users, items[:, :1], relevance)
    with pytest.raises(rm.InputError, match=r"relevance: got shape \(3, 5\); wanted \(3, 4\)"):
        rm.rank_factors(users, items[:4], relevance)
    with pytest.raises(rm.InputTypeError, match="user_factors: got dtype int64"):
        rm.rank_factors(users.astype(int), items, relevance)
    with pytest.raises(rm.InputError, match=r"item_bias: got shape \(4,\); wanted \(5,\)"):
        rm.rank_factors(users, items, relevance, item_bias=np.zeros(4))
    with pytest.raises(rm.InputError, match="block: got 0"):
        rm.rank_factors(users, items, relevance, block=0)
    items[4, 1] = np.nan
    with pytest.raises(rm.InputError, match="NaN at user row 0, column 4"):
        rm.rank_factors(users, items, relevance)
    with pytest.raises(rm.InputError, match="NaN at user row 0, column 4"):
        rm.top_k_factors(users, items, 2)


@pytest.mark.parametrize("place", [0, 7, 2047, 2048])
@pytest.mark.parametrize("relevant", [[7], [2048], [7, 2048], range(0, 2049, 8)])
def test_a_score_that_is_no_number(place: int, relevant: Sequence[int]) -> None:
    """In every tile, the last of which has one item; relevant or not."""
    rng = np.random.default_rng(place)
    items = rng.normal(size=(2049, 2))
    items[place] = np.nan
    relevance = np.zeros((1, 2049), dtype=np.int8)
    relevance[0, relevant] = 1
    with pytest.raises(rm.InputError, match=rf"NaN at user row 0, column {place}\b"):
        rm.rank_factors(rng.normal(size=(1, 2)), items, sp.csr_array(relevance))


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_the_first_failure_is_named(n_threads: int) -> None:
    """Whichever block a thread comes to first."""
    users, items, _ = whole_factors(1500, 500, 3, "float32")
    users[[1400, 700, 40]] = np.nan
    for call in (
        lambda: rm.rank_factors(users, items, sp.csr_array((1500, 500)), n_threads=n_threads),
        lambda: rm.top_k_factors(users, items, 2, n_threads=n_threads),
    ):
        with pytest.raises(rm.InputError, match="NaN at user row 40, column 0"):
            call()


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("block", [None, 64])
def test_the_first_failure_is_named_whichever_tile_it_is_in(
    n_threads: int, block: int | None
) -> None:
    """Zero times infinity is no number, once for a later user in an earlier tile."""
    users, items = np.ones((700, 2)), np.zeros((5000, 2))
    items[5, 0] = items[4500, 1] = np.inf
    users[300, 0] = users[40, 1] = 0
    with pytest.raises(rm.InputError, match="NaN at user row 40, column 4500"):
        rm.top_k_factors(users, items, 2, n_threads=n_threads, block=block)
    relevance = sp.csr_array((700, 5000))
    with pytest.raises(rm.InputError, match="NaN at user row 40, column 4500"):
        rm.rank_factors(users, items, relevance, n_threads=n_threads, block=block)


@pytest.mark.parametrize("d", [1, 2, 64, 65, 128, 129, 256, 257, 1024, 1025])
def test_products_of_every_shape(d: int) -> None:
    users, items, scores = whole_factors(70, 90, d, "float32")
    relevance = truth(scores.shape, 0.1, 1)
    assert_same(rm.rank_factors(users, items, relevance), rm.rank(scores, relevance))
