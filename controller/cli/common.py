"""What commands share: reading `-o key=value`, finding a game by name or file, and failing in words."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import click

from controller.library import load_file, load_game
from controller.rules.errors import Refused, RulesetError
from controller.rules.ruleset import Ruleset

USAGE: Final = 2
NO_DAEMON: Final = 3
UNUSABLE: Final = 4
BROKEN: Final = 5
REFUSED: Final = 6
BAD_RULESET: Final = 7
CANT_LISTEN: Final = 8
CUT: Final = 9

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(command)


def rule_options(command: Command) -> Command:
    words = "Set a rule, e.g. -o decks=8 -o blackjack_pays=6:5; may be repeated."
    return click.option("-o", "--option", "options", multiple=True, metavar="KEY=VALUE", help=words)(command)


def read_options(pairs: tuple[str, ...]) -> dict[str, Any]:
    """`("decks=8", "side_bets.perfect_pairs.offered=false")` as the nested table a file would hold."""
    options: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.strip():
            raise click.BadParameter(f"{pair!r} is not KEY=VALUE", param_hint="-o")
        *tables, last = key.strip().split(".")
        table = options
        for name in tables:
            table = table.setdefault(name, {})
            if not isinstance(table, dict):
                raise click.BadParameter(f"{pair!r}: {name} is a value already", param_hint="-o")
        table[last] = _value(text.strip())
    return options


def _value(text: str) -> Any:
    """A value as TOML would read it; anything else is text, so that 3:2 needs no quotes."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def rules_for(called: str, pairs: tuple[str, ...], as_json: bool) -> Ruleset:
    """A game by name, or a house's file (anything that ends in .toml), with options; leaves the program on error."""
    options = read_options(pairs)
    try:
        if called.endswith(".toml"):
            return load_file(Path(called), options, "-o")
        return load_game(called, options, "-o")
    except Refused as refused:
        fail(USAGE, refused.code, refused.message, as_json)
    except RulesetError as error:
        code = USAGE if error.source == "-o" else BAD_RULESET
        fail(code, f"{error.kind}_option" if code == USAGE else "bad_ruleset", str(error), as_json)


def fail(status: int, code: str, message: str, as_json: bool) -> NoReturn:
    """Say what is wrong, to a person or to a program, and leave."""
    if as_json:
        print_json({"error": code, "message": message})
    else:
        click.echo(f"error: {message}", err=True)
    sys.exit(status)


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))
