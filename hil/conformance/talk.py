"""A host made of raw frames: says what it is told to, right or wrong, and keeps everything that comes back.

It repeats, acknowledges and answers nothing by itself, so that it hides no fault of the device.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final, TypeVar

from msgspec import Struct

from firmware_protocol.tablelink import auth
from firmware_protocol.tablelink.framing import Frame, FrameDecoder, encode_frame
from firmware_protocol.tablelink.messages import BadMessage, Hello, Identity, Message, decode_message, encode_message
from firmware_protocol.wire import BadFrame, Decoded
from hil.conformance.line import Line
from hil.conformance.reading import MOST_RAW, body_words
from hil.conformance.verdicts import Seen
from hil.conformance.watch import Breach, Watch, bad_frame, bad_message, seal_breach

KEPT_SESSIONS: Final = 16  # of which a late frame may still come
MOST_SEEN: Final = 20000  # frames that are kept for the report
Kind = TypeVar("Kind", bound=Message)


class Session:
    """One authenticated session: the host's counter, and the device's last one."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.sent = 0
        self.last = -1

    def seal(self, body: bytes, counter: int | None = None) -> bytes:
        if counter is None:
            counter, self.sent = self.sent, self.sent + 1
        return auth.seal(body, self.key, auth.FROM_HOST, counter)

    def made(self, body: bytes) -> int | None:
        """The counter of a body that the device sealed in this session; None for any other."""
        if len(body) < 1 + auth.OVERHEAD:
            return None
        counter = int.from_bytes(body[-auth.OVERHEAD : 4 - auth.OVERHEAD], "little")
        return counter if auth.seal(auth.unseal(body), self.key, auth.FROM_DEVICE, counter) == body else None


class Heard(Struct, frozen=True):
    """A message from the device. `session` is whose seal it bears, if any was right."""

    at: float
    message: Message
    body: bytes
    session: Session | None = None
    counter: int | None = None


