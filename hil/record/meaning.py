"""What recorded bytes mean, in the project's words: a decoder a port and direction, begun anew with each connection.

Seals are shown and not checked: the reader of a recording has no key.
"""

from __future__ import annotations

from typing import Any

from controller.cli.wire import describe
from firmware_protocol.line_reader import CardMap
from firmware_protocol.protocols import wire_format
from firmware_protocol.wire import Decoded, Decoder

Message = dict[str, Any]  # `event` and its fields


class Meaning:
    """One direction of one port, in any number of connections. Nothing is known of a protocol without a decoder."""

    def __init__(self, protocol: str, cards: CardMap | None = None) -> None:
        self._format = wire_format(protocol)
        self._cards = cards if cards is not None else CardMap()
        self._decoder: Decoder | None = None
        self.opened()

    def opened(self) -> None:
        make = self._format.decoder if self._format is not None else None
        self._decoder = make(self._cards) if make is not None else None

    def of(self, data: bytes) -> list[Message]:
        """What these bytes complete; nothing where they are the beginning of something."""
        found: list[Decoded] = self._decoder.feed(data) if self._decoder is not None else []
        return [_without_offset(each) for each in found]


def _without_offset(found: Decoded) -> Message:
    return {name: value for name, value in describe(found).items() if name != "offset"}


def words_of(message: Message) -> str:
    """ "card_read: card 8S, sequence 4"."""
    fields = ((name, value) for name, value in message.items() if name != "event" and value is not False)
    details = ", ".join(f"{name} {value}" for name, value in fields if value not in ("", None))
    return f"{message['event']}{': ' + details if details else ''}"
