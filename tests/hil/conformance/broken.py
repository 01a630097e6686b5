"""Devices that each break one rule, and which ids the kit must then fail: those and no other.

Each is our own device's end with one thing bent: in its link, or in the bytes that pass by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cobs import cobs

from drivers.simulated.tablelink_end import TableLinkEnd
from firmware_protocol.tablelink import timing
from firmware_protocol.tablelink.auth import Opener, is_sealed, unseal
from firmware_protocol.tablelink.device import VERSION, Described, DeviceLink, SlotChanged
from firmware_protocol.tablelink.endpoint import framed
from firmware_protocol.tablelink.framing import decode_frame, encode_frame
from firmware_protocol.tablelink.messages import (
    AUTHENTICATED,
    Ack,
    CardEvent,
    Hello,
    Identity,
    NoSession,
    Ping,
    Pong,
    Ready,
    Refused,
    Resume,
    Show,
    Shown,
)

KEY = bytes(range(16))


class BentEnd(TableLinkEnd):
    """A simulated device whose link is another class."""

    link: type[DeviceLink] = DeviceLink

    def _start(self, boot: int) -> DeviceLink:
        return self.link(
            self._described, boot=boot, fresh=self._fresh, key=self._key, baud=self._baud, capacity=self._capacity
        )


@dataclass(frozen=True)
class Broken:
    name: str
    end: Callable[[], TableLinkEnd]
    fails: frozenset[str]
    role: str = "shoe"
    key: bytes | None = None


ALL: list[Broken] = []


def breaks(*fails: str, role: str = "shoe", key: bytes | None = None, **end: Any) -> Callable[[type], type]:
    """Registers a link or an end; its first line of documentation says what it does wrong."""

    def register(kind: type) -> type:
        def made() -> TableLinkEnd:
            if issubclass(kind, DeviceLink):
                bent = type("Bent", (BentEnd,), {"link": kind})
                return bent(role, key=key, **end)
            return kind(role, key=key, **end)

        words = (kind.__doc__ or "").strip().rstrip(".")
        ALL.append(Broken(words, made, frozenset(f"TL-{each}" for each in fails), role, key))
        return kind

    return register


class Sends(BentEnd):
    """Bends what goes out: each frame by itself, `extra` behind some."""

    def data_to_send(self, now: float) -> bytes:
        frames = super().data_to_send(now).split(b"\0")[:-1]
        return b"".join(self.bend(decode_frame(each), now) for each in frames)

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body)


# Frames


@breaks("001")
class NotCobs(Sends):
    """It sends a run that is no COBS behind each READY."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body) + (b"\xff\x11\x22\0" if body[0] == Ready.id else b"")


@breaks("002")
class WrongCrc(Sends):
    """It sends a frame with a wrong CRC behind each READY."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body) + (cobs.encode(b"\x09\x01\x02\x03\x04") + b"\0" if body[0] == Ready.id else b"")


@breaks("003")
class TooLong(Sends):
    """It sends 100 bytes without an end behind each READY."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body) + (b"\x55" * 100 + b"\0" if body[0] == Ready.id else b"")


@breaks("001")
class DoubleZero(BentEnd):
    """It throws away what comes together with an empty frame."""

    def receive(self, data: bytes, now: float) -> None:
        super().receive(b"" if b"\0\0" in data else data, now)


@breaks("003")
class SmallBuffer(BentEnd):
    """It has no room for the longest SHOW."""

    def receive(self, data: bytes, now: float) -> None:
        super().receive(b"\0" if 50 < len(data) < 60 and data.endswith(b"\0") else data, now)


@breaks("004")
class AcceptsWrongCrc(BentEnd):
    """It does not look at the CRC."""

    def receive(self, data: bytes, now: float) -> None:
        for run in data.split(b"\0")[:-1] if data.count(b"\0") == 1 else ():
            try:
                content = cobs.decode(run)
                if len(content) == 5 and content[0] == Ping.id:
                    super().receive(encode_frame(content[:-2]), now)
                    return
            except cobs.DecodeError:
                pass
        super().receive(data, now)


@breaks("004", "095")
class Complains(BentEnd):
    """It answers a bad frame with an error message of its own."""

    _owed = 0

    def receive(self, data: bytes, now: float) -> None:
        before = self._link.counts.bad_frames
        super().receive(data, now)
        self._owed += self._link.counts.bad_frames - before

    def data_to_send(self, now: float) -> bytes:
        owed, self._owed = self._owed, 0
        return super().data_to_send(now) + encode_frame(b"\x7e\x01") * min(owed, 1)


