"""Keeps one device connected for ever: opens it, hears it, closes it, tries again. Never blocks, never gives up.

Everything the table needs of supervision is here or named here. The callbacks are called in the event loop and must be
quick. What becomes of one that raises:

* `on_event`: the table did not take what the device said, and nobody knows whether it counted. The connection is ended
  and reported as trouble in words; events that came behind it are not given to the table. Then the device is tried
  again like after any other trouble, and says for itself whether something was missed.
* `on_change`: logged with its traceback, and supervision goes on: `status` still tells what the callback did not take.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from msgspec import Struct

from drivers.backoff import BackOff
from drivers.base import Device, DeviceEvent, Ready, Said
from drivers.device_state import DeviceState, DeviceStatus, State, StateChanged, duration_words
from drivers.errors import BadSetting, PortLost, TimedOut
from drivers.hotplug import HotPlug
from drivers.trouble import Trouble, ended_silently, not_let_go, not_taken, simulated_refused, trouble_of

__all__ = [
    "CLOSE_S",
    "OPEN_S",
    "REFUSED_S",
    "DeviceStatus",
    "Heard",
    "HotPlug",
    "State",
    "StateChanged",
    "Supervisor",
    "duration_words",
    "wait_or_wake",
]

OPEN_S: Final = 30.0  # `auto` may ask several ports, each for the seconds of a handshake
CLOSE_S: Final = 2.0  # twice what a port may take
GRACE_S: Final = 0.5  # for a close that was cancelled to end
REFUSED_S: Final = 30.0  # between tries where only a person can help

_log = logging.getLogger(__name__)

Pause = Callable[[asyncio.Event, float], Awaitable[None]]


class Heard(Struct, frozen=True, kw_only=True):
    """What a device said, with where and when it was heard."""

    device: str
    at: float
    simulated: bool
    event: DeviceEvent


async def wait_or_wake(wake: asyncio.Event, seconds: float) -> None:
    """Until somebody wakes us or the time is over."""
    try:
        async with asyncio.timeout(seconds):
            await wake.wait()
    except TimeoutError:
        pass


class _Connection:
    """One try. What is reported after it is over comes from a driver that was told to stop, and counts for nothing."""

    def __init__(self) -> None:
        self.over: asyncio.Future[Trouble | None] = asyncio.get_running_loop().create_future()

    def end(self, trouble: Trouble | None = None) -> None:
        """For a trouble of ours, or because the device ended it."""
        if not self.over.done():
            self.over.set_result(trouble)


class Supervisor:
    """Runs one device. `name` is what the table calls it: "shoe", "limit sign"."""

    def __init__(
        self,
        name: str,
        device: Device,
        *,
        on_event: Callable[[Heard], None],
        on_change: Callable[[StateChanged], None],
        allow_simulated: bool = False,
        clock: Callable[[], float] = time.monotonic,
        pause: Pause = wait_or_wake,
        open_s: float = OPEN_S,
        close_s: float = CLOSE_S,
    ) -> None:
        self.name, self.device = name, device
        self._on_event, self._on_change = on_event, on_change
        self._allow_simulated = allow_simulated
        self._clock, self._pause = clock, pause
        self._open_s, self._close_s = open_s, close_s
        self._state = DeviceState(
            name, kind=device.kind, driver=device.driver, address=device.address, simulated=device.simulated
        )
        self._backoff = BackOff()
        self._wake = asyncio.Event()
        self._run_task: asyncio.Task[None] | None = None
        self._awaited = False  # whether somebody hears from `ended` what became of it
        self._connection: _Connection | None = None
        self._work: asyncio.Task[None] | None = None  # the device's `open` or `serve`
        self._closing: asyncio.Task[None] | None = None  # the device's `close`

    @property
    def state(self) -> State:
        return self._state.state

    def status(self) -> DeviceStatus:
        return self._state.status()

    def plugged(self) -> None:
        """Something was plugged in or out somewhere: a device that is missing is tried at once."""
        if self.state != "ready":
            self._backoff.plugged()
            self._wake.set()

    def start(self) -> None:
        if self._run_task is not None:
            raise RuntimeError(f"{self.name} is supervised already")
        self._backoff = BackOff()
        self._tell(self._state.started(self._clock()))
        self._run_task = asyncio.create_task(self._run(), name=f"supervising {self.name}")
        self._run_task.add_done_callback(self._never_silently)

    async def ended(self) -> None:
        """Waits while the device is supervised. Raises what ended it where nobody asked for that; `stop` comes first
        before it can be started again."""
        task, self._awaited = self._run_task, True
        if task is not None:
            await asyncio.wait((task,))
            if not task.cancelled():
                task.result()

    async def stop(self) -> None:
        """Ends supervision and closes the port, in a bounded time whatever the driver does. Harmless when stopped.

        From the call on nothing that the device says is given to the table.
        """
        task = self._run_task
        if task is None:
            return
        self._tell(self._state.stopped(self._clock()))
        if self._connection is not None:
            self._connection.end()
        if not task.cancelling():  # another stop may be waiting: a second cancel would cut its closing short
            task.cancel()
        await asyncio.wait((task,))
        await self._let_go()
        self._run_task = None

    # The life of a device

    async def _run(self) -> None:
        try:
            while True:
                self._wake.clear()
                trouble = await self._try()
                await self._let_go()
                await self._pause(self._wake, REFUSED_S if trouble.slow else self._backoff.delay())
        finally:
            await self._let_go()

    async def _try(self) -> Trouble:
        """Open and serve once. Tells and returns why it ended."""
        device = self.device
        connection = self._connection = _Connection()
        try:
            if device.simulated and not self._allow_simulated:
                return self._fail(simulated_refused(kind=device.kind, address=device.address))
            self._tell(self._state.trying(self._clock()))
            self._work = self._task(device.open(), "opening")
            await self._wait_for_open(self._work)
            self._tell(self._state.opened(self._clock()))
            self._work = self._task(device.serve(lambda said: self._take(said, connection)), "serving")
            await asyncio.wait((self._work, connection.over), return_when=asyncio.FIRST_COMPLETED)
            if connection.over.done() and (trouble := connection.over.result()):
                return self._fail(trouble)
            if not self._work.cancelled():
                self._work.result()
            return self._fail(ended_silently(driver=device.driver, address=device.address))
        except Exception as error:
            return self._fail(trouble_of(error, driver=device.driver, address=device.address), error)
        finally:
            connection.end()

    async def _wait_for_open(self, opening: asyncio.Task[None]) -> None:
        done, _ = await asyncio.wait((opening,), timeout=self._open_s)
        if not done:
            raise TimedOut(
                f"{self.device.address} did not open within {self._open_s:g} seconds",
                advice="Check the device and its cable; if it stays: croupier doctor",
            )
        if opening.cancelled():
            raise PortLost(f"the driver {self.device.driver} gave up opening {self.device.address}")
        opening.result()

    async def _let_go(self) -> None:
        """Ends what the device is doing and closes it. Can be cut off and called again; each wait is bounded."""
        work = self._work
        if work is None:
            return
        work.cancel()
        await asyncio.wait((work,), timeout=self._close_s)
        if self._closing is None:  # also with the work still stuck: closing is what ends a blocked read
            self._closing = self._task(self.device.close(), "closing")
        closing = self._closing
        await asyncio.wait((closing, work), timeout=self._close_s)
        closing.cancel()
        stuck = (await asyncio.wait((closing, work), timeout=GRACE_S))[1]
        self._work = self._closing = None
        error = None if closing.cancelled() or stuck else closing.exception()
        if stuck or closing.cancelled() or error is not None:
            trouble = not_let_go(error, driver=self.device.driver, address=self.device.address, seconds=self._close_s)
            self._tell(self._state.not_closed(trouble, self._clock()))

    def _take(self, said: Said, connection: _Connection) -> None:
        """What the device reports. Raises nothing into the driver."""
        if connection.over.done():
            return
        now = self._clock()
        if not isinstance(said, DeviceEvent):
            if isinstance(said, Ready) and said.simulated and not self._allow_simulated:
                connection.end(simulated_refused(kind=self.device.kind, address=self.device.address))
                return
            self._backoff.was_ready(self._state.ready_for(now))
            self._tell(self._state.said(said, now))
            if isinstance(said, Ready):
                self._wake.clear()  # what was plugged in meanwhile is no news when it is lost in an hour
            return
        try:
            self._on_event(Heard(device=self.name, at=now, simulated=self._state.simulated, event=said))
        except Exception as error:
            _log.exception("%s: the table failed on %r", self.name, said)
            connection.end(not_taken(type(said).__name__, error, kind=self.device.kind))

    def _fail(self, trouble: Trouble, error: BaseException | None = None) -> Trouble:
        now = self._clock()
        self._backoff.was_ready(self._state.ready_for(now))
        changes = self._state.failed(trouble, now)
        if changes and error is not None and not isinstance(error, OSError | BadSetting):
            _log.error("%s: the driver %s broke down", self.name, self.device.driver, exc_info=error)
        self._tell(changes)
        return trouble

    def _tell(self, changes: list[StateChanged]) -> None:
        for change in changes:
            try:
                self._on_change(change)
            except Exception:
                _log.exception("nobody was told that %s", change)

    def _never_silently(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) and not self._awaited:
            _log.critical("%s is not supervised any more", self.name, exc_info=error)

    def _task(self, work: Coroutine[Any, Any, None], doing: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=f"{doing} {self.name}")
        task.add_done_callback(_look_at_outcome)
        return task


def _look_at_outcome(task: asyncio.Task[None]) -> None:
    """Whoever waits for the task tells its trouble; one that was given up must not complain when it is forgotten."""
    if not task.cancelled():
        task.exception()
