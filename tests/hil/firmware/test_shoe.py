"""The firmware's shoe, as a program and as the ATmega328P's image in simavr: whatever is done, no card is lost."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from firmware_protocol.tablelink.device import QUEUE, RESERVE
from firmware_protocol.tablelink.messages import (
    SIMULATED,
    BackfeedEvent,
    CardEvent,
    CutCardEvent,
    EmptyEvent,
    Event,
    Hello,
    JamEvent,
    LidEvent,
    MisreadEvent,
    Refused,
)
from hil.firmware.device import Device
from hil.stimulus import Answer
from tests.hil.firmware.conftest import Start
from tests.hil.firmware.host import Host

HostOf = Callable[..., Host]
LOCK = 0x80
SPARE = 100  # bytes of RAM that even a handshake with a key must leave alone
DECK = [f"{rank}{suit}" for suit in "CDHS" for rank in "A23456789TJQK"]
OK, STOPPED, FULL = Answer(True), Answer(False, "stopped"), Answer(False, "full")


def fill(shoe: Device, cards: list[str]) -> list[str]:
    """Deal until the motor stands; which cards left."""
    for count, card in enumerate(cards):
        if (answer := shoe.tell(f"deal {card}")) != OK:
            assert answer == STOPPED
            return cards[:count]
    raise AssertionError(f"the motor never stood in {len(cards)} cards")


def cards(events: list[Event]) -> list[str]:
    return [event.card for event in events if isinstance(event, CardEvent)]


def test_every_card_arrives_once_and_in_order_and_is_said_to_be_simulated(start: Start, host: HostOf) -> None:
    shoe = start("shoe")
    table = host(shoe)
    identity = table.connect().identity
    assert (identity.serial, identity.role_names) == (b"FW-TEST", ("shoe",))
    assert identity.capabilities & SIMULATED, "its cards come from a bench"
    for count, card in enumerate(DECK, 1):
        assert shoe.tell(f"deal {card}") == OK
        table.until(lambda count=count: len(table.events) == count, card)  # type: ignore[misc]
    assert cards(table.events) == DECK
    assert [event.number for event in table.events] == list(range(1, 53))


def test_whatever_a_shoe_can_tell_is_told(start: Start, host: HostOf) -> None:
    shoe = start("shoe")
    for order in ("deal 8?", "misread", "cut", "lid open", "lid close", "jam on", "jam off", "back", "empty"):
        assert shoe.tell(order) == OK, order
    table = host(shoe)
    table.connect()
    table.until(lambda: len(table.events) == 9, "nine events")
    kinds = [CardEvent, MisreadEvent, CutCardEvent, LidEvent, LidEvent, JamEvent, JamEvent, BackfeedEvent, EmptyEvent]
    assert [type(event) for event in table.events] == kinds
    assert cards(table.events) == ["8?"]
    assert [event.open for event in table.events if isinstance(event, LidEvent)] == [1, 0]
    assert [event.jammed for event in table.events if isinstance(event, JamEvent)] == [1, 0]


def test_a_full_queue_stops_the_motor_and_drops_nothing(start: Start, host: HostOf) -> None:
    shoe = start("shoe")
    dealt = fill(shoe, DECK)
    assert len(dealt) == QUEUE - RESERVE
    assert shoe.pins["motor"] == "stopped"
    assert shoe.tell("misread") == STOPPED
    assert shoe.tell("lid open") == FULL, "the last two places are for cards in the throat"
    dealt += ["AS", "KS"]
    assert [shoe.tell(f"throat {card}") for card in dealt[-2:]] == [OK, OK]
    table = host(shoe)
    table.commits = False
    table.connect()
    table.until(lambda: len(table.events) == QUEUE, "all of them")
    assert cards(table.events) == dealt
    assert shoe.tell("deal 2C") == STOPPED, "none is acknowledged yet"
    table.link.committed(table.connections[-1].identity.boot, QUEUE)
    table.commits = True
    table.until(lambda: shoe.pins["motor"] == "runs", "the motor")
    assert shoe.tell("deal 2C") == OK
    table.until(lambda: cards(table.events) == [*dealt, "2C"], "one more")


def test_a_card_that_finds_no_room_silences_the_shoe_until_it_starts_anew(start: Start, host: HostOf) -> None:
    shoe = start("shoe")
    table = host(shoe)
    boot = table.connect().identity.boot
    table.close()
    fill(shoe, DECK)
    assert [shoe.tell("throat AS") for _ in range(3)] == [OK, OK, FULL]
    assert shoe.pins["motor"] == "stopped"
    stranger = host(shoe, patience_s=1.0).open()
    with pytest.raises(AssertionError, match="only  came"):  # else it would look as if it had told everything
        stranger.hello()
    stranger.close()
    shoe.reset()
    table.connect()
    assert not table.connections[-1].proven
    assert table.connections[-1].identity.boot == boot + 1
    assert shoe.tell("deal AS") == OK


def test_a_reset_with_untold_events_is_never_proven(start: Start, host: HostOf) -> None:
    shoe = start("shoe")
    table = host(shoe)
    boots = [table.connect().identity.boot]
    table.commits = False
    restarts: list[Callable[[], object]] = [
        shoe.reset,
        lambda: shoe.tell("reset"),
        lambda: (shoe.power(False), shoe.power(True)),
    ]
    for count, restart in enumerate(restarts, 2):
        fill(shoe, DECK)
        restart()
        table.until(lambda count=count: len(table.connections) == count, "it begins anew")  # type: ignore[misc]
        assert not table.connections[-1].proven
        boots.append(table.connections[-1].identity.boot)
        assert shoe.tell("deal 9H") == OK
        table.until(lambda: (table.events[-1].number, cards(table.events)[-1]) == (1, "9H"), "its first card")
    assert boots == list(range(boots[0], boots[0] + 4))


def test_cards_dealt_while_the_cable_is_out_are_told_and_proven(start: Start, host: HostOf) -> None:
    shoe = start("shoe")
    table = host(shoe)
    table.connect()
    for round_ in range(3):
        table.close()
        shoe.unplug()
        assert not shoe.link.is_symlink()
        for card in DECK[round_ * 5 : round_ * 5 + 5]:
            assert shoe.tell(f"deal {card}") == OK
        shoe.plug()
        assert table.connect().proven
        table.until(lambda: len(table.events) == round_ * 5 + 5, "five")  # noqa: B023 - called at once
    assert cards(table.events) == DECK[:15]


def test_the_table_locks_it_and_a_reset_is_unlocked(start: Start, host: HostOf) -> None:
    shoe = start("shoe")
    table = host(shoe)
    table.connect()
    assert shoe.shows(LOCK) == b""
    table.show(LOCK, b"\1")
    table.until(lambda: shoe.shows(LOCK) == b"\1", "locked")
    assert shoe.tell("deal 8S") == STOPPED
    assert (shoe.pins["motor"], shoe.pins["lamp"]) == ("stopped", "on")
    table.show(LOCK, b"\0")
    table.until(lambda: shoe.shows(LOCK) == b"\0", "unlocked")
    assert shoe.tell("deal 8S") == OK
    assert shoe.pins["motor"] == "runs"


def test_noise_on_the_line_harms_nothing(start: Start, host: HostOf) -> None:
    shoe = start("shoe")
    noise = random.Random(11)
    table = host(shoe)
    table.open().write(noise.randbytes(3000))
    table.until(lambda: table.connections, "a session in spite of it")
    for card in DECK[:6]:
        table.write(noise.randbytes(100))
        assert shoe.tell(f"deal {card}") == OK
        table.until(lambda card=card: cards(table.events)[-1:] == [card], card)  # type: ignore[misc]
    assert cards(table.events) == DECK[:6]


def test_a_host_of_another_version_is_refused_with_the_range(start: Start, host: HostOf) -> None:
    shoe = start("shoe")
    table = host(shoe).open()
    table.send(Hello(2, 9, bytes(8)))
    assert table.messages(1) == [Refused(1, 1, 1)]
    assert table.connect().identity.version == 1, "it stayed as it was"


def test_with_a_key_in_its_memory_it_speaks_to_its_table_only(start: Start, host: HostOf) -> None:
    key = bytes(range(1, 33))
    shoe = start("shoe", memory=bytes([len(key)]) + key + bytes([0xFF]) * (1024 - 33))
    stranger = host(shoe).open()
    stranger.until(lambda: stranger.refusals, "no key")
    stranger.close()
    table = host(shoe, key=key)
    table.connect()
    assert {shoe.tell(f"deal {card}") for card in DECK[:30]} == {OK}
    table.until(lambda: len(table.events) == 30, "all of them, sealed")
    assert cards(table.events) == DECK[:30]
    if shoe.board == "simavr":
        assert int(shoe.pins["spare"]) >= SPARE, "the stack has come too near to what is kept"


def test_the_bench_line_refuses_in_words_and_goes_on(start: Start) -> None:
    shoe = start("shoe")
    assert shoe.tell("hello") == Answer(True, "shoe")
    for sent, words in (
        (b"deal 8S and more\n", "no: "),
        (b"deal 1S\n", "no: "),
        (b"deal\n", "no: "),
        (b"lid ajar\n", "no: "),
        (b"key 3 down\n", "no: unknown"),
        (b"slot 00\n", "no: unknown"),
        (b"slot zz\n", "no: "),
        (b"x" * 41 + b"\n", "no: too long"),
        (b"x" * 40 + b"\r\n", "no: unknown"),
        (b"x" * 400 + b"\n", "no: too long"),
        (b"\xff\xfe\n", "no: unknown"),
        (b"\n\r\nhello\r\n", "ok shoe"),
    ):
        shoe.send(sent)
        answer = shoe.answer()
        assert answer.startswith(words), (sent, answer)
    assert fill(shoe, DECK) == DECK[:30], "nothing of that was an event"


def test_an_order_right_behind_a_restart_is_for_the_next_start(start: Start) -> None:
    shoe = start("shoe")
    for _ in range(20):
        for restart in (lambda: shoe.tell("reset"), shoe.reset, lambda: (shoe.power(False), shoe.power(True))):
            restart()
            assert shoe.tell("deal 8S") == OK
