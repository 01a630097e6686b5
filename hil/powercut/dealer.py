"""The dealer inside the guest: `python -m hil.powercut.dealer SOCKET SEED [fill]` plays at the table by its API alone.

It enters what a person would and deals nothing: it says `@card SHOE COUNT` on a line when the table waits for the
card behind COUNT, `@asks` with a question, `@refused` with a refusal. With `fill` it fills the disk when
the first card is awaited. It begins wherever it finds the table, as a dealer does after the light has come back.
"""

from __future__ import annotations

import errno
import http.client
import os
import sys
import time
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from controller.cli.socket_line import ask
from controller.daemon.bot import Bot
from controller.table import inputs as i
from controller.table.views import DealerView
from hil.powercut.words import ASKS, AWAITED, FULL, REFUSED, UP

SEATS: Final = 3
PAUSE_S: Final = 0.01  # between two looks at a table that waits
LEFT: Final = 60  # cards in a shoe that is changed: a round with splits takes no more
HEADERS: Final = {"Content-Type": "application/json", "Croupier-As": "supervisor:cut"}


class _Snapshot(Struct):
    state: DealerView


class _Device(Struct):
    device: str
    state: str


class _Devices(Struct):
    devices: list[_Device]


class _Problem(Struct):
    code: str
    detail: str


class Dealer:
    def __init__(self, socket: Path, seed: int, *, fill: bool) -> None:
        self._socket, self._fill = socket, fill
        self._bot = Bot(seed, seats=SEATS, least="10")
        self._last = ""
        self._ready = False  # whether the shoe has been since this start

    def play(self) -> None:
        """For ever: what ends it is the power."""
        while True:
            try:
                self._turn()
            except (OSError, http.client.HTTPException, msgspec.MsgspecError):
                time.sleep(PAUSE_S)  # the table is starting

    def _turn(self) -> None:
        _, text = ask(self._socket, "GET", "/api/v1/state?view=dealer")
        view = msgspec.json.decode(text, type=_Snapshot).state
        if not self._last:
            self._say(UP)
        if not self._shoe_is_there():
            time.sleep(PAUSE_S)
            return
        shoe = view.public.shoe
        if view.question is not None:
            self._say(f"{ASKS} {view.question.situation}: {view.question.words}")
            time.sleep(PAUSE_S)
            return
        what = self._due(view)
        if what is None and self._fill:
            self._fill = False
            fill_up(self._socket.with_name("filler"))
            self._say(FULL)
        elif what is None:
            self._say(f"{AWAITED} {shoe.number} {shoe.cards_out}")
            time.sleep(PAUSE_S)
        else:
            self._enter(what)

    def _shoe_is_there(self) -> bool:
        """A round that begins before the shoe's first word has the table ask for the cards on the felt."""
        if not self._ready:
            _, text = ask(self._socket, "GET", "/api/v1/devices")
            devices = msgspec.json.decode(text, type=_Devices).devices
            self._ready = any(each.device == "shoe" and each.state == "ready" for each in devices)
        return self._ready

    def _due(self, view: DealerView) -> i.FromPeople | None:
        """What stands before a round, or what the players do; None where a card must come."""
        public, shoe = view.public, view.public.shoe
        if "open_table" in view.legal:
            return i.OpenTable()
        if public.phase == "betting" and (not shoe.number or shoe.cards_out > shoe.cards - LEFT):
            return i.Shoe("load")
        if public.phase == "betting" and not any(seat.wager for seat in public.seats):
            return self._bot.wagers()[0]
        return self._bot.next(view, ())

    def _enter(self, what: i.FromPeople) -> None:
        status, text = ask(self._socket, "POST", "/api/v1/inputs", msgspec.json.encode(what), HEADERS)
        if status >= 400:
            problem = msgspec.json.decode(text, type=_Problem)
            self._say(f"{REFUSED} {problem.code}: {problem.detail}")
            time.sleep(PAUSE_S)

    def _say(self, line: str) -> None:
        """Once, until something else is to be said."""
        if line != self._last:
            self._last = line
            os.write(sys.stdout.fileno(), f"{line}\n".encode())  # at once: the table's log is on the same console


def fill_up(path: Path) -> None:
    """Takes the last byte of the disk that `path` is on."""
    with path.open("wb", buffering=0) as filler:
        for size in (1 << 16, 1 << 9, 1):
            try:
                while True:
                    filler.write(bytes(size))
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise


if __name__ == "__main__":
    given = sys.argv[1:]
    Dealer(Path(given[0]), int(given[1]), fill=len(given) > 2).play()
