"""Makes the udev rule that pins an adapter to a name of its own. Pure; refuses names that would harm /dev.

A rule matches patterns, and has no safe way to quote every character: one that means something to udev stands as `?`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

from drivers.discovery.candidates import Candidate, is_same_model
from drivers.discovery.verdict import toml_line
from drivers.errors import BadSetting

RULES_FILE: Final = "/etc/udev/rules.d/99-croupier.rules"  # after 60-serial.rules, which finds out the interface
GROUP: Final = "dialout"
NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,30}")
_PLAIN: Final = re.compile(r"[A-Za-z0-9 ._:+/@=,-]")
_KERNEL_NAMES: Final = re.compile(
    r"tty\w*|pt(s|mx)|console|null|zero|full|u?random|k?msg|mem|loop\d*|sd[a-z]\d*|mmcblk\w*|video\d*|gpio\w*|i2c-\d+"
    r"|spidev\w*|watchdog\d*|hidraw\d*|vcs\w*|usb|bus|serial|input|snd|net|fd|std(in|out|err)|shm|block|char|disk|dri"
)


def check_name(name: str) -> str:
    """A name for /dev that nobody else uses; raises BadSetting."""
    if not NAME.fullmatch(name):
        raise BadSetting(
            f"{name!r} can't be a name in /dev: write a letter, then up to 30 letters, digits, - or _, "
            "such as table-shoe"
        )
    if _KERNEL_NAMES.fullmatch(name):
        raise BadSetting(f"{name!r} is a name the kernel gives: write one of your own, such as table-shoe")
    return name


def pattern(text: str) -> str:
    """The text as udev matches it: a character it would take for its own is any one, a run beyond ASCII anything."""
    return re.sub(r"\*+", "*", "".join(_masked(char) for char in text))


def _masked(char: str) -> str:
    if _PLAIN.fullmatch(char):
        return char
    return "?" if char.isascii() else "*"  # udev counts bytes, and such a character has several


def udev_rule(port: Candidate, among: Sequence[Candidate], name: str) -> str:
    """The rule with comments on what it is, where it belongs and how to load it. Raises BadSetting."""
    check_name(name)
    if port.is_console:
        raise BadSetting(f"{port.path} is the kernel's own console, and not for a device")
    others = [other for other in among if other.path != port.path and is_same_model(other, port)]
    matches, how = _matches(port, others)
    sets = [f'GROUP="{GROUP}"', 'MODE="0660"']
    if port.kind == "tty":
        sets.insert(0, f'SYMLINK+="{name}"')
        use = f'# In the configuration: port = "/dev/{name}"'
    else:
        use = f"# It lets the group {GROUP} use the device; its address stays: {toml_line('port', port.usb_address)}"
    return "\n".join(
        [
            f"# {_comment(port)}, {how}",
            f"# Put it into {RULES_FILE}, then:",
            "#   sudo udevadm control --reload && sudo udevadm trigger",
            use,
            ", ".join(matches + sets),
            "",
        ]
    )


def _matches(port: Candidate, others: Sequence[Candidate]) -> tuple[list[str], str]:
    """What tells the port from every other, and that in words."""
    if port.vid is None or port.pid is None:
        return ['SUBSYSTEM=="tty"', f'KERNEL=="{pattern(port.name)}"'], "known by its name: it is soldered in"
    # ATTR of the device itself, ATTRS of the one above a tty: all of one rule must be found at the same device.
    of = "ATTRS" if port.kind == "tty" else "ATTR"
    matches = ['SUBSYSTEM=="tty"'] if port.kind == "tty" else ['SUBSYSTEM=="usb"', 'ENV{DEVTYPE}=="usb_device"']
    matches += [f'{of}{{idVendor}}=="{port.vid}"', f'{of}{{idProduct}}=="{port.pid}"']
    serial = pattern(port.serial or "")
    elsewhere = [other for other in others if other.place != port.place]
    if re.search(r"[A-Za-z0-9]", serial) and not any(fnmatchcase(each.serial or "", serial) for each in elsewhere):
        matches.append(f'{of}{{serial}}=="{serial}"')
        how = "known by its serial number"
    else:
        assert port.place is not None  # every USB port has one
        matches.append(f'{"KERNELS" if port.kind == "tty" else "KERNEL"}=="{port.place}"')
        why = "another has the same" if port.serial else "it has none"
        how = f"known by the USB socket it is in and not by a serial number ({why}): keep it there"
    if port.interface and any(other.place == port.place for other in others):
        matches.append(f'ENV{{ID_USB_INTERFACE_NUM}}=="{port.interface}"')
        how += f", interface {port.interface} of it"
    return matches, how


def _comment(port: Candidate) -> str:
    """What the device calls itself, safe in a comment's one line."""
    text = " ".join(part for part in (port.manufacturer, port.product) if part) or port.name
    return "".join(char if char.isprintable() else "?" for char in text)
