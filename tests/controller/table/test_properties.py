"""Whatever is told to a table in whatever order: it takes it or refuses it, it can be made again, and nothing leaks."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.library import as_options, game_names, load_game
from controller.rules.cards import DECK
from controller.rules.engine.inputs import ACTIONS, PlaySettings
from controller.rules.errors import Refused
from controller.rules.report import settle_script
from controller.table import events as e
from controller.table import inputs as i
from controller.table.entries import undoable
from controller.table.export import round_script
from controller.table.state import decode_state, encode_state
from controller.table.table import Table
from controller.table.views import dealer_view, public_view, supervisor_view
from tests.controller.table.playing import SUPERVISOR, Played, next_input, play_round, setup_for

CODES = [card.code for card in DECK]


def some_input(table: Table, chance: Random) -> i.Input:
    """Mostly what is awaited, and anything else often enough."""
    if chance.random() < 0.7:
        return next_input(table, chance)
    seat, code = chance.randrange(0, 9), chance.choice(CODES)
    others: list[i.Input] = [
        i.OpenTable(),
        i.CloseTable(),
        i.DealerIn("Bo"),
        i.DealerOut(),
        i.CutCard(),
        i.Shoe(chance.choice(("load", "load", "verify", "verified", "count", "counted"))),
        i.Wager(seat, chance.choice(("10", "25", "7", None))),
        i.Wager(seat, chance.choice(("7", "x")), {chance.choice(("main", "nothing")): "10"}),
        i.Seat(seat, chance.random() < 0.5),
        i.Decision(seat, chance.randrange(1, 3), chance.choice(ACTIONS)),
        i.Insurance(seat, chance.choice(("5", "1", None))),
        i.CloseOffer(),
        i.Peek(),
        i.TurnHoleCard(),
        i.Settle(),
        i.NextRound(),
        i.Card(code),
        i.Answer(chance.choice(("deal", "burn", "begin", "name", "confirm", "same", "by_hand", "void"))),
        i.Answer("name", tuple(chance.sample(CODES, chance.randrange(1, 3)))),
        i.Undo(),
        i.Replace(seat, 1, chance.choice(ACTIONS)),
        i.TakeBack(),
        i.Void("misdeal", chance.choice(("returned", "settled_stand"))),
        i.Correct(table.state.round_number, chance.randrange(1, 9), code),
        i.Exchange(table.state.round_number, chance.randrange(1, 9), chance.randrange(1, 9)),
        i.Alert(chance.randrange(1, 4)),
        i.CardLeftShoe(code),
        i.CardUnread("no code", chance.randrange(1, 3)),
        i.CardsMissed("it restarted"),
        i.CutCardCame(),
        i.ShoeRanEmpty(),
        i.DeviceTrouble("shoe", "its cable is out", holds=True),
        i.DeviceWell("shoe"),
        i.Limits("main", "5", "100", "5", chance.choice(("next_round", "next_shoe", "notice:1m")), "why"),
        i.Looked(),
    ]
    return chance.choice(others)


@given(game=st.sampled_from(game_names()), seed=st.integers(0, 2**24))
def test_any_order_of_inputs_is_taken_or_refused_and_the_events_make_the_same_table_again(game: str, seed: int) -> None:
    chance = Random(seed)
    played = Played(setup_for(game))
    physical = 0
    for _ in range(120):
        what = some_input(played.table, chance)
        before = played.table.state
        actor = SUPERVISOR if isinstance(what, i.PEOPLE) else None
        try:
            told = played.tell(what, actor)
        except Refused:
            assert played.table.state == before, "a refusal changes nothing"
            assert isinstance(what, i.PEOPLE), "what a device reports is never refused"
            continue
        assert played.table.round is None or not played.table.round.over, "what is over is ended"
        assert min(played.table.state.shoe.out.values(), default=1) > 0
        if any(isinstance(each, e.ShoeLoaded | e.VerificationBegun | e.ShoeVerified) for each in told):
            physical = 0
        elif isinstance(what, i.CardLeftShoe):
            physical += 1
            assert played.table.state.shoe.count >= physical, "a card that left the shoe is counted at once"
    again = Table(played.table.setup)
    for event in played.events:
        again.apply(event)
    assert again.state == played.table.state
    snapshot = Table(played.table.setup, decode_state(encode_state(played.table.state)))
    assert snapshot.state == played.table.state
    for one, other in ((snapshot.round, played.table.round), (snapshot.last, played.table.last)):
        assert (one and one.state()) == (other and other.state())


@given(game=st.sampled_from(game_names()), seed=st.integers(0, 2**24))
def test_undo_gives_back_what_was_before_from_everywhere(game: str, seed: int) -> None:
    chance = Random(seed)
    played = Played(setup_for(game)).ready(1, 2)
    undone = 0
    for _ in range(80):
        before, before_round = played.table.state, played.table.round
        what = next_input(played.table, chance)
        if isinstance(what, i.CardLeftShoe) and chance.random() < 0.3:
            what = i.Card(what.card)
        played.tell(what)
        if undoable(played.table) is None:
            continue
        played.tell(i.Undo())
        undone += 1
        kept: dict[str, Any] = {
            name: getattr(before, name) for name in ("sequence", "alerts", "alert_number", "alarmed")
        }
        assert msgspec.structs.replace(played.table.state, **kept) == before, "but for an alert, which stays"
        assert before_round is not None
        assert played.table.round is not None
        assert played.table.round.state() == before_round.state()
        played.tell(what)
    assert undone


@pytest.mark.parametrize("stands_on_21", [False, True])
@pytest.mark.parametrize("game", game_names())
def test_a_round_of_the_table_settles_the_same_as_a_script(game: str, stands_on_21: bool) -> None:
    chance = Random(game)
    rules = load_game(game, {})
    if stands_on_21 and not rules.may_stand_21:
        rules = load_game("blackjack", {"decks": 8, "side_bets": {"perfect_pairs": {"offered": False}}})
    played = Played(setup_for(rules=rules, settings=PlaySettings(auto_stand_21=stands_on_21))).ready(1, 3, 4)
    named = as_options(rules)
    for number in range(1, 61):
        play_round(played, chance)
        log, ended = played.table.state.last, played.table.state.recent[-1]
        assert log is not None
        assert ended.number == number
        script = json.loads(json.dumps(round_script(played.table.setup, log, *named)))
        settled = settle_script(script, load_game)
        nets = {str(seat): net for seat, net in public_view(played.table).net.items()}
        assert settled.get("net") == nets, (script, settled)
        assert settled["cards_used"] == len(script["shoe"])
        played.tell(i.Shoe("load"))


def _shown(played: Played) -> tuple[bytes, bytes, bytes]:
    """What each reader sees, as bytes."""
    views: list[Any] = [public_view(played.table), dealer_view(played.table), supervisor_view(played.table)]
    one, two, three = (json.dumps(msgspec.to_builtins(view, str_keys=True), sort_keys=True).encode() for view in views)
    return one, two, three


@given(
    game=st.sampled_from(game_names()),
    seed=st.integers(0, 2**24),
    other=st.sampled_from(CODES),
)
def test_two_rounds_that_differ_in_the_hole_card_look_the_same_until_it_is_known(
    game: str, seed: int, other: str
) -> None:
    chance = Random(seed)
    one, two = Played(setup_for(game)).ready(1, 2), Played(setup_for(game)).ready(1, 2)
    for played in (one, two):
        played.tell(i.OpenRound())
    while one.table.round is not None:
        what = next_input(one.table, chance)
        if isinstance(what, i.Peek | i.TurnHoleCard | i.Settle):
            return
        is_hole = isinstance(what, i.CardLeftShoe) and _goes_down_to_the_dealer(one.table)
        one.tell(what)
        two.tell(i.CardLeftShoe(other) if is_hole else what)
        assert _shown(one) == _shown(two)


def _goes_down_to_the_dealer(table: Table) -> bool:
    awaited: Any = table.round.awaiting if table.round is not None else None
    return getattr(awaited, "seat", None) == 0 and getattr(awaited, "face_up", True) is False
