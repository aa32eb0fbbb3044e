"""Ranks in a file: the same bits back, and nothing but a whole file of Ranks is taken."""

import errno
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmill as rm

RNG = np.random.default_rng(8)


def some_ranks(users: Any = None, ties: str = "average", n_users: int = 30) -> rm.Ranks:
    scores = RNG.integers(0, 9, (n_users, 12)).ravel()
    labels = RNG.integers(-1, 3, n_users * 12)
    groups = np.repeat(np.arange(n_users) if users is None else users, 12)
    return rm.rank(scores, labels, groups=groups, ties=ties)  # type: ignore[arg-type]


def same(a: rm.Ranks, b: rm.Ranks) -> bool:
    assert (a.order, a.complete, a.ignored) == (b.order, b.complete, b.ignored)
    for name in ("offsets", "ahead", "tied", "position", "grade", "candidates", "users"):
        one, other = getattr(a, name), getattr(b, name)
        assert (one is None) == (other is None), name
        if one is not None:
            assert one.dtype == other.dtype
            assert one.tolist() == other.tolist(), name
    return True


@pytest.mark.parametrize("mmap", [True, False])
@pytest.mark.parametrize("ties", ["average", "input_order"])
@pytest.mark.parametrize(
    "ids",
    [
        None,
        np.arange(30) + 2**62,
        np.array([f"é{i}" for i in range(30)]),
        np.array([f"u{i}" for i in range(30)], dtype=object),
        np.array([*range(29), 2**80], dtype=object),
        np.arange(30, dtype=">i2"),
    ],
    ids=["none", "large", "text", "objects", "huge", "swapped"],
)
def test_round_trip(ids: Any, ties: str, mmap: bool, tmp_path: Path) -> None:
    ranks = some_ranks(ids, ties)
    ranks.save(tmp_path / "ranks")
    loaded = rm.Ranks.load(tmp_path / "ranks", mmap=mmap)
    if ids is not None and ids.dtype.byteorder == ">":
        assert loaded.users is not None
        assert loaded.users.tolist() == ids.tolist()
    else:
        assert same(ranks, loaded)
    metrics = ["ndcg@5", "map", "auc"]
    before, after = rm.measure(ranks, metrics).values, rm.measure(loaded, metrics).values
    assert np.array_equal(before, after, equal_nan=True)
    assert [path.name for path in tmp_path.iterdir()] == ["ranks"]


def test_ranks_of_lists_and_without_entries(tmp_path: Path) -> None:
    for ranks in (
        rm.rank_lists({"a": [1, 2], "b": [3]}, {"a": {2: 3.0}, "c": {1}}),
        rm.rank([[1.0, 2.0]], [[0, 0]]),
    ):
        ranks.save(tmp_path / "ranks")
        assert same(ranks, rm.Ranks.load(tmp_path / "ranks"))


def test_what_is_written_to_mapped_arrays_stays_in_memory(tmp_path: Path) -> None:
    ranks = some_ranks()
    ranks.save(tmp_path / "ranks")
    rm.Ranks.load(tmp_path / "ranks").ahead[:] = 1
    assert same(ranks, rm.Ranks.load(tmp_path / "ranks"))


def test_a_cut_file_is_refused_at_every_length(tmp_path: Path) -> None:
    path = tmp_path / "ranks"
    some_ranks(n_users=3).save(path)
    whole = path.read_bytes()
    for length in [*range(200), *range(200, len(whole), 7), len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(rm.InputError, match=r"ranks: (not a file|its header|.* it was cut)"):
            rm.Ranks.load(path)
    path.write_bytes(whole + b"x")
    with pytest.raises(rm.InputError, match="wanted"):
        rm.Ranks.load(path)


def test_a_changed_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ranks"
    some_ranks(n_users=3).save(path)
    whole = bytearray(path.read_bytes())
    for at in range(24, whole.rindex(b"}") + 1):
        changed = whole.copy()
        changed[at] ^= 1
        path.write_bytes(changed)
        with pytest.raises(rm.InputError, match="its header is damaged"):
            rm.Ranks.load(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a file of rankmill"),
        (b"PAR1" * 100, "not a file of rankmill"),
        (b"rankmill\x02\0\0\0" + bytes(100), "got version 2; wanted 1"),
        (b"rankmill\x01\0\0\0" + b"\xff" * 100, "header is damaged"),
    ],
)
def test_other_files_are_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(rm.InputError, match=message):
        rm.Ranks.load(path)
    with pytest.raises(FileNotFoundError):
        rm.Ranks.load(tmp_path / "none")


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ranks"
    path.write_text("before")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        some_ranks().save(path)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("ranks", "before")]


def test_ids_that_cannot_be_stored(tmp_path: Path) -> None:
    ids = np.array([(1, 2), (3, 4)] * 15 + [None], dtype=object)[:30]
    ranks = some_ranks(np.arange(30))
    with pytest.raises(rm.InputTypeError, match=r"users: got \(1, 2\) at user row 0; wanted"):
        rm.Ranks(**{**vars(ranks), "users": ids}).save(tmp_path / "ranks")
    assert not list(tmp_path.iterdir())
