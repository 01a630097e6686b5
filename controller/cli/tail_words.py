"""What changed between two views of a table, in a dealer's words. Pure; knows no more than the views."""

from __future__ import annotations

from collections.abc import Iterator

from controller.cli.table_words import (
    amount,
    cards_words,
    hand_name,
    limit_lines,
    net_words,
    question_words,
    result_words,
    shoe_words,
)
from controller.table.felt import HandView
from controller.table.views import DealerView, PublicView


def change_words(before: DealerView, after: DealerView) -> str:
    """Empty where nothing changed that a person at the table would say."""
    sentences = [*_public(before.public, after.public), *_dealers(before, after)]
    if after.public.awaiting != before.public.awaiting:
        sentences.append(f"waiting for {after.public.awaiting}")
    return "; ".join(sentences)


def _public(before: PublicView, after: PublicView) -> Iterator[str]:
    if (before.phase == "closed") != (after.phase == "closed"):
        yield "the table closes" if after.phase == "closed" else "the table opens"
    begins = after.phase == "playing" and (before.phase != "playing" or before.round != after.round)
    if before.phase == "playing" and (begins or after.phase != "playing"):
        yield from _ended(before, after)
    if begins:
        yield f"round {after.round} begins"
    if (before.shoe.number, before.shoe.cut_card, before.shoe.change_due) != (
        after.shoe.number,
        after.shoe.cut_card,
        after.shoe.change_due,
    ):
        yield shoe_words(after)
    if after.limits != before.limits:
        yield from (line for line in limit_lines(after.limits) if line not in limit_lines(before.limits))
    yield from _seats(before, after)
    if after.phase == "playing":
        yield from _felt(before if before.round == after.round else None, after)


def _ended(before: PublicView, after: PublicView) -> Iterator[str]:
    """The round that was in play; a void one leaves the felt without a trace."""
    if after.round < before.round:
        yield f"round {before.round} is void"
    elif after.round == before.round:
        yield from _felt(before, after)
        nets = net_words(after.net)
        yield f"round {after.round} is over" + (f": {nets}" if nets else "")


def _seats(before: PublicView, after: PublicView) -> Iterator[str]:
    was, now = ({each.seat: each for each in view.seats} for view in (before, after))
    for seat, view in now.items():
        old = was.get(seat)
        if old is None or (old.wager, old.side) != (view.wager, view.side):
            bets = [view.wager, *(f"{text} on {bet}" for bet, text in view.side.items() if text is not None)]
            bets_words = " and ".join(_bet(bet) for bet in bets if bet is not None)
            yield f"seat {seat} bets {bets_words}" if bets_words else f"seat {seat} is taken"
    yield from (f"seat {seat} is empty" for seat in was if seat not in now)


def _bet(text: str) -> str:
    worth, _, rest = text.partition(" ")
    return f"{amount(worth)} {rest}".strip()


def _felt(before: PublicView | None, after: PublicView) -> Iterator[str]:
    was = {(each.seat, each.hand): each for each in _hands(before)} if before is not None else {}
    for hand in _hands(after):
        yield from _hand(hand_name(hand, after.hands), was.get((hand.seat, hand.hand)), hand)
    settled = {(bet.seat, bet.bet): bet.outcome for bet in before.side_bets} if before is not None else {}
    for bet in after.side_bets:
        if bet.outcome and settled.get((bet.seat, bet.bet)) != bet.outcome:
            yield f"seat {bet.seat}, {bet.title}: {result_words(bet)}"


def _hands(view: PublicView) -> list[HandView]:
    return [*view.hands, *([view.dealer] if view.dealer is not None else [])]


def _hand(name: str, before: HandView | None, after: HandView) -> Iterator[str]:
    had = before.cards if before is not None else ()
    total = f" ({after.total})" if after.total else ""
    if after.cards != had:
        if after.cards[: len(had)] == had:
            yield f"{name}: {cards_words(after.cards[len(had) :])}{total}"
        else:  # turned, taken back, split or corrected
            yield f"{name}: {cards_words(after.cards) or 'no cards'}{total}"
    if before is not None and after.doubles > before.doubles:
        yield f"{name} doubles"
    if after.outcome and (before is None or before.outcome != after.outcome):
        yield f"{name}: {result_words(after)}"


def _dealers(before: DealerView, after: DealerView) -> Iterator[str]:
    if after.dealer_name != before.dealer_name:
        yield f"dealer {after.dealer_name} comes in" if after.dealer_name else f"dealer {before.dealer_name} leaves"
    if after.burn_due and not before.burn_due:
        yield "a card is to be burned"
    if after.question is not None and after.question != before.question:
        yield f"QUESTION: {question_words(after.question)}"
    elif before.question is not None and after.question is None:
        yield "the question is settled"
    for device, words in after.faults.items():
        if before.faults.get(device) != words:
            yield f"FAULT: {device}: {words}"
    yield from (f"{device} is well again" for device in before.faults if device not in after.faults)
    yield from (f"ALERT {number}: {words}" for number, words in after.alerts.items() if number not in before.alerts)
    yield from (f"alert {number} was seen" for number in before.alerts if number not in after.alerts)
