"""The devices of a table, each under its supervisor: what they say goes to the runner, what is shown goes out.

Nothing here knows a card. What a device says is taken in order, one after the other; what the table can't make anything
of, because of a bug, becomes a question to the dealer and never nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct

from controller.daemon import keys
from controller.daemon.hearing import doubt_of, input_of, input_of_change, words_of
from controller.daemon.keeping import Failures, Started
from controller.daemon.runner import Change, Listener, Runner
from controller.rules.errors import Refused
from controller.surfaces.texts import limits_content, results_content
from controller.table.inputs import Actor, CardsMissed, DeviceTrouble
from controller.table.state import DeviceMark
from controller.table.table import Table
from controller.table.views import PublicView, dealer_view, public_view
from drivers.base import Console, Content, Device, DeviceEvent, Display, KeyPressed, KeySwitchTurned, Mark, Shoe
from drivers.supervisor import DeviceStatus, Heard, HotPlug, StateChanged, Supervisor

SHOE: Final = "shoe"  # what every table calls the device its cards come from
PLUGGED_S: Final = 1.0  # between two looks at what was plugged in
DRAIN_S: Final = 2.0  # for what was said before the end to be kept

_log = logging.getLogger(__name__)

Shows = Literal["limits", "results"]


class Crew(Struct):
    """Who works at the table. Names are unique; a display's `shows` says what for."""

    shoe: Shoe
    displays: dict[str, tuple[Display, Shows]]
    consoles: dict[str, Console]


class Unsupervised(Struct, frozen=True):
    """The supervision of a device broke down; it is begun again."""

    device: str
    words: str


class Pressed(Struct, frozen=True):
    """A key, and the runner's `standstill` when it was pressed."""

    device: str
    key: str
    standstill: int


Said = Heard | Pressed | StateChanged | Unsupervised


