"""What the settings of several displays have in common, checked; refuses what can't be a line or a time, in words."""

from __future__ import annotations

import math
from typing import Final, Protocol

from drivers.errors import BadSetting
from drivers.ports.base import LineSettings, Parity

LEAST_REFRESH_S: Final = 1.0  # more often only keeps the line busy
DATA_BITS: Final = (7, 8)
STOP_BITS: Final = (1, 2)


class SerialSettings(Protocol):
    @property
    def port(self) -> str: ...

    @property
    def baud(self) -> int: ...

    @property
    def data_bits(self) -> int: ...

    @property
    def parity(self) -> Parity: ...

    @property
    def stop_bits(self) -> int: ...


def line_of(settings: SerialSettings) -> LineSettings:
    """The serial line of these settings. Raises BadSetting."""
    check_port(settings.port)
    check_baud(settings.baud)
    if settings.data_bits not in DATA_BITS:
        raise BadSetting(f"data_bits is 7 or 8, not {settings.data_bits}")
    if settings.stop_bits not in STOP_BITS:
        raise BadSetting(f"stop_bits is 1 or 2, not {settings.stop_bits}")
    return LineSettings(
        baud=settings.baud, data_bits=settings.data_bits, parity=settings.parity, stop_bits=settings.stop_bits
    )


def check_port(port: str) -> None:
    if not port.strip():
        raise BadSetting("port is empty: name one, as `croupier devices` prints it")


def check_baud(baud: int) -> None:
    if baud <= 0:
        raise BadSetting(f"baud is a rate such as 9600, not {baud}")


def check_refresh(refresh_s: float) -> None:
    if not LEAST_REFRESH_S <= refresh_s < math.inf:
        raise BadSetting(f"refresh_s is {LEAST_REFRESH_S:g} second or more, not {refresh_s}")
