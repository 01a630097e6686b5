"""What crosses between table and devices: frozen values that survive JSON, slots by name, errors made for a person."""

from __future__ import annotations

import msgspec
import pytest

from drivers import base, errors
from drivers.base import CardRead, DeviceEvent, KeyPressed, Mark, Text, check_slot

EVENTS: tuple[type[DeviceEvent], ...] = tuple(DeviceEvent.__subclasses__())
DEVICE_ERRORS: tuple[type[errors.DeviceError], ...] = tuple(errors.DeviceError.__subclasses__())


def test_events_survive_json_each_under_its_own_name() -> None:
    card = CardRead(card="8S", mark=Mark(7, 12), sequence="12")
    assert msgspec.json.decode(msgspec.json.encode(card), type=CardRead | KeyPressed) == card
    assert msgspec.json.decode(msgspec.json.encode(card))["event"] == "CardRead"
    tags = [event.__struct_config__.tag for event in EVENTS]
    assert len(set(tags)) == len(tags)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
def test_an_event_is_frozen_and_keeps_the_devices_own_count(event: type[DeviceEvent]) -> None:
    config = event.__struct_config__
    assert config.frozen
    assert config.tag_field == "event"
    assert {"mark", "sequence"} <= set(event.__struct_fields__)


def test_an_event_cannot_be_changed() -> None:
    card = CardRead(card="8S")
    with pytest.raises(AttributeError):
        card.card = "9S"  # type: ignore[misc]


def test_a_text_gives_its_lengths_the_longest_first() -> None:
    text = Text(page="Minimum 5, maximum 100", line="5 to 100", short="5-100", digits="5")
    assert text.by_length == ("Minimum 5, maximum 100", "5 to 100", "5-100", "5")
    assert Text(page="p", line="l", short="s").digits == ""


def test_a_slot_that_is_none_is_refused_with_those_there_are() -> None:
    assert [check_slot(slot) for slot in base.SLOTS] == list(base.SLOTS)
    with pytest.raises(ValueError, match="there is no slot 'limit': slots are limits, rules, result, message"):
        check_slot("limit")


@pytest.mark.parametrize("kind", DEVICE_ERRORS, ids=lambda kind: kind.__name__)
def test_a_device_error_is_an_oserror_with_words_last_good_sign_and_advice(kind: type[errors.DeviceError]) -> None:
    error = kind("/dev/shoe hung up.", advice="Plug it in again", last_good="The last card was 8S")
    assert isinstance(error, OSError)
    assert str(error) == "/dev/shoe hung up. The last card was 8S. Plug it in again."
    assert (error.words, error.advice, error.last_good) == (
        "/dev/shoe hung up.",
        "Plug it in again",
        "The last card was 8S",
    )


def test_a_device_error_counts_as_the_same_by_its_words_unless_it_says_otherwise() -> None:
    assert errors.PortLost("/dev/shoe hung up").reason == "/dev/shoe hung up"
    assert errors.PortLost("it sent 17 bytes", reason="noise").reason == "noise"
    assert str(errors.PortLost("it sent 17 bytes", reason="noise")) == "it sent 17 bytes."
