"""What a port is, whatever is behind it: bytes both ways, and one way to say that the far side is gone."""

from __future__ import annotations

from typing import Final, Literal, Protocol

from msgspec import Struct

READ_SIZE: Final = 4096  # bytes at most from one read
CLOSE_S: Final = 1.0  # a close takes no longer, whatever the driver below does (tcdrain can hang)
MAX_BAUD: Final = 4_000_000  # the fastest that Linux has a name for
Parity = Literal["N", "E", "O"]


class LineSettings(Struct, frozen=True, kw_only=True):
    """How a serial line is set. A port that is no serial line ignores it."""

    baud: int = 115200
    data_bits: int = 8
    parity: Parity = "N"
    stop_bits: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.baud <= MAX_BAUD:  # 0 would be the old way to hang up
            raise ValueError(f"baud is from 1 to {MAX_BAUD}, usually 9600 or 115200, not {self.baud}")
        if self.data_bits not in (5, 6, 7, 8):
            raise ValueError(f"data_bits is 5, 6, 7 or 8, not {self.data_bits}")
        if self.parity not in ("N", "E", "O"):
            raise ValueError(f'parity is "N" (none), "E" (even) or "O" (odd), not {self.parity!r}')
        if self.stop_bits not in (1, 2):
            raise ValueError(f"stop_bits is 1 or 2, not {self.stop_bits}")

    def __str__(self) -> str:
        return f"{self.baud} {self.data_bits}{self.parity}{self.stop_bits}"


class Port(Protocol):
    """An open port. One task reads and one writes at a time; `close` may come at any moment, and more than once.

    `read` gives 1 to READ_SIZE bytes, waits while there are none, raises PortLost once the far side is gone (after
    everything it had sent was read) and PortClosed once `close` was called. `write` returns when the bytes are handed
    over, waits while the far side takes none (back-pressure: nothing grows), and raises the same two; a cancelled
    read loses no byte. After `close` no file descriptor, thread or task of it is left.
    """

    name: str  # as a person would write it in a configuration

    async def read(self) -> bytes: ...

    async def write(self, data: bytes) -> None: ...

    async def close(self) -> None: ...