@breaks("004")
class LosesTheNext(BentEnd):
    """A bad frame takes the next one with it."""

    _losing = False

    def receive(self, data: bytes, now: float) -> None:
        if self._losing:
            self._losing = False
            return
        before = self._link.counts.bad_frames
        super().receive(data, now)
        self._losing = self._link.counts.bad_frames > before


@breaks("005")
class WholeReadsOnly(BentEnd):
    """It takes a frame only if it comes in one read."""

    def receive(self, data: bytes, now: float) -> None:
        if data.endswith(b"\0"):
            super().receive(b"\0" + data, now)


@breaks("005", "020")
class OneFrameARead(BentEnd):
    """Of several frames in one read it takes the first one."""

    def receive(self, data: bytes, now: float) -> None:
        runs = [run for run in data.split(b"\0") if run]
        super().receive(runs[0] + b"\0" if data.endswith(b"\0") and runs else data, now)


@breaks("006")
class Overruns(BentEnd):
    """Endless noise makes it restart."""

    _run = 0

    def receive(self, data: bytes, now: float) -> None:
        self._run = 0 if b"\0" in data else self._run + len(data)
        if self._run > 1000:
            self.reboot()
            self._run = 0
        super().receive(data, now)


# Messages


@breaks("010")
class TakesAnySeal(BentEnd):
    """Without a key, it takes authenticated frames as if they were plain."""

    def receive(self, data: bytes, now: float) -> None:
        for run in data.split(b"\0")[:-1]:
            try:
                body = decode_frame(run)
            except ValueError:
                continue
            if is_sealed(body) and len(body) > 13:
                data = encode_frame(unseal(body))
        super().receive(data, now)


@breaks("010")
class MarksPlain(Sends):
    """It sets bit 7 in PONG without any key."""

    def bend(self, body: bytes, now: float) -> bytes:
        marked = body[0] == Pong.id
        return encode_frame(bytes([body[0] | AUTHENTICATED]) + body[1:] + bytes(12) if marked else body)


@breaks("011")
class FillsUp(BentEnd):
    """It takes half a PING for a whole one."""

    def receive(self, data: bytes, now: float) -> None:
        super().receive(encode_frame(b"\x08\x01\x00") if data == encode_frame(b"\x08\x01") else data, now)


@breaks("012")
class UnknownEnds(DeviceLink):
    """An unknown id ends its session."""

    def _take(self, body: bytes, now: float, out: list[Any]) -> None:
        super()._take(body, now, out)
        if body[0] in (0x07, 0x30):
            self._end_session()


@breaks("013")
class MoreRoles(Sends):
    """It sets a role that there is not."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body[:2] + bytes([body[2] | 0x10]) + body[3:] if body[0] == Identity.id else body)


@breaks("014")
class MoreCapabilities(Sends):
    """It sets a capability that there is not."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body[:4] + bytes([body[4] | 0x80]) + body[5:] if body[0] == Identity.id else body)


@breaks("015")
class OtherSerials(DeviceLink):
    """Its serial is another one each time."""

    def _hello(self, hello: Hello) -> None:
        self.described = Described(serial=f"N{hello.nonce.hex()}"[-10:], roles=1, capabilities=7)
        super()._hello(hello)


@breaks("015")
class BadSerial(Sends):
    """Its serial has a space, so that no host can take its IDENTITY."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body[:-1] + b" " if body[0] == Identity.id else body)


@breaks("040")
class OtherSuits(DeviceLink):
    """It takes spades for diamonds."""

    def add(self, kind: Any, clock_ms: int, *values: int) -> int:
        if kind is CardEvent and values[0] >> 4 == 3:
            values = (values[0] & 0x1F, *values[1:])
        return super().add(kind, clock_ms, *values)


@breaks("040")
class NoSuchCode(Sends):
    """It sends a card code that does not exist, and the right card behind it."""

    def bend(self, body: bytes, now: float) -> bytes:
        bad = encode_frame(body[:11] + b"\x0f\x00") if body[0] == CardEvent.id else b""
        return bad + encode_frame(body)


# Handshake


@breaks("020")
class Beacon(BentEnd):
    """It says NO_SESSION by itself while there is no session."""

    _next = 1.0

    def data_to_send(self, now: float) -> bytes:
        data = super().data_to_send(now)
        if not self._link.is_open and now >= self._next:
            self._next = now + 0.7
            data += framed(NoSession(), None)
        return data


@breaks("020")
class ForgetsNonce(Sends):
    """Its IDENTITY does not repeat the host's nonce."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body[:17] + bytes(8) + body[25:] if body[0] == Identity.id else body)


