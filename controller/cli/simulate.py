"""`croupier simulate`: one simulated device alone on a pty, for any program that opens a serial port.

What happens is printed a line each; what is to happen is typed a line each. Nothing here is real, and it says so.
"""

from __future__ import annotations

import asyncio
import math
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from controller.cli.common import USAGE, fail, json_option, print_json

if TYPE_CHECKING:
    from drivers.simulated.bench import Bench

Command = TypeVar("Command", bound=Callable[..., Any])
MAX_LINE: Final = 200  # characters of a typed line


@click.group()
def simulate() -> None:
    """Run one simulated device alone on a pty; its path is the first line printed.

    Type help for what it can be told while it runs. A path that another program closes stays; Ctrl-C ends the device.
    """


def _common(command: Command) -> Command:
    """The options that every device has."""
    for option in (
        click.option("--pty", is_flag=True, help="On a pty: the only line there is, so it may be left out."),
        click.option("--link", type=click.Path(path_type=Path), help="A name of your own that leads to the path."),
        click.option(
            "--stimulus", is_flag=True, help="A second pty for the orders of hil/stimulus.py (TableLink only)."
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="Of the shuffle and of the faults."),
        json_option,
    ):
        command = option(command)
    return command


@simulate.command()
@click.option(
    "--protocol",
    type=click.Choice(["tablelink", "angel_eye", "bee_tek", "line_reader"]),
    default="tablelink",
    show_default=True,
    help="What the shoe speaks.",
)
@click.option("--decks", type=click.IntRange(1, 8), default=6, show_default=True, help="Shuffled with --seed.")
@click.option("--cut-card", type=click.IntRange(min=0), help="After how many cards; 0 is none.  [default: ¾ of them]")
@click.option("--order", help='The cards instead of a shuffle, such as "8S TD CUT AC".')
@click.option("--burn", type=click.IntRange(min=0), default=0, help="How many first cards are told as burned.")
@click.option("--auto", type=click.FloatRange(0.01, 86400), metavar="SECONDS", help="Deal a card each so many seconds.")
@_common
def shoe(
    protocol: str,
    decks: int,
    cut_card: int | None,
    order: str | None,
    burn: int,
    auto: float | None,
    pty: bool,
    link: Path | None,
    stimulus: bool,
    seed: int,
    as_json: bool,
) -> None:
    """A dealing shoe. Told: deal [N|CARD], cut, lid open|close, jam on|off, load, fault NAME [CHANCE|off], show."""
    from drivers.simulated.bench import ShoeBench
    from drivers.simulated.pile import shuffled, written

    if auto is not None and math.isnan(auto):  # no comparison refuses it
        fail(USAGE, "bad_auto", "--auto takes the seconds from card to card, such as 2.", as_json)
    if order is not None and cut_card is not None:
        fail(USAGE, "bad_order", "With --order the cut card stands among the cards, as CUT.", as_json)
    try:
        cards = written(order) if order is not None else shuffled(decks, seed, cut_card)
        bench = ShoeBench(protocol, cards, seed=seed, burn=burn, auto=auto)
    except ValueError as error:
        fail(USAGE, "bad_order", str(error), as_json)
    _run(bench, link, stimulus, as_json)


@simulate.command()
@click.option(
    "--protocol",
    type=click.Choice(["tablelink", "alpha_sign", "escpos"]),
    default="tablelink",
    show_default=True,
    help="What the sign speaks.",
)
@_common
def sign(protocol: str, pty: bool, link: Path | None, stimulus: bool, seed: int, as_json: bool) -> None:
    """A sign; what it shows is printed when it changes. Told: fault NAME [CHANCE|off], show."""
    from drivers.simulated.bench import SignBench

    _run(SignBench(protocol, seed=seed), link, stimulus, as_json)


@simulate.command()
@_common
def panel(pty: bool, link: Path | None, stimulus: bool, seed: int, as_json: bool) -> None:
    """A TableLink key panel. Told: press KEY, hold KEY, key on|off, fault NAME [CHANCE|off], show."""
    from drivers.simulated.bench import PanelBench

    _run(PanelBench(seed=seed), link, stimulus, as_json)


def _run(bench: Bench, link: Path | None, stimulus: bool, as_json: bool) -> None:
    from drivers.errors import BadSetting

    if stimulus and bench.protocol != "tablelink":
        fail(USAGE, "no_stimulus", f"--stimulus is for TableLink devices, not for {bench.protocol}.", as_json)
    try:
        asyncio.run(_until_told_to_stop(bench, link, stimulus, as_json))
    except BadSetting as error:
        fail(USAGE, "bad_link", f"{error}.", as_json)
    except BrokenPipeError:
        sys.stdout = None  # who read us is gone, and the last flush would say so again


async def _until_told_to_stop(bench: Bench, link: Path | None, stimulus: bool, as_json: bool) -> None:
    from drivers.simulated.pty_plug import Happened, PtyPlug

    def happened(what: Happened, path: str) -> None:
        say(bench.line_event(what, path))

    def say(said: dict[str, Any]) -> None:
        if as_json:
            print_json({key: value for key, value in said.items() if key != "words"} | {"words": said["words"]})
        else:
            click.echo(said["words"])
        sys.stdout.flush()

    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    plug = PtyPlug(bench.end, bench.faults, happened, link=link)
    bench.attach(plug, say)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    threading.Thread(target=_read_lines, args=(loop, lines), daemon=True).start()
    works = [plug.run(), bench.live(), _obey(bench, lines, say), stop.wait()]
    if stimulus:
        works.append(_take_orders(bench, say))
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _take_orders(bench: Bench, say: Callable[[dict[str, Any]], None]) -> None:
    """On a pty of its own, for a program that tests the device: `croupier conformance --stimulus`."""
    from drivers.ports.pty import PtyPair
    from drivers.simulated.tablelink_end import TableLinkEnd
    from hil.conformance.simulated import Obeying, serve

    assert isinstance(bench.end, TableLinkEnd)  # the only one that speaks tablelink
    pair = PtyPair()
    try:
        say({"event": "stimulus", "path": pair.path, "words": f"the stimulus line is {pair.path}"})
        await serve(pair.port, Obeying(bench.end))
    finally:
        await pair.close()


async def _obey(bench: Bench, lines: asyncio.Queue[str | None], say: Callable[[dict[str, Any]], None]) -> None:
    """Returns when somebody types quit, or ends the input at a terminal; a script's end leaves the device running."""
    while True:
        line = await lines.get()
        if line is None:
            if sys.stdin is not None and sys.stdin.isatty():
                return
            await asyncio.Event().wait()
            return
        if line.strip() == "quit":
            return
        for said in await bench.told(line):
            say(said)


def _read_lines(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[str | None]) -> None:
    """In a thread: a terminal, a pipe and a file are read alike."""
    line: str | None = ""
    while line is not None:
        try:
            text = sys.stdin.readline() if sys.stdin is not None else ""
        except (OSError, ValueError):  # it was closed, or holds no text
            text = ""
        line = text[:MAX_LINE] if text else None
        try:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        except RuntimeError:
            return  # the program is ending
