"""Two rounds that differ only in a card lying face down go on alike, word for word, until that card is turned."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from controller.library import load_game
from controller.rules.cards import DECK, Card, card
from controller.rules.engine.awaiting import CardFor, DecisionBy, FirstCard, PlayerCard
from controller.rules.engine.events import DEALER, CardDealt, CardsTurned, DealerPeeked, Event, HandSettled
from controller.rules.engine.inputs import (
    CloseOffer,
    Decide,
    Insure,
    Peek,
    PlaySettings,
    SeatBet,
    Settle,
    TurnHoleCard,
)
from controller.rules.engine.round import Round
from controller.rules.errors import Refused

from .random_rounds import Table, Tape, tables
from .test_round_properties import tempting

MANY = settings(max_examples=4 * settings().max_examples)


def without_card(event: Event) -> Event:
    """A face-down card's own record, as one who may not know the card would have it."""
    hidden = isinstance(event, CardDealt) and not event.face_up
    return msgspec.structs.replace(event, card="??") if hidden else event


def assert_alike(one: Round, other: Round, seat: int | None = None) -> None:
    """Both await the same; what `seat` itself may do depends on its own cards, and it alone is asked."""
    mine, yours = one.awaiting, other.awaiting
    if isinstance(mine, DecisionBy) and isinstance(yours, DecisionBy) and mine.seat == seat:
        assert (mine.seat, mine.hand) == (yours.seat, yours.hand)
        return
    assert repr(mine) == repr(yours)
    for what in tempting(one):
        here, there = one.refusal(what), other.refusal(what)
        assert (here and (here.code, here.message)) == (there and (there.code, there.message)), what


def public(said: Sequence[Event]) -> str:
    return repr([without_card(event) for event in said])


def other_card(tape: Tape) -> Card:
    """Any other card, and an ace or a ten more often than chance would have it."""
    found: Card = tape.pick(DECK if tape.below(2) else [one for one in DECK if one.value in (1, 10)])
    return found


@MANY
@given(tables(no_hole_card=False))
def test_nothing_depends_on_the_hole_card_before_the_peek(table: Table) -> None:
    one, other = table.open(), table.open()
    tape, others = table.tape(), table.tape("other")
    while not isinstance(what := table.next_input(one, tape), Peek | TurnHoleCard | Settle):
        awaited = one.awaiting
        hole = isinstance(awaited, FirstCard) and awaited.seat == DEALER and not awaited.face_up
        assert public(one.apply(what)) == public(other.apply(other_card(others) if hole else what))
        assert_alike(one, other)
    if isinstance(what, Peek):
        assert one.copy().apply(what)[0] == DealerPeeked(one.dealer.blackjack)
        assert other.copy().apply(what)[0] == DealerPeeked(other.dealer.blackjack)


@MANY
@given(tables(no_hole_card=False))
def test_a_peek_tells_only_whether_it_is_a_blackjack(table: Table) -> None:
    one, other = table.open(), table.open()
    tape, others = table.tape(), table.tape("other")
    while not isinstance(what := table.next_input(one, tape), TurnHoleCard | Settle):
        awaited = one.awaiting
        hole = isinstance(awaited, FirstCard) and awaited.seat == DEALER and not awaited.face_up
        if isinstance(what, Peek) and (one.dealer.blackjack or other.dealer.blackjack):
            return
        assert public(one.apply(what)) == public(other.apply(other_card(others) if hole else what))
        assert_alike(one, other)


@pytest.mark.parametrize("options", [{}, {"double_totals": []}], ids=["as the game has it", "doubling any two cards"])
def test_a_double_card_that_lies_face_down_changes_nothing_until_settlement(options: dict[str, Any]) -> None:
    games = ("monte_carlo",) if not options else ("monte_carlo", "blackjack", "chinese_fortune_21")
    doubled = 0

    @MANY
    @given(tables(games, double_card="face_down", **options))
    def check(table: Table) -> None:
        nonlocal doubled
        one, other = table.open(), table.open()
        tape, others = table.tape(), table.tape("other")
        while not isinstance(what := table.next_input(one, tape), Settle):
            awaited = one.awaiting
            hidden = isinstance(awaited, PlayerCard) and awaited.draw == "double"
            if hidden and isinstance(awaited, CardFor):
                assert not awaited.face_up
                doubled += 1
            assert public(one.apply(what)) == public(other.apply(other_card(others) if hidden else what))
            assert_alike(one, other)
        assert isinstance(other.awaiting, type(one.awaiting))

    check()
    assert doubled > 20, "too few doubles to have shown anything"