@breaks("020")
class SendsUnasked(DeviceLink):
    """It sends events without a session."""

    _told = 0

    def data_to_send(self, now: float) -> bytes:
        data = super().data_to_send(now)
        if not self._open and not self._told_open and self._queue and self._told < self.next_number:
            self._told = self.next_number
            data += framed(self._queue[-1], None)
        return data


@breaks("021")
class SameBoot(BentEnd):
    """It has the same boot id after a restart."""

    def reboot(self) -> None:
        boot = self._link.boot
        super().reboot()
        self._link = self._start(boot)


@breaks("022")
class NothingWaits(DeviceLink):
    """Its IDENTITY says that no event waits, always."""

    def _identity(self, host_nonce: bytes, nonce: bytes) -> Identity:
        identity = super()._identity(host_nonce, nonce)
        return Identity(
            *(identity.next_event if name == "oldest_event" else getattr(identity, name) for name in FIELDS)
        )


FIELDS = Identity.__struct_fields__


@breaks("023")
class IgnoresOthers(DeviceLink):
    """It does not answer a HELLO whose versions it does not speak."""

    def _hello(self, hello: Hello) -> None:
        if hello.min_version <= VERSION <= hello.max_version:
            super()._hello(hello)


@breaks("024")
class HelloEnds(DeviceLink):
    """A HELLO ends its session."""

    def _hello(self, hello: Hello) -> None:
        super()._hello(hello)
        if hello.min_version <= VERSION <= hello.max_version:
            self._end_session()


@breaks("025")
class WrongToken(Sends):
    """READY has another token than its RESUME."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body[:1] + b"\xee\xee" + body[3:] if body[0] == Ready.id else body)


@breaks("025")
class OnceOnly(DeviceLink):
    """It does not answer a repeated RESUME."""

    _hellos = 0

    def _hello(self, hello: Hello) -> None:
        self._hellos += 1
        super()._hello(hello)

    def _resume(self, message: Resume, seal: Any, now: float, out: list[Any]) -> None:
        if self._hellos or message.boot != self.boot:
            self._hellos = 0 if message.boot == self.boot else self._hellos
            super()._resume(message, seal, now, out)


@breaks("025")
class ObeysTheFuture(DeviceLink):
    """RESUME up to a number that it has not given makes it forget everything."""

    def _resume(self, message: Resume, seal: Any, now: float, out: list[Any]) -> None:
        if message.boot == self.boot and message.upto >= self.next_number:
            self._queue.clear()
        super()._resume(message, seal, now, out)


@breaks("026")
class AnyBoot(DeviceLink):
    """It takes a RESUME of any boot."""

    def _resume(self, message: Resume, seal: Any, now: float, out: list[Any]) -> None:
        super()._resume(Resume(message.token, self.boot, message.upto), seal, now, out)


@breaks("026")
class OtherBootEnds(DeviceLink):
    """A RESUME of another boot ends its session."""

    def _resume(self, message: Resume, seal: Any, now: float, out: list[Any]) -> None:
        super()._resume(message, seal, now, out)
        if message.boot != self.boot:
            self._end_session()


@breaks("027")
class NoWordForPing(DeviceLink):
    """Without a session it does not answer PING."""

    def _without_session(self, number: int) -> None:
        if number != Ping.id:
            super()._without_session(number)


@breaks("027")
class NoWordForAck(DeviceLink):
    """Without a session it does not answer ACK."""

    def _without_session(self, number: int) -> None:
        if number != Ack.id:
            super()._without_session(number)


# Events


@breaks("030")
class WrongBoot(Sends):
    """Its events bear another boot."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(bytes([body[0], body[1] ^ 1]) + body[2:] if body[0] == CardEvent.id else body)


