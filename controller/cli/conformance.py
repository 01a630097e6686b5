"""`croupier conformance`: tries the rules of TableLink on a device, for the person who writes its firmware."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
import msgspec

from controller.cli.common import UNUSABLE, USAGE, fail, json_option, print_json

if TYPE_CHECKING:
    from hil.conformance.helper import Terminal
    from hil.conformance.start import Wanted
    from hil.conformance.verdicts import Report

Command = TypeVar("Command", bound=Callable[..., Any])
DOES_NOT_CONFORM: Final = 1
MAX_LINE: Final = 200  # characters of what a person types

EPILOG: Final = """\b
Exit codes:
  0  it conforms, in everything that could be tried
  1  it does not, or nothing that was asked for could be tried
  2  the command line is wrong: an unknown rule, an address that can't be, a file that can't be written
  4  no device, another kind of device, another protocol version or key; or it went away before the end
"""


@click.group(epilog=EPILOG)
def conformance() -> None:
    """Try the rules of firmware_protocol/PROTOCOL.md on a device, one by one; docs/conformance.md tells more.

    Some need something to happen at the device: a card, a restart. --stimulus names a second port on which the kit
    orders it (hil/stimulus.py), else you are asked at the terminal. Without either, they are listed as not tried.
    """


def _options(command: Command) -> Command:
    for option in reversed(
        (
            click.option(
                "--port", required=True, metavar="ADDRESS", help="/dev/…, by-id:…, usb:…, socket://…, or simulated."
            ),
            click.option("--baud", type=click.IntRange(min=50), help="Of the line.  [default: 115200]"),
            click.option("--key-file", default="", help="Holds the device's key in hexadecimal, where it has one."),
            click.option("--stimulus", metavar="ADDRESS", help="A second port, on which what is to happen is ordered."),
            click.option("--stimulus-baud", type=click.IntRange(min=50), default=115200, show_default=True),
            click.option("--no-hands", is_flag=True, help="Ask nobody: leave out what needs a hand, and say so."),
            click.option("--only", multiple=True, metavar="ID…", help="These ids, or groups such as framing, alone."),
            click.option("--junit", type=click.Path(path_type=Path, dir_okay=False), help="Write JUnit XML there."),
            click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write a report page there."),
            json_option,
            click.argument("more", nargs=-1, metavar="[ID]..."),
        )
    ):
        command = option(command)
    return command


@conformance.command(epilog=EPILOG)
@_options
def shoe(**given: Any) -> None:
    """A dealing shoe."""
    _conform("shoe", **given)


@conformance.command(epilog=EPILOG)
@_options
def sign(**given: Any) -> None:
    """A sign or a display."""
    _conform("sign", **given)


@conformance.command(epilog=EPILOG)
@_options
def panel(**given: Any) -> None:
    """A key panel."""
    _conform("panel", **given)


def _conform(
    role: str,
    *,
    port: str,
    baud: int | None,
    key_file: str,
    stimulus: str | None,
    stimulus_baud: int,
    no_hands: bool,
    only: tuple[str, ...],
    more: tuple[str, ...],
    junit: Path | None,
    html: Path | None,
    as_json: bool,
) -> None:
    from drivers.errors import BadSetting
    from drivers.tablelink_link import read_key
    from hil.conformance.rules import RULES, NoSuchRule, chosen
    from hil.conformance.start import Wanted

    if more and not only:
        fail(USAGE, "usage", f"{' '.join(more)}: write --only before the ids that alone are to be tried.", as_json)
    if stimulus is not None and stimulus == port:
        fail(USAGE, "usage", "--stimulus is a second port: orders are no part of TableLink.", as_json)
    try:
        rules = chosen((*only, *more)) if only else tuple(RULES)
        key = read_key(key_file)
    except NoSuchRule as error:
        fail(USAGE, "no_such_rule", f"{error}.".replace("..", "."), as_json)
    except BadSetting as error:
        fail(USAGE, "bad_key", f"{error}".replace("key_file:", "--key-file:"), as_json)
    for option, file in (("--junit", junit), ("--html", html)):
        if file is not None and not file.absolute().parent.is_dir():
            fail(USAGE, "bad_file", f"{option}: there is no folder {file.parent} to write {file.name} into.", as_json)
    wanted = Wanted(
        role=role,
        port=port,
        only=rules,
        baud=baud,
        key=key,
        stimulus=stimulus,
        stimulus_baud=stimulus_baud,
        hands=not no_hands,
    )
    report = _run(wanted, as_json)
    _write(report, junit, html, as_json)
    if report.ended and not report.of("fail"):
        sys.exit(UNUSABLE)
    sys.exit(0 if report.conforms else DOES_NOT_CONFORM)


def _run(wanted: Wanted, as_json: bool) -> Report:
    from drivers.errors import BadSetting, DeviceError
    from hil.conformance.run import NoDevice
    from hil.conformance.start import conform, until
    from hil.conformance.words import HEAD, Progress

    progress = Progress(len(wanted.only))

    def say(words: str) -> None:
        if not as_json:
            click.echo(words)
            sys.stdout.flush()

    async def running() -> Report:
        stopped = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        work = conform(wanted, _terminal(as_json), lambda result: say(progress.line(result)), begins)
        return await until(stopped, asyncio.create_task(work))

    def begins(words: str) -> None:
        say(f"{words}\n{HEAD}")

    try:
        return asyncio.run(running())
    except BadSetting as error:
        fail(USAGE, "bad_address", f"{error}.".replace("..", "."), as_json)
    except NoDevice as error:
        fail(UNUSABLE, "no_device", f"{error}.".replace("..", "."), as_json)
    except DeviceError as error:
        fail(UNUSABLE, "port", str(error), as_json)
    except asyncio.CancelledError:
        fail(UNUSABLE, "stopped", "stopped before anything was tried.", as_json)


def _write(report: Report, junit: Path | None, html: Path | None, as_json: bool) -> None:
    from hil.conformance.html import page
    from hil.conformance.junit import junit as junit_of
    from hil.conformance.words import summary

    written = []
    for file, made in ((junit, junit_of), (html, page)):
        if file is not None:
            try:
                file.write_text(made(report), encoding="utf-8")
            except OSError as error:
                fail(USAGE, "bad_file", f"{file} can't be written: {error.strerror}.", as_json)
            written.append(str(file))
    if as_json:
        said = msgspec.to_builtins(report, builtin_types=(bytes,))
        for result in said["results"]:
            for seen in result["evidence"]:
                seen["data"] = seen["data"].hex()
        print_json({"conforms": report.conforms, **said})
        return
    click.echo("")
    click.echo(summary(report))
    for name in written:
        click.echo(f"written: {name}")


def _terminal(as_json: bool) -> Terminal | None:
    """A person to ask, if one sits there."""
    from hil.conformance.helper import Terminal

    if as_json or sys.stdin is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    loop = asyncio.get_running_loop()

    async def ask(what: str) -> str | None:
        click.echo(f"{'':17}>>> {what}: ", nl=False)
        sys.stdout.flush()
        typed: asyncio.Future[str | None] = loop.create_future()
        threading.Thread(target=_read, args=(loop, typed), daemon=True).start()
        return await typed

    return Terminal(lambda words: click.echo(f"{'':17}    {words}"), ask)


def _read(loop: asyncio.AbstractEventLoop, typed: asyncio.Future[str | None]) -> None:
    """In a thread, so that the device hears its pings while somebody thinks."""
    try:
        text = sys.stdin.readline(MAX_LINE)
    except (OSError, ValueError):
        text = ""

    def told() -> None:
        if not typed.done():
            typed.set_result(text.rstrip("\n") if text else None)

    try:
        loop.call_soon_threadsafe(told)
    except RuntimeError:
        return  # the program is ending
