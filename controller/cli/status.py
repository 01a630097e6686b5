"""`croupier status`: the running table in words: what it does, what it waits for, what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from controller.cli.client import API, find_table, table_options
from controller.cli.common import print_json


@click.command()
@table_options
def status(config: Path | None, socket: Path | None, as_json: bool) -> None:
    """Say how the running table stands: round, what is awaited, limits, devices, questions, faults, alerts.

    Exits with 3 where no daemon runs it.
    """
    from controller.cli.table_words import device_lines, status_lines
    from controller.surfaces.web.answers import Devices
    from controller.table.views import DealerView

    table = find_table(config, socket, as_json)
    trouble = table.trouble()
    if as_json:
        state, simulated = table.view("dealer", dict[str, Any])
        devices = table.get(f"{API}/devices", dict[str, Any])
        print_json({"simulated": simulated, "trouble": trouble, "state": state, **devices})
        return
    view, simulated = table.view("dealer", DealerView)
    heard = table.get(f"{API}/devices", Devices)
    for line in status_lines(view, simulated=simulated, trouble=trouble):
        click.echo(line)
    for line in device_lines(heard.devices, heard.at):
        click.echo(f"    {line}")
