"""What devices say, as inputs; what keys mean, and which of them are lit; what signs say."""

from __future__ import annotations

import json

import msgspec
import pytest

from controller.daemon.hearing import doubt_of, input_of, input_of_change
from controller.daemon.keys import input_of_key, lamps
from controller.rules.errors import Refused
from controller.surfaces.texts import limits_content, results_content
from controller.table import inputs as i
from controller.table.views import dealer_view, public_view
from drivers import base
from drivers.base import Mark
from drivers.supervisor import StateChanged
from tests.controller.table.playing import SUPERVISOR, Played

KEYS = ("hit", "stand", "double", "peek", "next_round", "undo")


@pytest.mark.parametrize(
    ("event", "meant"),
    [
        (base.CardRead(card="8S"), i.CardLeftShoe("8S")),
        (base.Misread(reason="no code"), i.CardUnread("no code")),
        (base.CutCardSeen(), i.CutCardCame()),
        (base.EventsMissed(words="2 missing"), i.CardsMissed("2 missing")),
        (base.AttentionAsked(reason="again"), i.CardsMissed("again")),
        (base.CardRanBack(), i.CardsMissed("a card ran back into the shoe")),
        (base.LidMoved(open=True), i.DeviceTrouble("shoe lid", "its lid is open")),
        (base.LidMoved(open=False), i.DeviceWell("shoe lid")),
        (base.Jammed(jammed=True), i.DeviceTrouble("shoe jam", "a card is jammed")),
        (base.FaultReported(words="motor", stopped=True), i.DeviceTrouble("shoe itself", "motor", holds=True)),
        (base.FaultCleared(words="motor"), i.DeviceWell("shoe itself")),
        (base.TamperSeen(words="opened"), i.DeviceTrouble("shoe seal", "opened")),
        (base.Noticed(words="tick"), None),
        (base.ShoeStarted(), None),
    ],
)
def test_what_a_shoe_says(event: base.DeviceEvent, meant: i.Input | None) -> None:
    assert input_of("shoe", event) == meant


def changed(state: str, tries: int = 1) -> StateChanged:
    return StateChanged(
        device="shoe",
        state=state,  # type: ignore[arg-type]
        words="its cable is out",
        advice="Plug it in",
        tries=tries,
        at=0.0,
        simulated=False,
    )


def test_a_round_waits_for_its_shoe_and_not_for_a_sign() -> None:
    assert input_of_change("shoe", changed("lost")) == i.DeviceTrouble(
        "shoe", "its cable is out. Plug it in", holds=True
    )
    told = input_of_change("display", changed("lost"))
    assert isinstance(told, i.DeviceTrouble)
    assert not told.holds
    assert input_of_change("shoe", changed("searching", tries=0)) is None, "it has not been tried yet"
    assert input_of_change("shoe", changed("connecting")) is None
    assert input_of_change("shoe", changed("ready")) == i.DeviceWell("shoe")


def test_a_shoe_that_can_prove_nothing_leaves_a_doubt() -> None:
    ready = base.Ready(identity="x", proven=False, words="it restarted", since=Mark(1, 0))
    assert doubt_of("shoe", ready) == i.CardsMissed("it restarted")
    assert doubt_of("display", ready) is None
    assert doubt_of("shoe", base.Ready(identity="x", proven=True, words="")) is None


def test_a_key_means_what_is_awaited_and_only_such_keys_are_lit() -> None:
    played = Played().ready()
    view = dealer_view(played.table)
    assert lamps(KEYS, view) == {"next_round": "on"}
    assert input_of_key("next_round", view) == i.NextRound()
    with pytest.raises(Refused, match="The key hit means nothing now: the table awaits bets"):
        input_of_key("hit", view)
    played.tell(i.OpenRound())
    assert lamps(KEYS, dealer_view(played.table)) == {}, "a card is awaited"
    played.cards("5S 7D 6C TH")
    view = dealer_view(played.table)
    assert set(lamps(KEYS, view)) == {"hit", "stand", "double"}
    assert input_of_key("double", view) == i.Decision(1, 1, "double")
    played.tell(i.Decision(1, 1, "stand"))
    view = dealer_view(played.table)
    assert lamps(KEYS, view) == {"next_round": "on", "undo": "on"}
    assert input_of_key("undo", view) == i.Undo()
    assert input_of_key("next_round", view) == i.NextRound(), "whatever is next"
    played.tell(i.CardUnread("no code"))
    assert lamps(KEYS, dealer_view(played.table)) == {}, "a question is open"


def test_signs_tell_limits_and_results_and_never_a_card_that_lies_face_down() -> None:
    played = Played().ready()
    rules = played.table.setup.rules
    limits = limits_content(public_view(played.table), rules, "$")
    assert limits["limits"].line == "MIN $10 MAX $500"
    assert limits["rules"].line
    played.tell(i.Limits("main", "25", "100", "25", "next_shoe", "busy"), SUPERVISOR)
    assert "then 25 to 100" in limits_content(public_view(played.table), rules, "$")["limits"].page
    played.tell(i.OpenRound())
    played.cards("TS 7D 9C TH")
    told = json.dumps(msgspec.to_builtins(results_content(public_view(played.table), "$")))
    assert "7D --" in told
    assert "TH" not in told
    for what in (i.Decision(1, 1, "stand"), i.TurnHoleCard(), i.Settle()):
        played.tell(what)
    content = results_content(public_view(played.table), "$")
    assert content["result"].line == "1:+10"
    assert content["message"].line == "PLACE YOUR BETS"
    played.tell(i.CloseTable())
    assert results_content(public_view(played.table), "$")["message"].line == "TABLE CLOSED"
