"""A serial port behind a server that can set it, `rfc2217://host:port`: baud, bits and parity travel with the bytes.

Not pyserial's client: that one keeps everything it hears in a queue without end, sleeps in its threads and gives a
slow far side up after half a message. Refuses a server that does not know RFC 2217, and settings it does not take.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
from typing import Final

from drivers.errors import DeviceError, PortLost, TimedOut, WrongDevice
from drivers.ports.base import LineSettings
from drivers.ports.tcp import TcpPort, open_tcp
from drivers.ports.telnet import ComPortAnswer, Telnet, com_port, escaped

AGREE_S: Final = 5.0  # pyserial gives a server 3 s for each of the two steps
PIECE: Final = 2048  # bytes handed over at a time, so that an answer to the server never waits behind a long text
# RFC 2217, "Commands from the client"; the server answers with the same number and 100
BAUD, DATA_BITS, PARITY, STOP_BITS, CONTROL, SUSPEND, RESUME, PURGE = 1, 2, 3, 4, 5, 8, 9, 12
ANSWER: Final = 100
_PARITIES: Final = {"N": 1, "O": 2, "E": 3}
_NO_FLOW_CONTROL, _DTR_ON, _RTS_ON = 1, 8, 11
_PURGE_RECEIVED: Final = b"\x01"


class Rfc2217Port:
    """An agreed connection; see `open_rfc2217`."""

    def __init__(self, tcp: TcpPort) -> None:
        self.name = tcp.name
        self._tcp, self._telnet = tcp, Telnet()
        self._heard = bytearray()
        # A cancelled write leaves its piece here for the next: half an escape would turn data into commands.
        self._out = bytearray()
        self._may_send = asyncio.Event()
        self._may_send.set()

    async def read(self) -> bytes:
        while not self._heard or self._tcp.closed:
            await self._receive()
            self._telnet.answers.clear()
        data = bytes(self._heard)
        self._heard.clear()
        return data

    async def write(self, data: bytes) -> None:
        for at in range(0, max(len(data), 1), PIECE):
            await self._may_send.wait()
            await self._send(escaped(data[at : at + PIECE]))

    async def close(self) -> None:
        self._may_send.set()  # who waits for it finds the port closed
        await self._tcp.close()

    async def agree(self, line: LineSettings) -> None:
        """Telnet options, then the line's settings, then a clean start."""
        await self._send(self._telnet.start())
        while self._telnet.agreed is None:
            await self._receive()
            self._heard.clear()
        if not self._telnet.agreed:
            raise _not_rfc2217(self.name)
        self._telnet.answers.clear()  # nothing was asked yet
        wanted = {
            BAUD: struct.pack("!I", line.baud),
            DATA_BITS: bytes((line.data_bits,)),
            PARITY: bytes((_PARITIES[line.parity],)),
            STOP_BITS: bytes((line.stop_bits,)),
        }
        await self._send(b"".join(com_port(code, value) for code, value in wanted.items()))
        for control in (_NO_FLOW_CONTROL, _DTR_ON, _RTS_ON):  # their answers differ from server to server: not awaited
            await self._send(com_port(CONTROL, bytes((control,))))
        await self._send(com_port(PURGE, _PURGE_RECEIVED))
        await self._settle(wanted, line)

    async def _settle(self, wanted: dict[int, bytes], line: LineSettings) -> None:
        unanswered = {*wanted, PURGE}
        while unanswered:
            await self._receive()
            self._heard.clear()  # read while the line was set otherwise
            for answer in self._telnet.answers:
                code = answer.code - ANSWER
                if code in wanted and answer.value[: len(wanted[code])] != wanted[code]:
                    raise _other_settings(self.name, line, answer)
                unanswered.discard(code)
            self._telnet.answers.clear()

    async def _receive(self) -> None:
        try:
            raw = await self._tcp.read()
        except DeviceError:
            self._may_send.set()  # nobody is left to end the pause: who waits for that finds the port gone
            raise
        self._heard += self._telnet.receive(raw)
        for answer in self._telnet.answers:
            if answer.code == SUSPEND + ANSWER:
                self._may_send.clear()
            elif answer.code == RESUME + ANSWER:
                self._may_send.set()
        self._take_owed()
        if self._out:  # without waiting: a server that takes nothing until we have read must not stop our reading
            with contextlib.suppress(PortLost):  # the next read says so, after everything that came before
                del self._out[: self._tcp.push(bytes(self._out))]

    async def _send(self, raw: bytes) -> None:
        self._take_owed()
        await self._flush()  # what a cancelled write left
        self._out += raw
        await self._flush()

    async def _flush(self) -> None:
        while True:
            await self._tcp.write(b"")  # says so if it is closed or gone
            if not self._out:
                return
            taken = self._tcp.push(bytes(self._out))
            del self._out[:taken]
            if not taken:
                await self._tcp.writable()

    def _take_owed(self) -> None:
        if len(self._out) <= 2 * PIECE:  # else later: nothing grows
            self._out += self._telnet.owed
            self._telnet.owed.clear()


async def open_rfc2217(host: str, port: int, line: LineSettings, *, name: str) -> Rfc2217Port:
    opened = Rfc2217Port(await open_tcp(host, port, name=name))
    try:
        async with asyncio.timeout(AGREE_S):
            await opened.agree(line)
    except TimeoutError as error:
        await opened.close()
        raise TimedOut(
            f"{name} connected, but did not agree on its serial port within {AGREE_S:.0f} seconds",
            advice="A server without RFC 2217 is written socket://host:port",
        ) from error
    except PortLost as error:
        await opened.close()
        raise PortLost(f"{name} hung up before it agreed on its serial port", advice=error.advice) from error
    except BaseException:
        await opened.close()
        raise
    return opened


def _not_rfc2217(name: str) -> WrongDevice:
    return WrongDevice(
        f"{name} answered, but does not let its serial port be set (RFC 2217)",
        advice="Switch RFC 2217 on in the serial server, or write socket://host:port",
    )


def _other_settings(name: str, line: LineSettings, answer: ComPortAnswer) -> DeviceError:
    key = {BAUD: "baud", DATA_BITS: "data_bits", PARITY: "parity", STOP_BITS: "stop_bits"}[answer.code - ANSWER]
    has = str(int.from_bytes(answer.value, "big")) if answer.value else "unknown"
    if key == "parity":
        has = {str(number): letter for letter, number in _PARITIES.items()}.get(has, has)
    return DeviceError(
        f"{name} does not take the line settings {line}: its {key} stays {has}",
        advice="Set the line to what the serial server can do",
    )
