"""`croupier games card`: a game's sheet for the dealer as HTML, and as PDF where there is a Chromium to make it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Final

import click

from controller.cli.common import BAD_RULESET, UNUSABLE, USAGE, fail, rule_options, rules_for

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
PRINTED_S: Final = 120.0  # a Pi's Chromium takes ten


@click.command()
@click.argument("game", required=False)
@rule_options
@click.option(
    "--config", "file", type=click.Path(path_type=Path), help="A table's configuration: its limits and chips."
)
@click.option("--html", "html_file", type=click.Path(path_type=Path), help="Write the page as HTML; - is the screen.")
@click.option("--pdf", "pdf_file", type=click.Path(path_type=Path), help="Write it as PDF; needs Chromium.")
@click.option("--browser", metavar="PROGRAM", help="The Chromium to make the PDF with; else the one that is found.")
def card(
    game: str | None,
    options: tuple[str, ...],
    file: Path | None,
    html_file: Path | None,
    pdf_file: Path | None,
    browser: str | None,
) -> None:
    """Print the dealer's sheet of GAME (a name, or a house's .toml file) on one A4 page, in English.

    With --config instead of GAME: the sheet of a table, with its own rules, limits and what its bets are paid in its
    chips. Exit status 4 if there is no Chromium for --pdf.
    """
    if (game is None) == (file is None):
        raise click.UsageError("Say which: a GAME, or a table with --config FILE.")
    if html_file is None and pdf_file is None:
        raise click.UsageError("Say where to: --html FILE, --pdf FILE, or both.")
    if options and file is not None:
        raise click.UsageError("A table's rules are those of its configuration: -o is for a GAME.")
    page = _table_page(file) if file is not None else _game_page(game or "", options)
    if html_file is not None:
        if str(html_file) == "-":
            click.echo(page, nl=False)
        else:
            _write(html_file, page.encode())
    if pdf_file is not None:
        _write(pdf_file, pdf(page, browser))


def _game_page(game: str, options: tuple[str, ...]) -> str:
    from controller.surfaces.rules_sheet import rules_sheet

    return rules_sheet(rules_for(game, options, as_json=False))


def _table_page(file: Path) -> str:
    from controller.config.load import load
    from controller.config.problems import BadConfig
    from controller.surfaces.rules_sheet import rules_sheet

    try:
        config = load(file)
    except BadConfig as bad:
        for problem in bad.problems:
            click.echo(problem, err=True)
        raise SystemExit(BAD_RULESET) from bad
    return rules_sheet(config.rules, config.setup(), simulated=config.table.simulated)


def _write(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError as error:
        fail(USAGE, "not_written", f"{file} can't be written: {error.strerror}.", False)


def pdf(page: str, browser: str | None = None) -> bytes:
    """The page as Chromium prints it; leaves the program in words where it does not."""
    import shutil

    program = next((found for each in ([browser] if browser else BROWSERS) if (found := shutil.which(each))), None)
    if program is None:
        words = f"There is no {browser or 'Chromium'} here to make a PDF: apt install chromium. --html always works."
        fail(UNUSABLE, "no_browser", words, False)
    with tempfile.TemporaryDirectory(prefix="croupier-card-", ignore_cleanup_errors=True) as folder:
        source, made = Path(folder) / "card.html", Path(folder) / "card.pdf"
        source.write_text(page, encoding="utf-8")
        command = [
            program,
            "--headless",
            "--disable-gpu",
            "--no-pdf-header-footer",
            *(["--no-sandbox"] if os.geteuid() == 0 else []),  # Chromium's has no place for root; the page is our own
            f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={made}",
            source.as_uri(),
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PRINTED_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            fail(UNUSABLE, "no_browser", f"{program} made no PDF: {error}. --html always works.", False)
        if not made.is_file():
            last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
            fail(UNUSABLE, "no_browser", f"{program} made no PDF: {last}. --html always works.", False)
        return made.read_bytes()
