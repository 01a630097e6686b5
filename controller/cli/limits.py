"""`croupier limits`: the limits of the running table, and new ones for a bet, scheduled with who and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from controller.cli.client import Table, find_table, table_options
from controller.cli.common import USAGE, fail, print_json


@click.group(invoke_without_command=True)
@table_options
@click.pass_context
def limits(ctx: click.Context, config: Path | None, socket: Path | None, as_json: bool) -> None:
    """Show the limits of the running table, with what is scheduled."""
    if ctx.invoked_subcommand is not None:
        if config or socket or as_json:
            raise click.UsageError(f"write options behind the command: croupier limits {ctx.invoked_subcommand} …")
        return
    _show(find_table(config, socket, as_json))


@limits.command("set")
@click.argument("bet")
@click.option("--min", "least", metavar="AMOUNT", help="The least that may be bet; left out, as it is.")
@click.option("--max", "most", metavar="AMOUNT", help="The most; left out, as it is.")
@click.option("--step", metavar="AMOUNT", help="By which bets go up; left out, as it is.")
@click.option("--policy", default="next_round", show_default=True, help="When: next_round, next_shoe, notice:30m.")
@click.option("--why", required=True, help="Why, for the journal.")
@table_options
def set_limits(
    bet: str,
    least: str | None,
    most: str | None,
    step: str | None,
    policy: str,
    why: str,
    config: Path | None,
    socket: Path | None,
    as_json: bool,
) -> None:
    """Schedule new limits for BET: main, or the name of a side bet. Exits with 6 where the table refuses them."""
    from controller.table.views import PublicView

    table = find_table(config, socket, as_json)
    if least is None and most is None and step is None:
        fail(USAGE, "no_limits", "Say what changes: --min, --max or --step.", as_json)
    view, _ = table.view("public", PublicView)
    now = next((each for each in view.limits if each.bet == bet), None)
    given = {
        "min": least or (now.min if now else "0"),
        "max": most or (now.max if now else "0"),
        "step": step or (now.step if now else "0"),
    }
    said = table.enter({"input": "limits", "bet": bet, **given, "policy": policy, "why": why})
    if as_json:
        print_json(said)
    else:
        _show(table)


def _show(table: Table) -> None:
    from controller.cli.table_words import limit_lines
    from controller.table.views import PublicView

    if table.as_json:
        state, _ = table.view("public", dict[str, Any])
        print_json({"limits": state.get("limits", [])})
        return
    view, _ = table.view("public", PublicView)
    for line in limit_lines(view.limits):
        click.echo(line)
    if not view.limits:
        click.echo("This table has no limits.")
