"""Runs the chosen rules against one device: one result an id as it ends, whatever the device does meanwhile.

A device that goes silent or hangs up ends the run; what was found so far stands, with the last good sign of it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from drivers.errors import DeviceError
from firmware_protocol.tablelink.auth import is_sealed
from firmware_protocol.tablelink.messages import NEEDS_KEY, Identity, Refused
from hil.conformance.case import PATIENCE_S, Case
from hil.conformance.checks import CHECKS
from hil.conformance.helper import Helper, NoHand, Stopped
from hil.conformance.reading import message_words
from hil.conformance.rules import BINDS_HOST, RULES, Rule
from hil.conformance.talk import Talk
from hil.conformance.verdicts import (
    Device,
    Failed,
    GoneSilent,
    NotApplicable,
    NotTried,
    Outcome,
    Report,
    Result,
    Seen,
)

SPOKEN: Final = 1  # the version that this kit knows
MOST_OF_PASS: Final = 40  # frames that are kept as evidence; a failure keeps more
MOST_OF_FAIL: Final = 160
Told = Callable[[Result], None]


class NoDevice(Exception):
    """There is nothing to try: no device, another kind, another protocol version, another key. In words."""


async def run(
    talk: Talk,
    role: str,
    helper: Helper,
    *,
    port: str,
    kit: str,
    began: str,
    baud: int | None = None,
    only: Sequence[str] = tuple(RULES),
    told: Told = lambda result: None,
) -> Report:
    """The report of a whole run. Raises NoDevice, and DeviceError where the port fails before anything was tried."""
    start = time.monotonic()
    case = Case(talk, role, helper, baud=baud)
    runner = _Runner(case, told)
    if await runner.meets():
        await runner.tries(only)
    else:
        runner.all_untried(only, "the device's frames can't be read (see what failed)")
    return Report(
        device=_device(case, port),
        kit=kit,
        began=began,
        seconds=time.monotonic() - start,
        helper=helper.name,
        results=tuple(runner.results[rule] for rule in RULES if rule in runner.results),
        ended=runner.ended,
    )


class _Runner:
    def __init__(self, case: Case, told: Told) -> None:
        self.case, self.talk, self._told = case, case.talk, told
        self.results: dict[str, Result] = {}
        self.ended = ""
        self._last = ""

    # Who is there

    async def meets(self) -> bool:
        """Whether it says who it is; False where it answers with frames that break the rules of frames."""
        case, talk = self.case, self.talk
        try:
            identity = await self._identity()
        except GoneSilent:
            if talk.breaches:
                self._watched("", tuple(RULES))
                return False
            if not talk.bad_frames:
                raise NoDevice(f"nothing answered TableLink's HELLO within {PATIENCE_S:.0f} s") from None
            self._unreadable()
            return False
        if talk.key is None and identity.capabilities & NEEDS_KEY:
            raise NoDevice(
                "the device wants its key: write it in a file as hexadecimal digits and name it with --key-file"
            )
        if talk.key is not None and not identity.capabilities & NEEDS_KEY and not is_sealed(talk.log[-1].body):
            raise NoDevice("a key was given, and the device answers without one: leave --key-file out")
        if identity.roles and case.role not in identity.role_names:
            what = " and ".join(identity.role_names) or f"device of unknown roles ({identity.roles:02X})"
            raise NoDevice(f"a {case.role} was asked for, and a {what} is there (serial {identity.serial.decode()})")
        return True

    async def _identity(self) -> Identity:
        mark = self.talk.mark
        try:
            return await self.case.ask(SPOKEN, SPOKEN)
        except Failed:
            for heard in self.talk.log[mark:]:
                if isinstance(heard.message, Refused) and heard.message.reason == 1:
                    theirs = f"{heard.message.min_version} to {heard.message.max_version}"
                    raise NoDevice(
                        f"the device speaks TableLink version {theirs}, and this kit tries version {SPOKEN}"
                    ) from None
                raise NoDevice(
                    f"HELLO was not answered with IDENTITY but with {message_words(heard.message)}"
                ) from None
            raise

    def _unreadable(self) -> None:
        """It sends frames, and none of them can be read: which rule do they break?"""
        from hil.conformance.watch import bad_frame

        talk = self.talk
        if all(found.reason != "wrong CRC" for found in talk.bad_frames):
            words = talk.bad_frames[-1].reason
            raise NoDevice(
                f"what answers speaks no TableLink ({len(talk.bad_frames)} runs of bytes, the last: {words})"
            )
        for rule, words in {bad_frame(found.reason) for found in talk.bad_frames}:
            self._is(
                Result(id=rule, outcome="fail", words=f"{words}, and no good one", evidence=tuple(talk.seen[-12:]))
            )

    # The rules

    def all_untried(self, only: Iterable[str], why: str) -> None:
        for name in only:
            if name not in self.results:
                self._is(
                    Result(id=name, outcome="not tried", words=why) if RULES[name].is_tried else _listed(RULES[name])
                )

    async def tries(self, only: Sequence[str]) -> None:
        for name in only:
            rule = RULES[name]
            if self.ended and rule.is_tried:
                self._is(Result(id=name, outcome="not tried", words="the run ended before"))
            elif not rule.is_tried:
                self._is(_listed(rule))
            else:
                await self._try(rule)
                self._watched(rule.id, only)

    async def _try(self, rule: Rule) -> None:
        case, talk = self.case, self.talk
        case.remarks.clear()
        began, first = talk.now, len(talk.seen)
        outcome: Outcome = "pass"
        words = ""
        try:
            await case.ask()  # a restart that this shows is the last check's doing, a later one this check's
            self._blame_restart(self._last)
            await CHECKS[rule.id](case)
        except Failed as error:
            outcome, words = "fail", str(error)
        except NotApplicable as error:
            outcome, words = "not applicable", str(error)
        except NotTried as error:
            outcome, words = "not tried", str(error)
        except NoHand as error:
            outcome, words = "not tried", f"it needs {rule.hand or 'a hand'}: {error}"
        except Stopped as error:
            outcome, words = "not tried", f"nothing can happen at the device now: {error}"
        except asyncio.CancelledError:
            outcome, words = "not tried", "it was stopped while it was being tried"
            self.ended = f"it was stopped while {rule.id} was being tried"
            if (task := asyncio.current_task()) is not None:
                task.uncancel()
        except (GoneSilent, DeviceError) as error:
            outcome, words = "not tried", "the device went away while it was being tried"
            self.ended = f"{str(error).rstrip('.')}, while {rule.id} was being tried. {self._last_good()}"
        if outcome == "pass":
            words = "; ".join(dict.fromkeys(case.remarks))
        kept = talk.seen[first:]
        most = MOST_OF_FAIL if outcome == "fail" else MOST_OF_PASS
        evidence = tuple(
            kept if len(kept) <= most else [*kept[: most // 4], _left_out(kept, most), *kept[-most * 3 // 4 :]]
        )
        result = Result(id=rule.id, outcome=outcome, words=words, seconds=talk.now - began, evidence=evidence)
        self._is(result)
        self._blame_restart(rule.id)
        self._last = rule.id

    def _watched(self, trying: str, only: Sequence[str]) -> None:
        """What any frame broke meanwhile, whichever rule was being tried."""
        breaches, self.talk.breaches = self.talk.breaches, []
        for (rule, words), seen in breaches:
            known = self.results.get(rule)
            if rule not in only or (known is not None and known.outcome == "fail"):
                continue
            said = words if rule == trying else f"{words} (seen while {trying} was tried)"
            self._is(Result(id=rule, outcome="fail", words=said, evidence=(seen,)))

    def _blame_restart(self, name: str) -> None:
        """A handshake showed that the device restarted by itself."""
        words, self.case.restarted = self.case.restarted, ""
        if words and name and self.results[name].outcome != "fail":
            before = self.results[name]
            self._is(Result(id=name, outcome="fail", words=f"meanwhile {words}", evidence=before.evidence))

    def _is(self, result: Result) -> None:
        self.results[result.id] = result
        self._told(result)

    def _last_good(self) -> str:
        heard = self.talk.log[-1] if self.talk.log else None
        if heard is None:
            return "Nothing good was ever heard of it"
        ago = max(0.0, self.talk.now - heard.at)
        return f"The last good sign was {message_words(heard.message)}, {ago:.1f} s before"


def _listed(rule: Rule) -> Result:
    if rule.host:
        return Result(id=rule.id, outcome="not applicable", words=BINDS_HOST)
    return Result(id=rule.id, outcome="not tried", words=rule.never)


def _left_out(kept: Sequence[Seen], most: int) -> Seen:
    return Seen(kept[most // 4].at, "note", b"", f"{len(kept) - most} frames are left out here")


def _device(case: Case, port: str) -> Device:
    identity = case.identity
    if identity is None:
        return Device(role=case.role, port=port)
    from firmware_protocol.tablelink.messages import CAPABILITY_BITS

    return Device(
        role=case.role,
        port=port,
        serial=identity.serial.decode("ascii", "replace"),
        firmware=identity.firmware,
        roles=identity.role_names,
        capabilities=tuple(name for bit, name in CAPABILITY_BITS.items() if identity.capabilities & bit),
        version=identity.version,
        boot=identity.boot,
        authenticated=case.talk.key is not None,
    )
