"""`croupier check`: every mistake of a configuration at its place, or in words what it sets up. Opens no device."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from controller.cli.common import BAD_RULESET, json_option, print_json

if TYPE_CHECKING:
    from controller.config.model import TableConfig
    from controller.config.problems import Problem


@click.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--print-default", is_flag=True, help="Print a configuration to start from, with every key explained.")
@json_option
def check(file: Path | None, print_default: bool, as_json: bool) -> None:
    """Check the configuration FILE; exit status 7 if it can't be used.

    Without FILE: table.toml here, then /etc/croupier/table.toml.
    """
    from controller.config.load import find, load
    from controller.config.problems import BadConfig, printable

    if print_default:
        click.echo(default_text(), nl=False)
        return
    try:
        config = load(file if file is not None else find())
    except BadConfig as bad:
        _tell(bad.problems, as_json)
        raise SystemExit(BAD_RULESET) from bad
    if as_json:
        print_json({"problems": [], "notes": [_fields(note) for note in config.notes]})
        return
    click.echo(printable("\n".join(summary(config))))
    for note in config.notes:
        click.echo(f"note: {note}")


def default_text() -> str:
    from importlib import resources

    return (resources.files("controller.config") / "default.toml").read_text(encoding="utf-8")


def _tell(problems: tuple[Problem, ...], as_json: bool) -> None:
    if as_json:
        print_json({"problems": [_fields(problem) for problem in problems]})
        return
    for problem in problems:
        click.echo(problem, err=True)
    click.echo("1 problem" if len(problems) == 1 else f"{len(problems)} problems", err=True)


def _fields(problem: Problem) -> dict[str, Any]:
    from controller.config.problems import printable

    return {
        "path": printable(str(problem.path)),
        "line": problem.line,
        "column": problem.column,
        "key": problem.key,
        "message": problem.message,
    }


def summary(config: TableConfig) -> list[str]:
    """What the table is, in words, a line each."""
    table, rules = config.table, config.rules
    seats = "1 seat" if table.seats == 1 else f"{table.seats} seats"
    decks = "1 deck" if config.shoe.decks == 1 else f"{config.shoe.decks} decks"
    lines = [
        f"{config.path}: good",
        f"{table.name}: {rules.name}, {seats}, {decks}{', SIMULATED' if table.simulated else ''}",
    ]
    currency = f" ({table.currency})" if table.currency else ""
    worth = {"cash": "", "play": ", no cash value", "points": ", in points"}[table.money]
    lines += [f"limits of {bet}: {limits.words()}{currency}{worth}" for bet, limits in config.limits.items()]
    if not table.wagers:
        lines.append("wagers are not kept")
    lines.append(f"shoe: {config.shoe.driver_name}, {config.shoe.address}")
    lines += [f"{each.name} shows {each.shows}: {each.driver_name}, {each.address}" for each in config.displays]
    lines += [f"{each.name}: {each.driver_name}, {each.address}" for each in config.consoles]
    lines.append(f"journal: {config.journal}")
    if config.web is not None:
        host = f"[{config.web.host}]" if ":" in config.web.host else config.web.host
        scheme = "https" if config.web.certificate else "http"
        lines.append(f"pages: {scheme}://{host}:{config.web.port}")
    lines.append(f"socket: {config.socket}")
    return lines
