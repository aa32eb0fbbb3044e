"""Tables read in batches: Ctrl-C while some are ranked, and what the process imports."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(os.name != "posix", reason="needs signals"),
]

_SLOW = """
import os, sys, threading, time
import rankmill as rm
from rankmill.tables import streaming

evaluate = streaming.evaluate_scored

def slow(*args, **options):
    print("ready", flush=True)
    time.sleep(0.2)
    return evaluate(*args, **options)

streaming.evaluate_scored = slow
try:
    rm.evaluate_table(sys.argv[1], "mrr", per_user=False, n_threads=2)
    print("finished before it was interrupted")
except KeyboardInterrupt:
    print("interrupted with", threading.active_count(), os.listdir(os.environ["TMPDIR"]))
"""

_PLAIN = """
import sys
import rankmill as rm

rm.evaluate_table(sys.argv[1], "mrr", memory_limit="1GB")
print("pandas" in sys.modules)
"""


@pytest.fixture(name="log")
def made_log(tmp_path: Path) -> Path:
    """Five million rows, in forty groups."""
    duckdb.sql(
        "COPY (SELECT i // 100 AS user, i % 97 AS score, i % 20 = 0 AS label FROM "
        f"range(5_000_000) AS r(i)) TO '{tmp_path}/log.parquet'"
    )
    return tmp_path / "log.parquet"


def hear_ctrl_c() -> None:
    """A run in the background ignores SIGINT, and its children would."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.slow
def test_ctrl_c_leaves_no_thread_and_no_folder(log: Path) -> None:
    spill = log.parent / "spill"
    spill.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", _SLOW, str(log)],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=hear_ctrl_c,
        env={**os.environ, "TMPDIR": str(spill)},
    ) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.3)
            sent = time.monotonic()
            child.send_signal(signal.SIGINT)
            said = child.stdout.read().splitlines()
            assert said[-1] == "interrupted with 1 []"
            assert time.monotonic() - sent < 2
        finally:
            child.kill()


def test_numbers_need_no_pandas(log: Path) -> None:
    """Whose import takes longer than twenty million rows."""
    command = [sys.executable, "-c", _PLAIN, str(log)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
