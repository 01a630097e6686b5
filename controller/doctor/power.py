"""Under-voltage, throttling and heat, as a Pi's firmware and the kernel tell them. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.doctor.finding import Finding
from controller.doctor.machine import Machine

SUBJECT: Final = "power"
HEAT: Final = "heat"
HOT_MC, TOO_HOT_MC = 80_000, 85_000  # thousandths of a degree: a Pi slows down from 80 °C, and harder from 85
SUPPLY: Final = (
    "Use the supply that belongs to this Pi (5.1 V; 3 A for a Pi 4, 5 A for a Pi 5) and a short, thick cable; give "
    "signs and shoes a supply of their own."
)
_NOW: Final = {0: "under-voltage", 1: "the processor is held back", 2: "it is throttled", 3: "it is hot"}


def check(machine: Machine) -> Iterator[Finding]:
    bits = throttled(machine)
    alarm = low_voltage(machine)
    if bits is None and alarm is None:
        if machine.is_pi:
            words = "This machine does not say how it is supplied (no get_throttled and no rpi_volt in /sys)."
            yield Finding(SUBJECT, "look", words, "If it has restarted by itself, look at its supply first.")
    elif alarm or (bits or 0) & 0b1:
        words = "The supply is too weak right now (under-voltage): the SD card and the devices are in danger."
        yield Finding(SUBJECT, "broken", words, SUPPLY)
    elif (bits or 0) & 1 << 16:
        yield Finding(SUBJECT, "look", "The supply was too weak at times since the machine was started.", SUPPLY)
    else:
        yield Finding(SUBJECT, "good", "The supply has held since the machine was started.")
    yield from _heat(machine, bits or 0)


def throttled(machine: Machine) -> int | None:
    """The firmware's bits: 0 to 3 now, 16 to 19 since the start."""
    for _, text in machine.matching("/sys/devices/platform/soc*/soc*:firmware/get_throttled"):
        try:
            return int(text.strip().rpartition("=")[2], 16)
        except ValueError:
            continue
    return None


def low_voltage(machine: Machine) -> bool | None:
    for path, text in machine.matching("/sys/class/hwmon/hwmon*/name"):
        alarm = machine.text(path.replace("/name", "/in0_lcrit_alarm"))
        if text.strip() == "rpi_volt" and alarm is not None:
            return alarm.strip() != "0"
    return None


def _heat(machine: Machine, bits: int) -> Iterator[Finding]:
    degrees = max(
        (int(text) for _, text in machine.matching("/sys/class/thermal/thermal_zone*/temp") if _is_number(text)),
        default=None,
    )
    cool = "Give it air or a fan, and take it out of the sun and off the sign's power supply."
    now = [words for bit, words in _NOW.items() if bit and bits & 1 << bit]
    if degrees is not None and degrees >= TOO_HOT_MC:
        yield Finding(HEAT, "broken", f"{degrees // 1000} °C: it is being slowed down to save it.", cool)
    elif degrees is not None and degrees >= HOT_MC:
        yield Finding(HEAT, "look", f"{degrees // 1000} °C: a Pi slows down from here on.", cool)
    elif now:
        yield Finding(HEAT, "look", f"The firmware says: {', '.join(now)}.", f"{cool} Or its supply is weak.")
    elif bits & (1 << 18 | 1 << 19):
        yield Finding(HEAT, "look", "It was too hot at times since the machine was started.", cool)
    elif degrees is not None:
        yield Finding(HEAT, "good", f"{degrees // 1000} °C.")


def _is_number(text: str) -> bool:
    return text.strip().lstrip("-").isdigit()
