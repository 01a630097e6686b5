"""Scanners that type: what the keys of an input device become, and a card reader on one, until it is unplugged."""

from __future__ import annotations

import asyncio
import os
import tty
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.base import CardRead, CutCardSeen, Misread, Ready, Said
from drivers.consoles.input_events import CODES, DOWN, EV_KEY, EV_SYN, NATIVE, REPEATED, SYN_DROPPED, SYN_REPORT, UP
from drivers.errors import DeviceError, PortLost, PortNotFound
from drivers.registry import make
from drivers.shoes.line_reader import LineReaderShoe
from drivers.shoes.typed import PLAIN, SHIFTS, Typist, open_typed
from firmware_protocol.line_reader import CardMap
from tests.drivers.consoles.rigs import StandInCalls

WAIT_S = 30.0
SHIFT = min(SHIFTS)
LOW = {text: code for code, text in reversed(PLAIN.items())}  # the main keys before those of the pad
HIGH = dict(zip('!@#$%^&*()_+{}:"~|<>?', "1234567890-=[];'`\\,./", strict=True))
PRINTABLE = [chr(number) for number in range(0x20, 0x7F)]
MAP = CardMap([("0012345", "AS"), ("Card-8h", "8H"), ("999", "CUT")])


def moved(code: int, value: int) -> bytes:
    return NATIVE.pack(0, 0, EV_KEY, code, value) + NATIVE.pack(0, 0, EV_SYN, SYN_REPORT, 0)


def tapped(name: str) -> bytes:
    return moved(CODES[name], DOWN) + moved(CODES[name], UP)


def typed(text: str) -> bytes:
    """As a scanner types it, on a US keyboard."""
    out = b""
    for character in text:
        low = HIGH.get(character, character.lower())
        shifted = low != character
        tap = moved(LOW[low], DOWN) + moved(LOW[low], UP)
        out += moved(SHIFT, DOWN) + tap + moved(SHIFT, UP) if shifted else tap
    return out


@given(text=st.text(PRINTABLE), cuts=st.lists(st.integers(1, 60), min_size=1))
def test_every_printable_text_comes_out_as_it_was_typed_in_any_cutting(text: str, cuts: list[int]) -> None:
    typist, data, heard, turns = Typist(), typed(f"{text}\n"), b"", iter(cuts * 10_000)
    while data:
        size = next(turns)
        heard += typist.receive(data[:size])
        data = data[size:]
    assert heard.decode() == f"{text}\n"


def test_the_keys_of_a_numeric_pad_are_digits_and_shift_changes_none_of_them() -> None:
    pad = b"".join(tapped(name) for name in ("KP0", "KP7", "KPMINUS", "KPENTER"))
    assert Typist().receive(pad) == b"07-\n"
    assert Typist().receive(moved(SHIFT, DOWN) + pad) == b"07-\n"


def test_a_key_kept_down_is_one_character_and_locks_are_none() -> None:
    data = moved(CODES["A"], DOWN) + moved(CODES["A"], REPEATED) * 3 + moved(CODES["A"], UP)
    assert Typist().receive(tapped("NUMLOCK") + data + tapped("LEFTCTRL")) == b"a"


def test_what_is_no_character_and_what_the_kernel_dropped_is_seen_in_the_line() -> None:
    dropped = NATIVE.pack(0, 0, EV_SYN, SYN_DROPPED, 0) + moved(CODES["B"], DOWN)
    assert Typist().receive(typed("a") + tapped("F1") + typed("b")) == b"a?b"
    assert Typist().receive(typed("a") + dropped + typed("c\n")) == b"a?c\n"


def test_a_shift_whose_release_was_dropped_does_not_stay() -> None:
    dropped = NATIVE.pack(0, 0, EV_SYN, SYN_DROPPED, 0) + moved(SHIFT, UP)
    assert Typist().receive(moved(SHIFT, DOWN) + typed("a") + dropped + typed("b")) == b"A?b"


# A shoe


class Scanner:
    """An input device, in a pty's place, with a card reader of ours on it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "event9"
        self.calls = StandInCalls()
        self.said: list[Said] = []
        self.shoe = LineReaderShoe(
            LineReaderShoe.Settings(port=str(self.path), cards=""),
            cards=MAP,
            opener=lambda: open_typed(str(self.path), calls=self.calls),
        )
        self._fds: tuple[int, ...] = ()

    def plug(self) -> None:
        self._fds = _, slave = os.openpty()
        tty.setraw(slave)
        self.path.symlink_to(os.ttyname(slave))

    def unplug(self) -> None:
        self.path.unlink(missing_ok=True)
        for fd in self._fds:
            os.close(fd)
        self._fds = ()

    def scan(self, code: str) -> None:
        os.write(self._fds[0], typed(f"{code}\n"))

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[asyncio.Task[None]]:
        await self.shoe.open()
        serving = asyncio.create_task(self.shoe.serve(self.said.append))
        try:
            yield serving
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            await self.shoe.close()

    async def heard(self, count: int) -> list[Said]:
        async with asyncio.timeout(WAIT_S):
            while len(self.said) < count:
                await asyncio.sleep(0.005)
        return self.said


async def test_cards_are_read_from_a_scanner_that_types_and_an_unmapped_code_is_shown(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    scanner = Scanner(tmp_path)
    scanner.plug()
    async with scanner.serving() as serving:
        for code in ("0012345", "Card-8h", "0099", "999"):
            scanner.scan(code)
        ready, *events = await scanner.heard(5)
        assert isinstance(ready, Ready)
        assert not ready.proven
        assert events == [
            CardRead(card="AS"),
            CardRead(card="8H"),
            Misread(reason="the code '0099' is not in the card map"),
            CutCardSeen(),
        ]
        assert scanner.calls.grabbed == 1
        scanner.unplug()
        with pytest.raises(PortLost, match=r"the scanner Stand-in keypad at .* was unplugged"):
            await serving
    with pytest.raises(PortNotFound, match="there is no scanner at"):
        await scanner.shoe.open()
    scanner.plug()
    async with scanner.serving():
        scanner.scan("0012345")
        assert (await scanner.heard(7))[-1] == CardRead(card="AS")
    scanner.unplug()
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("port", ["name:No such scanner", "/dev/input/by-id/no-such-scanner"])
async def test_a_configured_scanner_that_is_not_there_is_told_as_one(port: str, tmp_path: Path) -> None:
    (tmp_path / "cards.toml").write_text('[cards]\n"0012345" = "AS"\n')
    shoe = make("shoe", "line_reader", {"port": port, "cards": str(tmp_path / "cards.toml")})
    with pytest.raises(DeviceError, match="scanner"):
        await shoe.open()
    await shoe.close()
