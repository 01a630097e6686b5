"""Device end of TableLink. Pure: no clock, no port; the caller passes bytes and the time, and sends what is due.

An event is kept until the host says it is safe; a full queue stops the shoe, it never drops a card. What is to be
sent is worked out when it is asked for, so a stalled line makes nothing grow.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from firmware_protocol.tablelink import auth, timing
from firmware_protocol.tablelink.endpoint import Counts, Endpoint, Seal, framed
from firmware_protocol.tablelink.messages import (
    AUTHENTICATED,
    NEEDS_KEY,
    Ack,
    Event,
    Hello,
    Identity,
    Message,
    NoSession,
    Ping,
    Pong,
    Ready,
    Refused,
    Resume,
    Show,
    Shown,
    encode_message,
)

VERSION: Final = 1
QUEUE: Final = 32
RESERVE: Final = 2  # a card may be on its way through the throat when the shoe is stopped
REFUSED_VERSION, REFUSED_KEY = 1, 2


class QueueFull(Exception):
    """No room for another event. The shoe should have been stopped: see `must_stop`."""


class Described(Struct, frozen=True, kw_only=True):
    """What a device says of itself."""

    serial: str
    roles: int
    capabilities: int = 0
    firmware: tuple[int, int, int] = (1, 0, 0)


class HostConnected(Struct, frozen=True):
    """A session is open."""


class HostLost(Struct, frozen=True):
    """Nothing was heard for three seconds: keep events, show that there is no table."""


class SlotChanged(Struct, frozen=True):
    """A slot's content is to be shown."""

    slot: int
    content: bytes


DeviceOutput = HostConnected | HostLost | SlotChanged


