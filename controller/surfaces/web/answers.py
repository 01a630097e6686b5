"""What the API answers beside views, rounds and problems: frozen values."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from controller.table.alert_log import PastAlert
from drivers.supervisor import DeviceStatus


class RoundList(Struct, frozen=True):
    """The newest first. The number of the last one, as `before`, asks for those behind it."""

    rounds: tuple[Any, ...]


class Alerts(Struct, frozen=True):
    """The newest first, with who acknowledged them."""

    alerts: tuple[PastAlert, ...]


class Devices(Struct, frozen=True):
    """`at` is now, on the clock on which the devices' times are told."""

    at: float
    devices: tuple[DeviceStatus, ...]


class Health(Struct, frozen=True):
    status: Literal["ok"]
