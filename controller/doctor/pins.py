"""The GPIO library, where this table has devices on pins: there, right for this Pi, not hidden. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.doctor.finding import Finding
from controller.doctor.machine import Machine

SUBJECT: Final = "pins"
NEW, OLD = "rpi-lgpio", "rpi-gpio"
_PI_5: Final = ("Raspberry Pi 5", "Compute Module 5", "Raspberry Pi 500")


def check(machine: Machine) -> Iterator[Finding]:
    on_pins = {device.name: device.address for device in machine.devices if device.address.startswith("pins ")}
    new, old = NEW in machine.installed.libraries, OLD in machine.installed.libraries
    pip = f"{machine.installed.prefix}/bin/pip"
    if new and old:
        yield Finding(
            SUBJECT,
            "broken" if on_pins else "look",
            "Both rpi-lgpio and the old RPi.GPIO are installed; they use the same name, and the one that was "
            "installed last hides the other.",
            f"{pip} uninstall -y RPi.GPIO rpi-lgpio && {pip} install rpi-lgpio",
        )
    elif old and is_pi_5(machine):
        yield Finding(
            SUBJECT,
            "broken" if on_pins else "look",
            f"The old RPi.GPIO is installed, which can't use the pins of a Pi 5 ({machine.model}).",
            f"{pip} uninstall -y RPi.GPIO && {pip} install rpi-lgpio",
        )
    elif on_pins and not (new or old):
        remedy = f'{pip} install "croupier-table[pi]".'
        if not machine.is_pi:
            remedy = 'On a machine without pins use driver = "simulated", or move these devices to a Pi.'
        words = f"{_named(on_pins)} need pins, and no library for pins is installed (rpi-lgpio)."
        yield Finding(SUBJECT, "broken", words, remedy)
    elif on_pins and not machine.is_pi:
        yield Finding(
            SUBJECT,
            "look",
            f"{_named(on_pins)} need pins, and this machine does not call itself a Raspberry Pi.",
            "Right where it has a GPIO header of its own; else run this table on a Pi.",
        )
    elif on_pins:
        library = NEW if new else "RPi.GPIO"
        version = machine.installed.libraries[NEW if new else OLD]
        yield Finding(SUBJECT, "good", f"{_named(on_pins)}: by {library} {version}.")
    elif machine.table is not None:
        yield Finding(SUBJECT, "good", "No device of this table is on pins.")


def is_pi_5(machine: Machine) -> bool:
    return any(name in machine.model for name in _PI_5)


def _named(devices: dict[str, str]) -> str:
    return " and ".join(f"{name} ({address})" for name, address in sorted(devices.items()))
