"""What holds in every round of every game with any options: refusals, money, cards, replay, `awaiting` and events."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.rules.cards import DECK
from controller.rules.engine.awaiting import CardFor, DecisionBy, InsuranceOffer, SurrenderOffer
from controller.rules.engine.events import (
    DEALER,
    CardBurned,
    CardDealt,
    CardsTurned,
    DecisionMade,
    Event,
    HandSettled,
    HandSplit,
    RoundSettled,
    SideBetSettled,
)
from controller.rules.engine.inputs import (
    ACTIONS,
    CloseOffer,
    Decide,
    Input,
    Insure,
    Peek,
    Settle,
    TurnHoleCard,
)
from controller.rules.engine.round import Round
from controller.rules.engine.settlement import settlement
from controller.rules.errors import Refused

from .random_rounds import Table, insurance, tables

SEATS = st.integers(-1, 10)
HANDS = st.integers(-1, 5)
AMOUNTS = st.sampled_from([None, 0, -1, 1, 5, Fraction(5, 4), 1_000])
ANY_INPUT: st.SearchStrategy[Input] = st.one_of(
    st.sampled_from(DECK),
    st.builds(Decide, SEATS, HANDS, st.sampled_from([*ACTIONS, "fold"])),
    st.builds(Insure, SEATS, AMOUNTS),
    st.sampled_from([CloseOffer(), Peek(), TurnHoleCard(), Settle()]),
)
MORE = settings(max_examples=6 * settings().max_examples)  # of the quick ones, whatever the profile


def refusal_code(r: Round, what: Input) -> str | None:
    """The code `apply` refuses with, on a copy; None if it applies."""
    try:
        r.copy().apply(what)
    except Refused as refused:
        return refused.code
    return None


def everything(table: Table) -> tuple[Round, list[Input], list[Event]]:
    """A whole round: its end, all that was told to it, all it said."""
    told: list[Input] = []
    said: list[Event] = []
    r = table.open()
    for _, what in table.inputs():
        told.append(what)
        said.extend(r.apply(what))
    return r, told, said


def tempting(r: Round) -> list[Input]:
    """Inputs that are nearly right wherever the round stands: every action of every hand there is."""
    hands = [(hand.seat, hand.number) for hand in r.queue]
    decisions: list[Input] = [Decide(seat, hand, action) for seat, hand in hands for action in ACTIONS]
    return [*decisions, *(Insure(seat, 1) for seat in r.seats), DECK[0], CloseOffer(), Peek(), TurnHoleCard(), Settle()]


@given(tables(), st.lists(ANY_INPUT, max_size=12))
def test_any_input_at_any_moment_applies_or_is_refused_and_changes_nothing(table: Table, noise: list[Input]) -> None:
    for r, _ in table.inputs():
        before = r.state()
        for what in [*noise, *tempting(r)]:
            refusal = r.refusal(what)
            assert r.allows(what) == (refusal is None), what
            if refusal is None:
                r.check(what)
                assert refusal_code(r, what) is None, what
            else:
                for tell in (r.check, r.apply, r.after):
                    with pytest.raises(Refused) as refused:
                        tell(what)
                    assert (refused.value.code, str(refused.value)) == (refusal.code, refusal.message), what
                    assert refusal.message.strip()
            assert r.state() == before, what


@given(tables(), st.lists(ANY_INPUT, min_size=5, max_size=20))
def test_a_round_that_is_over_takes_nothing_more(table: Table, noise: list[Input]) -> None:
    r, _, _ = everything(table)
    before = r.state()
    for what in [*noise, *tempting(r)]:
        assert refusal_code(r, what) is not None
        with pytest.raises(Refused):
            r.apply(what)
    assert r.state() == before


@MORE
@given(tables())
def test_every_wager_is_settled_once_and_nobody_loses_more_than_is_on_the_felt(table: Table) -> None:
    r, _, said = everything(table)
    done = settlement(r)
    hands = [event for event in said if isinstance(event, HandSettled)]
    bets = [event for event in said if isinstance(event, SideBetSettled)]
    assert sorted((one.result.seat, one.result.hand) for one in done.hands) == sorted((e.seat, e.hand) for e in hands)
    assert {(e.seat, e.hand): e for e in hands} == {(h.result.seat, h.result.hand): h.result for h in done.hands}
    staked = [(seat.seat, name) for seat in table.seats for name in seat.side]
    insured = [(number, "insurance") for number, seat in r.seats.items() if seat.insurance]
    assert sorted(staked + insured) == sorted((bet.seat, bet.bet) for bet in bets)
    assert sorted(map(repr, bets)) == sorted(map(repr, done.side_bets))
    for seat in table.seats:
        lines = [e for e in said if isinstance(e, HandSettled | SideBetSettled) and e.seat == seat.seat]
        if seat.bet is None:
            assert done.net[seat.seat] is None
            assert all(line.net is None and line.wager is None and not line.rounded for line in lines)
            continue
        assert done.net[seat.seat] == sum((Fraction(line.net or 0) for line in lines), Fraction(0))
        assert all(line.wager and line.net is not None and line.net >= -line.wager for line in lines)
    for one in done.hands:
        result = one.result
        if result.wager is not None and result.net is not None:
            assert result.wager == (r.seats[result.seat].bet or 0) * 2**one.doubles
            assert result.net == result.wager * result.odds + result.rounded
        sign = {"win": 1, "blackjack": 1, "instant_win": 1, "push": 0}.get(result.outcome, -1)
        assert (result.odds > 0) - (result.odds < 0) == sign


@MORE
@given(tables())
def test_every_card_that_left_the_shoe_lies_in_a_hand_or_is_burned(table: Table) -> None:
    r, told, said = everything(table)
    done = settlement(r)
    shoe = [what for what in told if not isinstance(what, Decide) and what in DECK]
    felt = [*done.dealer.cards, *done.burned, *(card for hand in done.hands for card in hand.cards)]
    assert done.cards_used == len(felt) == len(shoe)
    assert Counter(felt) == Counter(shoe)
    assert said[-1] == RoundSettled(done.dealer.total, done.cards_used)
    assert not r.dealer.down
    assert not any(hand.down for hand in r.queue)


@MORE
@given(tables())
def test_the_same_inputs_give_the_same_round_and_a_copy_is_independent(table: Table) -> None:
    events: list[Event] = []
    for r, what in table.inputs():
        before = r.state()
        following, happened = r.after(what)
        assert r.state() == before, "after() changed the round it was asked of"
        twin = r.copy()
        assert twin.state() == before
        assert list(twin.apply(what)) == list(happened)
        assert twin.state() == following.state()
        assert r.state() == before, "a copy shares something with its round"
        events.extend(happened)
    last, told, said = everything(table)
    assert said == events
    again = table.open()
    for what in told:
        again.apply(what)
    assert again.state() == last.state()
    assert settlement(again) == settlement(last)


@MORE
@given(tables())
def test_awaiting_never_lies_about_decisions_and_offers(table: Table) -> None:
    tape = table.tape("other")
    for r, _ in table.inputs():
        match r.awaiting:
            case DecisionBy(seat, hand, legal, illegal):
                assert legal
                assert sorted([*legal, *illegal]) == sorted(ACTIONS)
                for action in legal:
                    assert r.copy().apply(Decide(seat, hand, action))[0] == DecisionMade(seat, hand, action)
                for name, (code, words) in illegal.items():
                    refusal = r.refusal(Decide(seat, hand, name))  # type: ignore[arg-type]
                    assert refusal is not None
                    assert (refusal.code, refusal.message) == (code, words)
                assert refusal_code(r, Decide(seat + 1, hand, "stand")) == "out_of_turn"
                assert refusal_code(r, Decide(seat, hand + 1, "stand")) == "out_of_turn"
            case InsuranceOffer(seats):
                for seat in r.seats:
                    expected = None if seat in seats else "insurance_twice"
                    assert refusal_code(r, insurance(r, seat, tape)) == expected
            case SurrenderOffer(seats):
                assert seats
                for seat in r.seats:
                    assert refusal_code(r, Decide(seat, 1, "surrender")) == (None if seat in seats else "out_of_turn")


@MORE
@given(tables())
def test_awaiting_never_lies_about_cards(table: Table) -> None:
    tape = table.tape("other")
    for r, _ in table.inputs():
        card, awaited = table.card(tape), r.awaiting
        if isinstance(awaited, CardFor):
            seat, hand, face_up, draw = awaited.seat, awaited.hand, awaited.face_up, awaited.draw
        elif isinstance(awaited, DecisionBy) and table.settings.implied_hit and "hit" in awaited.legal:
            seat, hand, face_up, draw = awaited.seat, awaited.hand, True, "hit"
        else:
            assert refusal_code(r, card) == "card_not_expected"
            continue
        following, said = r.after(card)
        assert said[0] == CardDealt(seat, hand, card.code, face_up, draw)
        assert sum(isinstance(event, CardDealt) for event in said) == 1
        lies = following.dealer if seat == DEALER else following.seats[seat].hands[hand - 1]
        turned = any(isinstance(event, CardsTurned) and event.seat == seat for event in said)
        assert lies.cards[-1] is card
        assert (not lies.down >> (len(lies.cards) - 1) & 1) == (face_up or turned)


@MORE
@given(tables())
def test_the_events_alone_tell_where_every_card_lies_and_what_every_hand_came_to(table: Table) -> None:
    hands: dict[tuple[int, int], list[str]] = {}
    down: dict[tuple[int, int], list[str]] = {}
    burned: list[str] = []
    results: dict[tuple[int, int], HandSettled] = {}
    last, _, said = everything(table)
    for event in said:
        match event:
            case CardDealt(seat, hand, card, face_up):
                hands.setdefault((seat, hand), []).append(card)
                if not face_up:
                    down.setdefault((seat, hand), []).append(card)
            case CardsTurned(seat, hand, cards):
                assert list(cards) == down.pop((seat, hand)), "turned what did not lie face down"
            case HandSplit(seat, hand, new):
                assert (seat, hand) not in down, "a pair is shown before it is split"
                hands[seat, new] = [hands[seat, hand].pop()]
            case CardBurned(seat, hand, card):
                assert hands[seat, hand].pop() == card
                burned.append(card)
            case HandSettled(seat, hand):
                assert (seat, hand) not in results, "settled twice"
                assert (seat, hand) not in down, "settled before it was shown"
                results[seat, hand] = event
    assert not down
    felt = {(hand.seat, hand.number): [card.code for card in hand.cards] for hand in (*last.queue, last.dealer)}
    assert hands == felt
    assert burned == [card.code for card in last.burned]
    assert results == {(hand.seat, hand.number): hand.result for hand in last.queue}
