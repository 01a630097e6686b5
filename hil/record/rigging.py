"""Puts a recorder on the ports of a table's devices, or of one device alone; says which devices have no port."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from controller.config.model import TableConfig
from controller.daemon.crew import Crew
from controller.daemon.daemon import Daemon
from controller.daemon.from_config import daemon_from
from controller.store.clock import now
from controller.table import inputs as i
from drivers.base import Device
from drivers.errors import BadSetting
from drivers.ports.tapped import Tell, tapped
from drivers.shoes.line_reader import read_card_map
from drivers.simulated.byte_ends import plain_card_map
from drivers.stream import StreamDevice, stream_of
from drivers.tablelink_link import TableLinkLink
from firmware_protocol.line_reader import CardMap
from hil.record.capture import BadCapture, Header, RecordedPort
from hil.record.floor import devices_of
from hil.record.recorder import Recorder

KEYPAD = "evdev"  # the kernel's own events, which no pty can play; what was pressed is recorded as entered


def version() -> str:
    from importlib.metadata import version  # here: it takes longer to import than the rest

    return version("croupier-table")


def recordable(device: Device) -> StreamDevice | None:
    stream = stream_of(device)
    return None if stream is None or stream.driver == KEYPAD else stream


def port_of(name: str, driver: str, settings: Mapping[str, Any], stream: StreamDevice) -> RecordedPort:
    link = stream.link
    tablelink = link if isinstance(link, TableLinkLink) else None
    known = tablelink.known if tablelink is not None else None
    return RecordedPort(
        name=name,
        kind=stream.kind,
        driver=driver,
        address=stream.address,
        protocol=stream.driver,
        settings=dict(settings),
        known=None if known is None else (known.boot, known.number),
        first_revision=None if tablelink is None else tablelink.first_revision,
    )


def card_maps(ports: tuple[RecordedPort, ...]) -> dict[str, CardMap]:
    """For the words beside the bytes; a map that can't be read makes them misreads and nothing worse."""
    maps = {}
    for port in ports:
        if port.protocol != "line_reader":
            continue
        try:
            maps[port.name] = plain_card_map() if port.driver == "simulated" else read_card_map(port.settings["cards"])
        except (BadSetting, KeyError):
            continue
    return maps


def recorder_for(
    path: Path, ports: tuple[RecordedPort, ...], *, limit: int, keep: int, say: Callable[[str], None]
) -> Recorder:
    """Raises BadCapture where the files can't be made."""
    stamp = now()
    header = Header(started=stamp.wall, clock=stamp.clock, croupier=version(), ports=ports)
    try:
        return Recorder(path, header, limit=limit, keep=keep, cards=card_maps(ports), say=say)
    except FileExistsError as error:
        raise BadCapture(f"{error.filename or path} is there already: no recording is written over another") from error
    except OSError as error:
        raise BadCapture(f"{path} can't be made: {error.strerror}") from error


def rig(stream: StreamDevice, tell: Tell) -> None:
    stream.rewire(lambda opener: tapped(opener, tell))


class RecordedTable:
    """A table that runs as it does otherwise, with every byte of its ports recorded."""

    def __init__(self, config: TableConfig, path: Path, *, limit: int, keep: int, say: Callable[[str], None]) -> None:
        self._config, self._path, self._limit, self._keep, self._say = config, path, limit, keep, say
        self._daemon = daemon_from(config, self._fitted)
        self.recorder: Recorder | None = None

    @property
    def daemon(self) -> Daemon:
        return self._daemon

    def end(self, words: str) -> None:
        if self.recorder is not None:
            self.recorder.stop(words)

    def _fitted(self, crew: Crew) -> None:
        """Before anything is opened. Raises BadCapture where the files can't be made."""
        sections = {section.name: section for _, section in self._config.devices}
        devices = devices_of(crew)
        streams = {name: stream for name, device in devices.items() if (stream := recordable(device)) is not None}
        ports = tuple(
            port_of(name, sections[name].driver_name, sections[name].settings, stream)
            for name, stream in streams.items()
        )
        recorder = recorder_for(self._path, ports, limit=self._limit, keep=self._keep, say=self._say)
        for name, stream in streams.items():
            rig(stream, recorder.tell(name))
        self.recorder = recorder
        for name in devices.keys() - streams.keys():
            self._say(f"{name} has no port of bytes: what it carries is not recorded, what is entered on it is")

        def overheard(what: i.Input, actor: i.Actor) -> None:
            if actor.name not in streams:  # what came over a recorded port comes over it again
                recorder.entered(msgspec.to_builtins(what), str(actor))

        self._daemon.runner.overhear(overheard)
