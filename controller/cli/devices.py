"""`croupier devices`: which ports there are and who answers at them, and the configuration line to copy."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from controller.cli.client import API, find_table, table_options
from controller.cli.common import UNUSABLE, USAGE, fail, json_option, print_json
from controller.cli.devices_show import Printer, port_object

if TYPE_CHECKING:
    from drivers.discovery.candidates import Candidate
    from drivers.discovery.survey import Machine

NOTHING: Final = """\
No port here that a device could be at.
Plug the device or its USB adapter in; croupier devices --watch tells when it appears.
A device on the network is asked by its address: croupier devices ask socket://host:port"""


@click.group(invoke_without_command=True)
@click.option("--watch", is_flag=True, help="Go on and print what changes, until Ctrl-C.")
@click.option("--no-ask", is_flag=True, help="Only look: open no port and send nothing.")
@click.option("--table", is_flag=True, help="What the running table says of its own devices, instead.")
@table_options
@click.pass_context
def devices(
    ctx: click.Context,
    watch: bool,
    no_ask: bool,
    table: bool,
    config: Path | None,
    socket: Path | None,
    as_json: bool,
) -> None:
    """List every port a device could be at: its names, who holds it, who answers, and the line to copy.

    Ports that nobody holds are listened to for a moment and then asked with TableLink's HELLO, 15 bytes. An Angel Eye
    shoe must not be sent anything; it is left alone if it is heard, and --no-ask makes sure. With --json the list is
    one array; with --watch too, each change is one object a line. With --table no port is looked at: the running
    daemon is asked, by its --config or --socket, and the exit status is 3 where none runs.
    """
    if ctx.invoked_subcommand is not None:
        if watch or no_ask or table or config or socket or as_json:
            raise click.UsageError(f"write options behind the command: croupier devices {ctx.invoked_subcommand} …")
        return
    if table:
        if watch or no_ask:
            raise click.UsageError("--table asks the daemon: leave --watch and --no-ask out")
        _of_table(config, socket, as_json)
        return
    if config or socket:
        raise click.UsageError("--config and --socket go with --table")
    from drivers.discovery.survey import HERE

    machine: Machine = ctx.obj or HERE
    try:
        asyncio.run(_watch(machine, not no_ask, as_json) if watch else _list(machine, not no_ask, as_json))
    except KeyboardInterrupt:
        if not watch:
            raise


def _of_table(config: Path | None, socket: Path | None, as_json: bool) -> None:
    from controller.cli.table_words import device_lines
    from controller.surfaces.web.answers import Devices

    running = find_table(config, socket, as_json)
    if as_json:
        print_json(running.get(f"{API}/devices", dict[str, Any]))
        return
    heard = running.get(f"{API}/devices", Devices)
    for line in device_lines(heard.devices, heard.at):
        click.echo(line)


async def _list(machine: Machine, asks: bool, as_json: bool) -> None:
    from drivers.discovery.survey import Looked, ask_all, look_around
    from drivers.discovery.watch import NOT_ASKED

    ports = await look_around(machine)
    if asks and ports and sys.stderr.isatty():
        click.echo("Asking who is there; this takes up to ten seconds …", err=True)
    looked = await ask_all(ports, machine) if asks else [Looked(port, NOT_ASKED) for port in ports]
    if as_json:
        print_json([port_object(each, ports) for each in looked])
    elif not looked:
        click.echo(NOTHING)
    else:
        printer = Printer()
        for each in looked:
            printer.block(each, ports)


async def _watch(machine: Machine, asks: bool, as_json: bool) -> None:
    from drivers.discovery.watch import changes

    printer = Printer()
    async for change in changes(machine, asks=asks):
        if as_json:
            print_json({"change": change.change, "port": port_object(change.looked, change.among)})
        else:
            printer.change(change)
        sys.stdout.flush()


@devices.command()
@json_option
def drivers(as_json: bool) -> None:
    """List the drivers with what they can tell and what each rests on (see the README for the grades)."""
    from drivers.registry import describe

    known = describe()
    if as_json:
        print_json(msgspec.to_builtins(known))
        return
    for each in known:
        click.echo(f"{each.kind}.{each.name}: {each.title or 'no title'}{'  SIMULATED' if each.simulated else ''}")
        if each.problem:
            click.echo(f"    can't be used: {each.problem}")
            continue
        click.echo(f"    can: {', '.join(each.capabilities) or 'nothing beyond its kind'}; from {each.origin}")
        click.echo(f"    evidence: {each.grade}")


