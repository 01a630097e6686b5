"""How a port is written in a configuration, and what each way of writing it means. Refuses the usual mistakes in words.

Reads text only: whether anything is there is for `drivers.ports.opening`.
"""

from __future__ import annotations

import difflib
import re
from typing import Final

from msgspec import Struct

from drivers.errors import BadSetting

ALLOWED: Final = (
    "/dev/…, by-id:NAME, by-path:NAME, usb:VID:PID, usb:VID:PID:SERIAL, socket://HOST:PORT, rfc2217://HOST:PORT or auto"
)
_LEADS: Final = ("by-id:", "by-path:", "usb:", "socket://", "rfc2217://", "auto")
_ALSO_KNOWN_AS: Final = {"tcp": "socket", "telnet": "rfc2217", "http": "socket", "raw": "socket"}
_WINDOWS: Final = re.compile(r"(?i)(\\\\\.\\)?COM\d+:?")
_TTY: Final = re.compile(r"(dev/)?(tty[A-Za-z]+\d+|serial/.+|pts/\d+)")
_USB: Final = re.compile(r"usb:([0-9a-fA-F]{4}):([0-9a-fA-F]{4})(?::(.+))?")
_USB_PREFIXED: Final = re.compile(r"usb:(?:0[xX])?([0-9a-fA-F]{1,4}):(?:0[xX])?([0-9a-fA-F]{1,4})(:.+)?")
_PORT: Final = re.compile(r"[0-9]{1,5}")
_HOST: Final = re.compile(
    r"\[(?P<six>[0-9a-fA-F:.]+(?:%\w+)?)\]|(?P<name>[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?\.?)"
)


class DevicePath(Struct, frozen=True, tag="path"):
    path: str

    def __str__(self) -> str:
        return self.path


class ById(Struct, frozen=True, tag="by-id"):
    """A name in /dev/serial/by-id, or the beginning of one."""

    name: str

    def __str__(self) -> str:
        return f"by-id:{self.name}"


class ByPath(Struct, frozen=True, tag="by-path"):
    """A name in /dev/serial/by-path: the socket it is plugged into."""

    name: str

    def __str__(self) -> str:
        return f"by-path:{self.name}"


class UsbAddress(Struct, frozen=True, tag="usb"):
    vid: int
    pid: int
    serial: str | None = None

    def __str__(self) -> str:
        return f"usb:{self.vid:04x}:{self.pid:04x}" + (f":{self.serial}" if self.serial else "")


class SocketAddress(Struct, frozen=True, tag="socket"):
    host: str
    port: int

    def __str__(self) -> str:
        return f"socket://{_written(self.host)}:{self.port}"


class Rfc2217Address(Struct, frozen=True, tag="rfc2217"):
    host: str
    port: int

    def __str__(self) -> str:
        return f"rfc2217://{_written(self.host)}:{self.port}"


class AutoAddress(Struct, frozen=True, tag="auto"):
    """Whatever answers as the right kind of device; for discovery."""

    def __str__(self) -> str:
        return "auto"


Address = DevicePath | ById | ByPath | UsbAddress | SocketAddress | Rfc2217Address | AutoAddress


def parse_address(text: str) -> Address:
    """Raises BadSetting with what is allowed, and what was perhaps meant."""
    if not text.strip():
        raise BadSetting(f"a port's address is empty; allowed is {ALLOWED}")
    if not text.isprintable():
        raise BadSetting(f"{text!r} holds characters that cannot be seen; allowed is {ALLOWED}")
    if text != text.strip():
        raise _bad(text, "has spaces around it", text.strip())
    if text == "auto":
        return AutoAddress()
    if text.startswith("/"):
        return DevicePath(text)
    if text.startswith(("by-id:", "by-path:")):
        return _by_name(text)
    if text.startswith("usb:"):
        return _usb(text)
    if text.startswith(("socket://", "rfc2217://")):
        return _network(text)
    raise _unknown(text)


def _by_name(text: str) -> ById | ByPath:
    lead, name = text.split(":", 1)
    if not name:
        raise _bad(text, f"names nothing after {lead}:")
    if "/" in name:
        raise _bad(text, "is a path after all", f"{lead}:{name.rstrip('/').rsplit('/', 1)[-1]}")
    return ById(name) if lead == "by-id" else ByPath(name)


def _usb(text: str) -> UsbAddress:
    if exact := _USB.fullmatch(text):
        vid, pid, serial = exact.groups()
        return UsbAddress(int(vid, 16), int(pid, 16), serial)
    if near := _USB_PREFIXED.fullmatch(text.rstrip(":")):
        vid, pid, rest = near.groups()
        raise _bad(text, "is not quite a USB address", f"usb:{vid.zfill(4).lower()}:{pid.zfill(4).lower()}{rest or ''}")
    raise _bad(text, "is no USB address: that is usb:VID:PID with four hexadecimal digits each, such as usb:1209:ca4d")


def _network(text: str) -> SocketAddress | Rfc2217Address:
    scheme, rest = text.split("://", 1)
    if rest.endswith("/"):
        raise _bad(text, "ends with a stroke", text.rstrip("/"))
    if rest.count(":") > 1 and "[" not in rest:
        raise _bad(text, "has an IPv6 address without its brackets, which are written as in socket://[fe80::1]:4001")
    host_text, colon, port_text = rest.rpartition(":")
    if not colon or rest.endswith("]"):
        raise _bad(text, "has no port number", f"{text}:4001")
    host = _HOST.fullmatch(host_text)
    if host is None:
        raise _bad(text, f"names no host that there can be ({host_text!r})")
    if not _PORT.fullmatch(port_text) or not 1 <= int(port_text) <= 65535:
        raise _bad(text, f"has the port number {port_text!r}, and port numbers are 1 to 65535")
    kind = SocketAddress if scheme == "socket" else Rfc2217Address
    return kind(host["six"] or host["name"], int(port_text))


def _unknown(text: str) -> BadSetting:
    if _WINDOWS.fullmatch(text):
        return _bad(text, "is a Windows name; here a serial port is a path such as /dev/ttyUSB0")
    if tty := _TTY.fullmatch(text):
        return _bad(text, "is only part of a path", f"/dev/{tty[2]}")
    if "://" in text:
        scheme, rest = text.split("://", 1)
        near = _ALSO_KNOWN_AS.get(scheme.lower()) or next(
            iter(difflib.get_close_matches(scheme.lower(), ("socket", "rfc2217"), n=1)), None
        )
        return _bad(text, f"begins with {scheme}://, which is no way to a port", f"{near}://{rest}" if near else None)
    lead, colon, rest = text.partition(":")
    near_lead = difflib.get_close_matches((lead + colon).lower().replace("_", "-"), _LEADS, n=1, cutoff=0.7)
    if not near_lead:
        return _bad(text, "is no port")
    return _bad(text, "is no port", near_lead[0] + (rest.lstrip("/") if near_lead[0].endswith("//") else rest))


def _bad(text: str, why: str, meant: str | None = None) -> BadSetting:
    hint = f"; did you mean {meant!r}?" if meant else ""
    return BadSetting(f"the port {text!r} {why}{hint or '.'} Allowed is {ALLOWED}")


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host
