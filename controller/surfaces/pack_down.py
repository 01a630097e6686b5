"""What a table's day came to, for its organiser: from the journal's records since the table was opened last.

Names no card, and counts no bet of a round in play. Holds nothing of a hidden card: what it says is public.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from fractions import Fraction

from msgspec import Struct

from controller.rules.money import parse_amount, whole
from controller.table import events as e
from controller.table.history import Kept


class SeatDay(Struct, frozen=True):
    """`net` is what the seat won or lost in all; None where it played without wagers."""

    seat: int
    rounds: int
    won: int
    lost: int
    net: str | None


class DeviceDay(Struct, frozen=True):
    """How often a device was in trouble, and whether it is now."""

    device: str
    times: int
    now: bool


class Day(Struct, frozen=True, kw_only=True):
    """`closed` is empty while the table is open. `seconds` is None where the clock was set meanwhile."""

    opened: str
    closed: str
    seconds: int | None
    rounds: int
    voided: int
    corrected: int
    cards: int
    by_hand: int
    shoes: int
    seats: tuple[SeatDay, ...]
    faults: tuple[DeviceDay, ...]


class _Count:
    def __init__(self) -> None:
        self.nets: dict[int, dict[int, Fraction | None]] = {}  # round → seat → what it came to
        self.ended, self.voided, self.shoes, self.corrected = 0, 0, 0, 0
        self.cards: dict[int, bool] = {}  # sequence → whether it was named by hand
        self.troubles: dict[str, int] = {}
        self.in_trouble: set[str] = set()


def day(kept: Iterable[Kept]) -> Day | None:
    """Of the last opening among the records, to the closing or as far as it went; None where there was none."""
    opened = closed = newest = ""
    count = _Count()
    for each in kept:
        newest = each.wall
        match each.event:
            case e.TableOpened():
                opened, closed, count = each.wall, "", _Count()
            case e.TableClosed():
                closed = each.wall
            case event:
                _take(count, each.sequence, event)
    if not opened:
        return None
    return Day(
        opened=opened,
        closed=closed,
        seconds=_seconds(opened, closed or newest),
        rounds=count.ended,
        voided=count.voided,
        corrected=count.corrected,
        cards=len(count.cards),
        by_hand=sum(count.cards.values()),
        shoes=count.shoes,
        seats=_seats(count.nets),
        faults=tuple(
            DeviceDay(device, times, device in count.in_trouble) for device, times in sorted(count.troubles.items())
        ),
    )


def _take(count: _Count, sequence: int, event: e.Event) -> None:
    match event:
        case e.CardDrawn(source=source) | e.CardBurned(source=source):
            count.cards[sequence] = source == "manual"
        case e.CardPassed():
            count.cards[sequence] = False
        case e.CardTakenBack(sequence=back) | e.Undone(sequence=back):
            count.cards.pop(back, None)  # what was no card is not there
        case e.ShoeLoaded():
            count.shoes += 1
        case e.RoundEnded(number=number, net=net):
            count.ended += 1
            count.nets[number] = {seat: _money(amount) for seat, amount in net.items()}
        case e.RoundVoided(number=number, bets=bets, net=net):
            count.voided += 1
            if bets == "settled_stand":
                count.nets[number] = {seat: _money(amount) for seat, amount in net.items()}
        case (
            e.CardCorrected(round=number, difference=difference) | e.CardsExchanged(round=number, difference=difference)
        ):
            count.corrected += 1
            nets = count.nets.get(number, {})
            for seat, amount in difference.items():
                nets[seat] = (nets.get(seat) or Fraction(0)) + parse_amount(amount)
        case e.FaultBegan(device=device):
            count.troubles[device] = count.troubles.get(device, 0) + 1
            count.in_trouble.add(device)
        case e.FaultEnded(device=device, set_aside=False):
            count.in_trouble.discard(device)


def _seats(nets: dict[int, dict[int, Fraction | None]]) -> tuple[SeatDay, ...]:
    found = []
    for seat in sorted({seat for net in nets.values() for seat in net}):
        amounts = [net[seat] for net in nets.values() if seat in net]
        known = [amount for amount in amounts if amount is not None]
        total = str(whole(sum(known, Fraction(0)))) if known else None
        won, lost = sum(amount > 0 for amount in known), sum(amount < 0 for amount in known)
        found.append(SeatDay(seat, len(amounts), won, lost, total))
    return tuple(found)


def _money(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(parse_amount(text))


def _seconds(opened: str, closed: str) -> int | None:
    began, ended = (datetime.fromisoformat(each.replace("Z", "+00:00")) for each in (opened, closed))
    seconds = int((ended - began).total_seconds())
    return seconds if seconds >= 0 else None
