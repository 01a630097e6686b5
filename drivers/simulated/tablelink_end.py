"""The device's end of TableLink for simulated shoes, signs and panels: any role, any event, slots that can be asked.

It says in its identity that it is simulated. Its boot id is new at every start, as a real device's must be, so that no
journal takes one simulation for the continuation of another.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Final

from drivers.simulated.faults import Faults
from firmware_protocol.tablelink.device import (
    QUEUE,
    RESERVE,
    Described,
    DeviceLink,
    DeviceOutput,
    HostConnected,
    HostLost,
    QueueFull,
    SlotChanged,
)
from firmware_protocol.tablelink.messages import (
    CAPABILITY_BITS,
    ROLE_PANEL,
    ROLE_SHOE,
    ROLE_SIGN,
    SIMULATED,
    Event,
    KeyEvent,
    encode_message,
)

SERIAL: Final = "SIM0001"
LAMPS: Final = range(0x40, 0x80)
LOCK: Final = 0x80
_BITS: Final = {name: bit for bit, name in CAPABILITY_BITS.items()}
ROLE_BITS: Final = {"shoe": ROLE_SHOE, "sign": ROLE_SIGN, "panel": ROLE_PANEL}
CAN: Final = {
    "shoe": ("suits", "cut_card", "lock"),
    "sign": ("text",),
    "panel": ("keys", "lamps"),
}


class TableLinkEnd:
    """Fulfils `drivers.simulated.cable.End`. `woken` is called when there is something new to send."""

    def __init__(
        self,
        role: str,
        *,
        faults: Faults | None = None,
        serial: str = SERIAL,
        boot: int | None = None,
        key: bytes | None = None,
        baud: int = 115200,
        capacity: int = QUEUE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if role not in ROLE_BITS:
            raise ValueError(f"there is no role {role!r}: roles are {', '.join(ROLE_BITS)}")
        self.role = role
        self.faults = faults if faults is not None else Faults()
        self.slots: dict[int, bytes] = {}  # what it shows, by slot
        self.host_there = False
        self.woken: Callable[[], None] = lambda: None
        self._key, self._baud, self._capacity = key, baud, capacity
        capabilities = SIMULATED | sum(_BITS[name] for name in CAN[role])
        self._described = Described(serial=serial, roles=ROLE_BITS[role], capabilities=capabilities)
        self._nonces = 0
        self._held: list[tuple[type[Event], int, tuple[int, ...]]] = []  # behind the fault `queue_full`
        self.clock = clock  # of the device: an event happens between two calls, so theirs is not the time of it
        self._link = self._start(boot if boot is not None else secrets.randbits(32))

    # At the device

    @property
    def boot(self) -> int:
        return self._link.boot

    @property
    def queued(self) -> int:
        """Events not yet acknowledged."""
        return self._link.queued + len(self._held)

    @property
    def must_stop(self) -> bool:
        """Whether a shoe must let no card out until the host has caught up."""
        return self.queued > self._capacity - RESERVE - 1

    @property
    def locked(self) -> bool:
        return self.slots.get(LOCK, b"\0") == b"\1"

    @property
    def lamps(self) -> dict[int, int]:
        """Lamp number → 0 off, 1 on, 2 blinking."""
        return {slot - LAMPS.start: content[0] for slot, content in self.slots.items() if slot in LAMPS and content}

    def add(self, kind: type[Event], *values: int) -> None:
        """Something happened. Raises QueueFull where there is no room: a device never drops an event."""
        if self.queued >= self._capacity:
            raise QueueFull(f"{self._capacity} events wait already")
        clock_ms = round(self.clock() * 1000) & 0xFFFFFFFF
        encode_message(kind(0, 1, clock_ms, *values))  # what can't be sent is refused before it is held
        self._held.append((kind, clock_ms, values))
        self._release()
        self.woken()

    def key(self, number: int, action: int) -> None:
        """A key was released (0), pressed (1) or held (2)."""
        self.add(KeyEvent, number, action)

    def reboot(self) -> None:
        """Everything not delivered is gone, and what was shown too."""
        self._held.clear()
        self.slots.clear()
        self.host_there = False
        self._link = self._start((self._link.boot + 1) & 0xFFFFFFFF)
        self.woken()

    # drivers.simulated.cable.End

    def connected(self, now: float) -> None:
        """It can't tell until a host speaks."""

    def receive(self, data: bytes, now: float) -> None:
        self._link.described = self._identity()
        self._take(self._link.receive(data, now))

    def data_to_send(self, now: float) -> bytes:
        self._release()
        self._take(self._link.poll(now))
        data = self._link.data_to_send(now)
        if self.faults.is_on("reboot"):
            self.faults.switch("reboot", None)
            self.reboot()
            return data[: len(data) // 2]
        return data

    def next_time(self) -> float | None:
        return self._link.next_time()

    def disconnected(self) -> None:
        self._take(self._link.disconnected())

    # Inside

    def _start(self, boot: int) -> DeviceLink:
        return DeviceLink(
            self._described, boot=boot, fresh=self._fresh, key=self._key, baud=self._baud, capacity=self._capacity
        )

    def _fresh(self) -> bytes:
        """Never the same twice: the boot id is new at every start, and the count goes on."""
        self._nonces += 1
        return self._link.boot.to_bytes(4, "little") + self._nonces.to_bytes(4, "little")

    def _identity(self) -> Described:
        if not self.faults.is_on("wrong_identity"):
            return self._described
        other = ROLE_SIGN if self._described.roles != ROLE_SIGN else ROLE_SHOE
        return Described(serial=self._described.serial, roles=other, capabilities=self._described.capabilities)

    def _release(self) -> None:
        if self.faults.is_on("queue_full"):
            return
        for kind, clock_ms, values in self._held:
            self._link.add(kind, clock_ms, *values)
        self._held.clear()

    def _take(self, outputs: list[DeviceOutput]) -> None:
        for output in outputs:
            match output:
                case HostConnected():
                    self.host_there = True
                case HostLost():
                    self.host_there = False
                case SlotChanged() if not self.faults.is_on("mute_sign"):
                    self.slots[output.slot] = output.content
                case SlotChanged():
                    pass
