"""Asks a port who is there: listens a moment, then says TableLink's HELLO, and tells in words what came back.

Sends nothing but HELLO, and not even that where somebody already talks who is no TableLink device: an Angel Eye shoe
must never be sent to. It is heard only while it deals, so a silent one may still get the 15 bytes of a HELLO at
another speed than its own; `croupier devices --no-ask` and a port named in the configuration keep it from any.
An open session of the device is not disturbed: only a RESUME would take it over, and none is sent.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Literal

from msgspec import Struct

from drivers.discovery.ear import SHOES, Answer, Ear, LooksLike
from drivers.errors import DeviceError, PortBusy
from drivers.ports.base import CLOSE_S, LineSettings, Port
from firmware_protocol import angel_eye
from firmware_protocol.tablelink.device import VERSION
from firmware_protocol.tablelink.endpoint import framed
from firmware_protocol.tablelink.messages import NONCE_SIZE, Hello
from firmware_protocol.tablelink.timing import HELLO_S

BAUDS: Final = (115200, 9600)  # the usual one of TableLink, and the one that works everywhere
OPEN_S: Final = 5.0  # to open a port once: a serial server far away takes its time
OpenPort = Callable[[str, LineSettings], Awaitable[Port]]
Said = Literal["answered", "refused", "silent", "other", "held", "failed", "not_asked"]


class Patience(Struct, frozen=True, kw_only=True):
    """How long a port is listened to and asked, at each speed."""

    listen_s: float = 0.3
    ask_s: float = 2.0  # a board that restarts when its port is opened (Arduino's bootloader) needs 1.6 s


PATIENCE: Final = Patience()


class Outcome(Struct, frozen=True, kw_only=True):
    """What became of one port. `asked`: whether a HELLO was sent to it."""

    said: Said
    words: str
    asked: bool = False
    answer: Answer | None = None
    looks_like: LooksLike | None = None
    advice: str = ""


async def probe(
    address: str,
    opening: OpenPort,
    *,
    bauds: Sequence[int] = BAUDS,
    patience: Patience = PATIENCE,
    clock: Callable[[], float] = time.monotonic,
) -> Outcome:
    """Who is at this address. Never raises for what a device or a port does; the port is closed afterwards.

    Without `bauds` the line has no speed, and is asked once.
    """
    turns: list[tuple[int | None, bool]] = [(None, True)]
    if bauds:
        turns = [(angel_eye.BAUD, False), *((baud, True) for baud in bauds)]  # at its own speed, only listened to
    limit = len(turns) * (OPEN_S + patience.listen_s + patience.ask_s + CLOSE_S)
    asking = _Asking(address, opening, patience, clock)
    try:
        async with asyncio.timeout(limit):
            for speed, asks in turns:
                await asking.turn(speed, asks)
                if asking.is_over:
                    break
    except TimeoutError:
        return asking.failed(f"{address} took longer than {limit:.0f} seconds", "Unplug it and plug it in again")
    except PortBusy as error:
        return Outcome(said="held", words=error.words, asked=asking.asked, advice=error.advice)
    except DeviceError as error:
        return asking.failed(error.words, error.advice)
    return asking.outcome(bauds)


class _Asking:
    """One port, asked at one speed after the other."""

    def __init__(self, address: str, opening: OpenPort, patience: Patience, clock: Callable[[], float]) -> None:
        self._address, self._opening, self._patience, self._clock = address, opening, patience, clock
        self._ears: list[Ear] = []
        self._left_alone = False
        self.asked = False
        self._stuck = False  # it took no bytes

    @property
    def is_over(self) -> bool:
        last = self._ears[-1]
        return self._left_alone or bool(last.answer or last.refusal or last.looks_like)

    async def turn(self, baud: int | None, asks: bool) -> None:
        nonce = os.urandom(NONCE_SIZE)
        ear = Ear(nonce, baud)
        port = await self._opening(self._address, LineSettings() if baud is None else LineSettings(baud=baud))
        try:
            self._ears.append(ear)
            await self._listen(port, ear, self._patience.listen_s)
            if asks and ear.must_not_be_asked:
                self._left_alone = True
            elif asks:
                await self._ask(port, ear, framed(Hello(VERSION, VERSION, nonce), None))
        finally:
            await port.close()

    async def _ask(self, port: Port, ear: Ear, hello: bytes) -> None:
        self.asked = True
        end = self._clock() + self._patience.ask_s
        while not ear.is_done and (left := end - self._clock()) > 0:
            try:
                async with asyncio.timeout(left):
                    await port.write(hello)
            except TimeoutError:
                self._stuck = True
                return
            await self._listen(port, ear, min(HELLO_S, left))

    async def _listen(self, port: Port, ear: Ear, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                while not ear.is_done:
                    ear.hear(await port.read())
                    await asyncio.sleep(0)  # a flood must leave the others their turn
        except TimeoutError:
            pass

    def failed(self, words: str, advice: str) -> Outcome:
        return Outcome(said="failed", words=words, asked=self.asked, advice=advice)

    def outcome(self, bauds: Sequence[int]) -> Outcome:
        last = self._ears[-1]
        if last.answer:
            return Outcome(said="answered", words=f"answers as {last.answer.words}", asked=True, answer=last.answer)
        if last.refusal:
            advice = f"This table speaks version {VERSION}: bring the device's firmware up to date"
            return Outcome(said="refused", words=last.refusal, asked=True, advice=advice)
        loudest = max(self._ears, key=lambda ear: (ear.looks_like is not None, ear.echoed, ear.heard))
        words = loudest.words()
        if not words:
            speeds = f" at {' or '.join(map(str, bauds))} baud" if bauds else ""
            words = "took no bytes and sent none" if self._stuck else f"nothing answered{speeds}"
            return Outcome(said="silent", words=words, asked=self.asked)
        if not self.asked:
            words += "; nothing was sent to it"
        advice = ""
        if loudest.looks_like:
            advice = f"If it is {SHOES[loudest.looks_like]}, name its port in the configuration"
        return Outcome(said="other", words=words, asked=self.asked, looks_like=loudest.looks_like, advice=advice)
