"""What `croupier tail` says of a change: one line, in a dealer's words, and no card that lies face down."""

from __future__ import annotations

import pytest

from controller.cli.tail_words import change_words
from controller.table import inputs as i
from controller.table.views import dealer_view
from tests.controller.table.playing import SUPERVISOR, Played, setup_for


class Followed:
    """A table and what is said of each input."""

    def __init__(self, played: Played) -> None:
        self.played, self._seen = played, dealer_view(played.table)

    def says(self, *inputs: i.Input) -> str:
        for what in inputs:
            self.played.tell(what, SUPERVISOR if isinstance(what, i.SUPERVISOR_ONLY) else None)
        before, self._seen = self._seen, dealer_view(self.played.table)
        return change_words(before, self._seen)


@pytest.fixture
def table() -> Followed:
    return Followed(Played(setup_for(burns=True)))


def cards(codes: str) -> list[i.Input]:
    return [i.CardLeftShoe(code) for code in codes.split()]


def test_a_table_s_day(table: Followed) -> None:
    assert table.says(i.OpenTable()) == "the table opens; waiting for bets"
    assert table.says(i.DealerIn("Ann")) == "dealer Ann comes in; a card is to be burned"
    assert table.says(i.Shoe("load")) == "shoe 1: 0 of 312 cards are out"
    assert table.says(*cards("8S")) == ""
    assert table.says(i.Seat(2)) == "seat 2 is taken"
    assert table.says(i.Wager(2, "10")) == "seat 2 bets 10"
    assert table.says(i.Seat(2, taken=False)) == "seat 2 is empty"
    assert table.says(i.CutCardCame()) == "shoe 1: 1 of 312 cards are out; it is over, change it"
    assert table.says(i.DealerOut()) == "dealer Ann leaves"
    assert table.says(i.CloseTable()) == "the table closes; waiting for the table to open"


def test_a_round_with_a_split(table: Followed) -> None:
    table.says(i.OpenTable(), i.Shoe("load"), *cards("2C"), i.Wager(1, "10"))
    assert table.says(i.OpenRound()) == "round 1 begins; waiting for a card for seat 1"
    assert table.says(*cards("8S")) == "seat 1: 8♠ (8); waiting for a card for the dealer"
    assert table.says(*cards("7D 8C")) == "seat 1: 8♣ (16); dealer: 7♦ (7)"
    assert table.says(*cards("TH")) == "dealer: ▮; waiting for seat 1"
    split = table.says(i.Decision(1, 1, "split"))
    assert split.startswith("seat 1, hand 1: 8♠ (8); seat 1, hand 2: 8♣ (8)")
    table.says(*cards("2D"), i.Decision(1, 1, "stand"), *cards("3D"))
    doubled = table.says(i.Decision(1, 2, "double"))
    assert doubled.startswith("seat 1, hand 2 doubles")
    table.says(*cards("TC"))
    assert "dealer: 7♦ 10♥ (17)" in table.says(i.TurnHoleCard())
    over = table.says(i.Settle())
    assert "seat 1, hand 1: lose -10: " in over
    assert "seat 1, hand 2: win +20: 21 beats the dealer's 17" in over
    assert over.endswith("round 1 is over: seat 1 +10; waiting for bets")


def test_what_goes_wrong(table: Followed) -> None:
    table.says(i.OpenTable(), i.Shoe("load"), *cards("2C"), i.Wager(1, "10"), i.OpenRound(), *cards("TS 7D 9C TH"))
    unread = table.says(i.CardUnread("no code"))
    assert unread.startswith("QUESTION: A card left the shoe unread. Which card is it? (no code) [name: Name it; ")
    assert "void: Void the round (supervisor)" in unread
    assert table.says(i.Answer("burn")) == "the question is settled; waiting for seat 1"
    lost = table.says(i.DeviceTrouble("shoe", "its cable is out", holds=True))
    assert "FAULT: shoe: its cable is out" in lost
    assert lost.endswith("waiting for the shoe")
    assert "shoe is well again" in table.says(i.DeviceWell("shoe"))
    assert table.says(i.Void("the shoe fell")) == "round 1 is void; waiting for bets"


def test_limits_and_alerts(table: Followed) -> None:
    table.says(i.OpenTable(), i.Shoe("load"), *cards("2C"))
    later = table.says(i.Limits("main", "25", "100", "25", "next_shoe", "busy"))
    assert later == "limits of main: 10 to 500 in steps of 5; with the next shoe: 25 to 100 in steps of 25"
    table.says(i.Shoe("count"), *cards("AS"))
    assert "; ALERT 1: The count of the shoe does not come out: missing " in table.says(i.Shoe("counted"))
    assert table.says(i.Alert(1)) == "alert 1 was seen"
