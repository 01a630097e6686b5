"""`croupier games`: the games there are, their rules in words, the options, and checking a house's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from controller.cli.common import (
    BAD_RULESET,
    fail,
    json_option,
    print_json,
    rule_options,
    rules_for,
)
from controller.cli.games_card import card
from controller.library import game_names, load_file, load_game
from controller.rules.errors import RulesetError
from controller.rules.options import OPTIONS
from controller.rules.ruleset import Ruleset
from controller.rules.words.rules_card import plain_card, rules_card
from controller.rules.words.sign import sign_lines
from controller.rules.written import options as written_options


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def games(ctx: click.Context, as_json: bool) -> None:
    """The games Croupier deals. Without a command: list them."""
    if ctx.invoked_subcommand is not None:
        return
    rulesets = [load_game(name) for name in game_names()]
    if as_json:
        print_json([_summary(rules) for rules in rulesets])
        return
    wide = max(len(rules.game) for rules in rulesets)
    for rules in rulesets:
        click.echo(f"{rules.game:<{wide}}  {rules.summary}")


def _summary(rules: Ruleset) -> dict[str, Any]:
    return {
        "game": rules.game,
        "name": rules.name,
        "summary": rules.summary,
        "side_bets": list(rules.side_bets),
        "sign": list(sign_lines(rules)),
    }


games.add_command(card)


@games.command()
@click.argument("game")
@rule_options
@click.option("--markdown", is_flag=True, help="Print the rules card as Markdown.")
@json_option
def show(game: str, options: tuple[str, ...], markdown: bool, as_json: bool) -> None:
    """Print the rules card of GAME (a name, or a house's .toml file)."""
    rules = rules_for(game, options, as_json)
    if as_json:
        print_json(_summary(rules) | {"options": written_options(rules), "card": rules_card(rules)})
    else:
        click.echo(rules_card(rules) if markdown else plain_card(rules), nl=False)


@games.command()
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def check(file: Path, as_json: bool) -> None:
    """Check a house's ruleset FILE; exit status 7 if it can't be used."""
    try:
        rules = load_file(file)
    except RulesetError as error:
        if not as_json:
            fail(BAD_RULESET, "bad_ruleset", str(error), as_json)
        keys = ("source", "line", "key", "problem", "allowed", "nearest")
        print_json({"error": "bad_ruleset", "message": str(error)} | {key: getattr(error, key) for key in keys})
        raise SystemExit(BAD_RULESET) from error
    if as_json:
        print_json({"ok": True} | _summary(rules) | {"options": written_options(rules)})
    else:
        click.echo(f"{file}: good. {rules.name}; the sign would say:")
        for line in sign_lines(rules):
            click.echo(f"  {line}")


@games.command()
@json_option
def options(as_json: bool) -> None:
    """List every rule option: its key, what it says, what it may be, its default."""
    if as_json:
        print_json(
            [
                {"key": o.key, "about": o.about, "allowed": o.kind.allowed, "default": o.default}
                for o in OPTIONS.values()
            ]
        )
        return
    for option in OPTIONS.values():
        click.echo(f"{option.key}\n    {option.about}\n    allowed: {option.kind.allowed}; default: {option.default}")
