"""`croupier man`: the manual page croupier(1), made from the commands themselves, so that it can't forget one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import click

ABOUT: Final = "runs a physical blackjack-family table"
SEE: Final = (
    "The documents for dealers, technicians and engineers are on the table's own pages, under /docs.",
    "/etc/croupier/table.toml is the table's configuration; /var/lib/croupier holds its journal.",
)


@click.command()
def man() -> None:
    """Print the manual page, for man: croupier man > croupier.1, then man ./croupier.1."""
    click.echo(page(), nl=False)


def page() -> str:
    from importlib.metadata import version

    from controller.cli.app import croupier

    root = click.Context(croupier, info_name="croupier")
    lines = [
        f'.TH CROUPIER 1 "" "croupier {version("croupier-table")}" "Croupier"',
        ".SH NAME",
        rf"croupier \- {ABOUT}",
        ".SH SYNOPSIS",
        *_usage(root),
        ".SH DESCRIPTION",
        *_paragraphs(croupier.help or ""),
        *_options(root),
        ".SH COMMANDS",
        *(line for command in _below(root) for line in _command(command)),
        ".SH EXIT STATUS",
        *_exit_status(croupier.epilog or ""),
        ".SH FILES AND DOCUMENTS",
        *(line for words in SEE for line in (".PP", roff(words))),
    ]
    return "\n".join(lines) + "\n"


def roff(text: str) -> str:
    r"""Text that roff prints as it is: backslashes, hyphens that stay hyphens, and no line that is a request."""
    safe = text.replace("\\", r"\e").replace("-", r"\-")
    safe = "".join(each if ord(each) < 128 else rf"\[u{ord(each):04X}]" for each in safe)
    return rf"\&{safe}" if safe[:1] in (".", "'") else safe


def _below(context: click.Context) -> Iterator[click.Context]:
    group = context.command
    if not isinstance(group, click.Group):
        return
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            yield click.Context(command, info_name=name, parent=context)


def _command(context: click.Context) -> Iterator[str]:
    """One command, and behind it those below it, each with its whole name."""
    yield f'.SS "{roff(context.command_path)}"'
    yield from _usage(context)
    yield from _paragraphs(context.command.help or "")
    yield from _options(context)
    for below in _below(context):
        yield from _command(below)


def _usage(context: click.Context) -> Iterator[str]:
    pieces = " ".join(context.command.collect_usage_pieces(context))
    yield rf"\fB{roff(context.command_path)}\fR {roff(pieces)}"


def _options(context: click.Context) -> Iterator[str]:
    for parameter in context.command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):  # arguments stand in the usage and in the text
            yield from (".TP", rf"\fB{roff(record[0])}\fR", roff(record[1]))


def _paragraphs(text: str) -> Iterator[str]:
    """As click shows a help text: blocks apart by empty lines, as they are written behind a \b."""
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in block.split("\f")[0].splitlines()]
        if lines[0] == "\b":
            yield from (".PP", ".nf", *map(roff, lines[1:]), ".fi")
        else:
            yield from (".PP", roff(" ".join(lines)))


def _exit_status(epilog: str) -> Iterator[str]:
    for status, words in re.findall(r"^\s+(\d+)\s+(.*)$", epilog, re.MULTILINE):
        yield from (".TP", rf"\fB{status}\fR", roff(words))