class DeviceLink:
    """One boot of a device. `fresh` gives a nonce that this device has never used before."""

    def __init__(
        self,
        described: Described,
        *,
        boot: int,
        fresh: Callable[[], bytes],
        key: bytes | None = None,
        baud: int = 115200,
        capacity: int = QUEUE,
    ) -> None:
        self.described = described
        self.boot = boot
        self.key = auth.check_key(key) if key is not None else None
        self.capacity = capacity
        self.next_number = 1
        self._fresh = fresh
        self._resend_s = timing.resend_time(baud)
        self._endpoint = Endpoint()
        self._queue: deque[Event] = deque()
        self._open = False
        self._told_open = False  # whether the caller was last told that a host is there
        self._seal: Seal | None = None  # of the open session
        self._offered: Seal | None = None  # of the session an IDENTITY offered, until a RESUME takes it up
        self._revisions: dict[int, int] = {}
        self._heard = 0.0
        self._sent = 0  # how many of the queue have been sent and wait to be acknowledged
        self._resend_at: float | None = None
        self._wait_s = self._resend_s
        self._due: list[Message] = []  # answers: one of a kind at most
        self._answer_seal: dict[type[Message], Seal | None] = {}
        encode_message(self._identity(bytes(8), bytes(8)))  # a description that can't be sent is refused here

    @property
    def counts(self) -> Counts:
        return self._endpoint.counts

    @property
    def is_open(self) -> bool:
        return self._open

    @property
    def queued(self) -> int:
        return len(self._queue)

    @property
    def must_stop(self) -> bool:
        """Whether the shoe must be stopped until the host has caught up."""
        return len(self._queue) > self.capacity - RESERVE - 1

    @property
    def oldest(self) -> int:
        """The oldest event not yet acknowledged; the next one to come if there is none."""
        return self.next_number - len(self._queue)

    def add(self, kind: type[Event], clock_ms: int, *values: int) -> int:
        """Number an event and keep it; returns the number."""
        if len(self._queue) >= self.capacity:
            raise QueueFull(f"{self.capacity} events wait already")
        event = kind(self.boot & 0xFFFF, self.next_number, clock_ms & 0xFFFFFFFF, *values)
        encode_message(event)  # what can't be sent must not be numbered: it would block all behind it
        self._queue.append(event)
        self.next_number += 1
        return event.number

    # Receiving

    def receive(self, data: bytes, now: float) -> list[DeviceOutput]:
        out: list[DeviceOutput] = []
        for body in self._endpoint.bodies(data):
            self._take(body, now, out)
        return out

    def _take(self, body: bytes, now: float, out: list[DeviceOutput]) -> None:
        counts = self._endpoint.counts
        if not auth.is_sealed(body):
            message = self._endpoint.message(body)
            if isinstance(message, Hello):
                self._hello(message)
            elif self.key is not None and message is not None:
                counts.unsealed += 1
                if isinstance(message, Resume):
                    self._answer(Refused(REFUSED_KEY, VERSION, VERSION), None)
            elif message is not None:
                self._obey(message, None, now, out)
            return
        for seal in (self._seal, self._offered):
            plain = seal.opener.open(body) if seal else None
            if plain is not None:
                message = self._endpoint.message(plain)
                if message is not None:
                    self._obey(message, seal, now, out)
                return
        counts.forged += 1
        self._without_session(body[0] & ~AUTHENTICATED)

    def _without_session(self, number: int) -> None:
        """TL-027: what belongs in a session is answered where there is none, so that the host begins anew."""
        if not self._open and number in (Ping.id, Ack.id, Show.id):
            self._answer(NoSession(), None)

    def _hello(self, hello: Hello) -> None:
        """Offer a session. The open one goes on until the offer is taken up, so a stray HELLO harms nothing."""
        if not hello.min_version <= VERSION <= hello.max_version:
            self._answer(Refused(REFUSED_VERSION, VERSION, VERSION), None)
            return
        nonce = self._fresh()
        if self.key is not None:
            session = auth.session_key(self.key, hello.nonce, nonce)
            self._offered = Seal(session, auth.FROM_DEVICE, auth.FROM_HOST)
        self._answer(self._identity(hello.nonce, nonce), self._offered)

    def _identity(self, host_nonce: bytes, nonce: bytes) -> Identity:
        about = self.described
        needs = NEEDS_KEY if self.key is not None else 0
        return Identity(
            VERSION,
            about.roles,
            about.capabilities | needs,
            self.boot,
            self.next_number,
            self.oldest,
            host_nonce,
            nonce,
            *about.firmware,
            about.serial.encode(),
        )

    def _obey(self, message: Message, seal: Seal | None, now: float, out: list[DeviceOutput]) -> None:
        if isinstance(message, Resume):
            self._resume(message, seal, now, out)
        elif not self._open or seal is not self._seal:
            self._endpoint.counts.unexpected += 1
            self._without_session(message.id)
        else:
            if isinstance(message, Ack | Ping | Show):
                self._heard = now  # an echo of our own frames is no sign of life
            match message:
                case Ack() if message.boot_low == self.boot & 0xFFFF:
                    self._acknowledge(message.upto, now)
                case Ping():
                    self._answer(Pong(message.token), seal)
                case Show():
                    self._show(message, out)
                case _:
                    self._endpoint.counts.unexpected += 1

    def _resume(self, message: Resume, seal: Seal | None, now: float, out: list[DeviceOutput]) -> None:
        """Open the session: forget what is safe, send all the rest again, expect every slot anew."""
        if message.boot != self.boot:
            self._answer(NoSession(), None)
            return
        if seal is not None and seal is self._offered:
            self._seal, self._offered = seal, None
        self._forget(message.upto)
        if not self._told_open:
            out.append(HostConnected())
        self._open = self._told_open = True
        self._heard = now
        self._revisions.clear()
        self._wait_s = self._resend_s
        self._send_again()
        self._answer(Ready(message.token, self.boot, self.oldest), self._seal)

    def _acknowledge(self, upto: int, now: float) -> None:
        if self._forget(upto):
            self._wait_s = self._resend_s
            self._resend_at = now + self._wait_s if self._sent else None

    def _forget(self, upto: int) -> bool:
        """Drop what is acknowledged; a number that was never sent is nobody's to acknowledge."""
        if upto >= self.next_number:
            self._endpoint.counts.unexpected += 1
            return False
        dropped = max(0, upto - self.oldest + 1)
        for _ in range(dropped):
            self._queue.popleft()
        self._sent = max(0, self._sent - dropped)
        return dropped > 0

    def _show(self, message: Show, out: list[DeviceOutput]) -> None:
        """The newest revision wins; revisions are compared around the circle of 65,536."""
        last = self._revisions.get(message.slot)
        if last is None or 0 < (message.revision - last) & 0xFFFF < 0x8000:
            self._revisions[message.slot] = message.revision
            out.append(SlotChanged(message.slot, message.content))
        else:
            self._endpoint.counts.duplicates += 1
        self._answer(Shown(message.slot, self._revisions[message.slot]), self._seal)

    # Sending

    def _answer(self, message: Message, seal: Seal | None) -> None:
        """Remember an answer; a newer one of the same kind (and slot) takes its place."""
        key = (type(message), message.slot) if isinstance(message, Shown) else type(message)
        self._due = [m for m in self._due if ((type(m), m.slot) if isinstance(m, Shown) else type(m)) != key]
        self._due.append(message)
        self._answer_seal[type(message)] = seal

    def _send_again(self) -> None:
        self._sent = 0
        self._resend_at = None

    def poll(self, now: float) -> list[DeviceOutput]:
        """Notice what time has done: a lost host, an event to be sent again."""
        if self._open and now >= self._heard + timing.LOST_S:
            self._end_session()
        if not self._open:
            told, self._told_open = self._told_open, False
            return [HostLost()] if told else []
        if self._resend_at is not None and now >= self._resend_at:
            self._wait_s = min(self._wait_s * 2, timing.MAX_RESEND_S)
            self._send_again()
        return []

    def data_to_send(self, now: float) -> bytes:
        """Everything due: answers first, then events that are not on their way yet."""
        if self._seal is not None and self._seal.spent:
            self._end_session()  # the host finds out by its next PING, and offers a new session
        parts = [framed(message, self._answer_seal[type(message)]) for message in self._due]
        self._due.clear()
        if self._open:
            waiting = list(self._queue)[self._sent : timing.WINDOW]
            parts += [framed(event, self._seal) for event in waiting]
            self._sent += len(waiting)
            if waiting and self._resend_at is None:
                self._resend_at = now + self._wait_s
        return b"".join(parts)

    def next_time(self) -> float | None:
        """When `poll` has something to do next."""
        if not self._open:
            return self._heard if self._told_open else None
        lost = self._heard + timing.LOST_S
        return lost if self._resend_at is None else min(lost, self._resend_at)

    def disconnected(self) -> list[DeviceOutput]:
        """The cable is out, as far as the device can tell."""
        self._endpoint.forget_input()
        self._end_session()
        self._due.clear()
        told, self._told_open = self._told_open, False
        return [HostLost()] if told else []

    def _end_session(self) -> None:
        self._open, self._seal = False, None
        self._sent, self._resend_at = 0, None
        self._due = [m for m in self._due if isinstance(m, Identity | Refused | NoSession)]  # answers to no session
