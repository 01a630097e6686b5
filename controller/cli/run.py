"""`croupier run`: the daemon of one table, until it is told to end. Refuses to start in words, each with its status."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from controller.cli.common import BAD_RULESET, BROKEN, CANT_LISTEN, UNUSABLE, fail

if TYPE_CHECKING:
    from controller.config.model import TableConfig
    from controller.daemon.daemon import Daemon

LEFT_BEHIND: Final = 1
ENDS: Final = (signal.SIGTERM, signal.SIGINT)

_log = logging.getLogger(__name__)


@click.command()
@click.option("--config", "file", type=click.Path(path_type=Path), help="The table's configuration.")
def run(file: Path | None) -> None:
    """Run the table of a configuration: table.toml here, then /etc/croupier/table.toml, where none is named.

    SIGTERM or Ctrl-C ends it in order, a second one at once. A device that is missing keeps no table from starting: it
    is looked for, and `croupier status` says so. What does: a configuration that can't be used (as `croupier check`
    says), a driver whose library is missing (exit status 4), a journal that is broken or another daemon's (5), an
    address or a socket that is taken (8). The log goes to standard error.
    """
    from controller.daemon.from_config import daemon_from

    config = configured(file)
    run_table(config, lambda: daemon_from(config))


def configured(file: Path | None) -> TableConfig:
    """Leaves in words where it can't be used."""
    from controller.config.load import find, load
    from controller.config.problems import BadConfig

    try:
        return load(file if file is not None else find())
    except BadConfig as bad:
        for problem in bad.problems:
            click.echo(problem, err=True)
        raise SystemExit(BAD_RULESET) from bad


def run_table(config: TableConfig, make: Callable[[], Daemon], ended: Callable[[], None] = lambda: None) -> None:
    """Until it is told to end; `ended` is called then. Leaves in words, with a status, where it can't start."""
    from controller.daemon.logs import log_to
    from controller.store.errors import JournalError
    from controller.surfaces.web.refusals import WebRefused
    from drivers.registry import BadSetting

    log_to()
    for note in config.notes:
        _log.info("%s", note.message)
    try:
        asyncio.run(_run(make, ended))
    except JournalError as error:
        fail(BROKEN, "journal", str(error), as_json=False)
    except BadSetting as error:
        fail(UNUSABLE, "device", f"{error}.", as_json=False)
    except WebRefused as error:
        fail(CANT_LISTEN, "web", str(error), as_json=False)


async def _run(make: Callable[[], Daemon], ended: Callable[[], None] = lambda: None) -> None:
    daemon = make()
    loop = asyncio.get_running_loop()

    def end(number: signal.Signals) -> None:
        _log.info("%s: the table ends", number.name)
        daemon.stop()
        for each in ENDS:  # the next one is the kernel's to carry out, whatever we are stuck in: the journal bears it
            loop.remove_signal_handler(each)
            signal.signal(each, signal.SIG_DFL)

    for each in ENDS:
        loop.add_signal_handler(each, end, each)
    loop.add_signal_handler(signal.SIGHUP, lambda: _log.info("SIGHUP: ignored; the log is standard error"))
    try:
        await daemon.run()
    finally:
        ended()
    if daemon.left:  # the program would wait for it for ever
        logging.shutdown()
        os._exit(LEFT_BEHIND)
