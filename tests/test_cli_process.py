"""The command line on a terminal, in a pipe, and interrupted."""

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

import rankmill as rm
from command_line import COLUMNS, LOG, MRR, Output, failure, usage_error, value, written
from rankmill import progress
from rankmill.cli import main, stages


def process(*argv: str | os.PathLike[str]) -> Output:
    """Run the command line as a process: exit code, stdout, stderr."""
    command = [sys.executable, "-m", "rankmill", *argv]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return written(tmp_path / "log.csv", LOG)


SHOW_CURSOR = "\x1b[?25h"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


def test_a_rich_table_on_a_terminal(
    log: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["evaluate", str(log), *COLUMNS, "-m", "mrr"]) == 0
    assert "┃" in terminal.getvalue()
    assert f"{MRR:.4f}" in terminal.getvalue()


def test_a_plain_table_where_rich_is_missing(
    log: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setitem(sys.modules, "rich.table", None)
    assert main(["evaluate", str(log), *COLUMNS, "-m", "mrr"]) == 0
    assert "metric    mean" in terminal.getvalue()


@pytest.mark.parametrize("total", [None, 10])
def test_a_bar_for_a_long_stage(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, total: int | None
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_PATIENCE", 0.01)
    timer = stages.Stages()
    with timer.stage("read", total) as advance:
        time.sleep(0.1)
        advance(5)
    assert "read" in terminal.getvalue()
    assert terminal.getvalue().rindex(SHOW_CURSOR) > terminal.getvalue().rindex("read")
    assert timer.seconds["read"] >= 0.1


def test_no_bar_for_a_short_stage(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal)
    start = time.perf_counter()
    with stages.Stages().stage("read"):
        pass
    assert terminal.getvalue() == ""
    assert time.perf_counter() - start < 1  # and nobody waits for it


def test_no_bar_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.01)
    with stages.Stages().stage("read"):
        time.sleep(0.1)
    assert capsys.readouterr() == ("", "")


# --- processes -------------------------------------------------------------------------------


def test_version_of_a_process() -> None:
    assert process("--version") == (0, f"rankmill {rm.__version__}\n", "")


def test_exit_codes_of_a_process(log: Path, tmp_path: Path) -> None:
    done = process("evaluate", log, *COLUMNS, "-m", "auc", "--json")
    assert value(done, "auc") == pytest.approx((1 + 0.5) / 2)
    failure(process("evaluate", tmp_path / "none.csv", *COLUMNS))
    usage_error(process("evaluate", log, *COLUMNS, "-m", "x"))


def test_info_loads_neither_duckdb_nor_rich() -> None:
    code = (
        "import sys; from rankmill.cli import main; main(['info']); "
        "sys.exit(bool({'duckdb', 'rich', 'pandas', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=False)
    assert done.returncode == 0


@pytest.mark.process
@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_reader_that_goes_away() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "rankmill", "info"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


@pytest.fixture
def endless_csv(tmp_path: Path) -> Path:
    """A CSV file that takes long to read: text ids, most of them different."""
    path = tmp_path / "long.csv"
    duckdb.sql(
        "SELECT md5(range::VARCHAR) AS who, 0.5 AS score, 1 AS grade FROM range(3_000_000)"
    ).write_csv(str(path))
    return path


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("command", ["demo", "evaluate"])
def test_ctrl_c(command: str, endless_csv: Path) -> None:
    words = ["--users", "4000000"] if command == "demo" else [str(endless_csv), *COLUMNS]
    child = subprocess.Popen(
        [sys.executable, "-m", "rankmill", command, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A run in the background ignores SIGINT, and its children would.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(1.5)
    child.send_signal(signal.SIGINT)
    start = time.perf_counter()
    out, err = child.communicate(timeout=30)
    assert (child.returncode, out, err) == (130, b"", b"rankmill: interrupted\n")
    assert time.perf_counter() - start < 2
