"""The pole display's driver against a clock: set up once a connection, then lines over lines, healed now and then."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given

from drivers.base import Text
from drivers.displays.escpos import EscPosLink, EscPosSettings
from firmware_protocol import escpos
from tests.drivers.displays.driven import Driven
from tests.drivers.displays.test_fitting import CONTENTS

CLEARING = (escpos.initialise(), escpos.clear())


def line(text: str) -> Text:
    return Text(page=text, line=text, short=text)


def driven(pole: escpos.PoleDisplay, **settings: Any) -> Driven:
    return Driven(EscPosLink(EscPosSettings(port="the port", **settings)), lambda data, _: pole.receive(data))


def rows(pole: escpos.PoleDisplay) -> list[str]:
    return [row.rstrip() for row in pole.shown()]


def test_a_connection_begins_with_a_clean_display() -> None:
    pole = escpos.PoleDisplay()
    pole.receive(b"rubbish of the till that stood here" + escpos.blink(escpos.DARK) + b"\x1f\x45")  # and half a command
    run = driven(pole, brightness=2)
    run.link.set_content({"limits": line("MIN 25"), "rules": line("MAX 500")})
    run.connect()
    run.run(1)
    assert rows(pole) == ["MIN 25", "MAX 500"]
    assert (pole.brightness, pole.overwrite, pole.blink) == (2, True, escpos.STEADY)


def test_a_change_clears_nothing_so_that_nothing_flickers() -> None:
    pole = escpos.PoleDisplay()
    run = driven(pole)
    run.link.set_content({"limits": line("MIN 25 MAX 500")})
    run.connect()
    run.run(1)
    run.link.set_content({"limits": line("MIN 10")})
    (sent,) = run.run(1)
    assert sent == escpos.refresh("MIN 10", "")
    assert rows(pole) == ["MIN 10", ""]


def test_a_display_that_was_switched_off_is_right_again_after_a_while_without_clearing() -> None:
    pole = escpos.PoleDisplay()
    run = driven(pole, refresh_s=30)
    run.link.set_content({"limits": line("MIN 25")})
    run.connect()
    run.run(1)
    pole.__init__()  # type: ignore[misc]
    pole.receive(escpos.blink(escpos.DARK))
    sent = run.run(60)
    assert rows(pole) == ["MIN 25", ""]
    assert pole.overwrite
    assert not any(clearing in data for data in sent for clearing in CLEARING)


def test_changes_faster_than_the_line_are_not_piled_up() -> None:
    pole = escpos.PoleDisplay()
    run = driven(pole)
    run.connect()
    run.run(1)
    for number in range(1000):
        run.link.set_content({"limits": line(f"MIN {number}")})
        run.run(0.001)
    run.run(1)
    assert rows(pole)[0] == "MIN 999"
    assert sum(len(data) for _, data in run.sent) * 11 / 9600 < 2.5  # in two seconds and a half


@given(content=CONTENTS)
def test_any_content_is_shown_or_left_out(content: dict[str, Text]) -> None:
    pole = escpos.PoleDisplay()
    run = driven(pole)
    run.link.set_content(content)
    run.connect()
    run.run(5)
    assert pole.not_understood == 0
    assert run.link.shown() is (run.link.problems(content) == [])


@pytest.mark.parametrize(
    ("wrong", "words"), [({"brightness": 5}, "brightness"), ({"parity": "X"}, "parity"), ({"baud": -1}, "baud")]
)
def test_settings_that_can_not_work_are_refused_in_words(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, msgspec.ValidationError), match=words):
        msgspec.convert({"port": "/dev/ttyUSB0", **wrong}, EscPosSettings)