@devices.command()
@click.argument("address")
@click.option("--role", type=click.Choice(["shoe", "sign", "panel"]), help="As which it must answer.")
@click.option("--baud", type=click.IntRange(min=50), multiple=True, help="Ask at this speed only; may be repeated.")
@json_option
@click.pass_context
def ask(ctx: click.Context, address: str, role: str | None, baud: tuple[int, ...], as_json: bool) -> None:
    """Ask one ADDRESS who is there: /dev/…, by-id:…, usb:VID:PID, socket://host:port, rfc2217://host:port.

    Exits with 4 where no TableLink device answers, or one in another role. Works on a simulated device's path too.
    """
    from drivers.discovery.probe import BAUDS, probe
    from drivers.discovery.survey import HERE
    from drivers.errors import BadSetting

    if address == "auto":
        fail(USAGE, "not_an_address", "auto is no address to ask: croupier devices asks every port.", as_json)
    machine: Machine = ctx.obj or HERE
    bauds: Sequence[int] = baud or BAUDS
    if address.startswith("socket://"):
        if baud:
            fail(USAGE, "no_speed", "A socket has no speed: leave --baud out.", as_json)
        bauds = ()
    try:
        outcome = asyncio.run(probe(address, machine.opening, bauds=bauds, patience=machine.patience))
    except BadSetting as error:
        fail(USAGE, "bad_address", f"{error}", as_json)
    answer = outcome.answer
    if answer is None:
        code = "held" if outcome.said == "held" else "no_answer"
        words = outcome.words if outcome.words.startswith(address) else f"{address}: {outcome.words}"
        fail(UNUSABLE, code, ". ".join(filter(None, (words, outcome.advice))), as_json)
    if role is not None and role not in answer.roles:
        fail(UNUSABLE, "wrong_role", f"{address}: wanted a {role}, and it {outcome.words}.", as_json)
    if as_json:
        print_json({"address": address, **msgspec.to_builtins(answer)})
        return
    click.echo(f"{address} {outcome.words}")
    speed = f" at {answer.baud} baud" if answer.baud else ""
    click.echo(f"    can: {', '.join(answer.capabilities) or 'nothing beyond its role'}; boot {answer.boot:08X}{speed}")


@devices.command("udev-rule")
@click.argument("port", required=False)
@click.option("--name", default="table-shoe", show_default=True, help="What the port is to be called in /dev.")
@json_option
@click.pass_context
def udev_rule(ctx: click.Context, port: str | None, name: str, as_json: bool) -> None:
    """Print a udev rule that gives the adapter at PORT a name that stays. PORT may be left out if there is only one."""
    from drivers.discovery import udev
    from drivers.discovery.survey import HERE
    from drivers.errors import BadSetting

    machine: Machine = ctx.obj or HERE
    ports = list(machine.look())
    chosen = _chosen(port, ports, as_json)
    try:
        rule = udev.udev_rule(chosen, ports, name)
    except BadSetting as error:
        fail(USAGE, "bad_rule", f"{error}.", as_json)
    if as_json:
        print_json({"port": chosen.path, "name": name, "file": udev.RULES_FILE, "rule": rule})
    else:
        click.echo(rule, nl=False)


def _chosen(wanted: str | None, ports: Sequence[Candidate], as_json: bool) -> Candidate:
    """The port a person means: ttyUSB0, its path, or any address that only one has."""
    usable = [each.path for each in ports if not each.is_console]
    there = f"There are {', '.join(usable)}." if usable else "There is none on this machine."
    if wanted is None:
        fitting = [each for each in ports if each.vid] or [each for each in ports if not each.is_console]
        if len(fitting) > 1:
            fail(USAGE, "which_port", f"Say which port the rule is for. {there}", as_json)
    else:
        fitting = [each for each in ports if wanted == each.name or each.is_at(wanted)]
        if len(fitting) > 1:
            both = ", ".join(each.path for each in fitting)
            fail(USAGE, "which_port", f"{wanted} means several ports: name one of {both}.", as_json)
    if not fitting:
        what = f"{wanted} is no port a device could be at" if wanted else "There is no port to make a rule for"
        fail(UNUSABLE, "no_such_port", f"{what}. {there}", as_json)
    return fitting[0]
