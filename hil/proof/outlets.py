"""Everything that leaves one table, as the bytes that leave it: sign, board, stream, metrics, log; and the pit's views.

The table runs in the daemon's own runner, the signs are the real drivers' links and the stream is the web's own hub;
only the journal keeps nothing and the clock stands still.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from controller.daemon import keys
from controller.daemon.hearing import input_of
from controller.daemon.runner import Change, Runner
from controller.rules.engine.inputs import ACTIONS
from controller.rules.errors import Refused
from controller.store.record import Entry, Record
from controller.surfaces.texts import limits_content, results_content
from controller.surfaces.web.desk import Desk
from controller.surfaces.web.hub import Hub
from controller.surfaces.web.metrics import metrics_text
from controller.surfaces.web.views import PUBLIC, VIEWS, See
from controller.table import inputs as i
from controller.table.state import DeviceMark
from controller.table.table import Table
from controller.table.views import PublicView, dealer_view
from drivers.base import CardRead, Content
from drivers.displays.alpha_sign import AlphaLink, AlphaSettings
from drivers.displays.escpos import EscPosLink, EscPosSettings
from drivers.displays.push_link import PushLink

NOW: Final = 1_800_000_000
NEVER_S: Final = 1e12  # no sending again: the clock of a sign runs ahead here, and what is sent twice tells no more
LINE_S: Final = 10.0  # for one packet, more than any takes
KEYS: Final = (*ACTIONS, *keys.STEPS, keys.UNDO)
SHOE: Final = "shoe"

Public = dict[str, bytes]


class _NoDisk:
    """A journal that numbers what it is given and forgets it."""

    def __init__(self, sequence: int) -> None:
        self.sequence = sequence

    async def commit(self, entries: Sequence[Entry], snapshot: bytes | None = None) -> tuple[Record, ...]:
        records = []
        for entry in entries:
            self.sequence += 1
            records.append(
                Record(
                    sequence=self.sequence,
                    boot="boot",
                    wall="",
                    clock="unset",
                    monotonic_ns=0,
                    actor=entry.actor,
                    kind=entry.kind,
                    data=entry.data,
                    salt=b"",
                )
            )
        return tuple(records)


class Answer(Struct, frozen=True):
    """What whoever entered it is told: the journal's numbers, or a refusal."""

    sequences: tuple[int, ...] = ()
    refused: str = ""
    message: str = ""
    legal: tuple[str, ...] = ()


class Lines(logging.Handler):
    """What was logged since it was last asked."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self._lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(self.format(record))

    def taken(self) -> bytes:
        lines, self._lines = self._lines, []
        return "\n".join(lines).encode()


class _Numbered(Struct):
    number: int


class Outlets:
    """One table and what it says. Made in a running event loop. `see` is how the public may see it: a proof of the
    proof gives one that leaks."""

    def __init__(self, table: Table, lines: Lines, see: Callable[[Table], PublicView]) -> None:
        self._disk = _NoDisk(table.state.sequence)
        self.runner = Runner(table, self._disk, wall=lambda: NOW)
        self.changes: list[Change] = []
        self.runner.listen(self.changes.append)
        self._lines, self._see = lines, see
        self._sign = AlphaLink(AlphaSettings(port="sign", setup=False, refresh_s=NEVER_S))
        self._board = EscPosLink(EscPosSettings(port="board", refresh_s=NEVER_S))
        for link in (self._sign, self._board):
            link.opened(0.0)
        self._content: dict[PushLink, Content] = {}
        self._at, self._mark = 0.0, 0
        self._inputs: Counter[str] = Counter(changed=0, unchanged=0, refused=0)
        rounds: Any = None  # nobody asks for rounds of before
        self._desk = Desk(
            running=self.runner,
            devices=lambda: (),
            rounds=rounds,
            boot="boot",
            simulated=True,
            settled=lambda: True,
            started=NOW,
            now=lambda: NOW,
            monotonic=lambda: 0.0,
        )
        views: dict[str, See] = {**VIEWS, PUBLIC: see}
        self._hub = Hub(self._desk, views)
        self._screen, _ = self._hub.join(PUBLIC, None)
        self._seen = msgspec.json.decode(self._hub.snapshot(PUBLIC), type=_Numbered).number

    @property
    def table(self) -> Table:
        return self.runner.table

    def take_over(self, other: Outlets) -> None:
        """Be at the table where the other is; what was shown so far stays."""
        self.runner.table = other.table.fork()
        self._disk.sequence, self._mark = other._disk.sequence, other._mark
        self._inputs = other._inputs.copy()

    async def tell(self, what: i.Input) -> Answer:
        """From whoever may say it."""
        self.changes.clear()
        if not isinstance(what, i.PEOPLE):
            heard = input_of(SHOE, CardRead(card=what.card)) if isinstance(what, i.CardLeftShoe) else what
            self._mark += 1
            await self.runner.report(heard, SHOE, DeviceMark(1, self._mark))
            return Answer()
        voids = isinstance(what, i.Answer) and what.answer == "void"
        role: i.Role = "supervisor" if voids or isinstance(what, i.SUPERVISOR_ONLY) else "dealer"
        try:
            numbers = await self.runner.enter(what, i.Actor(role, "somebody"))
        except Refused as refused:
            self._inputs["refused"] += 1
            return Answer((), refused.code, refused.message, refused.legal)
        self._inputs["changed" if numbers else "unchanged"] += 1
        return Answer(numbers)

    async def public(self) -> Public:
        """What goes out now to everybody, on every way that there is."""
        setup = self.table.setup
        view = self._see(self.table)
        self._at += 1.0
        return {
            "sign": self._sent(self._sign, limits_content(view, setup.rules, setup.currency)),
            "board": self._sent(self._board, results_content(view, setup.currency)),
            "state": self._hub.snapshot(PUBLIC),
            "stream": await self._streamed(),
            "metrics": metrics_text(
                self._desk, inputs=self._inputs, screens=self._hub.watched(), dropped=self._hub.dropped
            ).encode(),
            "log": self._lines.taken(),
        }

    def pit(self) -> Public:
        """What the dealer and the supervisor see: for the hole card, which they may not know either."""
        lamps = keys.lamps(KEYS, dealer_view(self.table))
        return {"supervisor": self._hub.snapshot("supervisor"), "lamps": msgspec.json.encode(lamps)}

    async def _streamed(self) -> bytes:
        """The messages that the screen got; the snapshot made the hub look."""
        number = msgspec.json.decode(self._hub.snapshot(PUBLIC), type=_Numbered).number
        messages = [await self._screen.next() for _ in range(number - self._seen)]
        self._seen = number
        return "\n".join(messages).encode()

    def _sent(self, link: PushLink, content: Content) -> bytes:
        if self._content.get(link) != content:  # the same content would make the same bytes
            self._content[link] = content
            link.set_content(content)
        out = []
        while True:
            out += [said.words.encode() for said in link.poll(self._at) if hasattr(said, "words")]
            data = link.data_to_send(self._at)
            if not data:
                return b"".join(out)
            out.append(data)
            self._at += LINE_S