@breaks("030", "032")
class Gaps(DeviceLink):
    """It leaves a number out now and then."""

    def add(self, kind: Any, clock_ms: int, *values: int) -> int:
        if self._open and self.next_number % 10 == 0 and len(self._queue) > 1:
            self._queue.append(kind(self.boot & 0xFFFF, self.next_number + 1, clock_ms, *values))
            self.next_number += 2
            return self.next_number - 1
        return super().add(kind, clock_ms, *values)

    @property
    def oldest(self) -> int:
        return self._queue[0].number if self._queue else self.next_number

    def _forget(self, upto: int) -> bool:
        before = len(self._queue)
        while self._queue and self._queue[0].number <= upto < self.next_number:
            self._queue.popleft()
            self._sent = max(0, self._sent - 1)
        return len(self._queue) < before


@breaks("031", "074")
class ForgetsWhenLost(DeviceLink):
    """It forgets its events when the host is lost."""

    def _end_session(self) -> None:
        super()._end_session()
        self._queue.clear()


@breaks("032")
class Overwrites(DeviceLink):
    """A full queue drops the newest card, and the shoe goes on."""

    def add(self, kind: Any, clock_ms: int, *values: int) -> int:
        if len(self._queue) >= 12:
            return self.next_number
        return super().add(kind, clock_ms, *values)


@breaks("032")
class StaysStopped(BentEnd):
    """Once stopped, it never goes on."""

    _stuck = False

    @property
    def must_stop(self) -> bool:
        self._stuck = self._stuck or super().must_stop
        return self._stuck


@breaks("033")
class AnyAck(DeviceLink):
    """It obeys an ACK of another boot."""

    def _obey(self, message: Any, seal: Any, now: float, out: list[Any]) -> None:
        if isinstance(message, Ack):
            message = Ack(self.boot & 0xFFFF, message.upto)
        super()._obey(message, seal, now, out)


@breaks("033")
class FutureAck(DeviceLink):
    """It obeys an ACK of a number that it has not given."""

    def _acknowledge(self, upto: int, now: float) -> None:
        super()._acknowledge(min(upto, self.next_number - 1), now)


@breaks("033", "032")
class IgnoresAck(DeviceLink):
    """It forgets by RESUME only."""

    def _acknowledge(self, upto: int, now: float) -> None:
        pass


@breaks("034")
class NeverAgain(DeviceLink):
    """It sends nothing again by itself."""

    def data_to_send(self, now: float) -> bytes:
        data = super().data_to_send(now)
        self._resend_at = None
        return data


@breaks("034")
class OldestOnly(DeviceLink):
    """It sends only the oldest event again."""

    def poll(self, now: float) -> list[Any]:
        sent, at = self._sent, self._resend_at
        out = super().poll(now)
        if at is not None and now >= at and self._open:
            self._again = True
            self._kept = sent
        return out

    _again = False
    _kept = 0

    def data_to_send(self, now: float) -> bytes:
        if self._again and self._kept:
            self._again, self._sent, self._resend_at = False, self._kept, now + self._wait_s
            return framed(self._queue[0], self._seal) + super().data_to_send(now)
        return super().data_to_send(now)


@breaks("034")
class SteadyTime(DeviceLink):
    """Its re-send time does not grow."""

    def poll(self, now: float) -> list[Any]:
        out = super().poll(now)
        self._wait_s = self._resend_s
        return out


@breaks("037")
class SecondsClock(BentEnd):
    """Its clock counts seconds."""

    def add(self, kind: Any, *values: int) -> None:
        clock = self.clock
        self.clock = lambda: clock() / 1000
        super().add(kind, *values)
        self.clock = clock


@breaks("038", capacity=64)
class WideWindow(DeviceLink):
    """It has up to 64 events on the way."""

    def data_to_send(self, now: float) -> bytes:
        data = super().data_to_send(now)
        if self._open and self._sent == timing.WINDOW:
            more = list(self._queue)[timing.WINDOW :]
            data += b"".join(framed(event, self._seal) for event in more if event.number > self._told)
            self._told = max([self._told, *(event.number for event in more)])
        return data

    _told = 0


# State


@breaks("061")
class NoLock(BentEnd):
    """It says that it has a lock, answers, and does not lock."""

    def _take(self, outputs: list[Any]) -> None:
        super()._take(outputs)
        if 0x80 in self.slots:
            self.slots[0x80] = b"\0"


@breaks("061", "062", "063", role="sign")
class Dark(BentEnd):
    """It answers SHOWN and shows nothing."""

    def _take(self, outputs: list[Any]) -> None:
        super()._take([each for each in outputs if not isinstance(each, SlotChanged)])


