"""``python -m rankmill`` is the command line."""

import sys

from rankmill.cli import main

if __name__ == "__main__":
    sys.exit(main())
