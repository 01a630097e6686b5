"""What a driver of a byte stream is: bytes and time in, events and bytes out. Opens nothing and keeps no clock.

`drivers.stream.StreamDevice` runs one over any port.
"""

from __future__ import annotations

from typing import Protocol

from drivers.base import Said


class Link(Protocol):
    """The host's end of one device's protocol, over any number of connections."""

    handshake_s: float | None  # by when `Ready` must have come after `opened`; None where it comes at once

    def opened(self, now: float) -> list[Said]:
        """The port is open: a new connection begins. Half a frame of the old one is worth nothing."""

    def receive(self, data: bytes, now: float) -> list[Said]: ...

    def poll(self, now: float) -> list[Said]:
        """Notice what time has done."""

    def data_to_send(self, now: float) -> bytes:
        """Everything due now; asking twice does not give it twice."""

    def next_time(self) -> float | None:
        """When `poll` or `data_to_send` has something to do next, if nothing comes before."""

    def closed(self) -> list[Said]:
        """The port is gone."""