@breaks("062", role="sign")
class ShowsOld(DeviceLink):
    """It shows whatever comes, also what is older."""

    def _show(self, message: Show, out: list[Any]) -> None:
        self._revisions.pop(message.slot, None)
        super()._show(message, out)


@breaks("062")
class NoCircle(DeviceLink):
    """It compares revisions as if they never came around."""

    def _show(self, message: Show, out: list[Any]) -> None:
        last = self._revisions.get(message.slot)
        if last is not None and message.revision < last:
            self._answer(Shown(message.slot, last), self._seal)
            return
        if last is not None and message.revision > last:
            del self._revisions[message.slot]
        super()._show(message, out)


@breaks("062")
class SilentRepeats(DeviceLink):
    """It does not answer a SHOW that it has already."""

    def _show(self, message: Show, out: list[Any]) -> None:
        if self._revisions.get(message.slot) != message.revision:
            super()._show(message, out)


@breaks("063", role="panel")
class KeepsRevisions(DeviceLink):
    """RESUME does not make it forget the revisions."""

    def _resume(self, message: Resume, seal: Any, now: float, out: list[Any]) -> None:
        kept = dict(self._revisions)
        super()._resume(message, seal, now, out)
        self._revisions.update({slot: revision for slot, revision in kept.items() if slot == 0x40 and revision >= 400})


@breaks("064")
class OwnSlotsOnly(DeviceLink):
    """It answers nothing for a slot that it does not have."""

    def _show(self, message: Show, out: list[Any]) -> None:
        if message.slot == 0x80:
            super()._show(message, out)


# Liveness and times


@breaks("050")
class NoPong(DeviceLink):
    """It never answers PING."""

    def _answer(self, message: Any, seal: Any) -> None:
        if not isinstance(message, Pong):
            super()._answer(message, seal)


@breaks("050")
class OtherPong(DeviceLink):
    """PONG has a token of its own."""

    def _answer(self, message: Any, seal: Any) -> None:
        super()._answer(Pong(message.token ^ 1) if isinstance(message, Pong) else message, seal)


@breaks("050")
class PongTwice(Sends):
    """It answers each PING twice."""

    def bend(self, body: bytes, now: float) -> bytes:
        frame = encode_frame(body)
        return frame * 2 if body[0] == Pong.id else frame


@breaks("051", "073")
class NeverLost(DeviceLink):
    """It never gives its host up."""

    def poll(self, now: float) -> list[Any]:
        self._heard = now
        return super().poll(now)


@breaks("051")
class EchoesKeep(DeviceLink):
    """Echoes of its own frames keep its session open."""

    def _obey(self, message: Any, seal: Any, now: float, out: list[Any]) -> None:
        super()._obey(message, seal, now, out)
        if self._open:
            self._heard = now


class _LostAfter(DeviceLink):
    after = 3.0

    def poll(self, now: float) -> list[Any]:
        real = timing.LOST_S
        try:
            timing.LOST_S = self.after  # type: ignore[misc]
            return super().poll(now)
        finally:
            timing.LOST_S = real  # type: ignore[misc]


@breaks("073")
class LostLate(_LostAfter):
    """It gives its host up after 5 s."""

    after = 5.0


@breaks("073")
class LostSoon(_LostAfter):
    """It gives its host up after 1.8 s."""

    after = 1.8


@breaks("051")
class GoesOnSending(DeviceLink):
    """It sends events on after its host is lost."""

    _next = 0.0

    def data_to_send(self, now: float) -> bytes:
        data = super().data_to_send(now)
        if self._open:
            self._next = now + 1.0
        elif self._queue and 0 < self._next <= now < self._heard + 6:
            self._next = now + 0.5
            data += framed(self._queue[0], None)
        return data


