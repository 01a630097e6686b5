"""How often somebody may try a PIN: waits that grow with every wrong one, and a lock after some. Pure: the caller
passes the time.

By name and by address. A name that nobody has is treated as one that somebody has, so that trying tells nothing. What
is kept is bounded: a name that is locked is never forgotten to make room.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

TRIES: Final = 5  # wrong PINs that lock a name
LOCK_S: Final = 300.0  # the first lock; each one behind it is twice as long
LONGEST_LOCK_S: Final = 3600.0
FIRST_WAIT_S: Final = 2.0  # after the second wrong PIN; then twice as long each time
FREE_OF_ADDRESS: Final = 10  # wrong PINs from one address before it waits too: a screen is used by many
LONGEST_WAIT_S: Final = 60.0  # of an address
FORGET_S: Final = 3600.0  # without a wrong PIN, what was before counts no more
MOST: Final = 1000  # names, and addresses, that are kept


class Wrong(Struct, frozen=True):
    """What a wrong PIN came to: seconds to wait, and how many more wrong ones lock the name (0: it is locked)."""

    wait: float
    left: int


class Held(Struct, frozen=True):
    """Why nobody may try now."""

    wait: float
    locked: bool


class _Count(Struct):
    """`mark` is of the person's record: when that changes, what was tried before is forgiven."""

    mark: str = ""
    wrong: int = 0
    locks: int = 0
    until: float = 0.0
    locked: bool = False
    last: float = 0.0


class Tries:
    def __init__(self) -> None:
        self._names: OrderedDict[str, _Count] = OrderedDict()
        self._addresses: OrderedDict[str, _Count] = OrderedDict()

    def held(self, name: str, mark: str, address: str, now: float) -> Held | None:
        """None where it may be tried now."""
        of_name = self._of_name(name, mark, now)
        if of_name is not None and of_name.until > now:
            return Held(of_name.until - now, of_name.locked)
        of_address = _fresh(self._addresses, address, now)
        if of_address is not None and of_address.until > now:
            return Held(of_address.until - now, False)
        if (of_name is None and _full(self._names, now)) or (of_address is None and _full(self._addresses, now)):
            return Held(LONGEST_WAIT_S, False)
        return None

    def wrong(self, name: str, mark: str, address: str, now: float) -> Wrong:
        of_address = _kept(self._addresses, address, now)
        of_address.wrong += 1
        over = of_address.wrong - FREE_OF_ADDRESS
        if over > 0:
            of_address.until = now + min(FIRST_WAIT_S * 2 ** min(over - 1, 10), LONGEST_WAIT_S)
        count = self._of_name(name, mark, now) or _kept(self._names, name, now)
        count.mark, count.last = mark, now
        count.wrong += 1
        if count.wrong >= TRIES:
            wait = min(LOCK_S * 2 ** min(count.locks, 10), LONGEST_LOCK_S)
            count.wrong, count.locks, count.locked = 0, count.locks + 1, True
        else:
            wait = FIRST_WAIT_S * 2 ** (count.wrong - 2) if count.wrong > 1 else 0.0
            count.locked = False
        count.until = now + wait
        return Wrong(max(wait, of_address.until - now), 0 if count.locked else TRIES - count.wrong)

    def right(self, name: str) -> None:
        """The name is forgiven; the address is not, or one's own PIN would buy tries at another's."""
        self._names.pop(name, None)

    def locks(self, now: float) -> dict[str, tuple[str, float]]:
        """The names that are locked, each with its mark and how long for, to be kept over a restart."""
        return {
            name: (count.mark, count.until - now)
            for name, count in self._names.items()
            if count.locked and count.until > now
        }

    def lock_again(self, locks: Mapping[str, tuple[str, float]], now: float) -> None:
        """What `locks` gave before a restart."""
        for name, (mark, seconds) in locks.items():
            until = now + min(seconds, LONGEST_LOCK_S)
            self._names[name] = _Count(mark=mark, locks=1, until=until, locked=True, last=now)

    def _of_name(self, name: str, mark: str, now: float) -> _Count | None:
        count = _fresh(self._names, name, now)
        if count is not None and count.mark != mark:
            del self._names[name]
            return None
        return count


def _fresh(counts: OrderedDict[str, _Count], key: str, now: float) -> _Count | None:
    count = counts.get(key)
    if count is not None and now - max(count.last, count.until) > FORGET_S:
        del counts[key]
        return None
    return count


def _kept(counts: OrderedDict[str, _Count], key: str, now: float) -> _Count:
    if key not in counts and len(counts) >= MOST:
        for oldest in [name for name, count in counts.items() if count.until <= now][:1]:
            del counts[oldest]
    count = counts.setdefault(key, _Count())
    count.last = now
    counts.move_to_end(key)
    return count


def _full(counts: OrderedDict[str, _Count], now: float) -> bool:
    """Whether nothing can be forgotten to make room."""
    return len(counts) >= MOST and all(count.until > now for count in counts.values())
