"""The law: two rounds that differ in a face-down card are the same to every viewer, byte for byte, until it is turned.

Headers, bodies, the stream with its numbers, metrics and health are compared; only the Date is left out, which is the
clock's.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import Struct

from controller.rules.cards import DECK
from controller.rules.engine import awaiting as a
from controller.table import inputs as i
from controller.table.state import DeviceMark
from tests.controller.surfaces.web.rig import WAIT_S, Rig, serving
from tests.controller.table.playing import DEALER, Played, setup_for

READ = ("/api/v1/state", "/metrics", "/healthz", "/api/v1/state?view=dealer", "/api/v1/rounds/1", "/api/v1/devices")
GAMES = ("blackjack", "power_blackjack", "monte_carlo", "chinese_fortune_21", "super_fun_21_extreme")


class Seen(Struct):
    """What a viewer gets, in order."""

    answers: list[Any]
    messages: list[str]


async def look(rig: Rig, seen: Seen) -> None:
    for path in READ:
        answer = await rig.get(path)
        headers = {name: value for name, value in answer.headers.items() if name != "date"}
        seen.answers.append((path, answer.status, headers, answer.body))


async def quiet(rig: Rig, screen: Any, seen: Seen) -> None:
    """Takes what the stream has to say about what happened so far: a change that everybody sees ends it."""
    await rig.runner.enter(i.Wager(7, "10" if len(seen.messages) % 2 else "15"), DEALER)
    async with asyncio.timeout(WAIT_S):
        while True:
            text = await screen.recv()
            if '"type":"beat"' in text:
                continue
            seen.messages.append(text)
            if '"seats":' in text:
                return


async def watched(path: Path, game: str, cards: list[str], steps: int) -> Seen:
    """The first `steps` cards of a round, watched over the public web after every one."""
    path.mkdir()
    seen = Seen([], [])
    async with serving(path, setup_for(game)) as rig, rig.stream() as screen:
        await rig.ready(1, 2)
        for number, code in enumerate(cards[:steps], start=1):
            await rig.runner.report(i.CardLeftShoe(code), "shoe", DeviceMark(7, number))
            await look(rig, seen)
            await quiet(rig, screen, seen)
    return seen


def places(game: str, cards: list[str]) -> tuple[int, int]:
    """Where the dealer's face-down card comes among a round's first cards, and how many of them are dealt."""
    played = Played(setup_for(game)).ready(1, 2)
    played.tell(i.OpenRound())
    down = 0
    for number, code in enumerate(cards, start=1):
        round_ = played.table.round
        if round_ is None or not isinstance(round_.awaiting, a.FirstCard):
            return down, number - 1
        played.tell(i.CardLeftShoe(code))
        if not down and played.table.round is not None and played.table.round.dealer.down:
            down = number
    raise AssertionError("the deal does not end")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(3))
async def test_no_public_byte_depends_on_the_hole_card(game: str, seed: int, tmp_path: Path) -> None:
    chance = Random(f"{game} {seed}")
    cards = [card.code for card in chance.sample(DECK, 20)]
    place, dealt = places(game, cards)
    assert place, "a dealer's card lies face down at the end of the deal"
    other = chance.choice([card.code for card in DECK if card.code not in cards])
    twin = [*cards[: place - 1], other, *cards[place:]]
    assert places(game, twin) == (place, dealt)
    one = await watched(tmp_path / "one", game, cards, dealt)
    two = await watched(tmp_path / "two", game, twin, dealt)
    assert one.answers == two.answers
    assert one.messages == two.messages
    public = repr(one)
    assert f'"{cards[place - 1]}"' not in public, "nor is it in them"
    assert len(one.messages) >= dealt


async def test_a_hidden_event_has_no_number_in_the_public_stream(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await rig.ready()
        before = (await rig.get("/api/v1/state")).body
        metrics = (await rig.get("/metrics")).body
        for number in range(1, 4):
            await rig.runner.report(None, "shoe", DeviceMark(7, number))
        await rig.runner.enter(i.Limits("main", "20", "500", "5", "next_shoe", "quiet"), i.Actor("supervisor", "Sam"))
        scheduled = (await rig.get("/api/v1/state")).body
        assert scheduled != before, "that is for everybody"
        assert b"quiet" not in scheduled, "why is not"
        assert (await rig.get("/metrics")).body == metrics
    async with serving(tmp_path) as rig:
        first = (await rig.get("/api/v1/state")).body
        for number in range(4, 8):
            await rig.runner.report(None, "shoe", DeviceMark(7, number))
        assert (await rig.get("/api/v1/state")).body == first


async def test_a_supervisor_too_sees_no_hole_card_and_the_owner_does(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await rig.ready()
        await rig.cards("TS 7D 9C 4H")
        assert rig.runner.table.round is not None
        for view in ("public", "dealer", "supervisor"):
            body = (await rig.get(f"/api/v1/state?view={view}", over=rig.unix)).body
            assert b'"7D"' in body or b'"4H"' in body
            assert (b'"7D"' in body) != (b'"4H"' in body), f"one of the dealer's two lies open in {view}"
        assert b'"4H"' in (await rig.get("/api/v1/state?view=audit", over=rig.unix)).body
