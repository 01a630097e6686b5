"""The `croupier` command. The composition root: it alone may reach every part, and only when a command asks for it."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line; an output pipe that closes early is the reader's right, not an error."""
    from controller.cli.app import croupier

    try:
        croupier(prog_name="croupier")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
