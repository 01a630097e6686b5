"""A line that goes bad, a host that dies and a device that restarts; every output is judged when it comes.

The judge knows the truth (what the device numbered, what the journal holds) and nothing of the links' insides.
"""

from __future__ import annotations

from collections import deque
from hashlib import blake2s
from itertools import count
from random import Random

from firmware_protocol.tablelink import timing
from firmware_protocol.tablelink.card_code import card_code
from firmware_protocol.tablelink.device import Described, DeviceLink, DeviceOutput, SlotChanged
from firmware_protocol.tablelink.endpoint import Counts
from firmware_protocol.tablelink.framing import MAX_ENCODED
from firmware_protocol.tablelink.host import Connected, DeviceLost, EventReceived, HostLink, HostOutput, Known
from firmware_protocol.tablelink.messages import CardEvent, CutCardEvent, Event, KeyEvent, LidEvent

SLOTS = (0, 1, 0x40, 0x80)
CAPACITY = 32
LONGEST_FRAME = MAX_ENCODED + 1
HOST_AT_MOST = (2 + len(SLOTS)) * LONGEST_FRAME  # an ACK, every slot, and a PING, HELLO or RESUME
DEVICE_AT_MOST = (5 + len(SLOTS) + CAPACITY) * LONGEST_FRAME  # one answer of each kind, every SHOWN, every event
BUFFER = 4096  # bytes a tty or a pty takes before a writer has to wait
PATIENCE = 200  # turns without time passing, before it is called an endless talk
TICK_S = 1e-6  # a real clock has moved on by so much at least when it is looked at again

STREAM_FAULTS = ("flip", "drop", "lose a byte", "noise", "cut off")  # what a wire or a serial server can do
REPLAYS = ("double", "late", "again")  # what only a bad relay or a stranger can do


class Wire:
    """One direction. Cuts what is sent into reads anywhere, and does to them what it was ordered to."""

    def __init__(self, baud: int, chance: Random) -> None:
        self.orders: deque[str] = deque()
        self._baud = baud
        self._chance = chance
        self._reads: list[tuple[float, bytes]] = []
        self._past: deque[bytes] = deque(maxlen=30)
        self._held: list[bytes] = []  # overtaken by the read that follows
        self._free = 0.0  # when everything before is on the other side

    def send(self, data: bytes, now: float) -> None:
        for read in self._cut(data):
            overtaken, self._held = self._held, []
            for piece in (*self._spoiled(read), *overtaken):
                self._put(piece, now)
            self._past.append(read)

    def _cut(self, data: bytes) -> list[bytes]:
        """Whole, one frame a read, or anywhere."""
        match self._chance.randrange(3):
            case 0:
                cuts = []
            case 1:
                cuts = [place + 1 for place, byte in enumerate(data) if byte == 0]
            case _:
                cuts = sorted(self._chance.randrange(len(data) + 1) for _ in range(self._chance.randrange(1, 6)))
        reads = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        return [read for read in reads if read]

    def _put(self, piece: bytes, now: float) -> None:
        self._free = max(self._free, now) + len(piece) * timing.BITS_PER_BYTE / self._baud
        self._reads.append((self._free, piece))

    def _spoiled(self, read: bytes) -> list[bytes]:
        place = self._chance.randrange(len(read))
        match self.orders.popleft() if self.orders else "":
            case "flip":
                return [read[:place] + bytes([read[place] ^ 1 << self._chance.randrange(8)]) + read[place + 1 :]]
            case "drop":
                return []
            case "lose a byte":
                return [read[:place] + read[place + 1 :]]
            case "noise":
                return [read[:place] + self._chance.randbytes(self._chance.randrange(90)) + read[place:]]
            case "cut off":
                return [read[:place]]
            case "double":
                return [read, read]
            case "late":
                self._held.append(read)
                return []
            case "again":
                return [read, self._chance.choice([*self._past, read])]
        return [read]

    def has_room(self) -> bool:
        return sum(len(piece) for _, piece in self._reads) < BUFFER

    def stall(self, seconds: float, now: float) -> None:
        self._reads = [(at + seconds, piece) for at, piece in self._reads]
        self._free = max(self._free, now) + seconds

    def unplug(self) -> None:
        """Everything on its way is gone."""
        self._reads.clear()
        self._held.clear()
        self._free = 0.0

    def repair(self, now: float) -> None:
        """No more faults; what is still on its way flows at the line's speed, what was overtaken comes last."""
        self.orders.clear()
        pieces = [piece for _, piece in self._reads] + self._held
        self.unplug()
        for piece in pieces:
            self._put(piece, now)

    def next_time(self) -> float | None:
        return self._reads[0][0] if self._reads else None

    def arrived(self, now: float) -> list[bytes]:
        pieces = []
        while self._reads and self._reads[0][0] <= now:
            pieces.append(self._reads.pop(0)[1])
        return pieces


