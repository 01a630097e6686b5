"""A table as commands tell it to a person: limits, hands, devices, what is awaited. Made from views alone."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from controller.rules.cards import card
from controller.rules.money import money_words, parse_amount
from controller.rules.words.narrate import FACE_DOWN, card_sign

if TYPE_CHECKING:
    from controller.table.felt import HandView, SideBetView
    from controller.table.questions import Question
    from controller.table.views import DealerView, LimitView, PublicView
    from drivers.supervisor import DeviceStatus

SIMULATED: Final = "SIMULATED"
_BOUNDARIES: Final = {"next_round": "from the next round", "next_shoe": "with the next shoe"}


def status_lines(view: DealerView, *, simulated: bool, trouble: str) -> Iterator[str]:
    public = view.public
    yield f"{public.table}: {public.game}{f'  {SIMULATED}' if simulated else ''}"
    if trouble:
        yield f"    TAKES NO INPUT: {trouble}"
    yield f"    {phase_words(public)}; waiting for {public.awaiting}"
    yield f"    {shoe_words(public)}" + (f"; dealer {view.dealer_name}" if view.dealer_name else "")
    yield from (f"    {line}" for line in limit_lines(public.limits))
    for seat in public.seats:
        bets = [amount(seat.wager) if seat.wager else "", *(f"{bet} {amount(bet_)}" for bet, bet_ in _side(seat.side))]
        yield f"    seat {seat.seat}: {', '.join(filter(None, bets)) or 'taken'}{' (same again)' if seat.again else ''}"
    if view.question is not None:
        yield f"    QUESTION: {question_words(view.question)}"
    for device, words in view.faults.items():
        yield f"    FAULT: {device}: {words}{' (the round waits for it)' if device in view.holding else ''}"
    yield from (f"    ALERT {number}: {words}" for number, words in view.alerts.items())


def phase_words(public: PublicView) -> str:
    match public.phase:
        case "closed":
            return "closed"
        case "betting":
            return f"between rounds, {public.round} so far" if public.round else "before the first round"
        case "playing":
            return f"round {public.round}"


def shoe_words(public: PublicView) -> str:
    shoe = public.shoe
    if not shoe.number:
        return "no shoe is loaded"
    words = f"shoe {shoe.number}: {shoe.cards_out} of {shoe.cards} cards are out"
    if shoe.change_due:
        return f"{words}; it is over, change it"
    return f"{words}; the cut card came" if shoe.cut_card else words


def limit_lines(limits: Iterable[LimitView]) -> Iterator[str]:
    for each in limits:
        coming = f"; {when_words(each)}: {each.next}" if each.next else ""
        yield f"limits of {each.bet}: {each.words}{coming}"


def when_words(limit: LimitView) -> str:
    if limit.due:
        return f"at {time.strftime('%H:%M:%S', time.localtime(limit.due))}, or when the round is over"
    return _BOUNDARIES.get(limit.policy, limit.policy)


def question_words(question: Question) -> str:
    said = f" ({question.words})" if question.words else ""
    choices = "; ".join(
        f"{choice.answer}: {choice.words}{'' if choice.who == 'dealer' else f' ({choice.who})'}"
        for choice in question.choices
    )
    return f"{question.asks}{said} [{choices}]"


def device_lines(devices: Iterable[DeviceStatus], at: float) -> Iterator[str]:
    from drivers.supervisor import duration_words

    for each in devices:
        mark = f"  {SIMULATED}" if each.simulated else ""
        yield f"{each.device}: {each.state} for {duration_words(at - each.since)}{mark}"
        yield f"    {each.words}"
        if each.advice:
            yield f"    {each.advice}"
        lost = f"; lost {_times(each.losses)} since the start" if each.losses else ""
        yield f"    {each.kind} by {each.driver} at {each.address}{lost}"


def cards_words(cards: Iterable[str | None]) -> str:
    return " ".join(FACE_DOWN if code is None else card_sign(card(code)) for code in cards)


def hand_name(hand: HandView, hands: Iterable[HandView]) -> str:
    """`seat 1`, and which hand where it has several."""
    if not hand.seat:
        return "dealer"
    several = sum(each.seat == hand.seat for each in hands) > 1
    return f"seat {hand.seat}, hand {hand.hand}" if several else f"seat {hand.seat}"


def result_words(hand: HandView | SideBetView) -> str:
    """`wins +10: 20 beats 19`; nothing where it is not settled."""
    if not hand.outcome:
        return ""
    net = f" {signed(hand.net)}" if hand.net is not None else ""
    rounded = f" ({signed(hand.rounded)} by rounding)" if hand.rounded else ""
    return f"{hand.outcome.replace('_', ' ')}{net}{rounded}" + (f": {hand.why}" if hand.why else "")


def net_words(net: Mapping[int, str | None]) -> str:
    return ", ".join(f"seat {seat} {signed(amount)}" for seat, amount in sorted(net.items()) if amount is not None)


def amount(text: str) -> str:
    return money_words(parse_amount(text))


def signed(text: str) -> str:
    worth = parse_amount(text)
    return f"{'+' if worth > 0 else ''}{money_words(worth)}"


def _side(side: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    return ((bet, text) for bet, text in side.items() if text is not None)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
