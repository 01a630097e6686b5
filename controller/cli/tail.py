"""`croupier tail`: what happens at the running table, a line for each change, until Ctrl-C."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from controller.cli.client import API, Table, find_table, table_options
from controller.cli.common import NO_DAEMON, fail

if TYPE_CHECKING:
    from controller.table.views import DealerView

TOO_SLOW: Final = 1013  # the stream's word for a reader that did not keep up
OPEN_S: Final = 10.0
_VIEWS: Final = ("public", "dealer")


class _Message(msgspec.Struct):
    """Of the stream: a snapshot, a change or a beat."""

    type: str
    number: int = 0
    boot: str = ""
    state: dict[str, msgspec.Raw] = {}
    set: dict[str, msgspec.Raw] = {}


@click.command()
@click.option("--view", type=click.Choice(_VIEWS), default="dealer", show_default=True, help="Whose, with --json.")
@table_options
def tail(view: str, config: Path | None, socket: Path | None, as_json: bool) -> None:
    """Follow the running table: a line for each change, in a dealer's words. Face-down cards are not named.

    With --json, each message of the daemon's stream as it comes, a line each.
    """
    table = find_table(config, socket, as_json)
    follower = _Follower(table, view if as_json else "dealer")
    try:
        while True:
            follower.follow()
    except KeyboardInterrupt:
        pass


class _Follower:
    """Comes back where it left off when it was too slow; leaves when the daemon ends."""

    def __init__(self, table: Table, view: str) -> None:
        self._table, self._view = table, view
        self._since = ""
        self._boot = ""
        self._fields: dict[str, msgspec.Raw] = {}
        self._seen: DealerView | None = None

    def follow(self) -> None:
        from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
        from websockets.sync.client import unix_connect

        since = f"&since={self._since}" if self._since else ""
        address = f"ws://localhost{API}/stream?view={self._view}{since}"
        try:
            with unix_connect(
                str(self._table.path), address, open_timeout=OPEN_S, compression=None, max_size=None, proxy=None
            ) as stream:
                for text in stream:
                    self._take(text if isinstance(text, str) else text.decode())
                self._ended("")
        except ConnectionClosed as closed:
            if closed.rcvd is None or closed.rcvd.code != TOO_SLOW:
                self._ended(closed.rcvd.reason if closed.rcvd is not None else "")
        except InvalidStatus as refused:
            words = msgspec.json.decode(refused.response.body or b"{}", type=dict[str, Any])
            self._table.strange(str(words.get("detail", f"it answered {refused.response.status_code}")))
        except OSError as error:
            self._table.unreachable(error)
        except WebSocketException as error:
            self._table.strange(f"it does not speak WebSocket ({error})")

    def _ended(self, why: str) -> None:
        fail(NO_DAEMON, "no_daemon", f"The daemon has ended{f' ({why})' if why else ''}.", self._table.as_json)

    def _take(self, text: str) -> None:
        message = self._table.read(text, _Message)
        if message.number:
            self._boot = message.boot or self._boot
            self._since = f"{self._boot}:{message.number}"
        if self._table.as_json:
            click.echo(text)
        elif message.type in ("snapshot", "change"):
            self._tell(message)
        sys.stdout.flush()

    def _tell(self, message: _Message) -> None:
        from controller.cli.table_words import phase_words
        from controller.cli.tail_words import change_words
        from controller.table.views import DealerView

        self._fields = message.state or {**self._fields, **message.set}
        before, self._seen = self._seen, self._table.read(msgspec.json.encode(self._fields), DealerView)
        public = self._seen.public
        if before is None:
            words = f"{public.table}, {public.game}: {phase_words(public)}; waiting for {public.awaiting}"
        else:
            words = change_words(before, self._seen)
        if words:
            click.echo(f"{time.strftime('%H:%M:%S')} {words}")
