"""Whether the user who runs the table is in the groups that *these* devices need, and no more than those. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from controller.doctor.finding import Finding
from controller.doctor.machine import DeviceSeen, Machine
from controller.doctor.users import READ, WRITE, group_id, group_name, may

SUBJECT: Final = "groups"
_BY_ADDRESS: Final = (
    (re.compile(r"pins \d"), "gpio"),
    (re.compile(r"/dev/spidev"), "spi"),
    (re.compile(r"/dev/input/|name:"), "input"),
    (re.compile(r"/dev/bus/usb/"), "plugdev"),
    (re.compile(r"/dev/pts/|/dev/stdout"), ""),
    (re.compile(r"/dev/|by-id:|by-path:|auto$"), "dialout"),
    (re.compile(r"usb:"), "plugdev"),
)


def check(machine: Machine) -> Iterator[Finding]:
    if machine.table is None:
        return
    who, group_text = machine.runner, machine.text("/etc/group") or ""
    wanting: dict[str, list[str]] = {}
    for device in machine.devices:
        group = "" if device.simulated or _is_open_to(device, machine) else group_of(device, group_text)
        if group:
            wanting.setdefault(group, []).append(f"{device.name} ({device.address})")
    lacking = False
    for group, devices in sorted(wanting.items()):
        gid = group_id(group, group_text)
        needs = f"which {' and '.join(devices)} need{'s' if len(devices) == 1 else ''}"
        restart = again(machine)
        if gid is None:
            lacking = True
            yield Finding(
                SUBJECT,
                "broken",
                f"There is no group {group} on this machine, {needs}.",
                f"sudo groupadd --system {group} && sudo usermod -aG {group} {who.name}, install the udev rules "
                f"(deploy/install does both), then {restart}.",
            )
        elif gid not in who.gids and who.uid != 0:
            lacking = True
            yield Finding(
                SUBJECT,
                "broken",
                f"{who.name}, who runs the table, is not in the group {group}, {needs}.",
                f"sudo usermod -aG {group} {who.name}, then {restart}.",
            )
        elif who == machine.me and who.uid != 0 and gid not in machine.active_groups:
            lacking = True
            yield Finding(
                SUBJECT,
                "look",
                f"{who.name} was put into the group {group}, but not yet in this session.",
                "Log out and in again, or restart the machine.",
            )
    if not lacking:
        names = ", ".join(sorted(wanting)) or "none"
        yield Finding(SUBJECT, "good", f"{who.name} may use the devices of this table (groups needed: {names}).")


def group_of(device: DeviceSeen, group_text: str) -> str:
    """The node's own group where it is there and its group may use it; else what such a node usually has."""
    if device.node and device.node_gid > 0 and device.node_mode & 0o060 == 0o060:
        return group_name(device.node_gid, group_text)
    if device.driver == "console.evdev":
        return "input"
    where = device.node or device.address
    return next((group for pattern, group in _BY_ADDRESS if pattern.match(where)), "")


def again(machine: Machine) -> str:
    """How the table is started again, so that it sees what was changed."""
    return "sudo systemctl restart croupier" if machine.under_unit else "log out and in again and start the table"


def _is_open_to(device: DeviceSeen, machine: Machine) -> bool:
    """Where the node lets everybody in, or is the user's own."""
    return bool(device.node) and (
        device.node_uid == machine.runner.uid or device.node_mode & 0o006 == 0o006 or machine.runner.uid == 0
    )


def may_use(device: DeviceSeen, machine: Machine) -> bool:
    return may(machine.runner, READ | WRITE, mode=device.node_mode, uid=device.node_uid, gid=device.node_gid)
