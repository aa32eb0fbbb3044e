"""The made-up log of `rankmill demo`: the same each time, cheap to make, and like a real one."""

import math
import time
import tracemalloc

import numpy as np
import pytest

from rankmill.cli import demo_data
from rankmill.cli.demo_data import DemoLog, draw_items, make_log
from rankmill.errors import OutOfMemoryError


def same(one: DemoLog, other: DemoLog) -> bool:
    pairs = zip(vars(one).values(), vars(other).values(), strict=True)
    return all(np.array_equal(first, second) for first, second in pairs)


def test_dtypes_and_shape() -> None:
    log = make_log(700, 13, seed=5)
    assert (log.scores.dtype, log.labels.dtype, log.offsets.dtype) == (
        np.float32,
        np.uint8,
        np.int64,
    )
    assert log.scores.shape == log.labels.shape == (700 * 13,)
    assert log.offsets.tolist() == list(range(0, 700 * 13 + 1, 13))
    assert set(np.unique(log.labels)) == {0, 1}
    assert np.isfinite(log.scores).all()


def test_a_seed_makes_one_log_whatever_the_threads() -> None:
    # 1500 users of 100 are several blocks, the last of them partly filled.
    log = make_log(1500, 100, seed=1)
    assert same(log, make_log(1500, 100, seed=1))
    assert same(log, make_log(1500, 100, seed=1, n_threads=3))
    assert not same(log, make_log(1500, 100, seed=2))


def test_blocks_differ() -> None:
    scores = make_log(1310, 100).scores.reshape(1310, 100)
    assert len(np.unique(scores, axis=0)) == 1310


@pytest.mark.parametrize(("users", "candidates"), [(1, 1), (3, 1), (1, 70_000)])
def test_extreme_shapes(users: int, candidates: int) -> None:
    log = make_log(users, candidates)
    assert len(log.scores) == users * candidates


def test_items_shown_are_distinct_and_follow_zipf() -> None:
    n_items, shape = 20_000, (2000, 100)
    ranks = draw_items(np.random.default_rng(0), shape, n_items)
    assert ranks.shape == shape
    assert ranks.min() == 0
    assert ranks.max() < n_items
    assert (np.diff(np.sort(ranks, axis=1), axis=1) > 0).all()
    # Under Zipf's law each doubling of rank is as likely as any other: ln 2 / ln n of the draws.
    for start in (100, 1000, 8000):
        share = np.mean((ranks >= start) & (ranks < 2 * start))
        assert share == pytest.approx(math.log(2) / math.log(n_items), rel=0.03)


def test_it_looks_like_a_real_log() -> None:
    log = make_log(5000, 100)
    labels = log.labels.reshape(5000, 100)
    clicks = labels.sum(axis=1)
    assert 0.03 < labels.mean() < 0.12
    assert 0.02 < np.mean(clicks == 0) < 0.15  # some users click nothing
    assert np.percentile(clicks, 95) > 3 * np.median(clicks)  # and a few click much more than most
    # Scores tell clicks from the rest, far from perfectly.
    scores = log.scores.reshape(5000, 100)
    users = np.flatnonzero((clicks > 0) & (clicks < 100))
    clicked = scores[users, labels[users].argmax(axis=1)]
    other = scores[users, labels[users].argmin(axis=1)]
    assert 0.7 < np.mean(clicked > other) < 0.85


def test_progress_adds_up_to_the_users() -> None:
    made: list[int] = []
    make_log(1500, 100, advance=made.append)
    assert len(made) > 1
    assert sum(made) == 1500


def test_extra_memory_does_not_grow_with_the_log() -> None:
    def extra(users: int) -> int:
        tracemalloc.start()
        log = make_log(users, 100)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak - sum(array.nbytes for array in vars(log).values())

    small, large = extra(2000), extra(20_000)
    assert large < small + 500_000


def test_a_log_that_does_not_fit() -> None:
    with pytest.raises(OutOfMemoryError, match=r"2,000,000,000 users .* GB; wanted fewer"):
        make_log(2_000_000_000, 2_000_000_000)


def test_an_interrupted_run_leaves_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []

    def fill(*_: object) -> None:
        begun.append(1)
        time.sleep(0.01)

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo_data, "_fill", fill)
    with pytest.raises(KeyboardInterrupt):
        make_log(100_000, 100, advance=interrupt)  # 153 blocks
    assert 1 <= len(begun) < 20
