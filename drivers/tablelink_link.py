"""The host's link to any TableLink device: a shoe, a sign or a key panel, as the table's own words.

Refuses a device that has not the role asked for before it is used: no event of it passes and nothing is shown on it.
Pure, as every `Link`: `firmware_protocol.tablelink` speaks the protocol, this file only translates.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import Final, Literal

from drivers import base
from drivers.base import DeviceEvent, Lost, Mark, Ready, Refused, Said
from drivers.errors import BadSetting
from drivers.noise import Noise
from firmware_protocol.tablelink import auth, timing
from firmware_protocol.tablelink.capture import MISREAD_WORDS
from firmware_protocol.tablelink.host import (
    Connected,
    DeviceLost,
    DeviceRefused,
    EventReceived,
    HostLink,
    HostOutput,
    Known,
    SlotShown,
)
from firmware_protocol.tablelink.messages import (
    CAPABILITY_BITS,
    NONCE_SIZE,
    SIMULATED,
    BackfeedEvent,
    CardEvent,
    CutCardEvent,
    EmptyEvent,
    Event,
    Identity,
    JamEvent,
    KeyEvent,
    LidEvent,
    MisreadEvent,
    PowerEvent,
    SelfTestEvent,
    TamperEvent,
)

Role = Literal["shoe", "sign", "panel"]
BAUD: Final = 115200  # usual; 9600 works
LAMPS: Final = 0x40  # the first lamp's slot (TL-061)
LOCK: Final = 0x80  # the slot of the shoe's lock
HANDSHAKE_S: Final = (
    5.0  # a board that restarts when its port is opened takes two; then HELLO is repeated each half second
)
RELEASED, PRESSED, HELD = 0, 1, 2  # what a key did
SECOND_TRY: Final = 1  # a CARD's flag
TWO_CARDS: Final = 3  # a MISREAD's reason
MAX_IGNORED: Final = 64  # numbers of ignored events remembered; a device has 32 on the way at most
POWER_WORDS: Final = {1: "the supply is low", 2: "the supply is good again", 3: "running on battery"}


def fresh_nonce() -> bytes:
    return secrets.token_bytes(NONCE_SIZE)


def read_key(path: str) -> bytes | None:
    """The device's key from the file that holds it in hexadecimal; None where no file is named."""
    if not path:
        return None
    try:
        return auth.check_key(bytes.fromhex(Path(path).read_text(encoding="ascii").strip()))
    except OSError as error:
        raise BadSetting(f"key_file: {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadSetting(f"key_file: {path} holds no key: {error}. Write it as 32 to 64 hexadecimal digits.") from error


class TableLinkLink:
    """One device over any number of connections; fulfils `drivers.link.Link`.

    A shoe's events carry a mark and are acknowledged when `committed` is told. Those of the other roles are
    acknowledged as soon as they are told, because nobody journals a sign.
    """

    handshake_s: float | None = HANDSHAKE_S

    def __init__(
        self,
        role: Role,
        *,
        key: bytes | None = None,
        known: Mark | None = None,
        baud: int = BAUD,
        keys: Mapping[int, str] | None = None,
        fresh: Callable[[], bytes] = fresh_nonce,
    ) -> None:
        self.role = role
        self.noise = Noise()
        self._keys = dict(keys or {})
        self._secret, self._baud, self._began = key, baud, Known(known.boot, known.number) if known else None
        self._make_host(fresh)
        self._last: Mark | None = None  # the newest event of this count that was received
        self._ignored: deque[int] = deque(maxlen=MAX_IGNORED)  # received and not told, so nobody will commit them
        self._retry_at: float | None = None  # while a device of another role is refused
        self._refused = ""  # the words last said about it
        self._wanted: dict[int, bytes] = {}  # by slot
        self._shown: set[int] = set()

    def _make_host(self, fresh: Callable[[], bytes]) -> None:
        first = fresh()
        self.first_revision = int.from_bytes(first[:2], "little")  # as the host counts what it shows
        nonces = chain((first,), iter(fresh, None))
        self._host = HostLink(fresh=lambda: next(nonces), key=self._secret, known=self._began, baud=self._baud)

    def repeat(self, nonces: Callable[[], bytes], *, first_revision: int) -> None:
        """Before the first connection: say again what was said in a recording, so that its answers fit. `nonces` gives
        the recorded one of each HELLO. Never for a real device: a nonce that comes twice proves nothing."""
        recorded = chain((first_revision.to_bytes(NONCE_SIZE, "little"),), iter(nonces, None))
        self._make_host(lambda: next(recorded))
        for slot, content in self._wanted.items():
            self._host.show(slot, content)

    # What the table asks

    @property
    def known(self) -> Mark | None:
        """Up to where everything is journalled, as it was told when this began."""
        return None if self._began is None else Mark(self._began.boot, self._began.upto)

    @property
    def capabilities(self) -> frozenset[str]:
        """What the device said it can do; nothing before it was heard."""
        identity = self._host.identity
        bits = identity.capabilities if identity is not None else 0
        return frozenset(name for bit, name in CAPABILITY_BITS.items() if bits & bit)

    def committed(self, mark: Mark) -> None:
        """The journal holds it and all before it. A mark of a count that is over means nothing any more."""
        last = self._last
        if last is None or mark.boot != last.boot or mark.number > last.number:
            return
        upto = mark.number
        while self._ignored and self._ignored[0] <= upto + 1:
            upto = max(upto, self._ignored.popleft())
        self._host.committed(mark.boot, upto)

    def show(self, slot: int, content: bytes) -> None:
        """Set a slot; it is sent until the device shows it, and again after every connection."""
        self._host.show(slot, content)
        if self._wanted.get(slot) != content:
            self._wanted[slot] = content
            self._shown.discard(slot)

    def shown(self) -> bool:
        """Whether the device said so of every slot."""
        return self._wanted.keys() <= self._shown

    # drivers.link.Link

    def opened(self, now: float) -> list[Said]:
        self._begin(now)
        self._refused = ""
        return []

    def receive(self, data: bytes, now: float) -> list[Said]:
        counts = self._host.counts
        before = counts.bad_frames + counts.bad_messages
        said = self._translate(self._host.receive(data, now))
        bad = counts.bad_frames + counts.bad_messages - before
        if bad:
            self.noise.add("no frame of TableLink", bad)
        said += self._refuse_others(now)
        return [*said, *self.noise.told(now)]

    def poll(self, now: float) -> list[Said]:
        if self._retry_at is not None and now >= self._retry_at:
            self._begin(now)
        return [*self._translate(self._host.poll(now)), *self.noise.told(now)]

    def data_to_send(self, now: float) -> bytes:
        return self._host.data_to_send(now)

    def next_time(self) -> float | None:
        times = (self._host.next_time(), self._retry_at, self.noise.next_time())
        return min((due for due in times if due is not None), default=None)

    def closed(self) -> list[Said]:
        self._host.disconnected()
        self._retry_at = None
        self._shown.clear()
        return [*self.noise.rest()]

    # Translating

    def _begin(self, now: float) -> None:
        self._retry_at = None
        self._shown.clear()
        self._host.connected(now)

    def _refuse_others(self, now: float) -> list[Said]:
        """An identity is judged before it is resumed: a device of another role never gets a session."""
        identity = self._host.identity
        if self._host.phase != "resume" or identity is None or self.role in identity.role_names:
            return []
        self._host.disconnected()
        self._retry_at = now + timing.REFUSED_S
        roles = " and a ".join(identity.role_names) or "device without a role"
        words = f"{_named(identity)} answered as a {roles}, not as a {self.role}"
        if words == self._refused:
            return []
        self._refused = words
        return [Refused(words=words, advice=f"Connect the {self.role} here, or correct the port: croupier devices")]

    def _translate(self, outputs: list[HostOutput]) -> list[Said]:
        said: list[Said] = []
        for output in outputs:
            match output:
                case Connected():
                    said.append(self._connected(output))
                case EventReceived():
                    event = self._event(output)
                    said += [event] if event is not None else []
                case DeviceLost():
                    self._shown.clear()
                    said.append(Lost(words=output.words))
                case DeviceRefused():
                    said.append(Refused(words=output.words, advice=_advice(output.words)))
                case SlotShown():
                    self._shown.add(output.slot)
        return said

    def _connected(self, connected: Connected) -> Ready:
        if not connected.proven:
            self._last = None
            self._ignored.clear()
        self._refused = ""
        self._shown.clear()
        known = self._host.known if self.role == "shoe" else None
        return Ready(
            identity=_named(connected.identity),
            proven=connected.proven,
            words=connected.words,
            simulated=bool(connected.identity.capabilities & SIMULATED),
            since=None if known is None else Mark(known.boot, known.upto),
        )

    def _event(self, received: EventReceived) -> DeviceEvent | None:
        number = received.event.number
        self._last = mark = Mark(received.boot, number)
        journaled = self.role == "shoe"
        event = self._read(received.event, mark if journaled else None)
        if not journaled:
            self._host.committed(mark.boot, number)
        elif event is None:
            self._ignore(mark)
        return event

    def _ignore(self, mark: Mark) -> None:
        """Acknowledged with the events before it: at once where all of those are safe."""
        known = self._host.known
        if known is not None and known.boot == mark.boot and known.upto + 1 == mark.number:
            self._host.committed(mark.boot, mark.number)
        else:
            self._ignored.append(mark.number)

    def _read(self, event: Event, mark: Mark | None) -> DeviceEvent | None:
        """What happened in the table's words, or None for what means nothing to it."""
        number = str(event.number)
        match event:
            case CardEvent() if event.card == "??":
                return base.Misread(mark=mark, sequence=number, reason="the card was not read")
            case CardEvent():
                second = bool(event.flags & SECOND_TRY)
                return base.CardRead(mark=mark, sequence=number, card=event.card, second_try=second)
            case MisreadEvent():
                reason = MISREAD_WORDS.get(event.reason, f"reason {event.reason}")
                cards = 2 if event.reason == TWO_CARDS else 1
                return base.Misread(mark=mark, sequence=number, reason=reason, cards=cards)
            case CutCardEvent():
                return base.CutCardSeen(mark=mark, sequence=number)
            case LidEvent():
                return base.LidMoved(mark=mark, sequence=number, open=bool(event.open))
            case EmptyEvent():
                return base.ShoeEmptied(mark=mark, sequence=number)
            case JamEvent():
                return base.Jammed(mark=mark, sequence=number, jammed=bool(event.jammed))
            case BackfeedEvent():
                return base.CardRanBack(mark=mark, sequence=number)
            case KeyEvent():
                return self._key(event, mark)
            case TamperEvent():
                words = f"the device reports tampering of kind {event.kind}"
                return base.TamperSeen(mark=mark, sequence=number, words=words)
            case PowerEvent():
                words = POWER_WORDS.get(event.kind, f"power event {event.kind}")
                return base.PowerChanged(mark=mark, sequence=number, words=words, good=event.kind == 2)
            case SelfTestEvent() if event.result == 0:
                return base.Noticed(mark=mark, sequence=number, words="the self test passed")
            case SelfTestEvent():
                words = f"the self test failed with number {event.result}"
                return base.FaultReported(mark=mark, sequence=number, words=words, code=event.result)
        return None

    def _key(self, event: KeyEvent, mark: Mark | None) -> DeviceEvent | None:
        if event.action not in (PRESSED, HELD):
            return None
        number, name = str(event.number), self._keys.get(event.key)
        if name is None:
            return base.Noticed(mark=mark, sequence=number, words=f"key {event.key} has no name in the configuration")
        return base.KeyPressed(mark=mark, sequence=number, key=name, held=event.action == HELD)


def _named(identity: Identity) -> str:
    return f"{identity.serial.decode('ascii')}, firmware {identity.firmware}"


def _advice(words: str) -> str:
    if "key" in words:
        return "Put the device's key in the file that key_file names, or take key_file away where the device has no key"
    return "Update the device's firmware, or this program"
