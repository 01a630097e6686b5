"""`croupier completion`: what a shell reads to complete croupier's commands and options. Installs nothing itself."""

from __future__ import annotations

from typing import Final

import click

SHELLS: Final = ("bash", "zsh", "fish")
VARIABLE: Final = "_CROUPIER_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion script for SHELL.

    deploy/install and the Debian package put all three in their places. By hand, for bash: croupier completion bash >
    ~/.local/share/bash-completion/completions/croupier
    """
    click.echo(script(shell))


def script(shell: str) -> str:
    from click.shell_completion import ShellComplete, get_completion_class

    from controller.cli.app import croupier

    made = get_completion_class(shell)
    assert made is not None
    # Not the shell's own source(): that of bash starts a bash to look how old it is, also while a package is built.
    return ShellComplete.source(made(croupier, {}, "croupier", VARIABLE)).strip()
