"""Host end of TableLink. Pure: no clock, no port; the caller passes bytes and the time, and sends what is due.

Events come out once each and in order; an acknowledgement goes out only for what the caller says is committed. When
it can't be proven that nothing was missed, `Connected.proven` is False: the link never stays silent about it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from firmware_protocol.tablelink import auth, timing
from firmware_protocol.tablelink.device import REFUSED_VERSION, VERSION
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
    Shown,
)
from firmware_protocol.tablelink.slots import Slots


class Known(Struct, frozen=True):
    """What the host's journal holds of a device: everything of this boot up to this event."""

    boot: int
    upto: int


class Connected(Struct, frozen=True):
    """A session is open. `proven`: nothing can have been missed since what was known; `words` say why, or why not."""

    identity: Identity
    proven: bool
    words: str


class EventReceived(Struct, frozen=True):
    """The next event, to be committed and then told to `committed`."""

    boot: int
    event: Event


class DeviceLost(Struct, frozen=True):
    words: str


class DeviceRefused(Struct, frozen=True):
    """The device is there and no session is possible until a person does something."""

    words: str


class SlotShown(Struct, frozen=True):
    """The newest content of a slot is on show."""

    slot: int


HostOutput = Connected | EventReceived | DeviceLost | DeviceRefused | SlotShown
Phase = Literal["closed", "hello", "resume", "open", "refused"]


