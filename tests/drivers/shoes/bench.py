"""A shoe's link and its simulated device on one fake clock: bytes both ways, faults between, nothing real."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from drivers.base import CardRead, DeviceEvent, LinkChange, Lost, Ready, Refused, Said
from drivers.link import Link
from drivers.shoes.angel_eye import AngelEyeLink
from drivers.shoes.bee_tek import UNNUMBERED
from drivers.shoes.line_reader import reader_link
from drivers.shoes.one_way import OneWayLink
from drivers.simulated.byte_ends import plain_card_map
from drivers.simulated.faults import Faults
from drivers.simulated.pile import shuffled
from drivers.simulated.shoe import LoadedShoe, shoe_end
from drivers.tablelink_link import TableLinkLink
from firmware_protocol import bee_tek

TICK_S = 0.01
Event = TypeVar("Event", bound=DeviceEvent)


def counted_nonces() -> Callable[[], bytes]:
    numbers = iter(range(1, 1 << 32))
    return lambda: next(numbers).to_bytes(8, "little")


def make_link(protocol: str) -> Link:
    match protocol:
        case "tablelink":
            return TableLinkLink("shoe", fresh=counted_nonces())
        case "angel_eye":
            return AngelEyeLink()
        case "bee_tek":
            return OneWayLink(bee_tek.Decoder, identity="Bee-Tek shoe", words=UNNUMBERED)
    return reader_link(plain_card_map())


class Bench:
    """`commits`: whether each event is committed as soon as it is told, as a table with a fast journal does."""

    def __init__(self, protocol: str, *, seed: int = 0, commits: bool = True, link: Link | None = None) -> None:
        self.faults = Faults(seed)
        self.end = shoe_end(protocol, self.faults)
        self.shoe = LoadedShoe(self.end, self.faults, shuffled(2, seed, 0))
        self.link = link if link is not None else make_link(protocol)
        self.commits = commits
        self.now = 100.0
        self.said: list[Said] = []
        self.sent = b""  # by the host
        self.joined = False

    # The cable

    def join(self) -> None:
        self.joined = True
        self.end.connected(self.now)
        self._hear(self.link.opened(self.now))

    def part(self) -> None:
        self.joined = False
        self.end.disconnected()
        self._hear(self.link.closed())

    def restart_host(self, link: Link) -> None:
        """Another process with a link of its own takes over the port."""
        self.part()
        self.link = link
        self.join()

    # Time

    def wait(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            self._exchange()
            self.now += TICK_S

    def until(self, reached: Callable[[], bool], limit_s: float = 60.0) -> None:
        until = self.now + limit_s
        while not reached():
            assert self.now < until, f"it did not happen within {limit_s} s; said: {self.said[-8:]}"
            self.wait(TICK_S)

    def _exchange(self) -> None:
        if not self.joined:
            return
        self._hear(self.link.poll(self.now))
        sent = self.link.data_to_send(self.now)
        self.sent += sent
        arrived = self.faults.spoil(sent)
        if arrived:
            self.end.receive(arrived, self.now)
        self.receive(self.faults.spoil(self.end.data_to_send(self.now)))

    def receive(self, data: bytes) -> None:
        """Bytes on the host's side of the line."""
        if data:
            self._hear(self.link.receive(data, self.now))

    def _hear(self, said: list[Said]) -> None:
        self.said += said
        if self.commits and isinstance(self.link, TableLinkLink):
            for each in said:
                if isinstance(each, DeviceEvent) and each.mark is not None:
                    self.link.committed(each.mark)

    # What came of it

    @property
    def cards(self) -> list[str]:
        return [each.card for each in self.said if isinstance(each, CardRead)]

    @property
    def readies(self) -> list[Ready]:
        return [each for each in self.said if isinstance(each, Ready)]

    @property
    def changes(self) -> list[LinkChange]:
        return [each for each in self.said if isinstance(each, Ready | Lost | Refused)]

    def told(self, kind: type[Event]) -> list[Event]:
        return [each for each in self.said if isinstance(each, kind)]
