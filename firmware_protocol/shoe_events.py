"""What shoes say, whatever their protocol: the events a decoder of a shoe's bytes gives.

Cards are two-letter codes (`"8S"`, `"TD"`). Nothing here decides what a card is for: that is the table's.
"""

from __future__ import annotations

from firmware_protocol.wire import Decoded


class CardRead(Decoded, frozen=True, kw_only=True):
    """A card left the shoe. `in_game` is False where the shoe says it was drawn outside a game."""

    card: str
    in_game: bool = True
    sequence: str | None = None  # as the device counts, where it does


class Misread(Decoded, frozen=True, kw_only=True):
    """A card left the shoe and was not recognised."""

    reason: str
    sequence: str | None = None


class CutCardSeen(Decoded, frozen=True, kw_only=True):
    sequence: str | None = None


class ShoeStarted(Decoded, frozen=True, kw_only=True):
    """The shoe has started to talk: switched on, or loaded anew."""

    sequence: str | None = None


class StandBy(Decoded, frozen=True, kw_only=True):
    sequence: str | None = None


class Attention(Decoded, frozen=True, kw_only=True):
    """The shoe says something about a card that must not be counted as a new one; a person looks."""

    reason: str
    card: str | None = None
    sequence: str | None = None


class Error(Decoded, frozen=True, kw_only=True):
    """The shoe reports an error, in its own number where it has one and in words."""

    words: str
    code: int | None = None
    error_mode: bool = False  # the shoe has stopped for it
    sequence: str | None = None


class ErrorCleared(Decoded, frozen=True, kw_only=True):
    words: str
    code: int | None = None
    sequence: str | None = None


class LockChanged(Decoded, frozen=True, kw_only=True):
    locked: bool
    sequence: str | None = None


class Notice(Decoded, frozen=True, kw_only=True):
    """Something to log and never to act on: a shoe's own result of another game, a preset, a reply, a warning."""

    words: str
    data: str = ""  # the payload in hexadecimal
    sequence: str | None = None
