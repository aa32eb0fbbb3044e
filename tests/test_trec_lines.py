"""The reader of TREC files: numbers, names, pieces of a file, and what is wrong in it."""

import gzip
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmill as rm
from rankmill._engine import TREC_PIECE
from rankmill.threads import make_run
from rankmill.trec import evaluate
from rankmill.trec.lines import RUN as RUN_LINES
from rankmill.trec.lines import read_lines
from small_trec import RUN, write_files


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return write_files(tmp_path)


HARD = [
    "9007199254740993",  # between two doubles
    "0.1000000000000000055511151231257827",  # more digits than 64 bits hold
    "1.0000000000000002220446049250313",
    "12.345678901234567",
    "0.30000000000000004",
    "0.0012345678901234567",
    "9999999999999999999",
    "6.722046807850880601",  # 63 bits of it lie between two doubles; what follows them decides
    "7363203552012.826661",
    "4223391707237.324463",
    "123456789012345678e3",
    "1e22",
    "1e23",
    "1.7976931348623157e308",
    "5e-324",
    "1e400",
    "-0.0",
    "+.5",
    "5.",
    "-12E-3",
    "000000000000000000000000000001.5",
    "0." + "0" * 120 + "1",
    "inf",
    "-Infinity",
]


@pytest.mark.parametrize("text", HARD)
def test_numbers_are_the_nearest_doubles(text: str, tmp_path: Path) -> None:
    """Python reads them the same; trec_eval compares scores as doubles."""
    (tmp_path / "run").write_text(f"q Q0 d 1 {text} x\n")
    lines = read_lines(tmp_path / "run", RUN_LINES, make_run(1, None))
    assert float(lines.value[0]).hex() == float(text).hex()


@given(number=st.floats(allow_nan=False), digits=st.integers(0, 25), form=st.sampled_from("efr"))
def test_any_number_is_the_nearest_double(number: float, digits: int, form: str) -> None:
    text = repr(number) if form == "r" else f"{number:.{digits}{form}}"
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write(f"q Q0 d 1 {text} x\n")
        file.flush()
        lines = read_lines(Path(file.name), RUN_LINES, make_run(1, None))
    assert float(lines.value[0]).hex() == float(text).hex()


@pytest.mark.parametrize(
    "text", ["high", "1_0", "0x10", "1e", "e5", ".", "-", "1.5.2", "--1", "1e+", "\u0663"]
)
def test_what_is_no_number(text: str, files: tuple[Path, Path]) -> None:
    files[1].write_text(RUN + f"q1 Q0 d7 1 {text} x\n", encoding="utf-8")
    with pytest.raises(rm.InputError, match=rf"run, line 5: got '{re.escape(text)}'; wanted a num"):
        evaluate(*files)


def test_scores_are_compared_as_doubles(tmp_path: Path) -> None:
    """One part in 10^12 apart: the same 32-bit float, in which trec_eval 9 would see a tie."""
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 1.000000000001 x\nq Q0 b 2 1.0 x\n")
    result = evaluate(tmp_path / "qrels", tmp_path / "run", ["recip_rank"])
    assert result.values["recip_rank"].tolist() == [1.0]


@pytest.mark.parametrize("length", [TREC_PIECE // 3, TREC_PIECE, 3 * TREC_PIECE])
def test_lines_across_pieces(length: int, tmp_path: Path) -> None:
    """A file is read in pieces; here a name is as long as some of them."""
    names = [f"{i}{'x' * length}" for i in range(3)]
    (tmp_path / "qrels").write_text(f"q 0 {names[1]} 1\n")
    (tmp_path / "run").write_text(
        "".join(f"q Q0 {name} 1 {1 / i} x\n" for i, name in enumerate(names, 1))
    )
    for threads in (1, 2):
        result = evaluate(tmp_path / "qrels", tmp_path / "run", ["recip_rank"], n_threads=threads)
        assert result.values["recip_rank"].tolist() == [0.5]


def test_the_first_bad_line_is_named_for_any_number_of_threads(tmp_path: Path) -> None:
    lines = [f"q{i // 1000} Q0 d{i} 1 1 run" for i in range(60_000)]
    lines[41_234] = lines[41_234].rpartition(" ")[0]
    lines[55_000] = ""
    (tmp_path / "qrels").write_text("q0 0 d1 1\n")
    (tmp_path / "run").write_text("\n".join(lines))
    for threads in (1, 2, 3):
        with pytest.raises(rm.InputError, match="run, line 41235: got 5 columns; wanted 6"):
            evaluate(tmp_path / "qrels", tmp_path / "run", n_threads=threads)


def test_queries_in_any_order(tmp_path: Path, files: tuple[Path, Path]) -> None:
    """Lines of a query need not be together, and threads change nothing."""
    rng = np.random.default_rng(3)
    run = [f"q{q} Q0 d{d} 1 {(7 * d + q) % 13} x\n" for q in range(300) for d in range(40)]
    qrels = [f"q{q} 0 d{d} {(d + q) % 3}\n" for q in range(20, 320) for d in range(0, 60, 3)]
    found: dict[bool, set[str]] = {False: set(), True: set()}
    for _ in range(3):
        for name, lines in (("run", run), ("qrels", qrels)):
            (tmp_path / name).write_text("".join(lines))
            rng.shuffle(lines)  # type: ignore[arg-type]
        for complete, texts in found.items():
            for n in (1, 2):
                result = evaluate(*files, ["all_trec"], n_threads=n, complete=complete)
                texts.add(result.text(per_query=True))
    assert [len(texts) for texts in found.values()] == [1, 1]


def test_names_of_any_bytes(tmp_path: Path) -> None:
    """Names of documents are bytes; those of queries are shown, and have to be UTF-8."""
    (tmp_path / "qrels").write_bytes(b"q 0 \xff\xfe 1\n")
    (tmp_path / "run").write_bytes(b"q Q0 \xff\xfe 1 1 x\nq Q0 \xff 2 1 x\n")
    result = evaluate(tmp_path / "qrels", tmp_path / "run", ["recip_rank"])
    assert result.values["recip_rank"].tolist() == [1.0]
    (tmp_path / "qrels").write_bytes(b"\xff 0 d 1\n")
    (tmp_path / "run").write_bytes(b"\xff Q0 d 1 1 x\n")
    with pytest.raises(rm.InputError, match=r"qrels: got the name '..xff'; wanted UTF-8"):
        evaluate(tmp_path / "qrels", tmp_path / "run")


def test_broken_gzip(files: tuple[Path, Path]) -> None:
    whole = gzip.compress(RUN.encode())
    for broken in (whole[:-5], b"no gzip", whole[:20] + b"xxxx" + whole[24:]):
        files[1].with_suffix(".gz").write_bytes(broken)
        with pytest.raises(rm.InputError, match=r"run.gz: cannot be read"):
            evaluate(files[0], files[1].with_suffix(".gz"))