@MANY
@given(tables(("monte_carlo", "blackjack", "power_blackjack", "super_fun_21_extreme"), player_cards="face_down"))
def test_other_seats_learn_nothing_from_a_seat_that_stands_on_cards_face_down(table: Table) -> None:
    """The first seat stands on whatever it has; a blackjack is turned up at once, so neither version may be one."""
    first, *rest = table.seats
    table = replace(table, seats=(SeatBet(first.seat, first.bet), *rest))
    one, other = table.open(), table.open()
    tape, others = table.tape(), table.tape("other")
    places = {0: "first", len(table.seats) + 1: "second"}
    changed = places[tape.pick(list(places))]
    while not isinstance(what := table.next_input(one, tape), Settle):
        instead = what
        if isinstance(one.awaiting, FirstCard) and places.get(one.cards_used) == changed:
            instead = other_card(others)
        elif isinstance(one.awaiting, DecisionBy) and one.awaiting.seat == first.seat:
            what = instead = Decide(first.seat, 1, "stand")
        elif isinstance(what, Decide) and what.seat == first.seat:
            what = instead = CloseOffer()  # an early surrender would show its cards
        said, answered = one.apply(what), other.apply(instead)
        if any(r.seats[first.seat].hands[0].natural for r in (one, other)):
            return
        assert public(said) == public(answered)
        assert_alike(one, other, first.seat)


def test_the_double_card_of_monte_carlo_is_shown_only_when_every_hand_is_complete() -> None:
    r = Round(load_game("monte_carlo"), [SeatBet(1, 10), SeatBet(2, 10)])
    for code in ("6S", "9S", "TC", "5H", "9H", "6D"):  # the dealer's ten lies down, the six up
        r.apply(card(code))
    before: list[Event] = []
    for what in (Decide(1, 1, "double"), card("KH"), Decide(2, 1, "stand"), TurnHoleCard(), card("2C")):
        before.extend(r.apply(what))
    assert CardDealt(1, 1, "KH", False, "double") in before
    assert CardsTurned(1, 1, ("6S", "5H")) in before, "the two cards are shown, the third is not"
    assert "KH" not in public(before)
    said = [repr(event) for event in r.apply(Settle())]
    shown = next(place for place, words in enumerate(said) if "KH" in words)
    assert all("HandSettled(seat=1" not in words for words in said[:shown])


@pytest.mark.parametrize("stand_by_itself", [False, True], ids=["as scripts play", "with automatic stand on 21"])
def test_a_hit_on_cards_face_down_does_not_tell_whether_it_made_21(stand_by_itself: bool) -> None:
    """The same face-up hit on a hidden 15 or 16: what the table asks next is public, and must not tell them apart."""
    asked = []
    for hidden in ("5H", "6H"):
        try:
            r = Round(
                load_game("monte_carlo"),
                [SeatBet(1, 10), SeatBet(2, 10)],
                PlaySettings(auto_stand_21=stand_by_itself),
            )
        except Refused:
            return  # a table may also refuse to stand what nobody may see
        for code in ("TS", "9S", "TC", hidden, "9H", "6D"):
            r.apply(card(code))
        r.apply(Decide(1, 1, "hit"))
        r.apply(card("5C"))
        assert isinstance(r.awaiting, DecisionBy)
        asked.append((r.awaiting.seat, r.awaiting.hand))
    assert asked[0] == asked[1]


def test_an_insured_round_says_nothing_of_the_hole_card_before_the_peek() -> None:
    told = []
    for hole in ("KD", "2D"):
        r = Round(load_game("power_blackjack"), [SeatBet(1, 10), SeatBet(2, 10)])
        for code in ("TS", "AS", "AC", "9H", "KH", hole):
            r.apply(card(code))
        told.append([(list(r.apply(what)), r.awaiting) for what in (Insure(1, 5), CloseOffer())])
        assert not any(isinstance(event, HandSettled) for said, _ in told[-1] for event in said)
    assert repr(told[0]) == repr(told[1])


def test_a_side_bet_on_first_cards_turns_them_before_it_is_settled() -> None:
    """A house may deal face down and offer Perfect Pairs: paying or taking it tells what the two cards are."""
    r = Round(
        load_game("blackjack", {"player_cards": "face_down"}), [SeatBet(1, 10, {"perfect_pairs": 5}), SeatBet(2, 10)]
    )
    events: list[object] = []
    for code in ("8S", "9S", "TC", "8H", "9H", "6D"):
        events += r.apply(card(code))
    kinds = [type(event).__name__ for event in events]
    assert kinds.index("CardsTurned") < kinds.index("SideBetSettled")
    assert (r.seats[1].hands[0].down, r.seats[2].hands[0].down) == (0, 3)
