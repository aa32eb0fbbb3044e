"""The command line: ``rankmill evaluate`` and its siblings, a module for each command.

Exit codes: 0 success; 1 the data or this machine do not allow it, said in one line on stderr; 2 a
wrong command line; 3 a condition of --fail-if holds; 130 Ctrl-C; 141 the reader of our output went
away.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable

from rankmill.cli.arguments import make_parser, parse
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
    if "_ARGCOMPLETE" in os.environ:  # a shell asks for completions
        import argcomplete

        argcomplete.autocomplete(make_parser())
    args = parse(argv)
    try:
        code = command(args.command)(args) or 0
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at exit; give that flush somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _NO_READER
    except (RankmillError, OSError, MemoryError) as error:
        message = " ".join(str(error).split()) or type(error).__name__
        print(f"rankmill: error: {message}", file=sys.stderr)
        return _FAILED
    except UnicodeEncodeError as error:
        strange, form = error.object[error.start : error.end], error.encoding
        message = f"standard output: got {strange!a}; wanted text that {form} has a form for"
        print(f"rankmill: error: {message}", file=sys.stderr)
        return _FAILED
    except KeyboardInterrupt:
        print("rankmill: interrupted", file=sys.stderr)
        return _INTERRUPTED
    return code


# `report` is what the other commands print by.
_MODULES = {"report": "report_file"}


def command(name: str) -> Callable[[argparse.Namespace], int | None]:
    """Return what runs a command; each loads only what it needs."""
    module = importlib.import_module(f"rankmill.cli.{_MODULES.get(name, name.replace('-', '_'))}")
    run: Callable[[argparse.Namespace], int | None] = module.run
    return run
