"""Shoes and their counts, alerts, dealers, limits."""

from __future__ import annotations

from random import Random

import pytest

from controller.table import events as e
from controller.table import inputs as i
from controller.table.legal import legal_now
from controller.table.limits import BetLimits, LimitText
from controller.table.questions import question
from controller.table.state import DECK
from controller.table.table import Table
from controller.table.views import dealer_view, public_view
from tests.controller.table.playing import SUPERVISOR, Played, play_round, setup_for


def test_a_dealer_says_that_the_cut_card_came_where_the_shoe_cant() -> None:
    played = Played()
    assert played.refused(i.CutCard()).code == "no_shoe"
    played.tell(i.OpenTable())
    played.tell(i.Shoe("load"))
    assert "cut_card" in legal_now(played.table)
    assert played.tell(i.CutCard()) == (e.CutCardSeen(),)
    assert played.refused(i.CutCard()).code == "cut_card_out"
    assert "cut_card" not in legal_now(played.table)
    assert played.table.state.shoe.cut_card
    played.tell(i.Shoe("load"))
    assert not played.table.state.shoe.cut_card
    played.tell(i.Shoe("count"))
    assert played.refused(i.CutCard()).code == "counting"


def test_the_cut_card_makes_this_the_last_round_of_the_shoe() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("TS 7D")
    played.tell(i.CutCardCame())
    assert played.tell(i.CutCardCame()) == ()
    played.cards("9C TH")
    assert dealer_view(played.table).last_round_of_shoe
    played.tell(i.Decision(1, 1, "stand"))
    played.tell(i.TurnHoleCard())
    played.tell(i.Settle())
    assert played.refused(i.OpenRound()).code == "shoe_change_due"
    played.tell(i.Shoe("load"))
    played.tell(i.OpenRound())
    assert played.table.state.shoe.number == 2


def test_a_card_that_cannot_be_alarms_on_that_card_and_needs_a_supervisor() -> None:
    played = Played().ready(amount="10")
    for _ in range(played.table.setup.rules.decks):
        played.tell(i.CardLeftShoe("AS"))
        played.tell(i.Answer("burn"))
    assert dealer_view(played.table).alerts == {}
    played.tell(i.OpenRound())
    told = played.tell(i.CardLeftShoe("AS"))
    assert any(isinstance(event, e.AlertRaised) and event.card == "AS" for event in told)
    words = dealer_view(played.table).alerts[1]
    assert "can't be in a shoe" in words
    assert "AS" not in words
    assert played.refused(i.Alert(1)).code == "supervisor_only"
    assert played.refused(i.Alert(2), SUPERVISOR).code == "no_such_alert"
    played.tell(i.Alert(1), SUPERVISOR)
    assert dealer_view(played.table).alerts == {}


def test_a_count_of_the_shoe_names_what_is_missing_and_too_many() -> None:
    played = Played().ready()
    assert played.refused(i.Shoe("verified")).code == "not_counting"
    played.tell(i.Shoe("verify"))
    assert played.refused(i.OpenRound()).code == "counting"
    assert played.tell(i.CutCardCame()) == (), "it is only passed through"
    decks = played.table.setup.rules.decks
    for code in DECK * decks:
        if code != "8S":
            played.tell(i.CardLeftShoe(code))
    for _ in range(decks - 1):
        played.tell(i.CardLeftShoe("8S"))
    played.tell(i.CardLeftShoe("KD"))
    told = played.tell(i.Shoe("verified"))
    assert told[0] == e.ShoeVerified({"8S": 1}, {"KD": 1})
    assert "missing 1 × 8S; too many 1 × KD" in dealer_view(played.table).alerts[1]


def test_a_dealer_who_comes_in_burns_a_card_where_the_house_does() -> None:
    played = Played(setup_for(burns=True)).ready()
    played.cards("KD")
    assert played.held == []
    played.tell(i.DealerIn("Bo"))
    assert played.tell(i.CardLeftShoe("QD"))[0] == e.CardBurned(
        "QD", "shoe", 0, "a card is burned before the first round"
    )
    played.tell(i.CardLeftShoe("JD"))
    assert played.held == ["game_before_time"]


