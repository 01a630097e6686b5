"""`croupier support-bundle`: one file for whoever helps, without anything secret in it."""

from __future__ import annotations

from pathlib import Path

import click

from controller.cli.common import REFUSED, USAGE, fail, json_option, print_json


@click.command("support-bundle")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A new file; else one with the date, here.")
@click.option("--config", "file", type=click.Path(path_type=Path), help="The table's configuration; else as for check.")
@json_option
def support_bundle(output: Path | None, file: Path | None, as_json: bool) -> None:
    """Write a file for whoever helps: what the doctor finds, versions, devices, configuration, the log's last lines.

    No cards, names, PINs, tokens or keys are in it; its README.txt says what is. As root it has more of the log.
    """
    from controller.backup.errors import BackupRefused
    from controller.cli.doctor import lines, look
    from controller.support.bundle import file_name, service_log, write_bundle

    target = (output or Path(file_name())).absolute()
    try:
        names = write_bundle(look(file), target, lines=lines, log=service_log)
    except BackupRefused as error:
        words = str(error)[:1].upper() + str(error)[1:]
        fail(USAGE if error.code in ("file_exists", "no_folder") else REFUSED, error.code, words, as_json)
    if as_json:
        print_json({"file": str(target), "holds": names})
        return
    click.echo(f"{target}: {', '.join(names)}.")
    click.echo("Its README.txt says what is in it and what is not; look through it before you give it away.")
