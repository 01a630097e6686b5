"""`croupier pack-down`: what the day came to, and whether the table's plug may be pulled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from controller.cli.client import API, find_table, table_options
from controller.cli.common import print_json

if TYPE_CHECKING:
    from controller.surfaces.web.packing import PackDown


@click.command("pack-down")
@table_options
def pack_down(config: Path | None, socket: Path | None, as_json: bool) -> None:
    """Say what the day came to since the table was opened, and whether it is safe to unplug.

    Exits with 3 where no daemon runs it: then nothing is being written.
    """
    from controller.surfaces.web.packing import PackDown

    table = find_table(config, socket, as_json)
    address = f"{API}/pack-down"
    if as_json:
        print_json(table.get(address, dict[str, Any]))
        return
    for line in lines(table.get(address, PackDown)):
        click.echo(line)


def lines(told: PackDown) -> Iterator[str]:
    from controller.cli.table_words import signed
    from drivers.supervisor import duration_words

    yield told.table
    day = told.day
    if day is None:
        yield "    it was never opened"
    else:
        until = f" to {day.closed[:16].replace('T', ' ')}" if day.closed else ", still open"
        hours = f" ({duration_words(day.seconds)})" if day.seconds is not None else " (the clock was set meanwhile)"
        yield f"    open from {day.opened[:16].replace('T', ' ')}{until} UTC{hours}"
        more = [f"{day.voided} void" if day.voided else "", f"{day.corrected} corrected" if day.corrected else ""]
        yield f"    {', '.join(filter(None, (_rounds(day.rounds), *more)))}"
        hand = f", {day.by_hand} of them named by hand" if day.by_hand else ""
        yield f"    {day.cards} cards{hand}; {day.shoes} shoe{'' if day.shoes == 1 else 's'}"
        for seat in day.seats:
            net = f": {signed(seat.net)}" if seat.net is not None else ""
            yield f"    seat {seat.seat}{net} in {_rounds(seat.rounds)} ({seat.won} won, {seat.lost} lost)"
        if told.wagers and (nets := [seat.net for seat in day.seats if seat.net is not None]):
            from controller.rules.money import parse_amount

            yield f"    the house: {signed(str(-sum(map(parse_amount, nets))))}"
        for fault in day.faults:
            now = ", and now" if fault.now else ""
            yield f"    FAULT: {fault.device}: {'once' if fault.times == 1 else f'{fault.times} times'}{now}"
    for number, words in told.alerts.items():
        yield f"    ALERT {number}, not acknowledged: {words}"
    yield "SAFE TO UNPLUG" if told.safe else f"NOT YET SAFE TO UNPLUG: {told.waits}"


def _rounds(count: int) -> str:
    return f"{count} round{'' if count == 1 else 's'}"
