"""What an event of a round was, in a dealer's words. Names no card that nobody had seen by then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from controller.rules.cards import card
from controller.rules.engine.events import CardDealt
from controller.rules.engine.round import Round
from controller.rules.money import money_words, parse_amount
from controller.rules.words.narrate import FACE_DOWN, card_sign, narrate, place
from controller.table import events as e
from controller.table.drawn import cards_of
from controller.table.questions import asks
from controller.table.rounds import RoundLog, RuleEvents, rule_input
from controller.table.table import Table

StepKind = Literal[
    "card", "entry", "question", "answer", "undo", "correction", "void", "end", "device", "alert", "other"
]

Beside = (
    e.FaultBegan
    | e.FaultEnded
    | e.AlertRaised
    | e.AlertAcknowledged
    | e.LimitsScheduled
    | e.LimitsApplied
    | e.WagerPlaced
    | e.SeatTaken
    | e.SeatCleared
    | e.CutCardSeen
    | e.AttemptRefused
    | e.TableSetUp
    | e.TableOpened
    | e.TableClosed
    | e.DealerCameIn
    | e.DealerWentOut
    | e.ShoeLoaded
    | e.VerificationBegun
    | e.CountBegun
    | e.ShoeVerified
    | e.ShoeCounted
    | e.CardPassed
    | e.MarkReached
)
_KINDS: Final[dict[type, StepKind]] = {
    e.CardDrawn: "card",
    e.CardBurned: "card",
    e.Decided: "entry",
    e.Insured: "entry",
    e.OfferEnded: "entry",
    e.Peeked: "entry",
    e.HoleCardTurned: "entry",
    e.PaidAndTaken: "entry",
    e.CardHeld: "question",
    e.CardTakenBack: "question",
    e.QuestionAnswered: "answer",
    e.CardToldAgain: "answer",
    e.Undone: "undo",
    e.CardCorrected: "correction",
    e.CardsExchanged: "correction",
    e.RoundVoided: "void",
    e.RoundEnded: "end",
    e.FaultBegan: "device",
    e.FaultEnded: "device",
    e.AlertRaised: "alert",
    e.AlertAcknowledged: "alert",
}
_WHEN: Final = {"next_round": "from the next round", "next_shoe": "with the next shoe"}
_ANSWERS: Final = {"burn": "burn it", "confirm": "the felt agrees", "name": "the card is named"}


def kind_of(events: Sequence[e.Event]) -> StepKind:
    """Of what came of one input: a card that was in question is the answer to it."""
    first = events[0]
    if isinstance(first, e.CardDrawn | e.CardBurned) and first.held:
        return "answer"
    return _KINDS.get(type(first), "other")


def step_words(before: Table, after: Table, event: e.Event, told: RuleEvents) -> list[str]:
    return [sentence for sentence in _sentences(before, after, event, told) if sentence]


def _sentences(before: Table, after: Table, event: e.Event, told: RuleEvents) -> Iterator[str]:
    match event:
        case e.RoundBegun():
            yield f"Round {event.number} begins: {_bets(event.bets)}."
        case e.CardDrawn():
            yield from _entry(after, event, told)
            if event.source == "manual":
                yield "It was named by hand."
            elif event.held:
                yield f"That settles question {event.held}."
        case e.Decided() | e.Insured() | e.OfferEnded() | e.Peeked() | e.HoleCardTurned() | e.PaidAndTaken():
            yield from _entry(after, event, told)
        case e.CardHeld():
            yield f"Question {event.number}: {asks(event.situation)}"
            yield event.words and f"({event.words})"
        case e.QuestionAnswered():
            yield f"Question {event.number} is answered: {_ANSWERS.get(event.answer, event.answer)}."
        case e.CardToldAgain():
            yield f"Question {event.number} is answered: it is a card that was named by hand already."
        case e.CardBurned():
            yield f"{'A card' if not event.held else f'The card of question {event.held}'} is burned."
        case e.CardTakenBack():
            yield f"The last card is taken back. Question {event.number}: {asks('taken_back')}"
        case e.Undone():
            yield f"UNDONE: {event.label}."
        case e.RoundEnded():
            yield f"The round is over{_nets(event.net)}."
        case e.RoundVoided():
            stand = "All bets are returned" if event.bets == "returned" else "What was settled before stands"
            yield f"VOID: {_ended(event.reason)} {stand}{_nets(event.net)}."
        case e.CardCorrected():
            yield from _corrected(before, after, event)
        case e.CardsExchanged():
            yield from _exchanged(before, after, event)
        case _:
            yield _beside(event)


def _entry(after: Table, event: e.RoundEntry, told: RuleEvents) -> Iterator[str]:
    round_ = after.round
    assert round_ is not None
    for each in told:
        if isinstance(each, CardDealt) and each.draw == "deal":  # the narrator waits until all first cards lie
            shown = card_sign(card(each.card)) if each.face_up else "a card face down"
            yield _capital(f"{place(each.seat, each.hand, round_)} gets {shown}.")
        else:
            yield from narrate(round_, rule_input(event), [each])


def _beside(event: Beside) -> str:
    """What happened at the table meanwhile, and is no part of the round."""
    match event:
        case e.FaultBegan():
            return f"{event.device}: {_ended(event.words)}{' The round waits for it.' if event.holds else ''}"
        case e.FaultEnded():
            return f"{event.device}: {'set aside, its cards are named by hand.' if event.set_aside else 'well again.'}"
        case e.AlertRaised():
            return f"ALERT {event.number}: {_ended(event.words)}"
        case e.AlertAcknowledged():
            return f"Alert {event.number} is acknowledged."
        case e.LimitsScheduled():
            when = _WHEN.get(event.policy, event.policy.replace("notice:", "after a notice of "))
            return f"New limits for {event.bet} {when}: {event.after.limits.words()} ({event.why})."
        case e.LimitsApplied():
            return f"The limits of {event.bet} are now {event.after.limits.words()}."
        case e.WagerPlaced():
            return f"Seat {event.seat} will bet {_bet(e.Bets(event.amount, event.side)) or 'without wager'} next."
        case e.SeatTaken():
            return f"Somebody sits down at seat {event.seat}."
        case e.SeatCleared():
            return f"Seat {event.seat} is left."
        case e.CutCardSeen():
            return "The cut card comes: this is the last round of the shoe."
        case e.AttemptRefused():
            return f"Refused ({event.what}): {_ended(event.words)}"
        case _:
            return ""  # is not while a round is played, or says nothing to people


def _corrected(before: Table, after: Table, event: e.CardCorrected) -> Iterator[str]:
    was, now = (_name_at(table, event.round, event.place) for table in (before, after))
    whose = _whose(after, event.round, event.place)
    yield f"CORRECTED: card {event.place} of round {event.round} ({whose}) was {was}, and is {now}."
    yield _difference(event.difference)


def _exchanged(before: Table, after: Table, event: e.CardsExchanged) -> Iterator[str]:
    one, two = (
        f"card {at} ({_whose(after, event.round, at)}, was {_name_at(before, event.round, at)})"
        for at in (event.place, event.other)
    )
    yield f"EXCHANGED in round {event.round}: {one} and {two}."
    yield _difference(event.difference)


def _log(table: Table, number: int) -> RoundLog:
    log = table.state.round if table.state.round is not None else table.state.last
    assert log is not None
    assert log.number == number
    return log


def _name_at(table: Table, number: int, at: int) -> str:
    code = cards_of(table.setup, _log(table, number)).cards[at - 1].card
    return f"{FACE_DOWN} face down" if code is None else card_sign(card(code))


def _whose(table: Table, number: int, at: int) -> str:
    found = cards_of(table.setup, _log(table, number)).cards[at - 1]
    return "burned" if found.burned else place(found.seat, found.hand, _round(table))


def _round(table: Table) -> Round:
    round_ = table.round if table.round is not None else table.last
    assert round_ is not None
    return round_


def _difference(difference: Mapping[int, str]) -> str:
    seats = [f"seat {seat} gets {_signed(amount)}" for seat, amount in sorted(difference.items())]
    return f"The difference: {', '.join(seats)}." if seats else "No money changes hands by it."


def _nets(net: Mapping[int, str | None]) -> str:
    seats = [f"seat {seat} {_signed(amount)}" for seat, amount in sorted(net.items()) if amount is not None]
    return f": {', '.join(seats)}" if seats else ""


def _signed(amount: str) -> str:
    worth = parse_amount(amount)
    return f"{'+' if worth > 0 else ''}{money_words(worth)}"


def _bets(bets: Mapping[int, e.Bets]) -> str:
    seats = [f"seat {seat} {_bet(placed)}".strip() for seat, placed in sorted(bets.items())]
    return ", ".join(seats)


def _bet(placed: e.Bets) -> str:
    main = [] if placed.amount is None else [money_words(parse_amount(placed.amount))]
    side = [f"{name} {money_words(parse_amount(text))}" for name, text in placed.side.items() if text is not None]
    return " and ".join([*main, *side])


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def _ended(words: str) -> str:
    return words if words.endswith((".", "!", "?")) else f"{words}."
