"""The daemon's log: one line a thing, priorities for systemd, and never a card."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator

import pytest

from controller.daemon.logs import log_to, without_cards

_log = logging.getLogger("controller.test")


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    root, raises = logging.getLogger(), logging.raiseExceptions
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level
    logging.raiseExceptions = raises


def test_people_read_the_time_and_what_is_worth_a_look() -> None:
    stream = io.StringIO()
    log_to(stream, {})
    _log.info("shoe: ready")
    _log.warning("shoe: lost")
    _log.debug("not told")
    lines = stream.getvalue().splitlines()
    assert [re.sub(r"^\d\d:\d\d:\d\d ", "", line) for line in lines] == ["shoe: ready", "warning: shoe: lost"]


@pytest.mark.parametrize("variable", ["JOURNAL_STREAM", "INVOCATION_ID"])
def test_systemd_reads_a_priority_before_every_line(variable: str) -> None:
    stream = io.StringIO()
    log_to(stream, {variable: "8:1"})
    _log.info("ready")
    _log.warning("lost")
    try:
        raise KeyError("seat")
    except KeyError:
        _log.exception("broke down")
    lines = stream.getvalue().splitlines()
    assert lines[:2] == ["<6>ready", "<4>lost"]
    assert len(lines) > 4
    assert all(line.startswith("<3>") for line in lines[2:])


def test_no_card_is_named_not_even_by_a_bug() -> None:
    stream = io.StringIO()
    log_to(stream, {})
    try:
        raise LookupError("the hole card TH is not among ['8S', 'AD']")
    except LookupError:
        _log.exception("the table failed on %r", {"card": "QC"})
    told = stream.getvalue()
    assert "LookupError" in told
    for code in ("TH", "8S", "AD", "QC"):
        assert code not in told


def test_only_cards_are_blotted_out() -> None:
    assert without_cards("8S, TH; (AD)") == "??, ??; (??)"
    kept = "ASH DC-10 /dev/ttyACM0 0x2C7D boot 9ED 10S round 3 of TABLE-AS7"
    assert without_cards(kept) == kept
