"""Each configured device: there, openable, whose it is, answering. From the daemon's own words where it runs. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.doctor.finding import Finding, Grade
from controller.doctor.groups import group_of, may_use
from controller.doctor.machine import DeviceSeen, DeviceState, Machine

SUBJECT: Final = "devices"
_GRADES: Final[dict[DeviceState, Grade]] = {
    "ready": "good",
    "answers": "good",
    "opens": "good",
    "unasked": "good",
    "silent": "look",
    "missing": "broken",
    "held": "broken",
    "forbidden": "broken",
    "failed": "broken",
}
_REMEDIES: Final[dict[DeviceState, str]] = {
    "silent": "Is it switched on, and its cable in? croupier devices tells what answers where.",
    "missing": "Plug it in and switch it on; croupier devices prints the ports there are and the line to copy.",
    "held": "Close the other program; the table takes the port by itself.",
    "failed": "Unplug it, plug it in again, and look again.",
}


def check(machine: Machine) -> Iterator[Finding]:
    for device in machine.devices:
        yield _of(device, machine)


def _of(device: DeviceSeen, machine: Machine) -> Finding:
    named = f"{device.name} ({device.driver} at {device.address})"
    if device.node and not device.simulated and device.state != "ready" and not may_use(device, machine):
        group = group_of(device, machine.text("/etc/group") or "")
        words = f"{named}: {machine.runner.name}, who runs the table, may not use {device.node}."
        remedy = f"sudo usermod -aG {group} {machine.runner.name}, and start the table again."
        if not group or device.node_mode & 0o060 != 0o060:
            remedy = "Install the udev rules: sudo deploy/install, or croupier devices udev-rule for one adapter."
        return Finding(SUBJECT, "broken", words, remedy)
    grade = _GRADES[device.state]
    remedy = "" if grade == "good" else device.advice or _REMEDIES.get(device.state, "croupier devices says more.")
    return Finding(SUBJECT, grade, f"{named}: {device.words or device.state}.", _sentence(remedy))


def _sentence(words: str) -> str:
    return words if not words or words.endswith((".", "!", "?")) else f"{words}."
