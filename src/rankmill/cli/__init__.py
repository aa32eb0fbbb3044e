"""The command line: ``rankmill demo``, ``evaluate``, ``trec``, ``bench`` and ``info``.

Exit codes: 0 success; 1 the data or this machine do not allow it, said in one line on stderr; 2 a
wrong command line; 130 Ctrl-C; 141 the reader of our output went away.
"""

from __future__ import annotations

import argparse
import os
import sys

from rankmill.cli.arguments import parse
from rankmill.errors import RankmillError

_FAILED = 1
_INTERRUPTED = 128 + 2  # as shells report a process that SIGINT or SIGPIPE ended
_NO_READER = 128 + 13


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    argv : list of str, optional
        Arguments without the program's name; default: those of this process.

    Raises
    ------
    SystemExit
        With code 2 for a wrong command line, 0 after ``--help`` and ``--version``.
    """
    args = parse(argv)
    try:
        _run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at exit; give that flush somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _NO_READER
    except (RankmillError, OSError, MemoryError) as error:
        message = " ".join(str(error).split()) or type(error).__name__
        print(f"rankmill: error: {message}", file=sys.stderr)
        return _FAILED
    except KeyboardInterrupt:
        print("rankmill: interrupted", file=sys.stderr)
        return _INTERRUPTED
    return 0


def _run(args: argparse.Namespace) -> None:
    # Each command loads only what it needs.
    if args.command == "demo":
        from rankmill.cli import demo

        demo.run(args)
    elif args.command == "evaluate":
        from rankmill.cli import evaluate

        evaluate.run(args)
    elif args.command == "trec":
        from rankmill.cli import trec

        trec.run(args)
    elif args.command == "bench":
        from rankmill.cli import bench

        bench.run(args)
    else:
        from rankmill.cli import info

        info.run(args)