def test_an_impossible_card_that_lies_face_down_alarms_when_it_is_turned() -> None:
    played = Played().ready()
    for _ in range(played.table.setup.rules.decks):
        played.tell(i.CardLeftShoe("TH"))
        played.tell(i.Answer("burn"))
    played.tell(i.OpenRound())
    played.cards("TS 7D 9C TH")
    assert dealer_view(played.table).alerts == {}, "an alarm would tell what the hole card is"
    played.tell(i.Decision(1, 1, "stand"))
    told = played.tell(i.TurnHoleCard())
    assert [type(event).__name__ for event in told] == ["HoleCardTurned", "AlertRaised"]


def test_the_count_at_the_end_of_a_shoe_finds_what_is_missing() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("TS 7D 9C TH")
    assert played.refused(i.Shoe("count")).code == "round_in_play"
    played.tell(i.Decision(1, 1, "stand"))
    played.tell(i.NextRound())
    played.tell(i.NextRound())
    assert played.refused(i.Shoe("verify")).code == "shoe_in_use"
    played.tell(i.Shoe("count"))
    assert played.refused(i.Shoe("verified")).code == "not_counting"
    rest = list(DECK) * played.table.setup.rules.decks
    for code in ("TS", "7D", "9C", "TH", "8S"):
        rest.remove(code)
    for code in rest:
        played.tell(i.CardLeftShoe(code))
    told = played.tell(i.Shoe("counted"))
    assert told[0] == e.ShoeCounted({"8S": 1}, {})
    assert "missing 1 × 8S" in dealer_view(played.table).alerts[1]
    assert played.refused(i.OpenRound()).code == "shoe_change_due"


def test_a_dealer_goes_out_between_rounds() -> None:
    played = Played().ready()
    assert played.refused(i.DealerOut()).code == "no_dealer"
    played.tell(i.DealerIn("Bo"))
    assert dealer_view(played.table).dealer_name == "Bo"
    played.tell(i.OpenRound())
    assert played.refused(i.DealerOut()).code == "round_in_play"
    played.tell(i.Void("misdeal"), SUPERVISOR)
    assert played.tell(i.DealerOut()) == (e.DealerWentOut("Bo"),)


@pytest.mark.parametrize(
    ("policy", "boundary"), [("next_round", "round"), ("next_shoe", "shoe"), ("notice:30m", "time")]
)
def test_new_limits_wait_for_their_boundary(policy: str, boundary: str) -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("TS 7D 9C TH")
    assert played.refused(i.Limits("main", "25", "1000", "25", policy, "busy night")).code == "supervisor_only"
    played.tell(i.Limits("main", "25", "1000", "25", policy, "busy night"), SUPERVISOR)
    view = public_view(played.table).limits[0]
    assert view.words == "10 to 500 in steps of 5"
    assert (view.next, view.policy) == ("25 to 1000 in steps of 25", policy)
    played.tell(i.Decision(1, 1, "stand"))
    played.tell(i.TurnHoleCard())
    played.tell(i.Settle())
    if boundary == "shoe":
        assert public_view(played.table).limits[0].next
        played.tell(i.Shoe("load"))
    if boundary == "time":
        assert played.tell(i.Looked()) == ()
        played.now += 1800
        played.tell(i.Looked())
    assert public_view(played.table).limits[0].words == "25 to 1000 in steps of 25"
    assert "outside the limits" in played.refused(i.OpenRound()).message, "the old bet of 10"
    view_now = dealer_view(played.table)
    assert "open_round" not in view_now.legal, "what is called legal is taken"
    assert view_now.coach.say == (
        "Seat 1, main bet: 10 is outside the limits: 25 to 1000 in steps of 25. Change that bet, or clear it."
    )
    played.tell(i.CardLeftShoe("8S"))
    assert question(played.table).answers == ("burn",)  # type: ignore[union-attr]
    played.tell(i.Wager(1, "25"))
    assert question(played.table).answers == ("begin", "burn")  # type: ignore[union-attr]


