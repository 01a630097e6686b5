"""`croupier kiosk`: one page of the table, full screen on this machine, until the page ends. A unit begins it again."""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from controller.cli.common import BAD_RULESET, NO_DAEMON, UNUSABLE, fail

if TYPE_CHECKING:
    from controller.config.model import WebSection

PAGES: Final = ("sign", "board", "dealer", "pit", "overlay")
DIED: Final = 1
LOOK_S: Final = 5.0  # from one look at the page to the next
LAST_WORDS: Final = 10  # lines of what a browser said that did not come up
DAEMON_S: Final = 120.0  # a Pi that starts up with a network to wait for
FLAGS: Final = (
    "--kiosk",
    "--no-first-run",
    "--noerrdialogs",
    "--disable-infobars",
    "--disable-session-crashed-bubble",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-sync",
    "--disable-translate",
    "--disable-pinch",
    "--overscroll-history-navigation=0",
    "--password-store=basic",
    "--check-for-update-interval=31536000",
    "--remote-debugging-pipe",
)


@click.command()
@click.argument("page", type=click.Choice(PAGES))
@click.option("--config", "file", type=click.Path(path_type=Path), help="The table's configuration.")
@click.option("--language", metavar="CODE", help="Such as es; else the page's own choice.")
@click.option("--browser", default="chromium", show_default=True, help="The program to show it with.")
def kiosk(page: str, file: Path | None, language: str | None, browser: str) -> None:
    """Show PAGE of this machine's table in Chromium, full screen.

    Waits for the daemon, and ends with exit status 1 when the page dies, hangs or is closed. Made for
    croupier-kiosk@PAGE.service, which begins again.
    """
    from controller.cli.chromium import PageGone, opened

    web = _web(file)
    address = page_address(web, page, language)
    for number in (signal.SIGTERM, signal.SIGHUP):  # so that the browser is ended too
        signal.signal(number, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="croupier-kiosk-", ignore_cleanup_errors=True) as profile:
        flags = [*FLAGS, f"--user-data-dir={profile}"]
        if web.certificate is not None:
            # What is shown is this machine's own: nobody is between, and the house's certificate names another host.
            flags.append("--ignore-certificate-errors")
        _wait_for(web)
        log = Path(profile) / "chromium.log"
        on_screen = False
        try:
            with opened([browser, *flags, address], log) as shown:
                shown.attend()
                on_screen = True
                click.echo(f"{address} is on the screen", err=True)
                while True:
                    if not shown.where().startswith(address):  # the browser's own page about an error
                        shown.go(address)
                    shown.listen(LOOK_S)
        except FileNotFoundError:
            fail(UNUSABLE, "no_browser", f"There is no {browser} here. Install it: apt install chromium.", False)
        except PageGone as gone:
            click.echo(f"/{page}: {gone}", err=True)
            if not on_screen:
                click.echo("\n".join(log.read_text(errors="replace").splitlines()[-LAST_WORDS:]), err=True)
            raise SystemExit(DIED) from None


def _web(file: Path | None) -> WebSection:
    from controller.config.load import find, load
    from controller.config.problems import BadConfig

    try:
        web = load(file if file is not None else find()).web
    except BadConfig as bad:
        for problem in bad.problems:
            click.echo(problem, err=True)
        raise SystemExit(BAD_RULESET) from bad
    if web is None:
        fail(BAD_RULESET, "no_web", "This table has no pages: its configuration has no section [web].", False)
    return web


def page_address(web: WebSection, page: str, language: str | None = None) -> str:
    """As this machine reaches it: an address that stands for all is asked at home."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(web.host, web.host)
    host = f"[{host}]" if ":" in host else host
    scheme = "https" if web.certificate is not None else "http"
    return f"{scheme}://{host}:{web.port}/{page}" + (f"?lang={language}" if language else "")


def _wait_for(web: WebSection) -> None:
    import socket

    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(web.host, web.host)
    limit = time.monotonic() + DAEMON_S
    while True:
        try:
            socket.create_connection((host, web.port), timeout=5).close()
        except OSError as error:
            if time.monotonic() > limit:
                why = error.strerror or error
                words = f"No table answers at {host}:{web.port} ({why}): systemctl status croupier."
                fail(NO_DAEMON, "no_daemon", words, False)
            time.sleep(0.5)
        else:
            return
