"""`croupier round`: a round of the running table that is over, as it lay on the felt, or as a script to settle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from controller.cli.client import API, Table, find_table, table_options
from controller.cli.common import REFUSED, fail, print_json

if TYPE_CHECKING:
    from controller.daemon.past_told import RoundTold


@click.command("round")
@click.argument("number", type=click.IntRange(min=1), required=False)
@click.option("--script", is_flag=True, help="Print it as a round script, which croupier settle plays.")
@table_options
def round_(number: int | None, script: bool, config: Path | None, socket: Path | None, as_json: bool) -> None:
    """Show round NUMBER; without it, the last one that is over.

    Exits with 6 where there is none such. A round in play is not shown: `croupier status` and `croupier tail` do that.
    """
    from controller.daemon.past_told import RoundTold

    table = find_table(config, socket, as_json)
    if number is None:
        number = _last(table)
    address = f"{API}/rounds/{number}"
    if script or as_json:
        print_json(table.get(f"{address}?form=script" if script else address, dict[str, Any]))
        return
    _show(table.get(address, RoundTold))


def _last(table: Table) -> int:
    from controller.surfaces.web.answers import RoundList

    rounds = table.get(f"{API}/rounds?limit=1", RoundList).rounds
    if not rounds:
        fail(REFUSED, "no_rounds", "No round is over yet at this table.", table.as_json)
    try:
        return int(rounds[0]["number"])
    except (KeyError, TypeError, ValueError):
        table.strange("its list of rounds has another form")


def _show(told: RoundTold) -> None:
    from controller.cli.table_words import amount, cards_words, hand_name, net_words, result_words

    how = f"void ({told.void_reason})" if told.status == "void" else "settled"
    click.echo(f"round {told.number} of {told.game}, {told.began}: {how}")
    if told.problem:
        click.echo(f"    It can't be shown as it lay. {told.problem}")
    for hand in [*([told.dealer] if told.dealer is not None else []), *told.hands]:
        total = f" = {hand.total}" if hand.total else ""
        wager = f", bet {amount(hand.wager)}" if hand.wager is not None else ""
        result = f"; {result_words(hand)}" if hand.outcome else ""
        click.echo(f"    {hand_name(hand, told.hands)}{wager}: {cards_words(hand.cards)}{total}{result}")
    for bet in told.side_bets:
        wager = f", bet {amount(bet.wager)}" if bet.wager is not None else ""
        click.echo(f"    seat {bet.seat}, {bet.title}{wager}: {result_words(bet) or 'not settled'}")
    if net := net_words(told.net):
        click.echo(f"    net: {net}")
    if told.corrected:
        changed = net_words(told.difference) or "nothing changed hands"
        click.echo(f"    corrected {'once' if told.corrected == 1 else f'{told.corrected} times'} since: {changed}")