class Talk:
    """`log` is every message heard; a place in it (`mark`) says from where on to look."""

    def __init__(self, line: Line, *, key: bytes | None = None, fresh: Callable[[int], bytes] = os.urandom) -> None:
        self.line, self.key, self.fresh = line, key, fresh
        self.log: list[Heard] = []
        self.seen: list[Seen] = []
        self.breaches: list[tuple[Breach, Seen]] = []
        self.bad_frames: list[BadFrame] = []
        self.watch = Watch()
        self.boot: int | None = None  # of the device, once known
        self.session: Session | None = None  # in which we speak
        self.offer: Session | None = None  # of the last IDENTITY
        self.verified = False  # whether a frame ever bore a right tag
        self._sessions: list[Session] = []
        self._nonce = b""
        self._decoder = FrameDecoder()
        self._settled = False  # a port's first bytes may be the end of a frame, or a board's greeting
        self._began = line.now

    @property
    def now(self) -> float:
        return self.line.now - self._began

    @property
    def mark(self) -> int:
        return len(self.log)

    # Saying

    async def send(
        self, message: Message, *, session: Session | None = None, counter: int | None = None, plain: bool = False
    ) -> bytes:
        """Sends one message as the session wants it, and gives the bytes that went out."""
        return await self.send_body(encode_message(message), session=session, counter=counter, plain=plain)

    async def send_body(
        self, body: bytes, *, session: Session | None = None, counter: int | None = None, plain: bool = False
    ) -> bytes:
        data = self.frame(body, session=session, counter=counter, plain=plain)
        await self.send_bytes(data, body_words(body))
        return data

    def frame(
        self, body: bytes, *, session: Session | None = None, counter: int | None = None, plain: bool = False
    ) -> bytes:
        """The frame of a body, authenticated where there is a key; HELLO never is."""
        if self.key is not None and not plain and body[0] != Hello.id:
            by = session or self.session or Session(bytes(32))  # without a session, by a key that nobody has
            body = by.seal(body, counter)
        return encode_frame(body)

    async def send_bytes(self, data: bytes, words: str) -> None:
        self._note(Seen(self.now, "to device", data, words))
        await self.line.send(data)

    async def hello(self, low: int = 1, high: int = 1) -> bytes:
        """Sends one HELLO; gives its nonce."""
        await self.send(hello := self.new_hello(low, high))
        return hello.nonce

    def new_hello(self, low: int = 1, high: int = 1) -> Hello:
        hello = Hello(low, high, self.fresh(8))
        self.watch.nonces.add(hello.nonce)
        self.watch.offered = range(low, high + 1)
        self._nonce = hello.nonce
        return hello

    # Listening

    async def listen(self, seconds: float) -> list[Heard]:
        """All that comes in that time."""
        mark, end = self.mark, self.line.now + seconds
        while True:
            left = end - self.line.now
            self._take(await self.line.receive(max(0.0, left)))
            if left <= 0:
                return self.log[mark:]

    async def wait(self, is_it: Callable[[Heard], bool], seconds: float, since: int | None = None) -> Heard | None:
        """The first message from that mark on which is it; waits for it at most so long."""
        place = self.mark if since is None else since
        end = self.line.now + seconds
        while True:
            for heard in self.log[place:]:
                if is_it(heard):
                    return heard
            place = self.mark
            left = end - self.line.now
            if left <= 0:
                return None
            self._take(await self.line.receive(left))

    async def wait_for(self, kind: type[Kind], seconds: float, since: int | None = None) -> Kind | None:
        heard = await self.wait(lambda heard: isinstance(heard.message, kind), seconds, since)
        return heard.message if heard is not None and isinstance(heard.message, kind) else None

    def opened_anew(self) -> None:
        """The port was opened again: half a frame is worth nothing."""
        self._decoder = FrameDecoder()
        self._settled = False

    def keep(self, session: Session | None) -> None:
        """From now on we speak in this session."""
        self.session = session

    # Inside

    def _take(self, data: bytes) -> None:
        for found in self._decoder.feed(data) if data else ():
            self._found(found)

    def _found(self, found: Decoded) -> None:
        if isinstance(found, BadFrame):
            self.bad_frames.append(found)
            self.watch.session_began(None)  # what was in it is unknown, so a gap is nobody's fault
            seen = Seen(self.now, "from device", found.data[:MOST_RAW], f"no frame: {found.reason}")
            self._note(seen)
            if self._settled:
                self.breaches.append((bad_frame(found.reason), seen))
        elif isinstance(found, Frame):
            self._settled = True
            self._frame(found.body)

    def _frame(self, body: bytes) -> None:
        seen = Seen(self.now, "from device", encode_frame(body), body_words(body))
        self._note(seen)
        sealed = auth.is_sealed(body)
        try:
            message = decode_message(auth.unseal(body) if sealed and len(body) > auth.OVERHEAD else body)
        except BadMessage as error:
            self.breaches.append((bad_message(str(error)), seen))
            return
        session = counter = None
        if self.key is not None and isinstance(message, Identity):
            self._offered(self.key, message)
        if self.key is not None and sealed:
            session, counter = self._whose(body)
            if session is None:
                self.breaches.append((("TL-081", "its tag is none that this key makes in any session here"), seen))
            elif (breach := _counted(session, counter, message)) is not None:
                self.breaches.append((breach, seen))
        self.breaches += [
            (breach, seen) for breach in self.watch.message(message, self.boot, keyed=self.key is not None)
        ]
        if (breach := seal_breach(message, sealed=sealed, keyed=self.key is not None)) is not None:
            self.breaches.append((breach, seen))
        self.log.append(Heard(self.now, message, body, session, counter))

    def _offered(self, key: bytes, identity: Identity) -> None:
        self.offer = Session(auth.session_key(key, identity.host_nonce, identity.nonce))
        self._sessions = [self.offer, *self._sessions[: KEPT_SESSIONS - 1]]

    def _whose(self, body: bytes) -> tuple[Session | None, int | None]:
        for session in (*self._sessions, self.session):
            if session is not None and (counter := session.made(body)) is not None:
                self.verified = True
                return session, counter
        return None, None

    def _note(self, seen: Seen) -> None:
        if len(self.seen) < MOST_SEEN:
            self.seen.append(seen)


def _counted(session: Session, counter: int | None, message: Message) -> Breach | None:
    """Frames of a session are counted from 0, and IDENTITY is the first."""
    last, session.last = session.last, max(session.last, -1 if counter is None else counter)
    if isinstance(message, Identity) and counter != 0:
        return "TL-083", f"IDENTITY has the counter {counter}, and it is the first frame of its session"
    if counter is not None and counter <= last:
        return "TL-082", f"a frame has the counter {counter}, and {last} was before it"
    return None
