"""The manual page and the completions: made from the commands, so every command and option is in them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from controller.cli.app import COMMANDS, croupier
from controller.cli.man import page, roff


def every_command(context: click.Context) -> Iterator[click.Context]:
    group = context.command
    if isinstance(group, click.Group):
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            below = click.Context(command, info_name=name, parent=context)
            yield below
            yield from every_command(below)


def plain(text: str) -> str:
    r"""A page of roff without its marks."""
    return re.sub(r"\\f[BR]|\\&", "", text).replace(r"\-", "-").replace('"', "")


def printed(file: Path) -> str:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-P-c", file], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == ""
    return re.sub(r".\x08", "", done.stdout)


def test_every_command_and_option_is_in_the_manual() -> None:
    said = plain(page()).splitlines()
    commands = list(every_command(click.Context(croupier, info_name="croupier")))
    assert len(commands) > len(COMMANDS)
    for context in commands:
        begins = said.index(f".SS {context.command_path}")
        ends = next((n for n, line in enumerate(said[begins + 1 :], begins + 1) if line.startswith(".S")), len(said))
        for parameter in context.command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert any(parameter.opts[-1] in line for line in said[begins:ends]), (context.command_path, parameter)


def test_every_exit_status_is_in_the_manual() -> None:
    assert croupier.epilog
    statuses = re.findall(r"^  (\d)  ", croupier.epilog, re.MULTILINE)
    assert re.findall(r"^\\fB(\d)\\fR$", page(), re.MULTILINE) == statuses


def test_roff_reads_the_manual_without_a_complaint_and_prints_its_words(tmp_path: Path) -> None:
    if shutil.which("groff") is None:
        pytest.skip("there is no groff here, which prints manual pages")
    file = tmp_path / "croupier.1"
    file.write_text(CliRunner().invoke(croupier, ["man"]).output)
    shown = " ".join(printed(file).split())
    assert "croupier - runs a physical blackjack-family table" in shown
    assert "--print-default" in shown
    assert "a configuration or a ruleset can't be used" in shown


@pytest.mark.parametrize(
    "text", [".TH begins like a request", "'so does this", r"a \fBbackslash", "--option", "‘…’ 7♠"]
)
def test_no_text_is_taken_for_a_request(text: str, tmp_path: Path) -> None:
    if shutil.which("groff") is None:
        pytest.skip("there is no groff here, which prints manual pages")
    file = tmp_path / "text.1"
    file.write_text(f'.TH T 1 "" "" ""\n.SH S\n{roff(text)}\n')
    assert text in printed(file)


def test_the_completions_are_scripts_for_the_command(tmp_path: Path) -> None:
    for shell, mark in {"bash": "complete -o nosort", "zsh": "#compdef croupier", "fish": "--command croupier"}.items():
        done = CliRunner().invoke(croupier, ["completion", shell])
        assert done.exit_code == 0
        assert mark in done.output
    assert CliRunner().invoke(croupier, ["completion", "tcsh"]).exit_code == 2


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("ga", {"games"}),
        ("games sh", {"show"}),
        ("games show --mark", {"--markdown"}),
        ("completion ", {"bash", "zsh"}),
    ],
)
def test_bash_completes_with_it(typed: str, offered: set[str], tmp_path: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("there is no bash here")
    command = tmp_path / "croupier"
    command.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'from controller.cli import main; main()' \"$@\"\n")
    command.chmod(0o755)
    script = tmp_path / "completion"
    script.write_text(CliRunner().invoke(croupier, ["completion", "bash"]).output)
    words = ["croupier", *typed.split(" ")]
    asked = (
        f"compopt() {{ :; }}; . {script}; "
        f"COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}; "
        '_croupier_completion croupier; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", asked], env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == ""
    assert offered <= set(done.stdout.split())
