"""`croupier demo`: a whole table on simulated devices over real ptys, with a bot; everything is SIMULATED.

In a browser, with a shoe to draw from and faults to switch; or live in the terminal; or headless, for so many rounds,
failing where anything does not add up.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import msgspec

from controller.cli.common import CANT_LISTEN, fail, json_option, print_json, rules_for
from controller.rules.money import money_words, parse_amount

if TYPE_CHECKING:
    from rich.console import RenderableType

    from controller.cli.demo_house import House
    from controller.cli.demo_table import Demo, Summary
    from controller.daemon.runner import Change
    from controller.rules.ruleset import Ruleset

DOES_NOT_ADD_UP: Final = 1
ROUNDS: Final = 20  # of a headless demo where nothing is said
PACE_S: Final = 0.7  # between two inputs where somebody watches
PORT: Final = 8030  # of the demo's page, or the next that is free


@click.command()
@click.argument("game", default="power_blackjack")
@click.option("--terminal", is_flag=True, help="Show the table in the terminal, played by the bot.")
@click.option("--headless", is_flag=True, help="Show nothing, play as fast as it goes, and print a summary.")
@click.option("--rounds", type=click.IntRange(min=1), help=f"Stop after so many; headless plays {ROUNDS}.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of cards, players and faults.")
@click.option("--faults", type=click.Choice(["none", "light", "heavy"]), default="none", show_default=True)
@click.option("--pace", type=click.FloatRange(min=0), help=f"Seconds between two inputs; {PACE_S} where it is shown.")
@click.option("--expose", is_flag=True, help="Print the paths of the devices.")
@click.option("--port", type=click.IntRange(1, 65534), help="Of the demo's page; the table's own are at the next one.")
@click.option("--no-open", is_flag=True, help="Open no browser; the address is printed all the same.")
@json_option
def demo(
    game: str,
    terminal: bool,
    headless: bool,
    rounds: int | None,
    seed: int,
    faults: str,
    pace: float | None,
    expose: bool,
    port: int | None,
    no_open: bool,
    as_json: bool,
) -> None:
    """Run a SIMULATED table of GAME: shoe, sign, board and keys on ptys, the real daemon, a bot that can play.

    Its page shows the table's own pages beside a shoe that you draw from, break and unplug. Its data is in a folder of
    its own that is thrown away. Ctrl-C ends it. Exit status 1, of --headless and --terminal: a card, a payout or the
    journal does not add up.
    """
    if not (terminal or headless or as_json):
        _in_browser(rules_for(game, (), as_json), seed, port, expose, open_it=not no_open)
        return
    from controller.cli.demo_table import Demo

    logging.getLogger().addHandler(logging.NullHandler())  # what happens is on the screen and in the summary
    rules = rules_for(game, (), as_json)
    quiet = headless or as_json
    wanted = rounds if rounds is not None else ROUNDS if quiet else None
    pause = pace if pace is not None else 0.0 if quiet else PACE_S

    async def run() -> Summary:
        with tempfile.TemporaryDirectory(prefix="croupier-demo-") as folder:
            table = Demo(rules, Path(folder), seed=seed, faults=faults, pause_s=pause)
            playing = asyncio.create_task(_play(table, wanted, expose and not as_json, quiet))
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, table.daemon.stop)
            return await playing

    summary = asyncio.run(run())
    if as_json:
        print_json(msgspec.to_builtins(summary, str_keys=True))
    else:
        click.echo(_words(summary))
    if summary.problems:
        fail(DOES_NOT_ADD_UP, "does_not_add_up", "; ".join(summary.problems), as_json=False)


def _in_browser(rules: Ruleset, seed: int, port: int | None, expose: bool, *, open_it: bool) -> None:
    from controller.cli.demo_house import House
    from controller.cli.demo_web import DemoPage

    page_port, table_port = _free_ports(port)

    async def run() -> None:
        with tempfile.TemporaryDirectory(prefix="croupier-demo-") as folder:
            house = House(Path(folder), seed=seed, port=table_port, framed_by=f"http://127.0.0.1:{page_port}")
            try:
                await house.open(rules.game)
                playing = asyncio.create_task(house.play())
                await DemoPage(house, page_port).serve(lambda: _say_where(house, page_port, expose, open_it))
                playing.cancel()
            finally:
                await house.close()

    try:
        asyncio.run(run())
    except RuntimeError as error:
        fail(DOES_NOT_ADD_UP, "not_started", f"The demo's table did not start: {error}", as_json=False)


def _say_where(house: House, port: int, expose: bool, open_it: bool) -> None:
    click.echo(f"SIMULATED table. The demo: http://127.0.0.1:{port}/demo")
    click.echo(f"The table's own pages: {house.url}/")
    for name, pin in house.pins.items():
        click.echo(f"    sign in as {name} with the PIN {pin}")
    if expose:
        for name, path in house.world.paths.items():
            click.echo(f"{name}: {path} SIMULATED")
    click.echo("Ctrl-C ends it.")
    if open_it:
        _open_browser(f"http://127.0.0.1:{port}/demo")


def _free_ports(wanted: int | None) -> tuple[int, int]:
    """Two that follow each other. Leaves the program where those that were asked for are taken."""
    tried = (wanted,) if wanted is not None else range(PORT, PORT + 200, 2)
    first = next((port for port in tried if _is_free(port) and _is_free(port + 1)), None)
    if first is None:
        fail(CANT_LISTEN, "port_taken", f"Another program listens on port {tried[0]} or the next.", as_json=False)
    return first, first + 1


def _is_free(port: int) -> bool:
    with socket.socket() as trying:
        trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trying.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _open_browser(url: str) -> None:
    """Where somebody sits before a screen."""
    import os
    import webbrowser

    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(url)


async def _play(table: Demo, rounds: int | None, expose: bool, quiet: bool) -> Summary:
    if expose:
        for name, path in table.world.paths.items():
            click.echo(f"{name}: {path} SIMULATED")
    if quiet:
        return await table.run(rounds)
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        return await table.run(rounds, _tell)
    from rich.live import Live

    with Live(_screen(table), console=console, auto_refresh=False) as live:

        def show(demo: Demo, change: Change) -> None:
            live.update(_screen(demo), refresh=True)

        return await table.run(rounds, show)


def _tell(table: Demo, change: Change) -> None:
    """A line for each thing that happened, for a file or a pipe. Face-down cards are not named."""
    from controller.rules.words.narrate import narrate
    from controller.table import events as e
    from controller.table.rounds import rule_input

    current = table.daemon.runner.table
    for event, told in zip(change.events, change.told, strict=True):
        if told and current.round is not None:
            for sentence in narrate(current.round, rule_input(event), told):  # type: ignore[arg-type]
                click.echo(sentence)
        elif isinstance(event, e.RoundBegun):
            click.echo(f"Round {event.number} SIMULATED")
        elif isinstance(event, e.RoundEnded):
            nets = ", ".join(f"seat {seat} {net}" for seat, net in event.net.items())
            click.echo(f"Round {event.number} is over: {nets}")
        elif isinstance(event, e.CardHeld | e.FaultBegan):
            click.echo(f"{event.words or 'A card is held'} ({type(event).__name__})")
    sys.stdout.flush()


def _screen(table: Demo) -> RenderableType:
    """The table as somebody sees it who stands before it."""
    from rich.columns import Columns
    from rich.console import Group
    from rich.panel import Panel
    from rich.table import Table as Grid

    from controller.table.views import dealer_view

    sign = Panel(table.world.sign.end.shown() or " ", title="sign", width=46)
    board = Panel(table.world.board.end.shown() or " ", title="board", width=24)
    if not table.daemon.ready.is_set():
        return Group(Columns([sign, board]), "SIMULATED table: starting")
    view = dealer_view(table.daemon.runner.table)
    grid = Grid("seat", "cards", "total", "result", box=None, padding=(0, 2))
    for hand in view.public.hands:
        cards = " ".join("▮" if card is None else card for card in hand.cards)
        net = f" {hand.net}" if hand.net else ""
        grid.add_row(str(hand.seat), cards, hand.total, hand.outcome.replace("_", " ") + net)
    if view.public.dealer is not None:
        cards = " ".join("▮" if card is None else card for card in view.public.dealer.cards)
        grid.add_row("dealer", cards, view.public.dealer.total, "")
    lines = [f"round {view.public.round}, waiting for {view.public.awaiting}"]
    if view.question is not None:
        lines.append(f"QUESTION: {view.question.asks} ({' / '.join(view.question.answers)})")
    lines += [f"{device}: {words}" for device, words in view.faults.items()]
    lines += [f"ALERT: {words}" for words in view.alerts.values()]
    felt = Panel(Group(grid, *lines), title=f"{view.public.game}  SIMULATED", subtitle="Ctrl-C ends it")
    return Group(Columns([sign, board]), felt)


def _words(summary: Summary) -> str:
    nets = ", ".join(f"seat {seat} {_money(net)}" for seat, net in sorted(summary.nets.items())) or "nothing settled"
    faults = ", ".join(f"{name} {times}" for name, times in sorted(summary.faults_injected.items())) or "none"
    return "\n".join(
        (
            f"SIMULATED {summary.game}, seed {summary.seed}: {summary.rounds} rounds, {summary.voided} void",
            f"cards: {summary.cards_read} left the shoe, {summary.cards_journalled} are in the journal",
            f"settled: {nets}",
            f"faults: {faults}",
            f"journal: {summary.records} records, proven to {summary.head[:16]}…",
            "everything adds up" if not summary.problems else "IT DOES NOT ADD UP",
        )
    )


def _money(net: str) -> str:
    amount = parse_amount(net)
    return f"{'+' if amount > 0 else ''}{money_words(amount)}"
