"""`croupier narrate`: a round of each game, told as it is dealt. Needs no device; shows only what a watcher may see."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from controller.cli.common import USAGE, fail, json_option, print_json
from controller.cli.narrate_rounds import ROUNDS
from controller.library import game_names, load_game
from controller.rules.engine.events import Event, HandSettled, SideBetSettled
from controller.rules.engine.inputs import Input
from controller.rules.engine.round import Round
from controller.rules.engine.settlement import settlement
from controller.rules.errors import nearest
from controller.rules.money import money_words
from controller.rules.report import settlement_object
from controller.rules.ruleset import Ruleset
from controller.rules.script import Script, play, read_script
from controller.rules.words.narrate import card_sign
from controller.rules.words.narrate import narrate as sentences
from controller.rules.words.sign import sign_lines
from controller.rules.words.why import why_hand, why_side_bet

if TYPE_CHECKING:
    from rich.console import Console

PAUSE_S: Final = 0.35  # long enough to read a line, short enough for five rounds in about a minute


@click.command()
@click.argument("game", required=False)
@click.option("--fast", is_flag=True, help="Do not pause between the lines.")
@json_option
def narrate(game: str | None, fast: bool, as_json: bool) -> None:
    """Deal one narrated round of each game, or of GAME alone, on simulated cards."""
    rounds = [told_round for told_round in ROUNDS if game is None or _is_called(told_round, game)]
    if not rounds:
        near = nearest(game or "", game_names())
        hint = f" Did you mean {near}?" if near else ""
        fail(USAGE, "unknown_game", f"There is no game {game!r}.{hint} There are {', '.join(game_names())}.", as_json)
    scripts = [(told_round["title"], read_script(told_round, load_game)) for told_round in rounds]
    if as_json:
        print_json([_as_json(title, script) for title, script in scripts])
        return
    from rich.console import Console

    console = Console(highlight=False)
    pause = PAUSE_S if console.is_terminal and not fast else 0
    for title, script in scripts:
        _tell(console, title, script, pause)
    console.print("Every card above was SIMULATED. Rules of a game: [bold]croupier games show power_blackjack[/bold]")


def _is_called(told_round: dict[str, Any], game: str) -> bool:
    called: str = told_round["game"]
    return called == game.replace("-", "_")


def _as_json(title: str, script: Script) -> dict[str, Any]:
    told: list[str] = []
    done = play(script, lambda r, what, events: told.extend(sentences(r, what, events)))
    return {
        "game": script.rules.game,
        "title": title,
        "simulated": True,
        "told": told,
        "settlement": settlement_object(script.rules, settlement(done)),
    }


def _tell(console: Console, title: str, script: Script, pause: float) -> None:
    console.rule(f"[bold]{script.rules.name}[/bold]")
    console.print(f"[italic]{title}[/italic]")
    console.print(f"The sign: {' · '.join(sign_lines(script.rules)[:5])}", style="dim")

    def watch(r: Round, what: Input, events: Sequence[Event]) -> None:
        for sentence in sentences(r, what, events):
            time.sleep(pause)
            console.print(f"  {sentence}")

    _print_results(console, script.rules, play(script, watch))


def _print_results(console: Console, rules: Ruleset, done: Round) -> None:
    from rich.table import Table

    result = settlement(done)
    table = Table("seat", "bet", "wager", "result", "why", box=None, padding=(0, 2, 0, 0))
    for hand in result.hands:
        several = len(done.seats[hand.result.seat].hands) > 1
        seat = f"{hand.result.seat}/{hand.result.hand}" if several else str(hand.result.seat)
        cards = f"{' '.join(map(card_sign, hand.cards))} = {hand.total}"
        table.add_row(seat, cards, *_money(hand.result), why_hand(rules, hand, result.dealer))
    for bet in result.side_bets:
        offered = rules.side_bets.get(bet.bet)
        name = offered.bet.title if offered else bet.bet
        table.add_row(str(bet.seat), name, *_money(bet), why_side_bet(rules, bet))
    console.print(table)
    dealer = " ".join(map(card_sign, result.dealer.cards))
    nets = ", ".join(f"seat {seat} {money_words(net or 0)}" for seat, net in result.net.items())
    console.print(f"Dealer {dealer} = {result.dealer.total}. Net: {nets}. Cards used: {result.cards_used}.\n")


def _money(settled: HandSettled | SideBetSettled) -> tuple[str, str]:
    outcome = settled.outcome.replace("_", " ")
    return money_words(settled.wager or 0), f"{outcome} {money_words(settled.net or 0)}"
