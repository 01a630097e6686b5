"""`croupier audit`: proves a table's journal, says its head, writes it out. Reads only; a daemon may be writing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, NoReturn

import click
import msgspec

from controller.cli.common import BROKEN, USAGE, fail, json_option, print_json

if TYPE_CHECKING:
    from controller.store.record import Record

journal_file = click.argument("file", type=click.Path(path_type=Path))


@click.group()
def audit() -> None:
    """Prove a journal, say its head, write it out.

    FILE is the table's journal. Nothing in it is changed, and the table may go on meanwhile. It holds every card, also
    those that lie face down: it and what is exported from it are for its owner alone.
    """


@audit.command()
@journal_file
@click.option("--head", "known", metavar="NUMBER:HASH", help="A head that was written down: it must be in there.")
@json_option
def verify(file: Path, known: str | None, as_json: bool) -> None:
    """Prove that no record of FILE was altered, moved or taken out; exits with 5 if one was, and names the first.

    Records cut off at the end leave no gap. To see that too, write down what `croupier audit head` says, somewhere
    else, and give it here as --head.
    """
    from controller.store import audit as store

    try:
        head = store.read_head(known) if known is not None else None
    except ValueError as error:
        fail(USAGE, "bad_head", f"{error}.", as_json)
    try:
        found = store.verify(file, head=head)
    except (OSError, store.ChainBroken) as error:
        _fail(file, error, as_json)
    if as_json:
        print_json(msgspec.to_builtins(found))
        return
    click.echo(f"{file}: whole. {_count(found.records, 'record')} in order, from {_count(found.boots, 'start')}.")
    if found.records:
        click.echo(f"    first {found.first}, last {found.last}")
    click.echo(f"    head {found.records}:{found.head}")
    if known is not None:
        click.echo("    the known head is in it")


@audit.command()
@journal_file
@json_option
def head(file: Path, as_json: bool) -> None:
    """Print FILE's head, NUMBER:HASH, which stands for all records so far and gives no card away."""
    from controller.store.audit import ChainBroken, head_text
    from controller.store.journal import Journal

    try:
        with Journal.read_only(file) as journal:
            newest = journal.head
    except (OSError, ChainBroken) as error:
        _fail(file, error, as_json)
    if as_json:
        print_json({"sequence": newest[0], "hash": newest[1].hex()})
    else:
        click.echo(head_text(newest))


@audit.command()
@journal_file
@click.option("--format", "form", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True)
@click.option(
    "--output", type=click.Path(path_type=Path), help="A new file, for its owner alone; else standard output."
)
@click.option("--since", type=click.IntRange(min=1), default=1, metavar="N", help="Begin with record N.")
def export(file: Path, form: str, output: Path | None, since: int) -> None:
    """Write the records of FILE out as JSON Lines or CSV, as they stand there, proven or not: see verify."""
    from controller.store import audit as store
    from controller.store.journal import Journal

    write: Callable[[Iterable[Record]], Iterator[bytes]] = store.as_csv if form == "csv" else store.as_json_lines
    try:
        with Journal.read_only(file) as journal:
            records = journal.unproven(since - 1)
            if output is None:
                _write(write(records), sys.stdout.buffer)
            else:
                _write_new(write(records), output)
    except BrokenPipeError:
        raise
    except (OSError, store.ChainBroken) as error:
        if isinstance(error, OSError) and error.errno is not None:  # the output's: a journal's error has no number
            where = output or "standard output"
            fail(USAGE, "cannot_write", f"{where} cannot be written to its end: {error.strerror}.", False)
        _fail(file, error, False)


def _write(lines: Iterable[bytes], into: IO[bytes]) -> None:
    for line in lines:
        into.write(line)
    into.flush()


def _write_new(lines: Iterable[bytes], output: Path) -> None:
    """A whole new file or none. Never over another one: that could be the journal."""
    try:
        descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        fail(USAGE, "file_exists", f"{output} is there already: name a new file, or take that one away.", False)
    try:
        with os.fdopen(descriptor, "wb") as into:
            _write(lines, into)
    except BaseException:
        output.unlink(missing_ok=True)
        raise


def _fail(file: Path, error: Exception, as_json: bool) -> NoReturn:
    from controller.store.errors import ChainBroken, JournalRefused

    if isinstance(error, ChainBroken):
        fail(BROKEN, "broken", f"{file} is broken: {error}.", as_json)
    fail(BROKEN, "refused" if isinstance(error, JournalRefused) else "unavailable", f"{error}", as_json)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
