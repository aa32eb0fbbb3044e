"""A small log with metrics known from their definition, and ways to run the command line."""

import io
import json
import os
from contextlib import redirect_stderr, redirect_stdout
from math import log2
from pathlib import Path

from rankmill.cli import main

COLUMNS = ("--user", "who", "--score", "score", "--label", "grade")

# ann: a perfect ranking. bob: one relevant item of two, tied. cy: nothing relevant.
LOG = """\
who,score,grade,item
ann,0.9,1,x
bob,0.3,0,x
ann,0.1,0,y
bob,0.3,2,z
cy,1,0,x
"""
BOB_NDCG = (1 + 1 / log2(3)) / 2  # the mean of his two orders
NDCG = (1 + BOB_NDCG) / 2  # cy has none
BOB_MRR = (1 + 1 / 2) / 2
MRR = (1 + BOB_MRR + 0) / 3

Output = tuple[int, str, str]


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def run(*argv: str | int | os.PathLike[str]) -> Output:
    """Run the command line in this process: exit code, stdout, stderr."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            code = main([str(word) for word in argv])
        except SystemExit as stop:
            code = int(stop.code or 0)
    return code, out.getvalue(), err.getvalue()


def value(output: Output, metric: str) -> float | None:
    """Return the mean of a metric from a run with --json that went well."""
    code, out, err = output
    assert (code, err) == (0, "")
    mean: float | None = json.loads(out)["metrics"][metric]["mean"]
    return mean


def failure(output: Output) -> str:
    """Return the message of a run that failed, which is one line."""
    code, out, err = output
    assert (code, out) == (1, "")
    assert err.startswith("rankmill: error: ")
    assert err.count("\n") == 1
    return err


def usage_error(output: Output) -> str:
    """Return what a wrong command line is told."""
    code, out, err = output
    assert (code, out) == (2, "")
    assert err.startswith("usage: rankmill")
    return err
