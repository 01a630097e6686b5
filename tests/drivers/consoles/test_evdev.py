"""Keypads: finding and opening them, what is said when that fails, and what the kernel's events become."""

from __future__ import annotations

import errno
import os
import struct
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from drivers.base import Device, KeyPressed, Ready
from drivers.consoles.evdev import NUMERIC_KEYPAD, EvdevKeypad, KeypadLink
from drivers.consoles.input_events import DOWN, EV_KEY, EV_SYN, NATIVE, SYN_DROPPED, SYN_REPORT, UP, key_code
from drivers.consoles.input_port import (
    EVIOCGBIT_KEY,
    EVIOCGID,
    EVIOCGKEY,
    EVIOCGNAME,
    EVIOCGRAB,
    About,
    KernelCalls,
    open_input,
)
from drivers.errors import (
    BadSetting,
    DeviceError,
    NotAPort,
    PortBusy,
    PortForbidden,
    PortLost,
    PortNotFound,
    WrongDevice,
)
from drivers.registry import make
from tests.drivers.consoles.rigs import StandInCalls

KP1, KP2 = key_code("KP1"), key_code("KP2")
WANTED = frozenset({KP1, KP2})


class Folder:
    """A folder of input devices, each a pty; what they say of themselves is given."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.abouts: dict[str, About | int] = {}  # or the error that asking gives
        self.grab_error = 0
        self._fds: list[int] = []

    def add(self, name: str, *, vendor: int = 0x1209, product: int = 1, keys: frozenset[int] = WANTED) -> str:
        master, slave = os.openpty()
        tty.setraw(slave)
        self._fds += [master, slave]
        path = self.path / f"event{len(self.abouts)}"
        path.symlink_to(os.ttyname(slave))
        self.abouts[str(path)] = About(path=str(path), name=name, vendor=vendor, product=product, keys=keys)
        return str(path)

    def close(self) -> None:
        for fd in self._fds:
            os.close(fd)

    # drivers.consoles.input_port.Calls

    def about(self, fd: int, path: str) -> About:
        known = self.abouts[path]
        if isinstance(known, int):
            raise OSError(known, os.strerror(known))
        return known

    def keys_down(self, fd: int) -> frozenset[int]:
        return frozenset()

    def grab(self, fd: int) -> None:
        if self.grab_error:
            raise OSError(self.grab_error, os.strerror(self.grab_error))


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    before = len(os.listdir("/proc/self/fd"))
    folder = Folder(tmp_path)
    yield folder
    folder.close()
    assert len(os.listdir("/proc/self/fd")) == before


async def opened(folder: Folder, address: str) -> str:
    """The path that an address leads to."""
    port = await open_input(address, WANTED, calls=folder, folder=folder.path)
    await port.close()
    return port.name


async def test_a_keypad_is_found_by_path_name_and_usb_number(folder: Folder) -> None:
    folder.add("Power Button", vendor=0, keys=frozenset({116}))
    keypad = folder.add("SEM HCT Keyboard", vendor=0x1A2C, product=0x2124)
    folder.add("SEM HCT Keyboard Consumer Control", vendor=0x1A2C, product=0x2124, keys=frozenset({163}))
    assert await opened(folder, keypad) == keypad
    assert await opened(folder, "name:SEM HCT Keyboard") == keypad
    assert await opened(folder, "usb:1a2c:2124") == keypad
    assert await opened(folder, "usb:1A2C:2124") == keypad


async def test_two_keypads_alike_are_refused_with_both(folder: Folder) -> None:
    first, second = folder.add("Keypad"), folder.add("Keypad")
    with pytest.raises(WrongDevice) as refused:
        await opened(folder, "name:Keypad")
    assert first in str(refused.value)
    assert second in str(refused.value)
    assert "by-id" in refused.value.advice


async def test_a_keypad_that_is_not_there_is_told(folder: Folder) -> None:
    folder.add("Another")
    for address in ("name:Keypad", "usb:1234:5678", str(folder.path / "event99")):
        with pytest.raises(PortNotFound, match="Plug it in"):
            await opened(folder, address)


async def test_a_device_without_our_keys_is_refused(folder: Folder) -> None:
    mouse = folder.add("Mouse", keys=frozenset({272}))
    with pytest.raises(WrongDevice, match="none of the keys"):
        await opened(folder, mouse)


async def test_what_is_no_input_device_is_refused(folder: Folder) -> None:
    plain = folder.path / "a file"
    plain.write_bytes(b"")
    for address, words in ((str(plain), "is no device"), (str(folder.path), "is a directory")):
        with pytest.raises(NotAPort, match=words):
            await opened(folder, address)
    with pytest.raises(NotAPort, match="/dev/null is no input device"):
        await open_input("/dev/null", WANTED)


async def test_a_grabbed_keypad_is_told_as_busy(folder: Folder) -> None:
    path = folder.add("Keypad")
    folder.grab_error = errno.EBUSY
    with pytest.raises(PortBusy, match="is grabbed already; it is open in this program"):
        await opened(folder, path)


@pytest.mark.parametrize("at", ["question", "grab"])
async def test_a_keypad_unplugged_while_it_is_opened_is_told(folder: Folder, at: str) -> None:
    path = folder.add("Keypad")
    if at == "grab":
        folder.grab_error = errno.ENODEV
    else:
        folder.abouts[path] = errno.ENODEV
    with pytest.raises(PortLost, match="unplugged while it was opened"):
        await opened(folder, path)


async def test_a_keypad_that_went_while_we_looked_is_passed_over(folder: Folder) -> None:
    gone = folder.add("Keypad")
    folder.abouts[gone] = errno.ENODEV
    keypad = folder.add("Keypad")
    assert await opened(folder, "name:Keypad") == keypad


async def test_a_keypad_we_may_not_read_names_the_group(folder: Folder, mocker: MockerFixture) -> None:
    path = folder.add("Keypad")  # root may read anything, so the refusal is made
    mocker.patch("drivers.consoles.input_port.os.open", side_effect=PermissionError(errno.EACCES, "Permission denied"))
    for address in (path, "name:Keypad"):
        with pytest.raises(PortForbidden, match="group input"):
            await opened(folder, address)


# The kernel's numbers, worked out anew


def test_the_calls_have_the_kernels_numbers() -> None:
    def ioc(direction: int, number: int, size: int) -> int:
        return direction << 30 | size << 16 | ord("E") << 8 | number

    read, write = 2, 1
    assert ioc(read, 0x02, 8) == EVIOCGID
    assert ioc(read, 0x06, 256) == EVIOCGNAME
    assert ioc(read, 0x18, 96) == EVIOCGKEY
    assert ioc(read, 0x20 + EV_KEY, 96) == EVIOCGBIT_KEY
    assert ioc(write, 0x90, 4) == EVIOCGRAB


def test_the_answers_of_the_kernel_are_read(mocker: MockerFixture) -> None:
    bits = bytearray(96)
    bits[KP1 // 8] |= 1 << KP1 % 8
    answers = {
        EVIOCGNAME: b"A keypad\0" + bytes(247),
        EVIOCGID: struct.pack("HHHH", 3, 0x1A2C, 0x2124, 0x110),
        EVIOCGBIT_KEY: bytes(bits),
        EVIOCGKEY: bytes(bits),
        EVIOCGRAB: 0,
    }
    mocker.patch("drivers.consoles.input_port.fcntl.ioctl", side_effect=lambda fd, call, given: answers[call])
    calls = KernelCalls()
    about = calls.about(5, "/dev/input/event0")
    assert str(about) == "/dev/input/event0 (A keypad, 1a2c:2124)"
    assert about.keys == calls.keys_down(5) == {KP1}
    calls.grab(5)


# Events


def a_link(calls: StandInCalls, **long_press: float) -> KeypadLink:
    return KeypadLink(
        {KP1: "hit", KP2: "undo"}, long_press, keys_down=lambda: calls.keys_down(0), identity=lambda: "keypad"
    )


def moves(*events: tuple[int, int, int]) -> bytes:
    return b"".join(NATIVE.pack(0, 0, *event) for event in events)


def test_events_that_the_kernel_dropped_are_made_up_for_by_asking() -> None:
    calls = StandInCalls()
    link = a_link(calls)
    assert [type(said) for said in link.opened(1.0)] == [Ready]
    link.receive(moves((EV_KEY, KP1, DOWN), (EV_SYN, SYN_REPORT, 0)), 2.0)
    calls.down = {KP2}  # the first came up and the second went down, and nobody told us
    said = link.receive(moves((EV_SYN, SYN_DROPPED, 0), (EV_KEY, KP1, UP), (EV_SYN, SYN_REPORT, 0)), 3.0)
    assert said == [KeyPressed(key="undo")]
    calls.down = set()
    assert link.receive(moves((EV_SYN, SYN_DROPPED, 0), (EV_SYN, SYN_REPORT, 0)), 4.0) == []
    assert link.receive(moves((EV_KEY, KP1, DOWN)), 5.0) == [KeyPressed(key="hit")]


def test_a_key_found_down_is_not_told_and_its_repeats_are_not_either() -> None:
    calls = StandInCalls()
    calls.down = {KP1}
    link = a_link(calls)
    link.opened(1.0)
    assert link.receive(moves((EV_KEY, KP1, 2), (EV_KEY, KP1, 2), (EV_KEY, KP1, UP)), 2.0) == []
    assert link.receive(moves((EV_KEY, KP1, DOWN)), 3.0) == [KeyPressed(key="hit")]


def test_a_repeat_whose_press_was_lost_is_a_press() -> None:
    link = a_link(StandInCalls())
    link.opened(1.0)
    assert link.receive(moves((EV_KEY, KP1, 2), (EV_KEY, KP1, 2)), 2.0) == [KeyPressed(key="hit")]


def test_a_long_press_is_told_by_time_without_any_repeat() -> None:
    link = a_link(StandInCalls(), undo=0.8)
    link.opened(1.0)
    assert link.receive(moves((EV_KEY, KP2, DOWN)), 2.0) == []
    assert link.next_time() == 2.8
    assert link.poll(2.8) == [KeyPressed(key="undo", held=True)]
    assert link.receive(moves((EV_KEY, KP2, UP)), 3.0) == []


def test_a_key_that_is_not_configured_is_nothing() -> None:
    link = a_link(StandInCalls())
    link.opened(1.0)
    assert link.receive(moves((EV_KEY, key_code("NUMLOCK"), DOWN), (EV_KEY, key_code("KP9"), DOWN)), 2.0) == []


# Settings


def test_without_a_key_map_a_numeric_keypad_has_its_meanings() -> None:
    keypad: Device = make("console", "evdev", {"port": "name:Keypad"})
    assert isinstance(keypad, EvdevKeypad)
    assert keypad.keys == tuple(NUMERIC_KEYPAD)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"port": "auto"}, "'auto' is no keypad's address"),
        ({"port": "name:"}, "is no keypad's address"),
        ({"port": "usb:12:34"}, "is no keypad's address"),
        ({"keys": {}}, "a console has at least one"),
        ({"keys": {"hit": "KPENTR"}}, "did you mean KPENTER"),
        ({"keys": {"hit": "KP1", "stand": 79}}, "key 79 is used twice, for hit and for stand"),
        ({"keys": {"hit": "KP1"}, "long_press": ["undo"]}, "there is no key 'undo'"),
        ({"long_press_ms": 50}, "long_press_ms is 100 to 10000"),
    ],
)
def test_wrong_settings_are_refused_in_words(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting) as refused:
        make("console", "evdev", {"port": "/dev/input/event0", **settings})
    assert words in str(refused.value)


async def test_a_keypad_that_is_gone_says_so_when_it_is_asked(folder: Folder, mocker: MockerFixture) -> None:
    path = folder.add("Keypad")
    port = await open_input(path, WANTED, calls=folder)
    mocker.patch.object(folder, "keys_down", side_effect=OSError(errno.ENODEV, "No such device"))
    with pytest.raises(DeviceError, match=r"the keypad Keypad at .* was unplugged"):
        port.keys_down()
    await port.close()
