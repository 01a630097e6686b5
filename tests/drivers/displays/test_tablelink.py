"""The TableLink sign's driver: four slots of 48 bytes, and the sign's own word for what it shows."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from drivers.base import Ready, Refused, Text
from drivers.displays.tablelink import TableLinkDisplaySettings, TableLinkSignLink
from drivers.simulated.faults import Faults
from drivers.simulated.signs import TableLinkSign
from hil.contracts.display import numbered
from tests.drivers.displays.driven import Driven
from tests.drivers.displays.rigs import make_rig, until
from tests.drivers.displays.test_fitting import CONTENTS


class Line(Driven):
    """A link and a sign, which answers."""

    def __init__(self, sign: TableLinkSign, **settings: Any) -> None:
        super().__init__(TableLinkSignLink(TableLinkDisplaySettings(port="the port", **settings)), self._deliver)
        self.sign = sign

    def _deliver(self, data: bytes, now: float) -> None:
        self.sign.receive(data, now)
        self.said += self.link.receive(self.sign.data_to_send(now), now)


def text(line: str) -> Text:
    return Text(page=line + "!" * 48, line=line, short="short")


@pytest.mark.parametrize("line", ["é" * 24, "♠" * 16, "😀" * 12, "a" * 48])
def test_48_bytes_fit_whatever_their_characters(line: str) -> None:
    run = Line(TableLinkSign())
    run.link.set_content({"limits": text(line)})
    run.connect()
    run.run(1)
    assert run.sign.shown() == line
    assert run.link.shown()


@pytest.mark.parametrize("line", ["é" * 24 + "e", "♠" * 17, "😀" * 13, "a" * 49])
def test_one_byte_more_and_the_shorter_text_is_shown_never_a_cut_one(line: str) -> None:
    run = Line(TableLinkSign())
    run.link.set_content({"limits": text(line)})
    run.connect()
    run.run(1)
    assert run.sign.shown() == "short"


def test_what_another_table_left_on_the_sign_is_taken_away() -> None:
    sign = TableLinkSign()
    sign.slots = {0: b"MIN 25", 3: b"PLEASE WAIT"}
    run = Line(sign)
    run.connect()
    run.run(1)
    assert sign.shown() == ""
    assert run.link.shown()


def test_the_same_content_again_is_still_shown() -> None:
    run = Line(TableLinkSign())
    run.connect()
    for _ in range(3):
        run.link.set_content({"limits": text("MIN 25")})
        run.run(1)
        assert run.link.shown()


def test_a_sign_of_few_letters_gets_what_it_can_show() -> None:
    run = Line(TableLinkSign(), characters=8, ascii_only=True)
    run.link.set_content({"limits": Text(page="Minimum 25", line="25–500", short="25")})
    run.connect()
    run.run(1)
    assert run.sign.shown() == "25-500"


def test_a_simulated_sign_says_so() -> None:
    run = Line(TableLinkSign())
    run.connect()
    run.run(1)
    (ready,) = [said for said in run.said if isinstance(said, Ready)]
    assert ready.simulated
    assert ready.identity.startswith("SIM")


def test_a_shoe_is_no_sign() -> None:
    faults = Faults()
    faults.switch("wrong_identity", 1)
    run = Line(TableLinkSign(faults))
    run.link.set_content({"limits": text("MIN 25")})
    run.connect()
    run.run(4)
    (refused,) = [said for said in run.said if isinstance(said, Refused)]
    assert "not as a sign" in refused.words
    assert run.sign.slots == {}
    assert not run.link.shown()


def test_with_a_key_only_its_sign_is_used(tmp_path: Path) -> None:
    file = tmp_path / "sign.key"
    file.write_text("00112233445566778899aabbccddeeff\n")
    key = bytes.fromhex(file.read_text())
    for sign, used in ((TableLinkSign(key=key), True), (TableLinkSign(), False), (TableLinkSign(key=key[::-1]), False)):
        run = Line(sign, key_file=str(file))
        run.link.set_content({"limits": text("MIN 25")})
        run.connect()
        run.run(2)
        assert (sign.shown() == "MIN 25") is used
        assert run.link.shown() is used


def test_a_mute_sign_that_wants_a_key_is_not_taken_for_one_that_shows() -> None:
    key = bytes(range(16))
    faults = Faults()
    sign = TableLinkSign(faults, key=key)
    run = Line(sign)
    run.link = TableLinkSignLink(TableLinkDisplaySettings(port="the port"))
    run.link._host.key = key  # type: ignore[attr-defined]
    run.link.set_content({"limits": text("MIN 25")})
    faults.switch("mute_sign", 1)
    run.connect()
    run.run(5)
    assert not run.link.shown()
    faults.switch("mute_sign", None)
    run.run(2)
    assert run.link.shown()
    assert sign.shown() == "MIN 25"


async def test_a_bad_line_ends_in_the_right_text(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = make_rig("tablelink-memory", monkeypatch)
    for fault in ("bit_flip", "drop", "duplicate", "garbage"):
        rig.faults.switch(fault, 0.2)
    async with rig.running():
        for number in range(1000, 1010):
            rig.display.show({"limits": numbered(number)})
            await asyncio.sleep(0.02)
        for fault in list(rig.faults.on):
            rig.faults.switch(fault, None)
        await rig.sees("1009")
        await until(rig.display.shown)


@given(content=CONTENTS)
def test_any_content_is_shown_or_left_out(content: dict[str, Text]) -> None:
    run = Line(TableLinkSign())
    run.link.set_content(content)
    run.connect()
    run.run(1)
    assert run.link.shown() is (run.link.problems(content) == [])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"characters": 49}, "the room in one slot"),
        ({"characters": 0}, "the room in one slot"),
        ({"port": ""}, "port is empty"),
        ({"baud": 0}, "baud"),
    ],
)
def test_settings_that_can_not_work_are_refused_in_words(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        TableLinkDisplaySettings(**wrong)
