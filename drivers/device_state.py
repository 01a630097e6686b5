"""What is known of one device: `searching → connecting → ready → lost → searching …`, for ever. Pure: no clock.

Each input gives the changes to tell. Trouble is told once and then counted: a further try that fails for the same
reason changes `status` and tells nothing. What ends the silence is another reason, a port that opens for the first time
since, or the device being ready again, which tells how many tries and how long it took.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from drivers.base import Kind, LinkChange, Lost, Ready, Refused
from drivers.trouble import Trouble

State = Literal["stopped", "searching", "connecting", "ready", "lost"]


class StateChanged(Struct, frozen=True, kw_only=True):
    """Something changed at a device, in words for whoever stands at the table."""

    device: str
    state: State
    words: str
    advice: str
    tries: int  # to open the port, since it was last ready
    at: float
    simulated: bool
    ready: Ready | None = None  # what the device said, where `state` is "ready"

    def __str__(self) -> str:
        return f"{self.device}: {self.state}: {self.words}" + (f". {self.advice}" if self.advice else "")


class DeviceStatus(Struct, frozen=True, kw_only=True):
    """A device as it is at this moment, for pages and `croupier doctor`."""

    device: str
    kind: Kind
    driver: str
    address: str
    state: State
    words: str
    advice: str
    since: float  # when this state began
    tries: int
    identity: str  # of the device that was last ready
    ready_until: float | None  # when it was last ready, where it is not now
    losses: int  # how often it was lost since the start
    simulated: bool


def duration_words(seconds: float) -> str:
    """`"0.4 s"`, `"12 s"`, `"4 min 5 s"`, `"4 h 12 min"`, `"3 d 2 h"`."""
    if seconds < 9.95:
        return f"{max(0.0, seconds):.1f}".removesuffix(".0") + " s"
    whole = round(seconds)
    for size, name, below, below_name in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // below
            return f"{whole // size} {name}" + (f" {rest} {below_name}" if rest else "")
    return f"{whole} s"


class DeviceState:
    """The state machine of one device."""

    def __init__(self, name: str, *, kind: Kind, driver: str, address: str, simulated: bool) -> None:
        self.name, self.kind, self.driver, self.address = name, kind, driver, address
        self.state: State = "stopped"
        self.tries = 0
        self.ready: Ready | None = None  # as it was last, also while it is lost
        self._simulated = simulated
        self._words, self._advice = "not started", ""
        self._since = 0.0
        self._spell = 0.0  # when the present search began: at the start, or with the loss
        self._ready_until: float | None = None
        self._losses = 0
        self._reason = ""  # of the trouble that was told last
        self._close_reason = ""  # apart, so that trouble with closing and with opening do not take turns
        self._connecting_told = False

    @property
    def simulated(self) -> bool:
        """Whether the device, or the last one that answered, is a simulated one."""
        return self._simulated or (self.ready is not None and self.ready.simulated)

    # Inputs

    def started(self, now: float) -> list[StateChanged]:
        self.tries, self._spell, self.ready, self._ready_until, self._losses = 0, now, None, None, 0
        self._forget_trouble()
        self._enter("searching", now)
        return [self._tell(f"looking for the {self.kind} at {self.address}", "", now)]

    def trying(self, now: float) -> list[StateChanged]:
        """The port is about to be opened."""
        self.tries += 1
        self._enter("searching", now)
        return []

    def opened(self, now: float) -> list[StateChanged]:
        self._enter("connecting", now)
        if self._connecting_told:
            return []  # it opened last time too, and then the trouble came that was told
        self._connecting_told = True
        self._reason = ""  # whatever ends this is news again, or the last word would be that we wait
        return [self._tell(f"{self.address} is open; waiting for the {self.kind} to answer", "", now)]

    def said(self, change: LinkChange, now: float) -> list[StateChanged]:
        """The device's link changed while its port is open."""
        match change:
            case Ready():
                return self._is_ready(change, now)
            case Lost():
                advice = "Check that the device is switched on; it comes back by itself"
                trouble = Trouble(words=change.words, advice=advice, reason=f"Lost: {change.words}")
                if self.state != "ready":
                    return self._unless_told(trouble, now)
                lost = self._lose(trouble, now)
                self._enter("connecting", now)
                self._connecting_told = True
                waiting = f"{self.address} is still open; waiting for the {self.kind} to answer again"
                return [lost, self._tell(waiting, advice, now)]
            case Refused():
                trouble = Trouble(words=change.words, advice=change.advice, reason=f"Refused: {change.words}")
                changes = []
                if self.state == "ready":
                    changes.append(self._lose(Trouble(words="the device refuses us", reason="refused"), now))
                self._enter("connecting", now)
                self._connecting_told = True
                return changes + self._unless_told(trouble, now)

    def failed(self, trouble: Trouble, now: float) -> list[StateChanged]:
        """The try came to nothing, or the device is gone; its port will be closed."""
        if self.state == "ready":
            return [self._lose(trouble, now)]
        if self.state != "connecting":
            self._connecting_told = False
        self._enter("searching", now)
        return self._unless_told(trouble, now)

    def not_closed(self, trouble: Trouble, now: float) -> list[StateChanged]:
        """The port was given up and did not let itself be closed properly."""
        if trouble.reason == self._close_reason:
            return []
        self._close_reason = trouble.reason
        return [self._tell(_joined(self._words, trouble.words), self._advice or trouble.advice, now)]

    def stopped(self, now: float) -> list[StateChanged]:
        if self.state == "stopped":
            return []
        words = f"stopped; {self._ready_for(now)} until then" if self.state == "ready" else "stopped"
        if self.state == "ready":
            self._ready_until = now
        self._enter("stopped", now)
        return [self._tell(words, "", now)]

    def ready_for(self, now: float) -> float:
        """Seconds since it is ready; 0 while it is not."""
        return now - self._since if self.state == "ready" else 0.0

    def status(self) -> DeviceStatus:
        return DeviceStatus(
            device=self.name,
            kind=self.kind,
            driver=self.driver,
            address=self.address,
            state=self.state,
            words=self._words,
            advice=self._advice,
            since=self._since,
            tries=self.tries,
            identity=self.ready.identity if self.ready else "",
            ready_until=self._ready_until,
            losses=self._losses,
            simulated=self.simulated,
        )

    # Transitions

    def _is_ready(self, ready: Ready, now: float) -> list[StateChanged]:
        if self.state == "ready":
            if ready == self.ready:
                return []
            self.ready = ready
            return [self._tell(f"{ready.identity} is ready: {ready.words}", "", now, ready)]
        again = "again " if self._losses else ""
        counted = f"{self.tries} {'try' if self.tries == 1 else 'tries'}, " if self.tries else ""
        took = f" {again}after {counted}{duration_words(now - self._spell)}" if again or self.tries > 1 else ""
        self.ready, self._ready_until = ready, None
        self._forget_trouble()
        self._enter("ready", now)
        change = self._tell(f"{ready.identity} is ready{took}: {ready.words}", "", now, ready)
        self.tries = 0
        return [change]

    def _lose(self, trouble: Trouble, now: float) -> StateChanged:
        ready_for = self._ready_for(now)
        self.tries, self._spell, self._ready_until = 0, now, now
        self._losses += 1
        self._enter("lost", now)
        self._reason, self._connecting_told = trouble.reason, False
        return self._tell(_joined(trouble.words, trouble.last_good, f"{ready_for} until then"), trouble.advice, now)

    def _unless_told(self, trouble: Trouble, now: float) -> list[StateChanged]:
        """The trouble, in this state; told if it is another one than last time."""
        last = ""
        if self._ready_until is not None:
            last = f"it was ready until {duration_words(now - self._ready_until)} ago"
        words = _joined(trouble.words, trouble.last_good or last)
        self._words, self._advice = words, trouble.advice
        if trouble.reason == self._reason:
            return []
        self._reason = trouble.reason
        return [self._tell(words, trouble.advice, now)]

    def _tell(self, words: str, advice: str, now: float, ready: Ready | None = None) -> StateChanged:
        self._words, self._advice = words, advice
        return StateChanged(
            device=self.name,
            state=self.state,
            words=words,
            advice=advice,
            tries=self.tries,
            at=now,
            simulated=self.simulated,
            ready=ready,
        )

    def _enter(self, state: State, now: float) -> None:
        if state != self.state:
            self.state, self._since = state, now

    def _forget_trouble(self) -> None:
        self._reason = self._close_reason = ""
        self._connecting_told = False

    def _ready_for(self, now: float) -> str:
        return f"ready for {duration_words(now - self._since)}"


def _joined(*parts: str) -> str:
    return "; ".join(part.rstrip(".") for part in parts if part)