class Line:
    """A table and a shoe over two wires. Its methods are what can happen; each one judges what comes of it."""

    def __init__(self, *, key: bytes | None, baud: int, seed: int) -> None:
        self.key, self.baud, self.now = key, baud, 1000.0
        self.spins = 0  # times an end wanted to be woken and then did nothing
        chance = Random(seed)
        self.wires = {"host": Wire(baud, chance), "device": Wire(baud, chance)}  # by the end that receives
        self.blocked = {"host": 0.0, "device": 0.0}  # until when an end can't write
        self._nonces = count(1)
        self._boots = count(0x0001FFFE)
        self.journal: list[tuple[int, int]] = []
        self.made: dict[tuple[int, int], Event] = {}
        self.wanted: dict[int, bytes] = {}
        self.prompt = False  # whether the host commits at once
        self._start_device()
        self._start_host()

    def _fresh(self) -> bytes:
        return blake2s(next(self._nonces).to_bytes(8, "little"), digest_size=8).digest()  # as good as random

    # What can happen at the ends

    def _start_host(self) -> None:
        """A new process: it knows the journal, and what the table wants shown."""
        known = Known(*self.journal[-1]) if self.journal else None
        self.host = HostLink(fresh=self._fresh, key=self.key, known=known, baud=self.baud)
        self.trusted = known.boot if known else None
        self.delivered: set[tuple[int, int]] = set()
        self.uncommitted: deque[tuple[int, int]] = deque()
        self.session = False
        for slot, content in self.wanted.items():
            self.host.show(slot, content)
        self.host.connected(self.now)

    def _start_device(self) -> None:
        about = Described(serial="SHOE-1", roles=1, capabilities=7)
        self.device = DeviceLink(
            about, boot=next(self._boots), fresh=self._fresh, key=self.key, baud=self.baud, capacity=CAPACITY
        )
        self.on_show: dict[int, bytes] = {}

    def reboot_host(self) -> None:
        self._start_host()
        self._step()

    def reboot_device(self) -> None:
        self._start_device()
        self._step()

    def reconnect(self, device_sees_it: bool) -> None:
        for wire in self.wires.values():
            wire.unplug()
        self._judge_host(self.host.disconnected())
        if device_sees_it:
            self._judge_device(self.device.disconnected())
        self.host.connected(self.now)
        self._step()

    def deal(self, cards: int) -> None:
        for _ in range(cards):
            if self.device.queued == CAPACITY:
                break  # the shoe has long been stopped
            number = self.device.next_number
            kind, values = self._happening(number)
            clock = int(self.now * 1000)
            assert self.device.add(kind, clock, *values) == number
            self.made[self.device.boot, number] = kind(self.device.boot & 0xFFFF, number, clock, *values)
        self._step()

    @staticmethod
    def _happening(number: int) -> tuple[type[Event], tuple[int, ...]]:
        match number % 8:
            case 5:
                return CutCardEvent, ()
            case 6:
                return LidEvent, (1,)
            case 7:
                return KeyEvent, (number & 0xFF, 1)
        return CardEvent, (card_code("A23456789TJQK"[number % 13] + "CDHS"[number % 4]), 0)

    def device_waiting(self) -> range:
        """The numbers of this boot that no journal holds."""
        return range(self._committed_upto(self.device.boot) + 1, self.device.next_number)

    def show(self, slot: int, content: bytes) -> None:
        self.wanted[slot] = content
        self.host.show(slot, content)
        self._step()

    def commit(self, events: int) -> None:
        for _ in range(min(events, len(self.uncommitted))):
            self.journal.append(self.uncommitted.popleft())
            self.host.committed(*self.journal[-1])
        self._step()

    # What can happen on the line

    def spoil(self, end: str, faults: list[str]) -> None:
        self.wires[end].orders.extend(faults)

    def stall(self, end: str, seconds: float) -> None:
        self.wires[end].stall(seconds, self.now)

    def block(self, end: str, seconds: float) -> None:
        self.blocked[end] = self.now + seconds

    def repair(self) -> None:
        for end, wire in self.wires.items():
            wire.repair(self.now)
            self.blocked[end] = 0.0
        self.prompt = True
        self.commit(len(self.uncommitted))

    # Time

    def wait(self, seconds: float) -> None:
        """Time passes in jumps: to the next read, or to when an end wants to be woken."""
        end = self.now + seconds
        turns = 0
        while (at := self._next_time()) is not None and at <= end:
            turns = turns + 1 if at <= self.now else 0
            assert turns < PATIENCE, "the ends talk without end"
            if turns > 1:
                self.spins += 1
                at = self.now + TICK_S
            self.now = max(self.now, at)
            self._step()
        self.now = max(self.now, end)

    def _next_time(self) -> float | None:
        times = [wire.next_time() for wire in self.wires.values()]
        for name, end in (("host", self.host), ("device", self.device)):
            wish = end.next_time()
            if wish is not None and wish <= self.now and not self._can_write(name):
                wish = self.blocked[name] if self.now < self.blocked[name] else None  # None: when a read has arrived
            times.append(wish)
        return min((time for time in times if time is not None), default=None)

    def _can_write(self, end: str) -> bool:
        return self.now >= self.blocked[end] and self.wires["device" if end == "host" else "host"].has_room()

    def _step(self) -> None:
        for piece in self.wires["host"].arrived(self.now):
            self._judge_host(self.host.receive(piece, self.now))
        for piece in self.wires["device"].arrived(self.now):
            self._judge_device(self.device.receive(piece, self.now))
        self._judge_host(self.host.poll(self.now))
        self._judge_device(self.device.poll(self.now))
        if self.prompt:
            while self.uncommitted:
                self.journal.append(self.uncommitted.popleft())
                self.host.committed(*self.journal[-1])
        if self._can_write("host"):
            data = self.host.data_to_send(self.now)
            assert len(data) <= HOST_AT_MOST
            self.wires["device"].send(data, self.now)
        if self._can_write("device"):
            data = self.device.data_to_send(self.now)
            assert len(data) <= DEVICE_AT_MOST
            self.wires["host"].send(data, self.now)
        self._judge_sizes()

    # The judge

    def _committed_upto(self, boot: int) -> int:
        return max((number for of, number in self.journal if of == boot), default=0)

    def _judge_host(self, outputs: list[HostOutput]) -> None:
        for output in outputs:
            match output:
                case Connected(identity, proven, words):
                    assert not self.session
                    assert proven == (identity.boot == self.trusted), words
                    self.session, self.trusted = True, identity.boot
                case DeviceLost():
                    assert self.session
                    self.session = False
                case EventReceived(boot, event):
                    self._judge_event(boot, event)

    def _judge_event(self, boot: int, event: Event) -> None:
        assert self.session
        assert boot == self.trusted
        had = [number for of, number in self.delivered if of == boot]
        assert event.number == max([self._committed_upto(boot), *had]) + 1, "twice, out of order, or with a gap"
        assert event == self.made[boot, event.number]
        self.delivered.add((boot, event.number))
        self.uncommitted.append((boot, event.number))

    def _judge_device(self, outputs: list[DeviceOutput]) -> None:
        for output in outputs:
            if isinstance(output, SlotChanged):
                self.on_show[output.slot] = output.content
        assert self.device.oldest <= self._committed_upto(self.device.boot) + 1, "forgot what no journal holds"

    def _judge_sizes(self) -> None:
        assert self.device.queued <= CAPACITY
        assert len(self.device._due) <= 5 + len(SLOTS)
        assert len(self.device._revisions) <= len(SLOTS)
        assert len(self.host._slots._slots) <= len(SLOTS)
        for end in (self.host, self.device):
            assert end._endpoint._decoder.kept <= MAX_ENCODED
            assert all(type(getattr(end.counts, name)) is int for name in Counts.__struct_fields__)

    def judge_recovered(self) -> None:
        """Everything works: the session, every event of this boot in the journal and forgotten by the device."""
        assert self.host.phase == "open"
        assert self.device.is_open
        assert self.trusted == self.device.boot
        assert list(self.device_waiting()) == []
        assert self.device.queued == 0

    def judge_slots(self) -> None:
        assert self.on_show == self.wanted
        assert all(slot.shown for slot in self.host._slots._slots.values())
