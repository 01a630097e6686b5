"""What became of each rule, with the bytes that show it; and how a check says so. Frozen values, no judgement."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

Outcome = Literal["pass", "fail", "not applicable", "not tried"]
WORDS: Final[dict[Outcome, str]] = {
    "pass": "pass",
    "fail": "FAIL",
    "not applicable": "not applicable",
    "not tried": "not tried",
}


class Failed(Exception):
    """The device broke the rule; the words say how."""


class NotApplicable(Exception):
    """The rule says nothing to such a device."""


class NotTried(Exception):
    """The rule could not be tried; the words say why."""


class GoneSilent(Exception):
    """The device answers nothing any more: the run ends here."""


class Seen(Struct, frozen=True):
    """One frame, or a run of bytes that is none, as it stood on the wire."""

    at: float  # seconds since the run began
    way: Literal["to device", "from device", "note"]
    data: bytes
    words: str


class Result(Struct, frozen=True, kw_only=True):
    """One rule's outcome. A later result for the same id takes the place of an earlier one."""

    id: str
    outcome: Outcome
    words: str = ""  # of a failure what was wrong, else what was left out and why
    seconds: float = 0.0
    evidence: tuple[Seen, ...] = ()


class Device(Struct, frozen=True, kw_only=True):
    """Who was under test, in the device's own words."""

    role: str
    port: str
    serial: str = ""
    firmware: str = ""
    roles: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    version: int = 0
    boot: int = 0
    authenticated: bool = False


class Report(Struct, frozen=True, kw_only=True):
    """A whole run, over or cut short (`ended` says why, and what was the last good sign)."""

    device: Device
    kit: str  # version of this program
    began: str  # wall clock, in words
    seconds: float
    helper: str
    results: tuple[Result, ...]
    ended: str = ""

    def of(self, outcome: Outcome) -> tuple[Result, ...]:
        return tuple(result for result in self.results if result.outcome == outcome)

    @property
    def conforms(self) -> bool:
        """Nothing failed, something passed, and the run came to its end."""
        return not self.ended and not self.of("fail") and bool(self.of("pass"))
