"""For a process that must not outlive who started it: no daemon of a demo or a test stays and holds ports."""

from __future__ import annotations

import ctypes
import signal
from typing import Final

PR_SET_PDEATHSIG: Final = 1  # prctl(2)


def end_with_parent() -> None:
    """To be called in the child, once: the kernel ends it when its parent has died."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
