"""From a contact's edges to what a finger did: one press however it bounces, a long press once, a stuck key in words.

Pure: the caller passes levels and times. A contact that closes for less than the debounce time was no press.
"""

from __future__ import annotations

from typing import Final, Literal

STUCK_S: Final = 30.0  # nobody keeps a finger on a key so long

Deed = Literal["pressed", "held", "stuck", "freed"]


class Contact:
    """A contact's steady level. An edge must be followed by quiet for the debounce time before it counts."""

    def __init__(self, debounce_s: float, down: bool = False) -> None:
        self.down = down  # steady
        self._debounce_s = debounce_s
        self._raw = down
        self._since = 0.0  # the last edge

    def saw(self, down: bool, at: float) -> list[tuple[bool, float]]:
        """An edge. Returns the steady changes it makes certain, each with the time at which the contact moved."""
        moves = self._settle(at)
        self._raw, self._since = down, at
        return moves

    def look(self, down: bool, now: float) -> list[tuple[bool, float]]:
        """The level just read: time may have made it steady, or an edge was lost."""
        return self._settle(now) if down is self._raw else self.saw(down, now)

    def next_time(self) -> float | None:
        return None if self._raw is self.down else self._since + self._debounce_s

    def _settle(self, now: float) -> list[tuple[bool, float]]:
        # As `next_time` has it: a difference of the two can fall short of the debounce time by rounding.
        if self._raw is self.down or now < self._since + self._debounce_s:
            return []
        self.down = self._raw
        return [(self.down, self._since)]


class Presses:
    """What a key's steady moves mean. Without a long press a key is told as it goes down, the fastest there is.

    With one it is told when it comes up, or once as held when it has been down for so long.
    """

    def __init__(self, long_press_s: float | None, stuck_s: float = STUCK_S) -> None:
        self._long_s, self._stuck_s = long_press_s, stuck_s
        self._since: float | None = None  # down since then
        self._told = self._stuck = False

    def begin(self, down: bool, now: float) -> None:
        """The key as it is found. One that is down already was pressed before our time, and is not told."""
        self._since = now if down else None
        self._told, self._stuck = True, False

    def moved(self, down: bool, at: float) -> list[Deed]:
        if down:
            if self._since is not None:
                return []
            self._since, self._stuck = at, False
            self._told = self._long_s is None
            return ["pressed"] if self._told else []
        deeds = self.poll(at)
        if self._since is not None and not self._told:
            deeds.append("pressed")
        if self._stuck:
            deeds.append("freed")
        self._since, self._stuck = None, False
        return deeds

    def poll(self, now: float) -> list[Deed]:
        """Notice what time has done to a key that is down."""
        if self._since is None:
            return []
        deeds: list[Deed] = []
        if not self._told and self._long_s is not None and now >= self._since + self._long_s:
            self._told = True
            deeds.append("held")
        if not self._stuck and now >= self._since + self._stuck_s:
            self._stuck = True
            deeds.append("stuck")
        return deeds

    def next_time(self) -> float | None:
        if self._since is None or self._stuck:
            return None
        return self._since + (self._stuck_s if self._told or self._long_s is None else self._long_s)


class Key:
    """A key at a contact that bounces."""

    def __init__(self, debounce_s: float, long_press_s: float | None, *, down: bool, now: float) -> None:
        self._contact = Contact(debounce_s, down)
        self._presses = Presses(long_press_s)
        self._presses.begin(down, now)

    def saw(self, down: bool, at: float) -> list[Deed]:
        """An edge."""
        return self._moved(self._contact.saw(down, at))

    def look(self, down: bool, now: float) -> list[Deed]:
        """The level just read."""
        deeds = self._moved(self._contact.look(down, now))
        # While the contact is unsettled the key may have come up in time: then it was no long press.
        return deeds if self._contact.next_time() is not None else deeds + self._presses.poll(now)

    def next_time(self) -> float | None:
        settles = self._contact.next_time()
        return settles if settles is not None else self._presses.next_time()

    def _moved(self, moves: list[tuple[bool, float]]) -> list[Deed]:
        return [deed for down, at in moves for deed in self._presses.moved(down, at)]
