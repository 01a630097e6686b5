"""The firmware's sign: it shows what it was told last, also while no table is there."""

from __future__ import annotations

from collections.abc import Callable

from hil.stimulus import Answer
from tests.hil.firmware.conftest import Start
from tests.hil.firmware.host import Host

HostOf = Callable[..., Host]


def test_it_shows_each_text_in_its_slot_and_keeps_it_without_a_table(start: Start, host: HostOf) -> None:
    sign = start("sign")
    assert sign.tell("hello") == Answer(True, "sign")
    texts = {0: b"10 to 500", 1: b"x" * 48, 2: "♠ 21".encode(), 3: b""}
    table = host(sign)
    identity = table.connect().identity
    assert identity.role_names == ("sign",)
    for slot, text in texts.items():
        table.show(slot, text)
    table.until(lambda: {slot: sign.shows(slot) for slot in texts} == texts, "all four")
    assert sign.pins["lamp"] == "on"
    table.close()
    sign.unplug()
    assert {slot: sign.shows(slot) for slot in texts} == texts
    sign.plug()
    table.show(0, b"25 to 500")
    assert table.connect().proven
    table.until(lambda: sign.shows(0) == b"25 to 500", "the newest")


def test_after_a_reset_it_is_dark_until_it_is_told_again(start: Start, host: HostOf) -> None:
    sign = start("sign")
    table = host(sign)
    table.connect()
    table.show(0, b"10 to 500")
    table.until(lambda: sign.shows(0) == b"10 to 500", "the text")
    table.close()
    sign.power(False)
    sign.power(True)
    assert sign.shows(0) == b""
    table.connect()
    table.until(lambda: sign.shows(0) == b"10 to 500", "told again")


def test_a_slot_that_it_does_not_have_is_answered_and_shown_nowhere(start: Start, host: HostOf) -> None:
    sign = start("sign")
    table = host(sign)
    table.connect()
    table.show(0x3F, b"nobody sees this")
    table.show(0x80, b"\1")
    table.show(1, b"BLACKJACK PAYS 3 to 2")
    table.until(lambda: sign.shows(1) == b"BLACKJACK PAYS 3 to 2", "its own")
    assert sign.tell("slot 3f") == Answer(False, "unknown")
    assert [sign.shows(slot) for slot in (0, 2, 3)] == [b"", b"", b""]
    assert sign.tell("deal 8S") == Answer(False, "unknown")
