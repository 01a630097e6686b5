"""What was heard on one port, made sense of: a TableLink answer, another shoe's chatter, text, noise. Pure and bounded.

It recognises the shoes that answer nobody by decoding what they say by themselves, so that nothing is sent to them.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from firmware_protocol import angel_eye, bee_tek
from firmware_protocol.tablelink import auth
from firmware_protocol.tablelink.device import REFUSED_VERSION
from firmware_protocol.tablelink.endpoint import Endpoint
from firmware_protocol.tablelink.messages import (
    AUTHENTICATED,
    CAPABILITY_BITS,
    SIMULATED,
    Hello,
    Identity,
    Refused,
)
from firmware_protocol.wire import BadFrame

SHOWN: Final = 24  # bytes of the unknown that a person is shown
GLITCH: Final = 3  # bytes that a plug or a power-up may put on a line; more is somebody talking
FLOOD: Final = 16384  # bytes without an answer: more than any device here says in one asking, even at 115200 baud
SHOES: Final = {"angel_eye": "an Angel Eye shoe", "bee_tek": "a Bee-Tek shoe"}
LooksLike = Literal["angel_eye", "bee_tek"]
_TEXT: Final = frozenset(b"\t\n\r" + bytes(range(0x20, 0x7F)))


class Answer(Struct, frozen=True, kw_only=True):
    """Who answered a HELLO. Where the device wants its key the claim is unchecked."""

    roles: tuple[str, ...]
    serial: str
    firmware: str
    boot: int
    capabilities: tuple[str, ...]
    simulated: bool
    baud: int | None = None  # at which it answered, where the line has a speed

    @property
    def words(self) -> str:
        what = " and ".join(self.roles) or "device without a role that is known here"
        marked = "a SIMULATED " if self.simulated else "a "
        return f"{marked}{what} (TableLink, serial {self.serial}, firmware {self.firmware})"


class Ear:
    """Listens to one port at one setting. `nonce` is the one our HELLO carries."""

    def __init__(self, nonce: bytes, baud: int | None) -> None:
        self.answer: Answer | None = None
        self.refusal = ""  # a device that is there and will not talk to us, in words
        self.echoed = False  # our own HELLO came back
        self.looks_like: LooksLike | None = None
        self.heard = 0  # bytes
        self._nonce, self._baud = nonce, baud
        self._first = b""
        self._strange = 0  # bytes that are not text
        self._frames = 0  # sound TableLink frames
        self._endpoint = Endpoint()
        self._angel_eye, self._bee_tek = angel_eye.Decoder(), bee_tek.Decoder()

    @property
    def is_done(self) -> bool:
        """Whether listening on can change nothing."""
        return bool(self.answer or self.refusal or self.looks_like) or self.heard > FLOOD

    @property
    def must_not_be_asked(self) -> bool:
        """Whether somebody talks here who is no TableLink device; an Angel Eye at another speed sounds like noise.

        Text is no reason: many boards print a greeting when their port is opened.
        """
        if self.looks_like or self.heard > FLOOD:
            return True
        return not self._frames and self._strange > GLITCH

    def hear(self, data: bytes) -> None:
        if self.is_done:
            return
        self.heard += len(data)
        self._first = (self._first + data)[:SHOWN]
        self._strange += sum(byte not in _TEXT for byte in data)
        for body in self._endpoint.bodies(data):
            self._frames += 1
            self._take(body)
        if not self._frames:
            self._recognise(data)

    def words(self) -> str:
        """What was heard where no device answered; empty where nothing was."""
        if self.looks_like:
            return f"looks like {SHOES[self.looks_like]}"
        if self.echoed:
            return "sends back what is sent to it: a loop-back plug, or a device that echoes"
        if not self.heard:
            return ""
        if self._frames:
            return "speaks TableLink and does not answer"
        if self.heard > FLOOD:
            return f"sends a flood of bytes that are no TableLink: {self._sample()}"
        return f"sent {self.heard} bytes that are no TableLink: {self._sample()}"

    def _take(self, body: bytes) -> None:
        sealed = auth.is_sealed(body)
        if sealed and body[0] & ~AUTHENTICATED != Identity.id:
            return
        match self._endpoint.message(auth.unseal(body) if sealed else body):
            case Identity() as identity if identity.host_nonce == self._nonce:
                self.answer = self._answer(identity)
            case Hello() as hello if hello.nonce == self._nonce:
                self.echoed = True
            case Refused() as refused if refused.reason == REFUSED_VERSION:
                versions = f"{refused.min_version} to {refused.max_version}"
                self.refusal = f"a TableLink device that speaks only versions {versions} of it"
            case _:
                pass

    def _answer(self, identity: Identity) -> Answer:
        return Answer(
            roles=identity.role_names,
            serial=identity.serial.decode("ascii"),
            firmware=identity.firmware,
            boot=identity.boot,
            capabilities=tuple(name for bit, name in CAPABILITY_BITS.items() if identity.capabilities & bit),
            simulated=bool(identity.capabilities & SIMULATED),
            baud=self._baud,
        )

    def _recognise(self, data: bytes) -> None:
        # Only numbered events carry check digits: a lone ACK byte is no proof of an Angel Eye.
        if any(getattr(found, "sequence", None) is not None for found in self._angel_eye.feed(data)):
            self.looks_like = "angel_eye"
        elif any(not isinstance(found, BadFrame) for found in self._bee_tek.feed(data)):
            self.looks_like = "bee_tek"

    def _sample(self) -> str:
        more = " …" if self.heard > SHOWN else ""
        if all(byte in _TEXT for byte in self._first):
            return f"{self._first.decode('ascii')!r}{more}"
        return f"{self._first.hex(' ').upper()}{more}"
