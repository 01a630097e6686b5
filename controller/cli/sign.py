"""`croupier sign`: what the limit sign says about a game's rules."""

from __future__ import annotations

import click

from controller.cli.common import json_option, print_json, rule_options, rules_for
from controller.rules.words.sign import sign_lines


@click.command()
@click.argument("game")
@rule_options
@json_option
def sign(game: str, options: tuple[str, ...], as_json: bool) -> None:
    """Print the sign's lines for GAME (a name, or a house's .toml file) with its options."""
    rules = rules_for(game, options, as_json)
    lines = sign_lines(rules)
    if as_json:
        print_json({"game": rules.game, "name": rules.name, "lines": list(lines)})
        return
    click.echo(rules.name.upper())
    for line in lines:
        click.echo(line)
