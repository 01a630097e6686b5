"""Our own devices conform: the simulated ones and the C one, each role, with and without a key, plain or in a hurry."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.simulated.tablelink_end import TableLinkEnd
from firmware_protocol.tablelink.card_code import card_code
from firmware_protocol.tablelink.messages import CardEvent, KeyEvent
from hil.conformance.helper import Nobody, Ordering
from hil.conformance.line import EndLine
from hil.conformance.rules import RULES
from hil.stimulus import KEY_ACTIONS, UNKNOWN, Answer, Order
from tests.firmware_protocol.c.common import NEEDS_GCC
from tests.firmware_protocol.c.harness import CDevice, Pipe, build
from tests.hil.conformance.rig import failures, tried

KEY = bytes(range(100, 124))
NEVER = {rule.id for rule in RULES.values() if rule.never}


@pytest.mark.parametrize(
    ("role", "key", "baud"),
    [(role, key, 115200) for role in ("shoe", "sign", "panel") for key in (None, KEY)] + [("shoe", None, 9600)],
)
def test_a_simulated_device_conforms(role: str, key: bytes | None, baud: int) -> None:
    report = tried(TableLinkEnd(role, key=key, baud=baud), role, key=key, baud=baud)
    assert failures(report) == {}
    assert report.conforms
    assert {result.id for result in report.of("not tried")} == NEVER
    assert report.device.serial == "SIM0001"
    assert role in report.device.roles


def test_a_small_queue_conforms_too() -> None:
    report = tried(TableLinkEnd("shoe", capacity=8), "shoe")
    assert failures(report) == {}
    assert report.conforms


def test_without_a_hand_what_needs_one_is_listed_with_what_it_needs() -> None:
    report = tried(TableLinkEnd("shoe"), "shoe", helper=Nobody("--no-hands"))
    assert report.conforms
    untried = {result.id: result.words for result in report.of("not tried")}
    needs = {
        "TL-040",
        "TL-021",
        "TL-030",
        "TL-031",
        "TL-032",
        "TL-033",
        "TL-034",
        "TL-037",
        "TL-038",
        "TL-070",
        "TL-071",
    }
    assert set(untried) == needs | NEVER
    assert untried["TL-021"] == "it needs a restart: --no-hands"
    [partly] = [result.words for result in report.results if result.id == "TL-025"]
    assert partly == "not tried: with events that wait (--no-hands)"


class CEnd:
    """The C device as a device's end, with orders: what its firmware would do around the link."""

    def __init__(self, pipe: Pipe, role: str, key: bytes | None) -> None:
        self.pipe, self.role, self.key = pipe, role, key
        self.slots: dict[int, bytes] = {}
        self._now, self._boot = 0, 100
        self._start()

    def _start(self) -> None:
        roles = {"shoe": (1, 7), "sign": (2, 0x10), "panel": (4, 0x28)}[self.role]
        self._boot += 1
        self.device = CDevice(
            self.pipe,
            boot=self._boot,
            key=self.key,
            roles=roles[0],
            capabilities=roles[1],
            nonce=bytes(4) + self._boot.to_bytes(4, "little"),
        )
        self.slots.clear()

    def connected(self, now: float) -> None:
        pass

    def receive(self, data: bytes, now: float) -> None:
        self._now = int(now * 1000)
        self._took(self.device.receive(data, self._now))

    def data_to_send(self, now: float) -> bytes:
        self._now = int(now * 1000)
        self._took(self.device.poll(self._now))
        return self.device.data_to_send(self._now)

    def next_time(self) -> float | None:
        return None

    def disconnected(self) -> None:
        pass

    async def obey(self, order: Order) -> Answer:
        match order.verb:
            case "reset":
                self._start()
                return Answer(True)
            case "slot":
                return Answer(True, self.slots.get(int(order.what, 16), b"").hex() or "-")
            case "deal" if self.role == "shoe":
                if self.device.state()["must_stop"] or self.slots.get(0x80) == b"\x01":
                    return Answer(False, "stopped")
                number = self.device.add(CardEvent, self._now, card_code(order.what), 0)
                return Answer(number > 0, "" if number else "full")
            case "key" if self.role == "panel":
                key, action = order.what.split()
                number = self.device.add(KeyEvent, self._now, int(key), KEY_ACTIONS[action])
                return Answer(number > 0, "" if number else "full")
        return Answer(False, UNKNOWN)

    def _took(self, outputs: list[object]) -> None:
        for output in outputs:
            if hasattr(output, "slot"):
                self.slots[output.slot] = output.content


@pytest.fixture(scope="module")
def pipe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipe]:
    with Pipe(build(tmp_path_factory.mktemp("c"), auth=True)) as running:
        yield running


@NEEDS_GCC
@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "with a key"])
@pytest.mark.parametrize("role", ["shoe", "sign", "panel"])
def test_the_c_device_conforms(pipe: Pipe, role: str, key: bytes | None) -> None:
    end = CEnd(pipe, role, key)
    report = tried(end, role, key=key, helper=Ordering("the C device's board", end.obey))
    assert failures(report) == {}
    assert report.conforms
    assert {result.id for result in report.of("not tried")} == NEVER


@NEEDS_GCC
def test_the_c_device_without_authentication_conforms(tmp_path: Path) -> None:
    with Pipe(build(tmp_path, auth=False, flags=("-O1",))) as plain:
        end = CEnd(plain, "shoe", None)
        report = tried(end, "shoe", helper=Ordering("the C device's board", end.obey))
    assert failures(report) == {}
    assert report.conforms


class LateLine(EndLine):
    """A slow cable behind a busy serial server: what a device says comes 30 ms late, and all of that at once."""

    LATE_S = 0.03

    async def receive(self, seconds: float) -> bytes:
        data = await super().receive(seconds)
        end = self.now + self.LATE_S
        while data and self.now < end:
            data += await super().receive(end - self.now)
        return data


@pytest.mark.parametrize("key", [None, KEY])
def test_a_device_on_a_line_that_holds_bytes_back_conforms(key: bytes | None) -> None:
    end = TableLinkEnd("shoe", key=key)
    report = tried(end, "shoe", key=key, line=LateLine(end))
    assert failures(report) == {}
    assert report.conforms
