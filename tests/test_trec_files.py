"""`rankmill trec` and `rankmill.trec`: trec_eval's output byte for byte, and its files."""

import gzip
from pathlib import Path

import numpy as np
import pyarrow
import pytest

import rankmill as rm
from command_line import failure
from command_line import run as command
from rankmill._engine import TREC_PIECE
from rankmill.compat import pytrec_eval
from rankmill.compat.trec_measures import NICKNAMES
from rankmill.trec import evaluate
from small_trec import QRELS, RUN, write_files


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return write_files(tmp_path)


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        ([], "out.test"),
        (["-m", "all_trec"], "out.test.a"),
        (["-q", "-m", "all_trec"], "out.test.aq"),
    ],
)
def test_output_of_trec_eval(options: list[str], printed: str, shared: Path) -> None:
    folder = shared / "trec_eval"
    done = command("trec", *options, folder / "qrels.test", folder / "results.test")
    assert done == (0, (folder / printed).read_text(), "")


def test_options(files: tuple[Path, Path]) -> None:
    """Query q2 is found at once, q1 at 2 of 3 with two relevant, q3 not in the run."""
    lines = "map                   \tq1\t0.2500\nmap                   \tq2\t1.0000\n"
    whole = "map                   \tall\t{}\n"
    assert command("trec", "-m", "map", *files)[1] == whole.format("0.6250")
    assert command("trec", "-q", "-m", "map", *files)[1] == lines + whole.format("0.6250")
    assert command("trec", "-q", "-n", "-m", "map", *files)[1] == lines
    every = command("trec", "-c", "-q", "-m", "map", *files)[1]
    zero = "map                   \tq3\t0.0000\n"
    assert every == lines + zero + whole.format("0.4167")
    assert command("trec", "-M", "1", "-m", "map", *files)[1] == whole.format("0.5000")
    assert command("trec", "-l", "2", "-m", "num_rel", *files)[1].split()[-1] == "1"
    several = command("trec", "-m", "P.2,1", "-m", "num_ret", *files)[1]
    assert [line.split()[0] for line in several.splitlines()] == ["num_ret", "P_1", "P_2"]


def test_result(files: tuple[Path, Path]) -> None:
    result = evaluate(*files, ["map", "num_q", "gm_map", "unj", "rbp", "relstring"])
    assert result.queries == ["q1", "q2"]
    assert result.run_id == "mine"
    assert result.values["map"].tolist() == [0.25, 1.0]
    assert result.summary["gm_map"] == pytest.approx(0.5)
    assert result.values["unj_5"].tolist() == [0.2, 0]
    assert result.values["rbp"].tolist() == pytest.approx([0.1 * 0.9 / 2, 0.1])
    assert result.strings == ["01-", "1"]


def test_a_mean_between_two_roundings(tmp_path: Path) -> None:
    """1305 tenths over 2,000 queries are 0.06525; trec_eval 10.0 prints what its sum errs to."""
    qrels = "".join(f"q{i:04d} 0 d {int(i < 1305)}\n" for i in range(2000))
    run = "".join(f"q{i:04d} Q0 d 1 1.0 run\n" for i in range(2000))
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "run").write_text(run)
    text = evaluate(tmp_path / "qrels", tmp_path / "run", ["P.10"]).text()
    assert text.split()[-1] == "0.0652"


@pytest.mark.parametrize("layout", ["blanks", "tabs", "mixed", "crlf", "gzip", "zstd", "no end"])
def test_layouts(layout: str, files: tuple[Path, Path], tmp_path: Path) -> None:
    want = evaluate(*files, ["all_trec"]).text(per_query=True)
    changes = {"tabs": "\t", "mixed": "  \t "}
    for file in files:
        text = file.read_text().replace(" ", changes.get(layout, " "))
        text = text.replace("\n", "\r\n") if layout == "crlf" else text
        text = text.rstrip("\n") if layout == "no end" else text
        file.write_bytes(text.encode())
        if layout == "gzip":
            file.with_suffix(".gz").write_bytes(gzip.compress(text.encode()))
        if layout == "zstd":
            compressed = pyarrow.compress(text.encode(), codec="zstd", asbytes=True)
            file.with_suffix(".zst").write_bytes(compressed)
    ending = {"gzip": ".gz", "zstd": ".zst"}.get(layout, "")
    names = [file.with_suffix(ending) for file in files]
    assert evaluate(*names, ["all_trec"]).text(per_query=True) == want


