"""`croupier people`: who may sign in at a table's pages, and in which role. PINs are asked for without echo, and never
taken from the command line, where every program on the machine could read them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from controller.cli.common import BAD_RULESET, REFUSED, USAGE, fail, json_option, print_json

if TYPE_CHECKING:
    from controller.people.book import People

ROLES: Final = ("viewer", "dealer", "supervisor", "technician")
PIN_BYTES: Final = 100  # that are read of standard input; a PIN has at most 12 digits

Command = TypeVar("Command", bound=Callable[..., Any])
T = TypeVar("T")


@click.group()
def people() -> None:
    """Who may sign in at the table's pages: add, list, remove, give a new PIN, unlock.

    The file is beside the table's journal, its owner's alone; a daemon that runs the table knows of a change at once.
    """


def _options(command: Command) -> Command:
    words = "The table's configuration; else table.toml, as for check."
    return click.option("--config", type=click.Path(path_type=Path), help=words)(json_option(command))


def _pin_option(command: Command) -> Command:
    words = "Read the PIN from standard input: its first line."
    return click.option("--pin-stdin", is_flag=True, help=words)(command)


@people.command()
@click.argument("name")
@click.option("--role", required=True, type=click.Choice(ROLES), help="What the person may see and do.")
@_pin_option
@_options
def add(name: str, role: str, pin_stdin: bool, config: Path | None, as_json: bool) -> None:
    """Add NAME, and ask for a PIN of 4 to 12 digits.

    A viewer sees what the public sees; a dealer deals; a supervisor does everything at the table; a technician sees
    the devices and sets faulty ones aside.
    """
    from controller.people.book import Person, good_name, read_people
    from controller.people.errors import BadName
    from controller.people.pins import hash_pin

    path = _file(config, as_json)
    try:
        name = good_name(name)
    except BadName as error:
        fail(USAGE, "bad_name", str(error), as_json)
    if _in_words(lambda: read_people(path), as_json).named(name) is not None:  # before anybody thinks of a PIN
        fail(USAGE, "bad_name", f"{name} is there already; croupier people pin gives a new PIN.", as_json)
    pin = hash_pin(_ask_pin(name, pin_stdin, as_json))
    person = Person(name, next(each for each in ROLES if each == role), pin, int(time.time()))
    _change(path, lambda now: now.plus(person), as_json)
    _done(f"{name} may sign in as {role}.", {"name": name, "role": role}, as_json)


@people.command("list")
@_options
def list_people(config: Path | None, as_json: bool) -> None:
    """List who may sign in, with roles."""
    from controller.people.book import read_people

    path = _file(config, as_json)
    found = _in_words(lambda: read_people(path), as_json).people
    if as_json:
        print_json(
            {"people": [{"name": each.name, "role": each.role, "created": _moment(each.created)} for each in found]}
        )
        return
    width = max((len(each.name) for each in found), default=0)
    for each in found:
        click.echo(f"{each.name:<{width}}  {each.role:<10}  since {_moment(each.created)[:10]}")
    if not found:
        click.echo("Nobody yet. croupier people add NAME --role supervisor adds the first.")


@people.command()
@click.argument("name")
@_options
def remove(name: str, config: Path | None, as_json: bool) -> None:
    """Remove NAME, who is signed out at once everywhere."""
    _change(_file(config, as_json), lambda now: now.minus(name), as_json)
    _done(f"{name} can't sign in any more.", {"name": name, "removed": True}, as_json)


@people.command()
@click.argument("name")
@_pin_option
@_options
def pin(name: str, pin_stdin: bool, config: Path | None, as_json: bool) -> None:
    """Give NAME a new PIN. Who is signed in under this name is signed out; a lock ends."""
    from controller.people.book import read_people
    from controller.people.pins import hash_pin

    path = _file(config, as_json)
    known = _in_words(lambda: read_people(path).known(name), as_json).name
    new = hash_pin(_ask_pin(known, pin_stdin, as_json))
    _change(path, lambda now: now.changed(name, pin=new), as_json)
    _done(f"{known} has a new PIN.", {"name": known, "changed": True}, as_json)


@people.command()
@click.argument("name")
@_options
def unlock(name: str, config: Path | None, as_json: bool) -> None:
    """Let NAME try again at once, after too many wrong PINs."""
    _change(_file(config, as_json), lambda now: now.changed(name, unlocked=_later(now, name)), as_json)
    _done(f"{name} may try again.", {"name": name, "unlocked": True}, as_json)


def _later(now: People, name: str) -> int:
    """Another moment than the last time, also within one second and where the clock was set back."""
    return max(int(time.time()), now.known(name).unlocked + 1)


def _file(config: Path | None, as_json: bool) -> Path:
    """Beside the journal that the configuration names; the rest of it may be wrong just now."""
    from controller.config.load import find
    from controller.config.part import Part
    from controller.config.problems import BadConfig
    from controller.config.sheet import Sheet
    from controller.config.web import read_journal
    from controller.people.book import people_path

    try:
        sheet = Sheet.read(config if config is not None else find())
        top = Part(sheet, (), sheet.data)
        journal = read_journal(top.table("journal"), top)
        if sheet.problems:
            raise BadConfig(sheet.problems)
    except BadConfig as bad:
        fail(BAD_RULESET, "bad_config", str(bad), as_json)
    return people_path(journal)


def _in_words(work: Callable[[], T], as_json: bool) -> T:
    """Leaves the program with what is wrong."""
    from controller.people.errors import BadName, PeopleRefused

    try:
        return work()
    except BadName as error:
        fail(USAGE, "bad_name", str(error), as_json)
    except PeopleRefused as error:
        fail(BAD_RULESET, "people_file", str(error), as_json)


def _change(path: Path, change: Callable[[People], People], as_json: bool) -> None:
    from controller.people.book import change_people

    _in_words(lambda: change_people(path, change), as_json)


def _ask_pin(name: str, from_stdin: bool, as_json: bool) -> str:
    """Leaves the program where it is a bad one."""
    from controller.people.errors import BadPin
    from controller.people.pins import check_pin

    if from_stdin:
        pin = sys.stdin.buffer.readline(PIN_BYTES).decode("utf-8", "replace").strip()
    elif not sys.stdin.isatty():
        fail(USAGE, "no_terminal", "There is nobody to ask for a PIN: say --pin-stdin, and write it there.", as_json)
    else:
        pin = click.prompt(f"PIN for {name}", hide_input=True, confirmation_prompt="The same again", err=True)
    try:
        check_pin(pin)
    except BadPin as error:
        fail(REFUSED, "bad_pin", str(error), as_json)
    return pin


def _done(words: str, fields: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(fields)
    else:
        click.echo(words)


def _moment(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
