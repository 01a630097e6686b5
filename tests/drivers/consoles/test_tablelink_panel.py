"""The TableLink panel: what its key numbers mean, keys of the time before, another role, and settings in words."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from drivers.base import DeviceEvent, KeyPressed, KeySwitchTurned, Lost, Noticed, Ready, Refused, Said
from drivers.consoles.tablelink import PanelLink, TableLinkPanel
from drivers.errors import BadSetting, PortNotFound
from drivers.registry import make
from drivers.simulated.tablelink_end import TableLinkEnd

RELEASED, PRESSED, HELD = 0, 1, 2
HIT, UNDO, SWITCH = 1, 9, 20


class Wire:
    """A panel's link and a panel, with time and a wire between them."""

    def __init__(self, **end: Any) -> None:
        self.now = 1000.0
        self.link = PanelLink(
            {HIT: "hit", UNDO: "undo"}, long_press=frozenset({"undo"}), key_switch=SWITCH, key=None, baud=115200
        )
        self.end = TableLinkEnd("panel", **end)
        self.said: list[Said] = []

    def connect(self) -> None:
        self.end.connected(self.now)
        self.said += self.link.opened(self.now)
        self.run()

    def disconnect(self) -> None:
        self.end.disconnected()
        self.said += self.link.closed()

    def run(self, rounds: int = 20) -> None:
        for _ in range(rounds):
            self.now += 0.01
            self.said += self.link.poll(self.now)
            self.end.receive(self.link.data_to_send(self.now), self.now)
            self.said += self.link.receive(self.end.data_to_send(self.now), self.now)

    def keys(self, *moves: tuple[int, int]) -> list[DeviceEvent]:
        """What is told of these moves."""
        before = len(self.said)
        for number, action in moves:
            self.end.key(number, action)
            self.run(3)
        return [said for said in self.said[before:] if isinstance(said, DeviceEvent)]


def told(events: list[DeviceEvent]) -> list[tuple[str, bool]]:
    return [(event.key, event.held) for event in events if isinstance(event, KeyPressed)]


@pytest.fixture
def wire() -> Wire:
    wire = Wire()
    wire.connect()
    assert any(isinstance(said, Ready) and said.simulated for said in wire.said)
    return wire


def test_a_key_is_told_as_it_goes_down_and_not_again(wire: Wire) -> None:
    assert told(wire.keys((HIT, PRESSED))) == [("hit", False)]
    assert wire.keys((HIT, HELD), (HIT, RELEASED)) == []


def test_a_key_with_a_long_press_waits_for_what_it_will_be(wire: Wire) -> None:
    assert wire.keys((UNDO, PRESSED)) == []
    assert told(wire.keys((UNDO, RELEASED))) == [("undo", False)]
    assert told(wire.keys((UNDO, PRESSED), (UNDO, HELD), (UNDO, RELEASED))) == [("undo", True)]


def test_a_release_that_never_came_does_not_swallow_a_press(wire: Wire) -> None:
    assert told(wire.keys((UNDO, PRESSED), (UNDO, PRESSED), (UNDO, RELEASED))) == [("undo", False), ("undo", False)]


def test_a_release_of_nothing_is_nothing(wire: Wire) -> None:
    assert wire.keys((HIT, RELEASED), (UNDO, RELEASED), (UNDO, RELEASED)) == []


def test_the_key_switch_is_on_and_off(wire: Wire) -> None:
    events = wire.keys((SWITCH, PRESSED), (SWITCH, RELEASED))
    assert [event.on for event in events if isinstance(event, KeySwitchTurned)] == [True, False]


def test_a_key_without_a_name_is_logged_once_a_press(wire: Wire) -> None:
    events = wire.keys((77, PRESSED), (77, RELEASED))
    assert [event.words for event in events if isinstance(event, Noticed)] == [
        "key 77 has no name in the configuration"
    ]


def test_an_action_of_a_later_version_means_nothing(wire: Wire) -> None:
    assert wire.keys((HIT, 3), (HIT, 255)) == []


def test_keys_pressed_while_it_was_unplugged_are_logged_and_never_used(wire: Wire) -> None:
    wire.disconnect()
    for number, action in ((HIT, PRESSED), (HIT, RELEASED), (UNDO, PRESSED), (SWITCH, PRESSED)):
        wire.end.key(number, action)
    before = len(wire.said)
    wire.connect()
    events = [said for said in wire.said[before:] if isinstance(said, DeviceEvent)]
    assert [event.words for event in events if isinstance(event, Noticed)] == [
        "key hit was pressed while the panel was not connected, and not used",
        "key undo was pressed while the panel was not connected, and not used",
    ]
    assert told(events) == []
    assert KeySwitchTurned in map(type, events)  # where it stands now is what counts
    assert wire.keys((UNDO, RELEASED)) == []
    assert told(wire.keys((HIT, PRESSED))) == [("hit", False)]
    assert wire.end.queued == 0


def test_keys_still_work_after_the_panel_restarted(wire: Wire) -> None:
    wire.keys((UNDO, PRESSED))
    wire.end.reboot()
    wire.run(400)
    assert any(isinstance(said, Lost) for said in wire.said)
    assert told(wire.keys((HIT, PRESSED))) == [("hit", False)]


def test_a_sign_is_refused_as_a_panel() -> None:
    wire = Wire()
    wire.end.faults.switch("wrong_identity", 1.0)
    wire.connect()
    refused = [said for said in wire.said if isinstance(said, Refused)]
    assert len(refused) == 1
    assert "not as a panel" in refused[0].words
    assert not any(isinstance(said, Ready) for said in wire.said)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"keys": {}}, "a panel has at least one"),
        ({"keys": {"hit": 256}}, "key hit has the number 256; numbers are 0 to 255"),
        ({"keys": {"hit": 1, "stand": 1}}, "key number 1 is used twice, for hit and for stand"),
        ({"keys": {"hit": 1}, "key_switch": 1}, "key number 1 is used twice, for hit and for the key switch"),
        ({"keys": {"hit": 1}, "lamps": {"hit": 64}}, "lamp hit has the number 64; numbers are 0 to 63"),
        ({"keys": {"hit": 1}, "lamps": {"stand": 2}}, "lamps: there is no key 'stand'"),
        ({"keys": {"hit": 1}, "long_press": ["hti"]}, "did you mean 'hit'"),
        ({"keys": {"hit": 1}, "baud": 0}, "a speed above 0"),
        ({"keys": {"hit": 1}, "port": " "}, "port is empty"),
        ({"keys": {"hit": 1}, "key_file": "/nowhere/key"}, "/nowhere/key cannot be read"),
    ],
)
def test_wrong_settings_are_refused_in_words(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting) as refused:
        make("console", "tablelink", {"port": "/dev/table-panel", **settings})
    assert words in str(refused.value)


def test_a_lamp_has_its_keys_number_unless_another_is_given() -> None:
    settings = TableLinkPanel.Settings(port="auto", keys={"hit": 1, "stand": 2, "undo": 200}, lamps={"hit": 2})
    assert settings.lamp_numbers == {"hit": 2}
    assert TableLinkPanel.Settings(port="auto", keys={"hit": 1, "undo": 9}).lamp_numbers == {"hit": 1, "undo": 9}


async def test_a_port_that_is_not_there_is_told(tmp_path: Path) -> None:
    panel = TableLinkPanel(TableLinkPanel.Settings(port=str(tmp_path / "nothing"), keys={"hit": 1}))
    with pytest.raises(PortNotFound):
        async with asyncio.timeout(10):
            await panel.open()
    await panel.close()
