"""What `croupier doctor` knows of a table's devices: the daemon's words where it runs, else a short look.

Opens no port that anybody holds, and none at all while the daemon runs. Sends bytes to TableLink devices alone: an
Angel Eye shoe must not be sent anything.
"""

from __future__ import annotations

import asyncio
import contextlib
import glob
import http.client
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from controller.cli.client import API
from controller.cli.socket_line import ask
from controller.doctor.machine import DeviceSeen, DeviceState

if TYPE_CHECKING:
    from controller.config.model import DeviceSection, TableConfig
    from drivers.base import Kind
    from drivers.discovery.candidates import Candidate

OPEN_S: Final = 8.0
ROLES: Final = {"shoe": "shoe", "display": "sign", "console": "panel"}
_NO_DAEMON: Final = (FileNotFoundError, ConnectionRefusedError, NotADirectoryError)


def devices_of(table: TableConfig) -> tuple[str, str, Sequence[DeviceSeen]]:
    """The daemon ("none", "runs", or why it can't be asked), why it takes no input, and the devices."""
    try:
        status, text = ask(table.socket, "GET", f"{API}/devices")
        health, said = ask(table.socket, "GET", "/healthz")
    except _NO_DAEMON:
        return "none", "", asyncio.run(_look(table))
    except PermissionError:
        words = f"You may not ask the running table: its socket {table.socket} is its owner's"
        return (
            words,
            "",
            [_seen(kind, each, "unasked", "not looked at, the table runs") for kind, each in table.devices],
        )
    except (OSError, http.client.HTTPException) as error:
        words = f"The table at {table.socket} does not answer ({error}); its log says what it does"
        return (
            words,
            "",
            [_seen(kind, each, "unasked", "not looked at, the table runs") for kind, each in table.devices],
        )
    trouble = "" if health < 400 else msgspec.json.decode(said).get("detail", "")
    return "runs", trouble, _told(table, status, text)


def _told(table: TableConfig, status: int, text: bytes) -> list[DeviceSeen]:
    from controller.surfaces.web.answers import Devices

    told = {} if status >= 400 else {each.device: each for each in msgspec.json.decode(text, type=Devices).devices}
    found = []
    for kind, section in table.devices:
        said = told.get(section.name)
        if said is None:
            words = "the running table does not know it: it was started with another configuration"
            found.append(_seen(kind, section, "failed", words, advice="Start the table again"))
        else:
            state: DeviceState = "ready" if said.state == "ready" else "failed"
            words = said.words if said.state == "ready" else f"{said.state}: {said.words}"
            found.append(_seen(kind, section, state, words, advice=said.advice, simulated=said.simulated))
    return found


async def _look(table: TableConfig) -> list[DeviceSeen]:
    from drivers.discovery.survey import look_around

    ports = await look_around()
    found = []
    for kind, section in table.devices:  # one after the other: two may share a cable, and `auto` looks at all
        found.append(await _of(kind, section, ports))
    return found


async def _of(kind: Kind, section: DeviceSection, ports: Sequence[Candidate]) -> DeviceSeen:
    from drivers.registry import load

    address = section.address
    if load(kind, section.driver_name).SIMULATED:
        return _seen(kind, section, "opens", "simulated: it needs no port", simulated=True)
    if address.startswith("pins "):
        chip = next(iter(sorted(glob.glob("/dev/gpiochip*"))), "")
        state: DeviceState = "unasked" if chip else "missing"
        words = "pins can't be asked; the table tries them" if chip else "this machine has no pins (/dev/gpiochip0)"
        return _seen(kind, section, state, words, node=chip)
    if address.startswith(("/dev/input/", "name:")) or section.driver_name == "evdev":
        return _keypad(kind, section)
    if not _is_port(address):
        return _seen(kind, section, "unasked", "it is at no port of this machine")
    port = next((each for each in ports if each.is_at(address)), None)
    node = port.path if port is not None else address if address.startswith("/dev/") else ""
    if port is not None and port.is_console:
        words, advice = f"{port.path} is the kernel's own console", "Turn the serial console off: sudo raspi-config"
        return _seen(kind, section, "held", words, advice=advice, node=node)
    if port is not None and port.holders:
        holder = port.holders[0]
        words = f"{port.path} is open in another program ({holder})"
        return _seen(kind, section, "held", words, advice=f"Close {holder.command}", node=node)
    return await _opened(kind, section, node)


