"""`croupier record`: a table as it runs otherwise, or one device alone, with every byte of its ports kept in a file."""

from __future__ import annotations

import asyncio
import logging
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from controller.cli.common import USAGE, fail, read_options

if TYPE_CHECKING:
    from drivers.base import Device
    from drivers.supervisor import Heard, StateChanged

_log = logging.getLogger(__name__)


@click.command()
@click.argument("address", required=False)
@click.option("--config", "file", type=click.Path(path_type=Path), help="The table to run and to record.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The capture; not there yet.")
@click.option("--driver", help="For one ADDRESS: a shoe's driver, or another with its kind, as display.alpha_sign.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of that driver.")
@click.option("--limit", type=click.FloatRange(min=0.01), default=100, show_default=True, help="MB of a part.")
@click.option(
    "--keep", type=click.IntRange(min=1), default=1, show_default=True, help="Parts to keep; 1 ends at the limit."
)
def record(
    address: str | None,
    file: Path | None,
    output: Path,
    driver: str | None,
    settings: tuple[str, ...],
    limit: float,
    keep: int,
) -> None:
    """Record the bytes of every port of a table that runs, or those of one ADDRESS that is listened to without a table.

    With --config the table runs as with croupier run. Beside the capture, OUTPUT.txt says it in words. Both hold
    face-down cards and are readable by their owner alone. A disk that is full ends the recording, never the table.

    With an ADDRESS nothing is acknowledged: a TableLink shoe is greeted, tells its cards, and keeps them for its table;
    it stops when it holds as many as it can.

    Exit status 2: the output is there already or can't be made; 4: a driver can't be used; others as croupier run.
    """
    if (address is None) == (file is None) or (address is None) != (driver is None):
        fail(USAGE, "what", "Name a table with --config FILE, or one port with ADDRESS --driver NAME.", False)
    size = int(limit * 1_000_000)
    if file is not None:
        if settings:
            fail(USAGE, "what", "--set is for one ADDRESS; a table's settings are in its configuration.", False)
        _record_table(file, output, size, keep)
    else:
        assert address is not None
        assert driver is not None
        _record_port(address, driver, read_options(settings), output, size, keep)


def _record_table(file: Path, output: Path, limit: int, keep: int) -> None:
    from controller.cli.run import configured, run_table
    from hil.record.capture import BadCapture
    from hil.record.rigging import RecordedTable

    config = configured(file)
    made: list[RecordedTable] = []

    def table() -> Any:
        made.append(RecordedTable(config, output, limit=limit, keep=keep, say=_log.warning))
        return made[0].daemon

    try:
        run_table(config, table, lambda: made[0].end("the table ended"))
    except BadCapture as error:
        fail(USAGE, "output", f"{error}.", False)


def _record_port(address: str, driver: str, settings: dict[str, Any], output: Path, limit: int, keep: int) -> None:
    from drivers import registry
    from drivers.errors import BadSetting
    from hil.record.capture import BadCapture

    kind, _, name = driver.rpartition(".")
    kind = kind or "shoe"
    try:
        if kind not in registry.KINDS:
            raise BadSetting(f"there is no kind {kind!r}; kinds are {', '.join(registry.KINDS)}")
        device = registry.make(kind, name, {"port": address, **settings})
    except BadSetting as error:
        fail(USAGE, "driver", f"{error}.", False)
    try:
        asyncio.run(_listen(device, name, {"port": address, **settings}, output, limit, keep))
    except BadCapture as error:
        fail(USAGE, "output", f"{error}.", False)


async def _listen(device: Device, driver: str, settings: dict[str, Any], output: Path, limit: int, keep: int) -> None:
    from drivers.supervisor import Supervisor
    from hil.record.capture import BadCapture
    from hil.record.rigging import port_of, recordable, recorder_for, rig
    from hil.record.said import said_words

    stream = recordable(device)
    if stream is None:
        raise BadCapture(f"the driver {device.driver} reads no bytes from a port: there is nothing to record")
    stop = asyncio.Event()

    def trouble(words: str) -> None:
        click.echo(words, err=True)
        loop.call_soon_threadsafe(stop.set)

    def heard(said: Heard) -> None:
        click.echo(said_words(said.event))

    def changed(change: StateChanged) -> None:
        click.echo(str(change))

    loop = asyncio.get_running_loop()
    port = port_of(device.kind, driver, settings, stream)
    recorder = recorder_for(output, (port,), limit=limit, keep=keep, say=trouble)
    rig(stream, recorder.tell(port.name))
    supervisor = Supervisor(device.kind, device, on_event=heard, on_change=changed, allow_simulated=True)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    click.echo(f"recording {port.address} to {output}; Ctrl-C ends it")
    supervisor.start()
    try:
        await stop.wait()
    finally:
        await supervisor.stop()
        recorder.stop("it was told to end")
