"""A display in a terminal: a box with every slot, for trying a table without hardware. Prints only what changed.

`port` is `stderr` or `stdout` of this program, or any port a terminal is at: `/dev/pts/3`, `socket://host:port`.
"""

from __future__ import annotations

import asyncio
import os
import unicodedata
from collections.abc import Mapping
from typing import ClassVar, Final

from msgspec import Struct

from drivers.base import SLOTS, Content, Kind, Mark
from drivers.displays.fitting import Fitted, Page, each_alone
from drivers.displays.push_link import PushLink
from drivers.displays.settings import check_port
from drivers.displays.stream_display import StreamDisplay
from drivers.errors import BadSetting, DeviceError, PortNotFound
from drivers.ports.base import LineSettings, Port
from drivers.ports.descriptor import DescriptorPort
from drivers.stream import Opener

STANDARD: Final = {"stdout": 1, "stderr": 2}
COLUMNS: Final = 76  # of text in the box: fits a terminal of 80 columns
ROWS: Final = 40  # of one slot
FACE: Final = Page(rows=ROWS, columns=COLUMNS, ascii_only=False)
BAUD: Final = 115200


class TerminalSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    port: str = "stderr"

    def __post_init__(self) -> None:
        check_port(self.port)
        if self.port == "stdin":
            raise BadSetting("port: nothing can be shown on stdin; stderr and stdout can show something")


class TerminalLink(PushLink):
    def __init__(self, settings: TerminalSettings) -> None:
        super().__init__(
            name=f"the terminal at {settings.port}",
            words="it answers nothing: what is printed may be seen, or not",
            face=FACE,
            baud=BAUD,
            refresh_s=None,
        )

    def fit(self, content: Content) -> Fitted:
        return each_alone(content, FACE, self.name)

    def parts(self, fitted: Fitted) -> Mapping[str, bytes]:
        return {"box": "".join(f"{line}\r\n" for line in box(fitted.rows)).encode()}


class TerminalDisplay(StreamDisplay):
    KIND: ClassVar[Kind] = "display"
    TITLE: ClassVar[str] = "A box in a terminal"
    GRADE: ClassVar[str] = "ours: for trying, not for players"
    CAPABILITIES: ClassVar[tuple[str, ...]] = (FACE.words,)
    SIMULATED: ClassVar[bool] = False
    Settings: ClassVar[type[Struct]] = TerminalSettings

    def __init__(self, settings: TerminalSettings, *, known: Mark | None = None, opener: Opener | None = None) -> None:
        number = STANDARD.get(settings.port)
        if opener is None and number is not None:
            opener = _standard(settings.port, number)
        super().__init__(
            TerminalLink(settings),
            driver="terminal",
            address=settings.port,
            line=LineSettings(baud=BAUD),
            role=None,
            opener=opener,
        )


def box(rows: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The lines of the box: one part for each slot that has something to say."""
    lines: list[str] = []
    for slot in SLOTS:
        if rows.get(slot):
            corners = "├┤" if lines else "┌┐"
            lines.append(f"{corners[0]}─ {slot} ".ljust(COLUMNS + 3, "─") + corners[1])
            lines += [f"│ {row}{' ' * (COLUMNS - width(row))} │" for row in rows[slot]]
    if not lines:
        lines = ["┌" + "─" * (COLUMNS + 2) + "┐"]
    return [*lines, "└" + "─" * (COLUMNS + 2) + "┘"]


def width(text: str) -> int:
    """Columns that a terminal gives it: two for wide characters, none for marks over others."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


class _StandardStream(DescriptorPort):
    """This program's own output: only written. What is typed there is not ours to read."""

    async def read(self) -> bytes:
        while True:
            self._check("read")
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader  # until it is closed


def _standard(name: str, number: int) -> Opener:
    async def opener() -> Port:
        # Opened anew instead of duplicated: non-blocking is a mark of what is open, and the shell would inherit it.
        try:
            return _StandardStream(name, os.open(f"/proc/self/fd/{number}", os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK))
        except FileNotFoundError as error:
            raise PortNotFound(f"{name} is closed", advice="Start the program from a terminal") from error
        except OSError as error:
            raise DeviceError(
                f"{name} can't be opened: {error.strerror}", advice="Start the program from a terminal"
            ) from error

    return opener
