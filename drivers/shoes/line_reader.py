"""Driver of a barcode or RFID reader used as a shoe: one line, one card; refuses a card map that cannot be read.

The map is a file (`cards.toml`): a table `[cards]` with a line such as `"0012345" = "AS"` for each code, and before it
`cut_card = ["999"]` where the cut card has one. A code that is not in it is a misread that shows the code.
"""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path
from typing import ClassVar

from drivers.base import Kind, Mark
from drivers.errors import BadSetting
from drivers.ports.base import Parity
from drivers.shoes.bee_tek import UNNUMBERED
from drivers.shoes.one_way import OneWayLink, OneWayShoe, SerialSettings
from drivers.shoes.typed import is_typed, open_typed
from drivers.stream import Opener
from firmware_protocol import line_reader
from firmware_protocol.line_reader import BadCardMap, CardMap


class LineReaderShoe(OneWayShoe):
    KIND: ClassVar[Kind] = "shoe"
    TITLE: ClassVar[str] = line_reader.TITLE
    GRADE: ClassVar[str] = line_reader.GRADE
    CAPABILITIES: ClassVar[tuple[str, ...]] = ("suits", "cut card (where the card map has a code for it)")
    SIMULATED: ClassVar[bool] = False

    class Settings(SerialSettings, frozen=True, kw_only=True):
        """`port` may be a scanner that types: `/dev/input/by-id/…` or `name:Its Name`. It has no speed."""

        cards: str  # the card map's file
        baud: int = line_reader.BAUD
        data_bits: int = line_reader.DATA_BITS
        parity: Parity = line_reader.PARITY
        stop_bits: int = line_reader.STOP_BITS

    def __init__(
        self,
        settings: Settings,
        *,
        known: Mark | None = None,
        opener: Opener | None = None,
        cards: CardMap | None = None,
    ) -> None:
        """`cards` replaces the file, for a simulated reader that has none."""
        mapped = cards if cards is not None else read_card_map(settings.cards)
        if opener is None and is_typed(settings.port):
            opener = partial(open_typed, settings.port)
        super().__init__(reader_link(mapped), settings, opener, driver="line_reader")


def reader_link(cards: CardMap) -> OneWayLink:
    return OneWayLink(
        lambda: line_reader.Decoder(cards), identity=f"card reader, {len(cards)} codes mapped", words=UNNUMBERED
    )


def read_card_map(path: str) -> CardMap:
    """The map in a file; raises BadSetting that names the file and what is wrong in it."""
    try:
        return CardMap.from_table(tomllib.loads(Path(path).read_text(encoding="utf-8")))
    except OSError as error:
        raise BadSetting(f"cards: {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadSetting(f"cards: {path} is no UTF-8 text: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"cards: {path} is no TOML: {error}") from error
    except BadCardMap as error:
        raise BadSetting(f"cards: {path}: {error}") from error