@pytest.mark.parametrize("passed_over", ["\n", " \t\r\n", "# a comment\n", "  #q1 0 d2 2\n#\n\n"])
def test_blank_lines_and_comments(
    passed_over: str, files: tuple[Path, Path], tmp_path: Path
) -> None:
    """Anywhere, also where the last line has no end, and more of them than fit in a piece."""
    want = evaluate(*files, ["all_trec"]).text(per_query=True)
    for many in (1, 2 * TREC_PIECE // len(passed_over)):
        for file, text in zip(files, (QRELS, RUN), strict=True):
            lines = text.splitlines(keepends=True)
            parts = [passed_over, *lines[:2], passed_over * many, *lines[2:], passed_over]
            file.write_text("".join(parts)[:-1], newline="")
        for threads in (1, 2):
            found = evaluate(*files, ["all_trec"], n_threads=threads)
            assert found.text(per_query=True) == want
    files[0].write_text(QRELS + passed_over * 3 + "q1 0 d1 1\n", newline="")
    number = 5 + 3 * passed_over.count("\n") + 1
    with pytest.raises(rm.InputError, match=f"qrels, line {number}: document 'd1' stands twice"):
        evaluate(*files)


def test_strange_names(tmp_path: Path) -> None:
    """Quotes, commas and letters beyond ASCII are parts of names; ties fall by their bytes."""
    (tmp_path / "qrels").write_text('q"1 0 é 1\nq"1 0 "z, 0\n', encoding="utf-8")
    (tmp_path / "run").write_text('q"1 Q0 é 1 1 x\nq"1 Q0 "z, 2 1 x\n', encoding="utf-8")
    result = evaluate(tmp_path / "qrels", tmp_path / "run", ["recip_rank"])
    assert (result.queries, result.values["recip_rank"].tolist()) == (['q"1'], [1.0])


def test_many_lines_equal_the_dictionaries(tmp_path: Path) -> None:
    """Random files with ties, through both ways of reading, against the other module."""
    rng = np.random.default_rng(7)
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for query in map(str, range(40)):
        names = [f"d{i}" for i in rng.permutation(60)]
        run[query] = {name: float(rng.integers(0, 20)) / 8 for name in names[:40]}
        qrels[query] = {name: int(rng.integers(-1, 4)) for name in names[20:]}
    measures = [name for name in NICKNAMES["all_trec"] if name != "runid"]
    found = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    for blank in (" ", "  "):
        (tmp_path / "qrels").write_text(
            "".join(f"{q}{blank}0 {d} {g}\n" for q, row in qrels.items() for d, g in row.items())
        )
        (tmp_path / "run").write_text(
            "".join(f"{q} Q0{blank}{d} 1 {s} x\n" for q, row in run.items() for d, s in row.items())
        )
        result = evaluate(tmp_path / "qrels", tmp_path / "run", ["all_trec"])
        assert result.queries == sorted(run)
        for name in ("map", "bpref", "infAP", "ndcg", "Rndcg", "G", "ndcg_rel", "P_10", "num_rel"):
            want = [found[query][name] for query in result.queries]
            np.testing.assert_allclose(result.values[name], want, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("run", "q1 Q0 d1 1 9.5\n", "line 1: got 5 columns; wanted 6"),
        ("run", RUN + "q1 Q0 d3 1 high x\n", "line 5: got 'high'; wanted a number"),
        ("run", "\n# by hand\n" + RUN + "q1\n", "line 7: got 1 columns; wanted 6"),
        ("run", " \r\n", "run: got no lines"),
        ("run", RUN + "q1 Q0 d1 4 3 x\n", "line 5: document 'd1' stands twice in query 'q1'"),
        ("run", RUN + "q1 Q0 d5 4 nan x\n", "line 5: got nan for document 'd5' in query 'q1'"),
        ("run", "", "got no lines"),
        ("run", "q7 Q0 d1 1 1 x\n", "run: no query of it is in .*qrels; wanted"),
        ("qrels", QRELS + "q1 0 d7 1.5\n", "got 1.5 for document 'd7' in query 'q1'; wanted a w"),
        ("qrels", QRELS + "q1 0 d7 x\n", "line 6: got 'x'; wanted a number"),
        ("qrels", QRELS + "q1 0 d1 1\n", "qrels, line 6: document 'd1' stands twice"),
    ],
)
def test_bad_files(name: str, text: str, message: str, files: tuple[Path, Path]) -> None:
    files[0].with_name(name).write_text(text)
    with pytest.raises(rm.InputError, match=message):
        evaluate(*files)
    failure(command("trec", *files))


def test_bad_arguments(files: tuple[Path, Path]) -> None:
    with pytest.raises(rm.InputError, match="no such file"):
        evaluate(files[0], files[0].with_name("missing"))
    with pytest.raises(rm.MetricError, match="did you mean 'map'"):
        evaluate(*files, ["mapp"])
    with pytest.raises(rm.MetricError, match="measures: got none"):
        evaluate(*files, [])
    with pytest.raises(rm.InputError, match="depth: got 0"):
        evaluate(*files, depth=0)
    assert command("trec", "-l", "0", *files)[0] == 2
