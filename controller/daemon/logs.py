"""The daemon's log: plain lines on standard error, with systemd's priorities where it reads them. Names no card.

What is logged is written without cards in mind; but a bug's own message may hold one, and one of those may lie face
down. So whatever reads as a card is blotted out, in tracebacks too.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Mapping
from typing import Final, TextIO

_CARD: Final = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][SHDC](?![A-Za-z0-9])")
_PRIORITIES: Final = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
_DEBUG: Final = 7


def log_to(stream: TextIO = sys.stderr, environment: Mapping[str, str] = os.environ) -> None:
    handler = logging.StreamHandler(stream)
    under_systemd = "JOURNAL_STREAM" in environment or "INVOCATION_ID" in environment
    handler.setFormatter(_ForSystemd() if under_systemd else _ForPeople())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.raiseExceptions = False  # or each line that a full disk does not take would become a traceback


class _ForPeople(logging.Formatter):
    """`17:09:32 warning: shoe: lost: …`; the level only where it is worth a look."""

    default_time_format = "%H:%M:%S"
    default_msec_format = None

    def format(self, record: logging.LogRecord) -> str:
        level = f" {record.levelname.lower()}:" if record.levelno > logging.INFO else ""
        return f"{self.formatTime(record)}{level} {without_cards(super().format(record))}"


class _ForSystemd(logging.Formatter):
    """`<4>shoe: lost: …`, every line with its priority; the time is systemd's."""

    def format(self, record: logging.LogRecord) -> str:
        priority = next((number for level, number in _PRIORITIES if record.levelno >= level), _DEBUG)
        lines = without_cards(super().format(record)).splitlines()
        return "\n".join(f"<{priority}>{line}" for line in lines)


def without_cards(text: str) -> str:
    return _CARD.sub("??", text)
