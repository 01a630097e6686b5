"""What each reader sees."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from controller.library import game_names
from controller.rules.engine.inputs import ACTIONS
from controller.rules.errors import Refused
from controller.table import inputs as i
from controller.table.decisions import decide
from controller.table.legal import actions_now, legal_now
from controller.table.views import audit_view, dealer_view, public_view, supervisor_view
from tests.controller.table.playing import SUPERVISOR, Played, next_input, setup_for


def test_the_supervisor_learns_the_composition_only_between_rounds() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("TS 7D 9C TH")
    assert supervisor_view(played.table).out is None
    played.tell(i.Decision(1, 1, "stand"))
    played.tell(i.TurnHoleCard())
    played.tell(i.Settle())
    assert supervisor_view(played.table).out == {"TS": 1, "7D": 1, "9C": 1, "TH": 1}


def test_only_the_audit_view_holds_a_card_that_lies_face_down() -> None:
    played = Played().ready()
    played.tell(i.OpenRound())
    played.cards("TS 7D 9C 6H")
    for view in (public_view, dealer_view, supervisor_view):
        assert b"6H" not in msgspec.json.encode(view(played.table))
    assert b"6H" in msgspec.json.encode(audit_view(played.table))


def test_a_blackjack_paid_at_once_does_not_tell_what_the_dealer_has() -> None:
    """The words of a result are made from the cards that can be seen."""
    shown = []
    for hole in ("AD", "9D"):
        played = Played(setup_for("super_fun_21_extreme")).ready()
        played.tell(i.OpenRound())
        played.cards(f"AS KD KC {hole}")
        shown.append(msgspec.json.encode(supervisor_view(played.table)))
    assert b"blackjack pays" in shown[0]
    assert shown[0] == shown[1]


@pytest.mark.parametrize("game", game_names())
def test_what_is_said_to_be_legal_is_taken_and_no_step_else(game: str) -> None:
    chance = Random(game)
    played = Played(setup_for(game)).ready(1, 2)
    steps: list[i.FromPeople] = [
        i.OpenRound(),
        i.NextRound(),
        i.CloseOffer(),
        i.Peek(),
        i.TurnHoleCard(),
        i.Settle(),
        i.Undo(),
        i.TakeBack(),
        i.OpenTable(),
        i.CloseTable(),
        i.DealerOut(),
        i.CutCard(),
        i.Void("why"),
    ]
    for _ in range(300):
        legal = legal_now(played.table)
        for step in steps:
            name = i.snake(type(step).__name__)
            try:
                taken = bool(decide(played.table, step, SUPERVISOR, played.now))
            except Refused:
                taken = False
            assert taken == (name in legal), f"{name} with {legal}"
        for action in ACTIONS:
            seat, hand = public_view(played.table).turn
            try:
                decide(played.table, i.Decision(seat, hand, action), SUPERVISOR, played.now)
            except Refused:
                assert action not in actions_now(played.table)
            else:
                assert action in actions_now(played.table)
        what = next_input(played.table, chance)
        if isinstance(what, i.OpenRound) and "open_round" not in legal:
            what = i.Shoe("load")
        played.tell(what)
        if chance.random() < 0.05:
            played.tell(i.CardUnread("no code"))
            played.tell(i.Answer("burn"))
