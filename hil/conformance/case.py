"""What every check stands on: the run's device, helper and line, and the steps that many rules need.

A check calls `open` first and so begins with an open session, nothing untold and nothing on its way. The steps are
lenient on purpose: a wrong nonce or token is told by the watch, and the session is had all the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, Literal, TypeVar

from drivers.errors import DeviceError
from firmware_protocol.tablelink import timing
from firmware_protocol.tablelink.messages import (
    CAPABILITY_BITS,
    Ack,
    Event,
    Identity,
    Message,
    NoSession,
    Ping,
    Pong,
    Ready,
    Resume,
    Show,
    Shown,
)
from hil.conformance.helper import Helper, NoHand
from hil.conformance.line import LOST
from hil.conformance.talk import Heard, Talk
from hil.conformance.verdicts import Failed, GoneSilent, NotApplicable, NotTried

ANSWER_S: Final = timing.HELLO_S  # "more than a longest frame and its answer at 9600"
PATIENCE_S: Final = 6.0  # for a device to answer HELLO: a board that restarts needs two
RESTART_S: Final = 20.0  # until a device that restarts is back, USB and all
QUIET_S: Final = 0.1  # for what is on its way to have come
AWAY_S: Final = timing.LOST_S + 0.6  # by then a device has given up its host
STRANGE_SLOT: Final = 0xFD  # no version has it
State = Literal["open", "none", "silent"]
Made = TypeVar("Made")


class NoSessionHad(NotTried):
    """No READY came: nothing that needs a session can be tried."""


class Case:
    """One run's device. `identity` is what it last said of itself."""

    def __init__(self, talk: Talk, role: str, helper: Helper, *, baud: int | None) -> None:
        self.talk, self.role, self.helper, self.baud = talk, role, helper, baud
        self.identity: Identity | None = None
        self.restarted = ""  # by itself: told once, in words
        self.remarks: list[str] = []  # of the check that runs: what it left out
        self._facts: dict[str, Any] = {}
        self._token = 0
        self._pinged = float("-inf")
        self._boot_mark = 0  # where the log of this boot begins
        self._expects_restart = False

    @property
    def me(self) -> Identity:
        assert self.identity is not None  # nothing is tried before the device has said who it is
        return self.identity

    def can(self, capability: str) -> bool:
        return any(self.me.capabilities & bit for bit, name in CAPABILITY_BITS.items() if name == capability)

    def needs_events(self) -> None:
        if self.role == "sign":
            raise NotApplicable("a sign has no cards or keys to tell of")

    def needs_key(self) -> None:
        if self.talk.key is None:
            raise NotApplicable("the device has no key")

    def token(self) -> int:
        self._token = (self._token + 0x0101) & 0xFFFF
        return self._token

    async def fact(self, name: str, make: Callable[[], Awaitable[Made]]) -> Made:
        """An observation that several rules are judged by is made once; so is its failure."""
        if name not in self._facts:
            try:
                self._facts[name] = await make()
            except (Failed, NotTried, NotApplicable) as told:
                self._facts[name] = told
        made = self._facts[name]
        if isinstance(made, Exception):
            raise made
        return made  # type: ignore[no-any-return]

    # Handshake

    async def ask(self, low: int = 1, high: int = 1, seconds: float = PATIENCE_S) -> Identity:
        """HELLO until IDENTITY. Raises GoneSilent if nothing at all comes, Failed if only other things do."""
        talk, began = self.talk, self.talk.mark
        end = talk.line.now + seconds
        while talk.line.now < end:
            mark = talk.mark
            await talk.hello(low, high)
            identity = await talk.wait_for(Identity, ANSWER_S, mark)
            if identity is not None:
                self._met(identity)
                return identity
        if talk.mark == began:
            raise GoneSilent(f"no answer to HELLO for {seconds:.0f} s")
        raise Failed(f"no IDENTITY in answer to HELLO for {seconds:.0f} s")

    def _met(self, identity: Identity) -> None:
        before, self.identity = self.talk.boot, identity
        self.talk.boot = identity.boot
        if before != identity.boot:
            self._boot_mark = self.talk.mark
        if before is not None and before != identity.boot and not self._expects_restart:
            self.restarted = f"the device restarted by itself (boot {before:08X}, then {identity.boot:08X})"

    async def resume(self, upto: int, *, boot: int | None = None, of_offer: bool = True) -> Ready:
        """RESUME until READY; raises NoSessionHad."""
        talk = self.talk
        offer = talk.offer if of_offer and talk.offer is not None else talk.session
        for _ in range(4):
            mark, token = talk.mark, self.token()
            talk.watch.session_began(None)
            await talk.send(Resume(token, self.me.boot if boot is None else boot, upto), session=offer)
            ready = await talk.wait_for(Ready, ANSWER_S, mark)
            if ready is not None:
                if ready.token != token:
                    talk.breaches.append((("TL-025", f"READY has the token {ready.token:04X}"), talk.seen[-1]))
                talk.keep(offer)
                return ready
        see = "TL-080 and TL-083" if talk.key is not None and not talk.verified else "TL-025"
        raise NoSessionHad(f"no READY in answer to RESUME (see {see})")

    async def open(self, upto: int | None = None) -> Ready:
        """A session; without a number, all that was told before is taken as safe."""
        identity = await self.ask()
        ready = await self.resume(identity.next_event - 1 if upto is None else upto)
        await self.talk.listen(QUIET_S)
        return ready

    async def probe(self) -> State:
        """Whether a session is open, from two kinds of answers, so that one broken kind hides nothing."""
        talk, mark, token = self.talk, self.talk.mark, self.token()
        await talk.send(Ping(token))
        await talk.send(Show(STRANGE_SLOT, token, b""))
        heard = await talk.wait(lambda heard: isinstance(heard.message, Pong | Shown | NoSession), 2 * ANSWER_S, mark)
        await talk.listen(QUIET_S)
        if heard is None:
            return "silent"
        return "none" if isinstance(heard.message, NoSession) else "open"

    async def question(self) -> Callable[[int], Message]:
        """What this device answers when all is well, made of a token: a PING, or else a SHOW."""
        mark, token = self.talk.mark, self.token()
        await self.talk.send(Ping(token))
        pong = await self.talk.wait_for(Pong, ANSWER_S, mark)
        if pong is not None and pong.token == token:
            return Ping
        return lambda token: Show(STRANGE_SLOT, token, b"")

    async def must_be_open(self, after: str) -> None:
        state = await self.probe()
        if state != "open":
            gone = "it says NO_SESSION" if state == "none" else "it answers neither PING nor SHOW"
            raise Failed(f"{after}, the session is gone: {gone}")

    async def without_session(self) -> None:
        """Silence until the device has given us up."""
        await self.talk.listen(AWAY_S)
        if await self.probe() == "open":
            raise NotTried("the device did not give its session up (see TL-051)")

    # Events

    async def happen(self, count: int = 1) -> list[Event]:
        """That many events, heard in the open session; the session is kept alive while the helper is at work."""
        self.needs_events()
        before = self.highest
        for _ in range(count):
            await self.while_alive(self.helper.happen(self.role))
        if self.helper.patient:
            await self.listen(1.0)  # a key that a person presses also comes up again
        events = await self.new_events(count, before)
        if len(events) < count:
            raise Failed(f"{count} happened at the device, and {len(events)} events came within 3 s")
        return events

    async def happens_unheard(self) -> None:
        """An event while there is no session to tell it in."""
        self.needs_events()
        await self.helper.happen(self.role)

    @property
    def highest(self) -> int:
        """The highest number that an event of this boot had so far."""
        return max([self.me.next_event - 1, *(event.number for event in self.events_since(self._boot_mark))])

    async def new_events(self, count: int, before: int, seconds: float = 3.0) -> list[Event]:
        """The events with higher numbers than that, each once, as soon as there are so many."""
        mark, end = self._boot_mark, self.talk.line.now + seconds
        while True:
            events = [event for event in self.events_since(mark) if event.number > before]
            left = end - self.talk.line.now
            if len(events) >= count or left <= 0:
                return events
            await self.listen(min(left, 0.1))

    async def events_again(self, numbers: list[int], mark: int, seconds: float) -> list[Event]:
        """The events since that mark, as soon as those are among them."""
        end = self.talk.line.now + seconds
        while True:
            events = self.events_since(mark)
            left = end - self.talk.line.now
            if set(numbers) <= {event.number for event in events} or left <= 0:
                return events
            await self.listen(min(left, 0.1))

    def events_since(self, mark: int) -> list[Event]:
        found: dict[int, Event] = {}
        for heard in self.talk.log[mark:]:
            if isinstance(heard.message, Event):
                found.setdefault(heard.message.number, heard.message)
        return list(found.values())

    async def ack(self, upto: int) -> None:
        await self.talk.send(Ack(self.me.boot & 0xFFFF, upto))

    async def left(self, upto: int) -> tuple[Ready, list[Event]]:
        """What the device still has behind that number: asked by a new handshake."""
        await self.ask()
        ready = await self.resume(upto)
        await self.talk.listen(2 * QUIET_S)
        places = [place for place, heard in enumerate(self.talk.log) if heard.message is ready]
        return ready, self.events_since(places[-1])  # what the session of before sent again may come until then

    # Time

    async def listen(self, seconds: float) -> list[Heard]:
        """All that comes in that time, with a PING each second so that the session stays."""
        mark, end = self.talk.mark, self.talk.line.now + seconds
        while True:
            await self._stay()
            left = end - self.talk.line.now
            await self.talk.listen(min(max(left, 0.0), timing.PING_S / 2))
            if left <= timing.PING_S / 2:
                return self.talk.log[mark:]

    async def _stay(self) -> None:
        """A PING, if the last one is a second ago."""
        if self.talk.line.now >= self._pinged + timing.PING_S:
            self._pinged = self.talk.line.now
            await self.talk.send(Ping(self.token()))

    async def while_alive(self, work: Coroutine[Any, Any, Made]) -> Made:
        """Does it, and keeps the session alive meanwhile: a person takes longer than three seconds."""
        task = asyncio.ensure_future(work)
        try:
            await asyncio.sleep(0)
            while not task.done():
                await self._stay()
                await self.talk.listen(0.02)
            return task.result()
        finally:
            task.cancel()

    async def restart(self) -> Identity:
        """Restarts the device and meets it again."""
        line = self.talk.line
        self._expects_restart = True
        try:
            await self._give_up_line(self.helper.restart())
            end = line.now + RESTART_S
            while True:
                try:
                    identity = await self.ask(seconds=2.0)
                    break
                except LOST:
                    await line.reopen(end - line.now)
                    self.talk.opened_anew()
                except (GoneSilent, Failed):
                    if line.now >= end:
                        raise GoneSilent(f"it restarted, and does not answer for {RESTART_S:.0f} s") from None
            self._boot_mark = self.talk.mark
            return identity
        finally:
            self._expects_restart = False

    async def _give_up_line(self, work: Coroutine[Any, Any, None]) -> None:
        """The port may vanish while the helper is at work."""
        try:
            await self.while_alive(work)
        except LOST as error:
            if "stimulus" in str(error):
                raise
            await self.talk.line.reopen(RESTART_S)
            self.talk.opened_anew()

    async def part(self, work: Callable[[], Awaitable[None]], left_out: str) -> None:
        """A part of a rule that needs a hand: without one, the rest stands, and it says so."""
        try:
            await work()
        except NoHand as error:
            self.remarks.append(f"not tried: {left_out} ({error})")
        except NotApplicable:
            pass


__all__ = ["ANSWER_S", "AWAY_S", "QUIET_S", "Case", "DeviceError", "NoSessionHad", "State"]
