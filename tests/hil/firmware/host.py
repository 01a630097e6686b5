"""A TableLink host on a pty: the real host link on the real clock, with a journal that is a list."""

from __future__ import annotations

import os
import secrets
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from firmware_protocol.tablelink.framing import DELIMITER, decode_frame, encode_frame
from firmware_protocol.tablelink.host import Connected, DeviceRefused, EventReceived, HostLink, HostOutput
from firmware_protocol.tablelink.messages import Event, Hello, Message, decode_message, encode_message

WAIT_S = 30.0
NONCE = 8


class Host:
    """`events` are those that came, `commits` whether they are acknowledged."""

    def __init__(self, path: Path, *, key: bytes | None = None, patience_s: float = WAIT_S) -> None:
        self.path = path
        self.link = HostLink(fresh=lambda: secrets.token_bytes(NONCE), key=key)
        self.commits = True
        self.events: list[Event] = []
        self.said: list[HostOutput] = []
        self._patience_s = patience_s
        self._fd: int | None = None

    def open(self) -> Self:
        self._fd = os.open(self.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        termios.tcflush(self._fd, termios.TCIFLUSH)  # what was meant for the one before
        self.link.connected(time.monotonic())
        return self

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
            self.link.disconnected()

    def until(self, reached: Callable[[], Any], what: str) -> Self:
        end = time.monotonic() + self._patience_s
        while not reached():
            assert time.monotonic() < end, f"not within {self._patience_s} s: {what}; {self.said[-3:]}"
            self._turn()
        return self

    def connect(self) -> Connected:
        before = len(self.connections)
        self.open().until(lambda: len(self.connections) > before, "a session")
        return self.connections[-1]

    @property
    def connections(self) -> list[Connected]:
        return [said for said in self.said if isinstance(said, Connected)]

    @property
    def refusals(self) -> list[str]:
        return [said.words for said in self.said if isinstance(said, DeviceRefused)]

    def show(self, slot: int, content: bytes) -> None:
        self.link.show(slot, content)

    # Below the link

    def write(self, data: bytes) -> None:
        """All of it, as fast as the line takes it."""
        assert self._fd is not None
        end = time.monotonic() + self._patience_s
        while data:
            assert time.monotonic() < end, "the line takes nothing"
            try:
                data = data[os.write(self._fd, data) :]
            except BlockingIOError:
                time.sleep(0.005)

    def send(self, message: Message) -> None:
        self.write(encode_frame(encode_message(message)))

    def hello(self) -> Message:
        self.send(Hello(1, 1, bytes(NONCE)))
        return self.messages(1)[0]

    def messages(self, count: int) -> list[Message]:
        """The next ones, read past the link."""
        data, end = b"", time.monotonic() + self._patience_s
        while data.count(DELIMITER) < count:
            assert time.monotonic() < end, f"only {data.hex()} came"
            data += self._read()
        return [decode_message(decode_frame(run)) for run in data.split(DELIMITER)[:count]]

    def _read(self) -> bytes:
        assert self._fd is not None
        try:
            return os.read(self._fd, 4096)
        except BlockingIOError:
            time.sleep(0.002)
            return b""

    def _turn(self) -> None:
        data, now = self._read(), time.monotonic()
        self._take(self.link.receive(data, now))
        self._take(self.link.poll(now))
        self.write(self.link.data_to_send(now))

    def _take(self, outputs: list[HostOutput]) -> None:
        self.said += outputs
        for output in outputs:
            if isinstance(output, EventReceived):
                self.events.append(output.event)
                if self.commits:
                    self.link.committed(output.boot, output.event.number)