async def _opened(kind: Kind, section: DeviceSection, node: str) -> DeviceSeen:
    from drivers.discovery.opener import open_the_one
    from drivers.discovery.probe import BAUDS, probe
    from drivers.errors import BadSetting, DeviceError, PortBusy, PortForbidden, PortNotFound
    from drivers.ports.base import LineSettings
    from drivers.ports.opening import open_port

    address = section.address
    line = LineSettings(baud=int(section.settings.get("baud", LineSettings().baud)))
    try:
        if section.driver_name == "tablelink" and address != "auto":
            on_line = not address.startswith(("socket://", "rfc2217://"))
            bauds = tuple(dict.fromkeys((line.baud, *BAUDS))) if on_line else ()
            said = await probe(address, open_port, bauds=bauds)
            states: dict[str, DeviceState] = {
                "answered": "answers",
                "silent": "silent",
                "held": "held",
                "failed": "failed",
            }
            state = states.get(said.said, "failed")
            if said.answer is not None and ROLES[kind] not in said.answer.roles:
                state = "failed"
            return _seen(kind, section, state, said.words, advice=said.advice, node=node)
        async with asyncio.timeout(OPEN_S if address != "auto" else None):
            port = await (open_the_one(ROLES[kind], line) if address == "auto" else open_port(address, line))
            await port.close()
    except PortForbidden as error:
        return _seen(kind, section, "forbidden", error.words, advice=error.advice, node=node)
    except PortBusy as error:
        return _seen(kind, section, "held", error.words, advice=error.advice, node=node)
    except PortNotFound as error:
        return _seen(kind, section, "missing", error.words, advice=error.advice, node=node)
    except DeviceError as error:
        return _seen(kind, section, "failed", error.words, advice=error.advice, node=node)
    except (BadSetting, TimeoutError) as error:
        words = str(error) or f"{address} did not open within {OPEN_S:g} seconds"
        return _seen(kind, section, "failed", words, node=node)
    words = (
        "found, and it answers"
        if address == "auto"
        else "it opens; whether a device is there shows when the table runs"
    )
    return _seen(kind, section, "answers" if address == "auto" else "opens", words, node=node)


def _keypad(kind: Kind, section: DeviceSection) -> DeviceSeen:
    address = section.address
    if not address.startswith("/dev/"):
        return _seen(kind, section, "unasked", "looked for by its name when the table runs")
    if not os.path.exists(address):
        return _seen(kind, section, "missing", f"{address} is not plugged in")
    if not os.access(address, os.R_OK):
        return _seen(kind, section, "forbidden", f"this user may not read {address}", node=address)
    return _seen(kind, section, "opens", "it is there", node=address)


def _is_port(address: str) -> bool:
    from drivers.errors import BadSetting
    from drivers.ports.addresses import parse_address

    try:
        parse_address(address)
    except BadSetting:
        return False
    return True


def _seen(
    kind: Kind,
    section: DeviceSection,
    state: DeviceState,
    words: str,
    *,
    advice: str = "",
    node: str = "",
    simulated: bool = False,
) -> DeviceSeen:
    mode, uid, gid = 0, -1, -1
    real = ""
    if node:
        with contextlib.suppress(OSError):
            about = Path(node).stat()
            real, mode, uid, gid = node, about.st_mode & 0o777, about.st_uid, about.st_gid
    return DeviceSeen(
        name=section.name,
        driver=section.driver,
        address=section.address or "no port",
        simulated=simulated,
        state=state,
        words=words,
        advice=advice,
        node=real,
        node_mode=mode,
        node_uid=uid,
        node_gid=gid,
    )
