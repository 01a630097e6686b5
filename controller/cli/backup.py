"""`croupier backup`: a table in one file, proven before it is called done, and back from it."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import click
import msgspec

from controller.cli.common import BAD_RULESET, BROKEN, REFUSED, USAGE, fail, json_option, print_json


@click.group()
def backup() -> None:
    """Make a backup of a table, or bring one back: configuration, journal, people, rules, card maps and keys."""


@backup.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The same as FILE.")
@click.option("--config", type=click.Path(path_type=Path), help="The table's configuration; else as for check.")
@json_option
def create(file: Path | None, output: Path | None, config: Path | None, as_json: bool) -> None:
    """Write a backup into the new FILE, such as /media/stick/table.tar.gz. The table may go on meanwhile.

    It holds the journal with every card, PIN hashes and keys: FILE is its owner's alone. It is read back and proven
    before this says that it is done.
    """
    from controller.backup.create import create as make
    from controller.config.load import find
    from controller.config.problems import BadConfig

    if (file is None) == (output is None):
        fail(USAGE, "which_file", "Name one new file: croupier backup create table.tar.gz", as_json)
    target = (file or output or Path()).absolute()
    try:
        made = make(config if config is not None else find(), target)
    except BadConfig as bad:
        fail(BAD_RULESET, "bad_config", str(bad), as_json)
    except Exception as error:
        _fail(error, as_json)
    label = made.label
    if as_json:
        print_json({"file": str(target), "proven": True, **_told(made)})
        return
    click.echo(f"{target}: done and proven, {_count(len(label.files), 'file')} of {label.table or 'the table'}.")
    if label.journal is not None:
        click.echo(f"    the journal, {_count(label.records, 'record')}, head {label.records}:{label.head}")
    for each in made.missing:
        click.echo(f"    without {each}, which is not there")
    if made.secret:
        click.echo(f"    keep it to yourself: {', '.join(made.secret)} in it are secret")
    if made.open_to_others:
        click.echo("    this disk keeps no permissions: whoever gets at it can read the backup")


@backup.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--to", type=click.Path(path_type=Path), help="Into this folder, instead of where the files were.")
@click.option("--replace", is_flag=True, help="Put it in the place of what is there; that is kept beside it.")
@json_option
def restore(file: Path, to: Path | None, replace: bool, as_json: bool) -> None:
    """Bring the table of the backup FILE back, on this machine or a new one. Stop the table first.

    Nothing is changed unless all of it is whole. A journal that is there and has more records than the backup, or is
    another one, is left alone without --replace; with it, it is kept under another name. Nothing is ever deleted.
    """
    from controller.backup.restore import restore as bring_back

    try:
        back = bring_back(file, to.absolute() if to is not None else None, replace=replace)
    except Exception as error:
        _fail(error, as_json)
    if as_json:
        print_json({**_told(back), "head": back.label.head, "records": back.label.records})
        return
    click.echo(
        f"{back.label.table or 'The table'} of {back.label.made[:16].replace('T', ' ')} UTC is back, and proven."
    )
    for each in back.written:
        click.echo(f"    {each}")
    for each in back.same:
        click.echo(f"    {each} was there already, the same")
    for each in back.kept:
        click.echo(f"    what was there before is kept as {each}")
    if to is not None:
        for packed in back.label.files:
            if (
                packed.role != "configuration"
                and Path(packed.path).name == packed.place
                and not _is_beside(packed.path, back.label.files[0].path)
            ):
                click.echo(
                    f"    note: the configuration names {packed.path}; change it there to use the table from {to}"
                )


def _is_beside(path: str, config: str) -> bool:
    return Path(path).is_relative_to(Path(config).parent)


def _told(what: object) -> dict[str, object]:
    told = msgspec.to_builtins(what)
    assert isinstance(told, dict)
    return told


def _fail(error: Exception, as_json: bool) -> NoReturn:
    from controller.backup.errors import BackupRefused
    from controller.store.errors import ChainBroken, JournalError

    match error:
        case BackupRefused(code="file_exists" | "no_folder" | "no_backup"):
            fail(USAGE, error.code, _capital(str(error)), as_json)
        case BackupRefused():
            fail(REFUSED, error.code, _capital(str(error)), as_json)
        case ChainBroken():
            words = f"The journal is broken, and no backup of it was made: {error}. croupier audit verify says more."
            fail(BROKEN, "broken", words, as_json)
        case JournalError():
            fail(BROKEN, "journal", _capital(str(error)), as_json)
    raise error


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