def test_limits_that_cannot_be_are_refused() -> None:
    played = Played().ready()
    for wrong, code in {
        i.Limits("main", "50", "10", "5", "next_round", "x"): "bad_limits",
        i.Limits("main", "0", "10", "5", "next_round", "x"): "bad_limits",
        i.Limits("main", "ten", "10", "5", "next_round", "x"): "bad_limits",
        i.Limits("main", "5", "10", "5", "soon", "x"): "bad_policy",
        i.Limits("main", "5", "10", "5", "next_round", ""): "no_reason",
        i.Limits("side", "5", "10", "5", "next_round", "x"): "no_such_bet",
    }.items():
        assert played.refused(wrong, SUPERVISOR).code == code


def test_a_change_of_limits_is_kept_with_what_was_before() -> None:
    played = Played().ready()
    told = played.tell(i.Limits("main", "25", "1000", "25", "next_shoe", "busy night"), SUPERVISOR)
    before, after = LimitText("10", "500", "5"), LimitText("25", "1000", "25")
    assert told == (e.LimitsScheduled("main", before, after, "next_shoe", "busy night"),)
    assert played.tell(i.Shoe("load"))[1] == e.LimitsApplied("main", before, after)


def test_limits_of_a_changed_configuration_count_from_the_next_start() -> None:
    played = Played().ready()
    played.tell(i.Limits("main", "25", "1000", "25", "next_round", "busy night"), SUPERVISOR)
    again = Table(played.table.setup, played.table.state)
    assert again.set_up() is None, "the same configuration: what the supervisor said stands"
    other = Table(setup_for(limits={"main": BetLimits(5, 100, 5)}), played.table.state)
    changed = other.set_up()
    assert changed is not None
    other.apply(changed)
    assert other.state.limits["main"] == LimitText("5", "100", "5")


def test_other_rules_begin_with_a_clean_felt_and_never_in_the_middle_of_a_round() -> None:
    played = Played().ready()
    play_round(played, Random(1))
    other = Table(setup_for("monte_carlo"), played.table.state)
    assert other.last is None
    changed = other.set_up()
    assert changed is not None
    other.apply(changed)
    assert (other.state.game, other.state.round_number) == ("monte_carlo", 1)
    played.tell(i.OpenRound())
    with pytest.raises(ValueError, match="round 2 is in play under other rules"):
        Table(setup_for("monte_carlo"), played.table.state)


@pytest.mark.parametrize("text", ["x" * 201, "two\nlines", "nul\0", "turned \u202e round"])
def test_what_people_write_is_one_line_that_can_be_shown(text: str) -> None:
    played = Played()
    new = i.Limits("main", "10", "100", "10", "next_round", text)
    for what in (i.CloseTable(reserved=text), i.DealerIn(text), new):
        assert played.refused(what, SUPERVISOR).code == "bad_text"
    assert played.tell(i.CloseTable(reserved="Boda de Íñigo – ¡señoras y señores! ♥"))


def test_a_closed_table_may_be_kept_for_somebody_until_it_opens() -> None:
    played = Played()
    assert played.tell(i.CloseTable()) == (), "it is closed already"
    played.tell(i.CloseTable(reserved=" Harbour party "))
    assert public_view(played.table).reserved == "Harbour party"
    assert played.tell(i.CloseTable(reserved="Harbour party")) == ()
    played.tell(i.OpenTable())
    assert public_view(played.table).reserved == ""


def test_a_card_passed_unread_while_the_shoe_is_verified_is_not_the_one_that_is_burned() -> None:
    played = Played(setup_for(burns=True)).ready()
    played.tell(i.Shoe("verify"))
    played.tell(i.CardUnread("no code"))
    played.tell(i.Shoe("verified"))
    assert isinstance(played.tell(i.CardLeftShoe("KD"))[0], e.CardBurned)


def test_no_side_bet_is_called_main_to_get_round_the_limits() -> None:
    played = Played().ready()
    for amount in ("7", "much"):
        assert played.refused(i.Wager(2, amount, {"main": "10"})).code in ("outside_limits", "bad_amount")
    assert played.refused(i.Wager(2, "10", {"main": "10"})).code == "side_bet_not_offered"
