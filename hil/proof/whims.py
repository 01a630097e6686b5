"""What happens next at a table, by a seed: mostly what is awaited, and often enough what nobody wished for."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from controller.rules.engine import awaiting as a
from controller.rules.money import money_words
from controller.table import inputs as i
from controller.table.legal import actions_now
from controller.table.questions import Question, question
from controller.table.state import DECK
from controller.table.table import Table

WHIM: Final = 0.08  # of the steps are not what was awaited
PASSIVE: Final = ("stand", "keep")


def a_card(chance: Random) -> str:
    """Any card: from a deep shoe, often one that can't be in it any more."""
    return chance.choice(DECK)


def next_step(table: Table, chance: Random, legal: Callable[[Table], tuple[str, ...]] = actions_now) -> i.Input:
    """`legal` says what the hand in turn may do; where two tables are told the same it is what both may."""
    asked = question(table)
    if chance.random() < WHIM:
        return _whim(table, chance)
    if asked is not None:
        return _answer(table, asked, chance)
    round_ = table.round
    if round_ is None:
        if table.state.burn_due:
            return i.CardLeftShoe(a_card(chance))
        return i.NextRound() if chance.random() < 0.9 else i.CardLeftShoe(a_card(chance))
    match round_.awaiting:
        case a.DecisionBy(seat=seat, hand=hand):
            return _decision(seat, hand, legal(table), table, chance)
        case a.InsuranceOffer(seats=seats) if seats and chance.random() < 0.5:
            seat = chance.choice(seats)
            return i.Insurance(seat, _half(table, seat))
        case a.SurrenderOffer(seats=seats) if seats and chance.random() < 0.3:
            return i.Decision(chance.choice(seats), 1, "surrender")
        case a.CardFor():
            return i.CardLeftShoe(a_card(chance)) if chance.random() < 0.95 else i.Card(a_card(chance))
    return i.NextRound()


def _decision(seat: int, hand: int, legal: tuple[str, ...], table: Table, chance: Random) -> i.Input:
    if "hit" in legal and table.setup.settings.implied_hit and chance.random() < 0.3:
        return i.CardLeftShoe(a_card(chance))
    passive = [action for action in legal if action in PASSIVE]
    if passive and chance.random() < 0.4:
        return i.Decision(seat, hand, passive[0])
    return i.Decision(seat, hand, chance.choice(legal)) if legal else i.Void("nothing that both may do")


def _half(table: Table, seat: int) -> str | None:
    assert table.round is not None
    bet = table.round.seats[seat].bet
    return None if bet is None else money_words(bet // 2)


def _answer(table: Table, asked: Question, chance: Random) -> i.Input:
    if asked.number == 0 and chance.random() < 0.7:
        return i.DeviceWell("shoe")
    answers = [each for each in asked.answers if each != "void"]
    if not answers or not table.state.wagers:
        return i.Wager(1, "10" if table.setup.wagers else None)
    if "deal" in answers and chance.random() < 0.6:
        return i.Answer("deal")
    answer = chance.choice(answers)
    if answer == "name":
        count = 2 if asked.situation == "double_feed" else 1
        return i.Answer("name", tuple(a_card(chance) for _ in range(count)))
    return i.Answer(answer)


def _whim(table: Table, chance: Random) -> i.Input:
    state = table.state
    seat = chance.randrange(1, table.setup.seats + 1)
    things: list[i.Input] = [
        i.Undo(),
        i.Undo(),
        i.TakeBack(),
        i.TakeBack(),
        i.CardLeftShoe(a_card(chance)),
        i.CardLeftShoe(a_card(chance)),
        i.CardUnread("no code"),
        i.CardUnread("no code", 2),
        i.CardsMissed("it restarted"),
        i.CutCardCame(),
        i.DeviceTrouble("shoe", "its cable is out", holds=True),
        i.DeviceWell("shoe"),
        i.Card(a_card(chance)),
        i.Peek(),
        i.TurnHoleCard(),
        i.Settle(),
        i.CloseOffer(),
        i.Insurance(seat, "1"),
        i.Decision(seat, 1, "double"),
        i.Limits("main", "5", "100", "5", chance.choice(("next_round", "next_shoe")), "a busy night"),
        i.Seat(seat, taken=chance.random() < 0.7),
    ]
    if state.alerts:
        things += [i.Alert(state.alerts[0].number)] * 3
    if table.round is not None and chance.random() < 0.1:
        return i.Void("misdeal", chance.choice(("returned", "settled_stand")))
    return chance.choice(things)
