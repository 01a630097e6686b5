"""The root of the command line: which commands there are, loaded when called, and the exit codes they share."""

from __future__ import annotations

import importlib
from typing import Final

import click

COMMANDS: Final = {
    "audit": "controller.cli.audit:audit",
    "backup": "controller.cli.backup:backup",
    "check": "controller.cli.check:check",
    "completion": "controller.cli.completion:completion",
    "conformance": "controller.cli.conformance:conformance",
    "demo": "controller.cli.demo:demo",
    "devices": "controller.cli.devices:devices",
    "doctor": "controller.cli.doctor:doctor",
    "games": "controller.cli.games:games",
    "kiosk": "controller.cli.kiosk:kiosk",
    "limits": "controller.cli.limits:limits",
    "man": "controller.cli.man:man",
    "narrate": "controller.cli.narrate:narrate",
    "pack-down": "controller.cli.pack_down:pack_down",
    "people": "controller.cli.people:people",
    "record": "controller.cli.record:record",
    "replay": "controller.cli.replay:replay",
    "round": "controller.cli.round:round_",
    "run": "controller.cli.run:run",
    "settle": "controller.cli.settle:settle",
    "sign": "controller.cli.sign:sign",
    "simulate": "controller.cli.simulate:simulate",
    "status": "controller.cli.status:status",
    "support-bundle": "controller.cli.support_bundle:support_bundle",
    "tail": "controller.cli.tail:tail",
    "version": "controller.cli.version:version",
    "wire": "controller.cli.wire:wire",
}

EPILOG: Final = """\b
Exit codes:
  0  done
  1  croupier doctor: something is broken or worth a look; croupier kiosk: its page died
  2  the command line is wrong: an unknown game, option or argument
  3  no daemon runs the table that is asked for, or it can't be asked
  4  a device can't be used: it is not there, does not answer, or is another one
  5  the journal is broken or cannot be read, or another daemon has it
  6  the input was refused: a round script (nothing is half-settled), an event that has no bytes, new limits
  7  a configuration or a ruleset can't be used; the message names file, line and key
  8  the table can't listen: its address or its socket is taken, or may not be used
  9  a capture is cut or damaged; it was replayed up to there
"""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are named: starting must stay cheap on a Pi."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name].split(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from controller.rules.errors import nearest

        if args[0] not in COMMANDS and not args[0].startswith("-"):
            near = nearest(args[0], COMMANDS)
            hint = f" Did you mean {near!r}?" if near else f" There are {', '.join(sorted(COMMANDS))}."
            ctx.fail(f"There is no command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="croupier-table", prog_name="croupier")
def croupier() -> None:
    """Runs a blackjack-family table: reads the shoe, follows the round, drives the signs."""