class HostLink:
    """A host's link to one device, over any number of connections. `fresh` gives a nonce never used before."""

    def __init__(
        self,
        *,
        fresh: Callable[[], bytes],
        key: bytes | None = None,
        known: Known | None = None,
        baud: int = 115200,
    ) -> None:
        self.key = auth.check_key(key) if key is not None else None
        self.known = known
        self.identity: Identity | None = None
        self.phase: Phase = "closed"
        self._fresh = fresh
        self._endpoint = Endpoint()
        self._expected = known.upto + 1 if known else 1
        self._boot = known.boot if known else None
        self._nonce = b""
        self._seal: Seal | None = None
        self._slots = Slots(timing.frame_time(baud), first=int.from_bytes(fresh()[:2], "little"))
        self._since = self._heard = self._due = 0.0  # when the phase began, the device was heard, to send next
        self._ack_due = False
        self._token = 0  # of this session's RESUME and READY
        self._pings = 0
        self._stuck: float | None = None  # since when only events after a missing one arrive

    @property
    def counts(self) -> Counts:
        return self._endpoint.counts

    # What the caller tells

    def connected(self, now: float) -> None:
        """The port is open: begin. Also right for a port that was opened again."""
        self._endpoint.forget_input()
        self._say_hello(now)

    def disconnected(self, words: str = "the port closed") -> list[HostOutput]:
        """The port is gone."""
        was, self.phase = self.phase, "closed"
        self._seal = None
        return [DeviceLost(words)] if was == "open" else []

    def committed(self, boot: int, upto: int) -> None:
        """Everything of that boot up to this event is safe: release its acknowledgement."""
        if boot != self._boot:
            return  # of a boot that is over; its device has forgotten those events with it
        if upto >= self._expected:
            raise ValueError(f"event {upto} was never received")
        if self.known is None or self.known.boot != boot or upto > self.known.upto:
            self.known = Known(boot, upto)
            self._ack_due = True

    def show(self, slot: int, content: bytes) -> None:
        """Set a slot's content; it is sent until the device says that it shows it."""
        self._slots.show(slot, content)

    # Receiving

    def receive(self, data: bytes, now: float) -> list[HostOutput]:
        out: list[HostOutput] = []
        for body in self._endpoint.bodies(data):
            self._take(body, now, out)
        return out

    def _take(self, body: bytes, now: float, out: list[HostOutput]) -> None:
        if self.phase == "closed":
            return
        if body[0] & ~AUTHENTICATED == Identity.id:
            self._identity(body, now, out)
            return
        if auth.is_sealed(body):
            plain = self._seal.opener.open(body) if self._seal else None
            if plain is None:
                self.counts.forged += 1
                return
            message = self._endpoint.message(plain)
        else:
            message = self._endpoint.message(body)
            if message is not None and self._seal and not isinstance(message, NoSession | Refused):
                self.counts.unsealed += 1
                return
        if message is not None:
            self._obey(message, now, out)

    def _identity(self, body: bytes, now: float, out: list[HostOutput]) -> None:
        """An answer to our HELLO. The newest one counts: the device keeps only the last session it offered."""
        sealed = auth.is_sealed(body)
        identity = self._endpoint.message(auth.unseal(body) if sealed else body)
        if not isinstance(identity, Identity):
            return
        if self.phase not in ("hello", "resume", "refused") or identity.host_nonce != self._nonce:
            self.counts.unexpected += 1
            return
        if self.phase == "resume" and identity == self.identity:
            self.counts.duplicates += 1  # the same offer again: its session has begun, and its counters run
            return
        if identity.version != VERSION:
            self._refuse(f"the device wants version {identity.version}, and this host speaks {VERSION}", now, out)
            return
        seal = None
        if self.key is not None and sealed:
            session = auth.session_key(self.key, identity.host_nonce, identity.nonce)
            seal = Seal(session, auth.FROM_HOST, auth.FROM_DEVICE)
            if seal.opener.open(body) is None:
                self.counts.forged += 1
                self._refuse("the device answered with another key than the one configured", now, out)
                return
        elif self.key is not None:
            self._refuse("a key is configured and the device uses none", now, out)
            return
        elif identity.capabilities & NEEDS_KEY:
            self._refuse("the device wants its key and none is configured", now, out)
            return
        self._seal = seal
        self.identity = identity
        if self.phase != "resume":  # a newer offer waits its turn: each RESUME brings every event again
            self._enter("resume", now)

    def _obey(self, message: Message, now: float, out: list[HostOutput]) -> None:
        if isinstance(message, Ready | Event | Shown | Pong):
            self._heard = now  # neither an echo of our own frames nor an unsealed refusal is a sign of life
        match message:
            case Refused():
                if self.phase in ("hello", "resume"):
                    self._refuse(_refusal_words(message), now, out)
            case NoSession():
                if self.phase in ("open", "resume"):
                    if self.phase == "open":
                        out.append(DeviceLost("the device has no session any more: it restarted"))
                    self._say_hello(now)
            case Ready() if self.phase == "resume":
                self._ready(message, now, out)
            case Event() if self.phase == "open":
                self._event(message, now, out)
            case Shown() if self.phase == "open":
                new = self._slots.answered(message, now)
                if new:
                    out.append(SlotShown(message.slot))
                elif new is None:
                    self.counts.unexpected += 1
            case Pong():
                pass
            case _:
                self.counts.unexpected += 1

    def _ready(self, ready: Ready, now: float, out: list[HostOutput]) -> None:
        identity = self.identity
        assert identity is not None
        if ready.token != self._token or ready.boot != identity.boot:
            self.counts.unexpected += 1  # of a RESUME before this one
            return
        proven, words = self._continuity(ready)
        if not proven:
            self._expected = ready.first_event
            self.known = Known(ready.boot, ready.first_event - 1)
        self._boot = ready.boot
        self._stuck = None
        self._slots.send_all(now)
        self._ack_due = False
        self._enter("open", now)
        out.append(Connected(identity, proven, words))

    def _continuity(self, ready: Ready) -> tuple[bool, str]:
        """Whether nothing can have been missed, and the words for it."""
        if self._boot is None:
            return False, "first contact: there is nothing to compare with"
        if self._boot != ready.boot:
            return False, "the device restarted: what it had not delivered is gone"
        if ready.first_event > self._expected:
            return False, f"events {self._expected} to {ready.first_event - 1} are gone"
        identity = self.identity
        if identity is not None and identity.next_event < self._expected:
            return False, "the device counts fewer events than it has sent: its memory is not to be trusted"
        return True, "nothing was missed"

    def _event(self, event: Event, now: float, out: list[HostOutput]) -> None:
        assert self._boot is not None
        if event.boot_low != self._boot & 0xFFFF:
            self.counts.unexpected += 1
        elif event.number == self._expected:
            self._expected += 1
            self._stuck = None
            out.append(EventReceived(self._boot, event))
        elif event.number > self._expected:
            self.counts.out_of_order += 1  # an earlier one was lost; the device sends them all again
            self._stuck = now if self._stuck is None else self._stuck
        else:
            self.counts.duplicates += 1
            if self.known is not None and event.number <= self.known.upto:
                self._ack_due = True

    # Phases

    def _enter(self, phase: Phase, now: float) -> None:
        self.phase = phase
        self._since = self._heard = self._due = now

    def _say_hello(self, now: float) -> None:
        self._nonce = self._fresh()
        self._token = int.from_bytes(self._nonce[:2], "little")
        self._seal = None
        self._enter("hello", now)

    def _refuse(self, words: str, now: float, out: list[HostOutput]) -> None:
        if self.phase != "refused":
            out.append(DeviceRefused(words))
        self._seal = None
        self._enter("refused", now)
        self._due = now + timing.REFUSED_S

    def poll(self, now: float) -> list[HostOutput]:
        """Notice what time has done: a silent device, a handshake that came to nothing."""
        if self.phase == "open":
            words = ""
            if now >= self._heard + timing.LOST_S:
                words = f"nothing was heard for {timing.LOST_S:.0f} seconds"
            elif self._stuck is not None and now >= self._stuck + timing.STUCK_S:
                words = f"event {self._expected} does not come, only later ones"
            elif self._seal and self._seal.spent:
                words = "the session's counter is used up"
            if words:
                self._say_hello(now)
                return [DeviceLost(words)]
        if self.phase == "resume" and now >= self._since + timing.LOST_S:
            self._say_hello(now)
        return []

    def data_to_send(self, now: float) -> bytes:
        """Everything due now."""
        parts: list[bytes] = []
        if self.phase == "open":
            self._open_data(now, parts)
        if self.phase != "closed" and now >= self._due:
            match self.phase:
                case "hello" | "refused":
                    parts.append(framed(Hello(VERSION, VERSION, self._nonce), None))
                    self._due = now + (timing.HELLO_S if self.phase == "hello" else timing.REFUSED_S)
                case "resume":
                    assert self.identity is not None
                    boot = self.identity.boot
                    upto = self.known.upto if self.known and self.known.boot == boot else self.identity.oldest_event - 1
                    parts.append(framed(Resume(self._token, boot, upto), self._seal))
                    self._due = now + timing.RESUME_S
                case "open":
                    self._pings = (self._pings + 1) & 0xFFFF
                    parts.append(framed(Ping(self._pings), self._seal))
                    self._due = now + timing.PING_S
        return b"".join(parts)

    def _open_data(self, now: float, parts: list[bytes]) -> None:
        if self._ack_due and self.known is not None:
            parts.append(framed(Ack(self.known.boot & 0xFFFF, self.known.upto), self._seal))
            self._ack_due = False
        parts += [framed(show, self._seal) for show in self._slots.due(now)]

    def next_time(self) -> float | None:
        """When `poll` or `data_to_send` has something to do next."""
        if self.phase == "closed":
            return None
        times = [self._due]
        if self.phase == "open":
            times.append(self._heard + timing.LOST_S)
            if self._stuck is not None:
                times.append(self._stuck + timing.STUCK_S)
            times += self._slots.next_times()
        if self.phase == "resume":
            times.append(self._since + timing.LOST_S)
        return min(times)


def _refusal_words(message: Refused) -> str:
    if message.reason == REFUSED_VERSION:
        return f"the device speaks versions {message.min_version} to {message.max_version}, this host {VERSION}"
    return "the device wants its key"
