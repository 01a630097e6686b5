"""A Croupier shoe in a labgrid lab: a resource that says where it is, and a driver that gives its `shoe` and `wire`.

Imported only by who has labgrid, through `imports` in the environment's YAML: see docs/bench.md. Serial ports that
labgrid exports serve as well as a port of this machine. Refuses what a bench file would refuse, in the same words.
"""

# labgrid has no types, so what is made of its classes has none either
# mypy: disallow-subclassing-any=false, disallow-untyped-decorators=false

from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Final

import attr
from labgrid.driver import Driver
from labgrid.factory import target_factory
from labgrid.resource import Resource

from hil.plugin.bench_file import GAME, BenchEntry, read_text
from hil.plugin.power import Power
from hil.plugin.rig import Rig
from hil.plugin.shoe import BenchShoe
from hil.plugin.wire import Wire

SCHEMES: Final = {"rfc2217": "rfc2217", "raw": "socket"}  # labgrid's word for how a port is exported → ours
text = attr.validators.instance_of(str)


@target_factory.reg_resource
@attr.s(eq=False)
class CroupierShoe(Resource):
    """A shoe at a port: an address as in a table's configuration, such as "/dev/ttyUSB0" or "socket://moxa:4001"."""

    port = attr.ib(validator=text)


@target_factory.reg_driver
@attr.s(eq=False)
class CroupierShoeDriver(Driver):
    """`shoe`, `wire` and `power` as the fixtures of hil.plugin are. `settings` are those of the shoe's own driver;
    `stimulus` or `stimulus_command` deal from it, else a person in the terminal (`hand="person"`) or nobody."""

    bindings = {"port": {"CroupierShoe", "RawSerialPort", "SerialPort", "USBSerialPort", "NetworkSerialPort"}}  # noqa: RUF012

    protocol = attr.ib(default="tablelink", validator=text)
    settings = attr.ib(factory=dict, validator=attr.validators.instance_of(dict))
    hand = attr.ib(default="none", validator=text)
    stimulus = attr.ib(default="", validator=text)
    stimulus_command = attr.ib(default="", validator=text)
    ready_s = attr.ib(default=10, validator=attr.validators.instance_of(int))

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self._rig: Rig | None = None

    def on_activate(self) -> None:
        """Raises BadConfig for settings that are wrong, BenchBroken for a shoe that is not there."""
        rig = Rig(self.entry(), ("shoe", "wire"), game=GAME, uncaptured=_shown)
        try:
            rig.shoe()
        except BaseException:
            rig.close()
            raise
        self._rig = rig

    def on_deactivate(self) -> None:
        rig, self._rig = self._rig, None
        if rig is not None:
            rig.close()

    @property
    def shoe(self) -> BenchShoe:
        return self._active().shoe()

    @property
    def wire(self) -> Wire:
        return self._active().wire("shoe")

    @property
    def power(self) -> Power:
        return self._active().power

    def entry(self) -> BenchEntry:
        """What a bench file would say of it."""
        given: dict[str, Any] = {"driver": self.protocol, "port": address_of(self.port), **self.settings}
        given |= {"hand": self.hand, "stimulus": self.stimulus, "stimulus_command": self.stimulus_command}
        lines = [f"{key} = {json.dumps(value)}" for key, value in given.items() if value != ""]
        text = [
            f"[[bench]]\nname = {json.dumps(str(self.target.name))}\nready_s = {self.ready_s}\n[bench.shoe]",
            *lines,
        ]
        (entry,) = read_text("\n".join(text) + "\n", Path("labgrid"))
        return entry

    def _active(self) -> Rig:
        if self._rig is None:
            raise RuntimeError(f"{self.__class__.__name__} of {self.target.name} is not activated: target.activate(…)")
        return self._rig


def address_of(port: Any) -> str:
    """Where a labgrid resource is, as Croupier writes it. Raises ValueError for a port that can't be reached."""
    host = getattr(port, "host", None)
    if host is None:
        return str(port.port)
    protocol = getattr(port, "protocol", "rfc2217")
    if protocol not in SCHEMES:
        raise ValueError(f"a port that is exported as {protocol!r} can't be opened: {' or '.join(SCHEMES)} can")
    return f"{SCHEMES[protocol]}://{host}:{port.port}"


def _shown() -> AbstractContextManager[None]:
    """labgrid's own pytest plugin has no way to hand the terminal over: run it with `-s` for a person's hand."""
    return nullcontext()
