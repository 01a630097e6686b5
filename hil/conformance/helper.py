"""Whoever makes things happen at the device under test: nobody, a stimulus line, the device's own model, a person.

A helper that can't do something raises NoHand with the reason, and the rule is then listed as not tried, with it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from msgspec import Struct

from hil.stimulus import UNKNOWN, Answer, Order

MOST_EVENTS: Final = 300  # more than any device that PROTOCOL.md describes can keep
RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC"
DECK: Final = tuple(rank + SUITS[number % 4] for number, rank in enumerate(RANKS))  # every rank, every suit


class NoHand(Exception):
    """It can't be done here; the words say why."""


class Stopped(Exception):
    """The device lets nothing happen now, as it must while its queue is nearly full or it is locked."""


class Helper(Protocol):
    """What a check may ask for. What happened is told as the card's text, or None where nobody knows which it was."""

    name: str
    restarts: int  # how often a check may ask for a restart
    patient: bool  # whether it needs a person's time: many events are then asked for at once

    async def happen(self, role: str, card: str | None = None) -> str | None:
        """One event: a card, or a key that goes down or up. Raises Stopped."""

    async def fill(self, role: str) -> tuple[list[str | None], bool]:
        """Events until the device stops, or MOST_EVENTS; whether it stopped."""

    async def restart(self) -> None: ...

    async def looks(self, slot: int, content: bytes, words: str) -> bool:
        """Whether that is what the device shows."""


class Nobody:
    """Nothing is made to happen."""

    restarts, patient = 0, False

    def __init__(self, why: str = "nobody is there to do it") -> None:
        self.name = "nobody"
        self._why = why

    async def happen(self, role: str, card: str | None = None) -> str | None:
        raise NoHand(self._why)

    async def fill(self, role: str) -> tuple[list[str | None], bool]:
        raise NoHand(self._why)

    async def restart(self) -> None:
        raise NoHand(self._why)

    async def looks(self, slot: int, content: bytes, words: str) -> bool:
        raise NoHand(self._why)


Obey = Callable[[Order], Awaitable[Answer]]


class Ordering:
    """Gives the orders of hil.stimulus to whatever obeys them."""

    restarts, patient = 2, False

    def __init__(self, name: str, obey: Obey) -> None:
        self.name = name
        self._obey = obey
        self._down = False  # key 0
        self._dealt = 0

    async def happen(self, role: str, card: str | None = None) -> str | None:
        if role == "panel":
            await self._do(Order("key", "0 up" if self._down else "0 down"))
            self._down = not self._down
            return None
        if card is None:
            card, self._dealt = DECK[self._dealt % len(DECK)], self._dealt + 1
        await self._do(Order("deal", card))
        return card

    async def fill(self, role: str) -> tuple[list[str | None], bool]:
        happened: list[str | None] = []
        while len(happened) < MOST_EVENTS:
            try:
                happened.append(await self.happen(role))
            except Stopped:
                return happened, True
        return happened, False

    async def restart(self) -> None:
        self._down = False
        await self._do(Order("reset"))

    async def looks(self, slot: int, content: bytes, words: str) -> bool:
        answer = await self._do(Order("slot", f"{slot:02x}"))
        return answer.words == (content.hex() or "-")

    async def _do(self, order: Order) -> Answer:
        answer = await self._obey(order)
        if answer.ok:
            return answer
        if order.verb in ("deal", "key") and answer.words != UNKNOWN:
            raise Stopped(answer.words)
        raise NoHand(f"{self.name} answers {order} with: {answer}")


class Terminal(Struct):
    """How a person is spoken to."""

    say: Callable[[str], None]
    ask: Callable[[str], Awaitable[str | None]]  # a line, or None at the end of the input


class Person:
    """Asks whoever stands at the device."""

    restarts, patient = 1, True

    def __init__(self, terminal: Terminal) -> None:
        self.name = "a person at the terminal"
        self._terminal = terminal

    async def happen(self, role: str, card: str | None = None) -> str | None:
        if role == "panel":
            await self._done("Press one key and let it go")
            return None
        return await self._card("Draw one card and type it, such as 8S")

    async def fill(self, role: str) -> tuple[list[str | None], bool]:
        what = "Press keys, 70 of them" if role == "panel" else "Draw cards until the shoe stops by itself (or 70)"
        count = await self._number(f"{what}; type how many")
        stopped = role != "panel" and await self._yes("Did the shoe stop by itself?")
        return [None] * count, stopped

    async def restart(self) -> None:
        await self._done("Switch the device off and on again")

    async def looks(self, slot: int, content: bytes, words: str) -> bool:
        return await self._yes(words)

    async def _done(self, what: str) -> None:
        while (answer := await self._line(f"{what}, then press Enter (s: skip)")) != "":
            self._terminal.say(f"{answer!r} is not understood: press Enter when it is done, or type s to skip it")

    async def _yes(self, what: str) -> bool:
        while (answer := await self._line(f"{what} (y, n, s: skip)")) not in ("y", "yes", "n", "no"):
            self._terminal.say(f"{answer!r} is not understood: type y, n, or s to skip it")
        return answer.startswith("y")

    async def _number(self, what: str) -> int:
        while (
            not (answer := await self._line(f"{what} (s: skip)")).isascii() or not answer.isdigit() or len(answer) > 3
        ):
            self._terminal.say(f"{answer!r} is not understood: type a number, or s to skip it")
        return int(answer)

    async def _card(self, what: str) -> str | None:
        while True:
            answer = (await self._line(f"{what}; only Enter if you can't see it (s: skip)")).upper()
            if not answer:
                return None
            card = answer.replace("10", "T")
            if len(card) == 2 and card[0] in RANKS and card[1] in SUITS:
                return card
            self._terminal.say(f"{answer!r} is not understood: type rank and suit, such as 8S, TD or AC")

    async def _line(self, what: str) -> str:
        line = await self._terminal.ask(what)
        if line is None:
            raise NoHand("nobody answers at the terminal any more")
        if line.strip().lower() in ("s", "skip"):
            raise NoHand("it was skipped at the terminal")
        return line.strip().lower()
