"""``rankmill completion``: what makes a shell complete our commands."""

from __future__ import annotations

import sys
from argparse import Namespace

from rankmill.errors import MissingDependencyError


def run(args: Namespace) -> None:
    """Run the command with the arguments of `arguments.parse`."""
    try:
        from argcomplete.shell_integration import shellcode
    except ImportError:
        raise MissingDependencyError(
            "completion needs argcomplete; wanted: pip install 'rankmill[cli]'"
        ) from None
    sys.stdout.write(shellcode(["rankmill"], shell=args.shell))