class Devices:
    """`show` once, then `hear` and `supervise` each device, until they are cancelled; `drain` in between."""

    def __init__(self, crew: Crew, runner: Runner, failures: Failures, *, allow_simulated: bool) -> None:
        self._crew, self._runner, self._failures = crew, runner, failures
        self._said: asyncio.Queue[Said] = asyncio.Queue()
        members: dict[str, Device] = {
            SHOE: crew.shoe,
            **{name: display for name, (display, _) in crew.displays.items()},
            **crew.consoles,
        }
        self._supervisors = {
            name: Supervisor(
                name,
                device,
                on_event=self._hear,
                on_change=self._said.put_nowait,
                allow_simulated=allow_simulated,
            )
            for name, device in members.items()
        }
        self._kinds = {name: device.kind for name, device in members.items()}
        self._hotplug = HotPlug(self.plugged)
        self._taking, self._taken = False, 0
        self._last_seen = (0, 0)
        self._seen: tuple[Table, PublicView] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._supervisors)

    def status(self) -> list[DeviceStatus]:
        return [supervisor.status() for supervisor in self._supervisors.values()]

    def goes_on(self) -> bool:
        """Whether what the devices say was taken since this was asked last, or tried again, or nothing waits."""
        now = (self._taken, self._runner.tries)
        stuck = self._taking and now == self._last_seen
        self._last_seen = now
        return not stuck

    def settled(self) -> bool:
        """Whether all that the devices said so far was taken."""
        return self._said.empty() and not self._taking

    # Supervising

    async def supervise(self, name: str, started: Started) -> None:
        """Until it is cancelled; then the port is closed. Raises what broke the supervision down."""
        supervisor = self._supervisors[name]
        try:
            supervisor.start()
            started()
            await supervisor.ended()
        finally:
            await supervisor.stop()

    def unsupervised(self, name: str, error: Exception) -> None:
        """Tells the table; the device tells itself when it is well again."""
        words = f"its supervision broke down ({type(error).__name__}) and is begun again. The log says more"
        self._said.put_nowait(Unsupervised(name, words))

    async def look_for_plugs(self, started: Started) -> None:
        started()
        while True:
            await asyncio.sleep(PLUGGED_S)
            self._hotplug.check()

    def plugged(self) -> None:
        """Something was plugged in or out: whoever misses its device looks at once."""
        for supervisor in self._supervisors.values():
            supervisor.plugged()

    # Hearing

    def _hear(self, said: Heard) -> None:
        if isinstance(said.event, KeyPressed):
            self._said.put_nowait(Pressed(said.device, said.event.key, self._runner.standstill))
        else:
            self._said.put_nowait(said)

    async def hear(self, started: Started) -> None:
        """Takes what the devices say, until it is cancelled."""
        started()
        while True:
            said = await self._said.get()
            self._taking = True
            try:
                await self._take(said)
            except Exception as error:
                self._failures.tell("the table", f"failed on what {said.device} said", error)
                await self._ask_instead(said, error)
            finally:
                self._taking = False
                self._taken += 1
                self._said.task_done()

    async def drain(self) -> None:
        """Waits until all that was said is taken; a shoe that keeps nothing would not say it again."""
        try:
            async with asyncio.timeout(DRAIN_S):
                await self._said.join()
        except TimeoutError:
            _log.warning("%d things that devices said are not in the journal", self._said.qsize() + self._taking)

    async def _take(self, said: Said) -> None:
        match said:
            case Unsupervised():
                holds = said.device == SHOE
                await self._runner.report(DeviceTrouble(said.device, said.words, holds=holds), said.device)
            case StateChanged():
                await self._changed(said)
            case Pressed():
                await self._key(said)
            case Heard(event=KeySwitchTurned(on=on)):
                _log.info("%s: the key switch was turned %s", said.device, "on" if on else "off")
            case Heard():
                await self._heard(said.device, said.event)

    async def _heard(self, device: str, event: DeviceEvent) -> None:
        what = input_of(device, event)
        if what is None:
            _log.info("%s: %s", device, words_of(event))
        await self._runner.report(what, device, _mark(event.mark), self._acknowledge(device, event))

    async def _ask_instead(self, said: Said, error: Exception) -> None:
        """Nobody knows what it was, so the dealer looks; the device may forget it only with that in the journal."""
        if not isinstance(said, Heard) or said.device != SHOE:
            return
        doubt = CardsMissed(f"the table failed on what the shoe said ({type(error).__name__}, see the log)")
        try:
            await self._runner.report(
                doubt, said.device, _mark(said.event.mark), self._acknowledge(said.device, said.event)
            )
        except Exception as again:
            self._failures.tell("the table", "failed to ask about it", again)

    def _acknowledge(self, device: str, event: DeviceEvent) -> Callable[[], None] | None:
        return (lambda: self._crew.shoe.committed(event)) if device == SHOE else None

    async def _changed(self, said: StateChanged) -> None:
        _log.log(logging.WARNING if said.state == "lost" or said.advice else logging.INFO, "%s", said)
        kind = self._kinds[said.device]
        meant = input_of_change(kind, said)
        if meant is not None:
            await self._runner.report(meant, said.device)
        if said.ready is not None:  # the doubt and the place behind it are one: neither is journalled alone
            await self._runner.report(doubt_of(kind, said.ready), said.device, _mark(said.ready.since))

    async def _key(self, pressed: Pressed) -> None:
        """One that was pressed behind a card that the journal could not take is refused, as all that people enter then:
        later it would be a key for another moment."""
        try:
            if pressed.standstill != self._runner.standstill:
                raise Refused(
                    "journal_unavailable", f"The key {pressed.key} counts not: the journal took nothing then."
                )
            what = keys.input_of_key(pressed.key, dealer_view(self._runner.table))
            await self._runner.enter(what, Actor("dealer", pressed.device))
        except Refused as refused:
            _log.info("%s: %s", pressed.device, refused.message)

    # Showing

    def show(self) -> None:
        """From now on every display and lamp shows what changes, from views alone. One that fails harms no other."""
        listeners: list[Listener] = [
            *(_Shown(name, self._display(display, shows)) for name, (display, shows) in self._crew.displays.items()),
            *(_Shown(name, self._console(console)) for name, console in self._crew.consoles.items()),
        ]
        for listener in listeners:
            self._runner.listen(listener)
            self._runner.tell(listener, Change((), ()))

    def _display(self, display: Display, shows: Shows) -> Callable[[], None]:
        def show() -> None:
            view, setup = self._view(), self._runner.table.setup
            content: Content = (
                limits_content(view, setup.rules, setup.currency)
                if shows == "limits"
                else results_content(view, setup.currency)
            )
            display.show(content)

        return show

    def _console(self, console: Console) -> Callable[[], None]:
        return lambda: console.light(keys.lamps(console.keys, dealer_view(self._runner.table)))

    def _view(self) -> PublicView:
        """Made once a change, for all displays."""
        table = self._runner.table
        if self._seen is None or self._seen[0] is not table:
            self._seen = (table, public_view(table))
        return self._seen[1]


class _Shown:
    """A listener with the name of its device, for the log."""

    def __init__(self, name: str, show: Callable[[], None]) -> None:
        self.__qualname__ = name
        self._show = show

    def __call__(self, change: Change) -> None:
        self._show()


def _mark(mark: Mark | None) -> DeviceMark | None:
    return None if mark is None else DeviceMark(mark.boot, mark.number)