@breaks("070")
class SlowFirst(DeviceLink):
    """It waits 3 s before it sends an event again."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._resend_s = self._wait_s = 3.0


@breaks("071")
class NoLimit(DeviceLink):
    """Its re-send time doubles without a limit."""

    def poll(self, now: float) -> list[Any]:
        wait, again = self._wait_s, self._resend_at is not None and now >= self._resend_at
        out = super().poll(now)
        if again and self._open:
            self._wait_s = wait * 2
        return out


@breaks("074")
class NeverBack(BentEnd):
    """A line full of noise leaves it deaf for twelve seconds."""

    _until = 0.0
    _bad = 0

    def receive(self, data: bytes, now: float) -> None:
        if len(data) == 200:  # the noise of a broken line
            self._bad += 1
        if self._bad == 8:
            self._until, self._bad = now + 12.0, 0
        if now >= self._until:
            super().receive(data, now)


# Authentication


@breaks("080", "081", key=KEY)
class OtherKey(BentEnd):
    """It makes its session key from another key."""

    def _start(self, boot: int) -> DeviceLink:
        self._key = bytes(range(1, 17))
        return super()._start(boot)


class _Lax(Opener):
    def open(self, body: bytes) -> bytes | None:
        self.last = -1
        return super().open(body)


@breaks("082", key=KEY)
class Replays(DeviceLink):
    """It takes a frame that it had already."""

    def _hello(self, hello: Hello) -> None:
        super()._hello(hello)
        if self._offered is not None:
            self._offered.opener = _Lax(self._offered.session, b"H")


@breaks("082", key=KEY)
class CountsNothing(DeviceLink):
    """Its own counter stays where it is."""

    def data_to_send(self, now: float) -> bytes:
        data = super().data_to_send(now)
        if self._seal is not None:
            self._seal.counter = min(self._seal.counter, 2)
        return data


class _Blind(Opener):
    def open(self, body: bytes) -> bytes | None:
        return unseal(body) if len(body) > 13 else None


@breaks("010", "082", "087", key=KEY)
class AnyTag(DeviceLink):
    """It does not look at the tag."""

    def _hello(self, hello: Hello) -> None:
        super()._hello(hello)
        if self._offered is not None:
            self._offered.opener = _Blind(self._offered.session, b"H")


@breaks("083", key=KEY)
class PlainIdentity(Sends):
    """Its IDENTITY is plain."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(unseal(body) if body[0] == Identity.id | AUTHENTICATED else body)


@breaks("084", key=KEY)
class AnswersPlain(DeviceLink):
    """It answers a plain PING although it has a key."""

    def _take(self, body: bytes, now: float, out: list[Any]) -> None:
        if body[0] == Ping.id and len(body) == 3 and self._open:
            self._answer(NoSession(), None)
        super()._take(body, now, out)


@breaks("084", key=KEY)
class IgnoresPlainResume(DeviceLink):
    """It does not refuse a plain RESUME."""

    def _answer(self, message: Any, seal: Any) -> None:
        if not (isinstance(message, Refused) and message.reason == 2):
            super()._answer(message, seal)


@breaks("084", key=KEY)
class HidesItsKey(DeviceLink):
    """It does not say that it wants its key."""

    def _identity(self, host_nonce: bytes, nonce: bytes) -> Identity:
        identity = super()._identity(host_nonce, nonce)
        values = {name: getattr(identity, name) for name in FIELDS}
        return Identity(**{**values, "capabilities": identity.capabilities & ~0x80})


@breaks("086", key=KEY)
class SameNonce(BentEnd):
    """Its nonce begins anew with each start."""

    def _fresh(self) -> bytes:
        return super()._fresh()[4:] + bytes(4)

    def reboot(self) -> None:
        super().reboot()
        self._nonces = 0


@breaks("024", "087", key=KEY)
class OfferReplaces(DeviceLink):
    """An offered session takes the place of the open one at once."""

    def _hello(self, hello: Hello) -> None:
        super()._hello(hello)
        if self._open and hello.min_version <= VERSION <= hello.max_version:
            self._seal = self._offered


# Versions


@breaks("090")
class ExactVersion(DeviceLink):
    """It takes only a HELLO that offers nothing but its version."""

    def _hello(self, hello: Hello) -> None:
        if hello.min_version <= VERSION < hello.max_version:
            self._answer(Refused(1, VERSION, VERSION), None)
        else:
            super()._hello(hello)


@breaks("090")
class OtherVersion(Sends):
    """IDENTITY has a version that nobody offered."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body[:1] + b"\x03" + body[2:] if body[0] == Identity.id else body)


@breaks("095")
class Chatters(Sends):
    """It sends a message of its own behind each READY."""

    def bend(self, body: bytes, now: float) -> bytes:
        return encode_frame(body) + (encode_frame(b"\x60hello") if body[0] == Ready.id else b"")
