"""`croupier version`: what runs here, for whoever helps."""

from __future__ import annotations

import click

from controller.cli.common import json_option, print_json


@click.command()
@json_option
def version(as_json: bool) -> None:
    """Print the versions of Croupier, Python, the journal's format and the libraries, the machine, and where it is."""
    from controller.doctor.installed import told

    said = told()
    if as_json:
        print_json(said)
        return
    click.echo(f"croupier {said['croupier']}, journal format {said['journal_format']}")
    click.echo(f"Python {said['python']} in {said['prefix']}")
    click.echo(f"{said['platform']}, {said['machine']}")
    click.echo(f"installed in {said['installed_in']}")
    for name, number in said["libraries"].items():
        click.echo(f"    {name} {number}")
