"""Rounds of the past: as they lay, as scripts that settle the same, under rules that are others today."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from controller.daemon.past import PastRounds
from controller.daemon.past_told import RoundTold
from controller.daemon.runner import Runner, recover
from controller.library import game_names, load_game
from controller.rules.engine.inputs import PlaySettings
from controller.rules.errors import Refused
from controller.rules.report import settle_script
from controller.rules.written import written
from controller.store.journal import Journal
from controller.store.record import Entry
from controller.store.writer import JournalWriter
from controller.table import events as e
from controller.table import inputs as i
from controller.table.state import Setup
from controller.table.views import public_view
from tests.controller.store.helpers import tamper
from tests.controller.table.playing import DEALER, SUPERVISOR, next_input, setup_for


class Playing:
    def __init__(self, runner: Runner, past: PastRounds) -> None:
        self.runner, self.past = runner, past

    async def tell(self, what: i.Input) -> None:
        if isinstance(what, i.PEOPLE):
            who = SUPERVISOR if isinstance(what, i.SUPERVISOR_ONLY) else DEALER
            await self.runner.enter(what, who)
        else:
            await self.runner.report(what, "shoe")

    async def open(self) -> None:
        for what in (i.OpenTable(), i.Shoe("load"), i.Wager(1, "10"), i.Wager(3, "20")):
            await self.tell(what)

    async def play(self, chance: Random) -> None:
        await self.tell(i.OpenRound())
        while self.runner.table.round is not None:
            await self.tell(next_input(self.runner.table, chance))

    async def cards(self, codes: str) -> None:
        for code in codes.split():
            await self.tell(i.CardLeftShoe(code))

    async def told(self, number: int) -> RoundTold:
        found = await self.past.round(number)
        assert found is not None
        return found


@asynccontextmanager
async def playing(path: Path, setup: Setup) -> AsyncIterator[Playing]:
    journal = Journal.open(path)
    writer = JournalWriter(journal)
    try:
        yield Playing(Runner(recover(setup, journal), writer), PastRounds(path, setup))
    finally:
        await writer.close()


@pytest.mark.parametrize("game", game_names())
async def test_rounds_are_told_as_they_lay_and_their_scripts_settle_the_same(game: str, tmp_path: Path) -> None:
    chance = Random(f"past {game}")
    async with playing(tmp_path / "table.db", setup_for(game)) as table:
        await table.open()
        lay = []
        for _ in range(8):
            await table.play(chance)
            lay.append(public_view(table.runner.table))
        for number, view in enumerate(lay, 1):
            told = await table.told(number)
            assert (told.number, told.status, told.game, told.problem) == (number, "ended", game, "")
            assert (told.hands, told.dealer, told.side_bets, told.net) == (
                view.hands,
                view.dealer,
                view.side_bets,
                view.net,
            )
            script = await table.past.script(number)
            settled = settle_script(script, load_game)
            assert {int(seat): net for seat, net in settled["net"].items()} == view.net
        listed = await table.past.round_list(None, 5)
        assert [each.number for each in listed] == [8, 7, 6, 5, 4]
        assert [each.number for each in await table.past.round_list(4, 5)] == [3, 2, 1]
        assert [each.net for each in listed] == [view.net for view in reversed(lay[3:])]


async def test_a_round_in_play_is_no_past(tmp_path: Path) -> None:
    async with playing(tmp_path / "table.db", setup_for()) as table:
        assert await table.past.round_list(None, 5) == []
        assert await table.past.round(1) is None
        await table.open()
        await table.play(Random(1))
        await table.tell(i.OpenRound())
        await table.cards("TS 7D")
        assert [each.number for each in await table.past.round_list(None, 1)] == [1]
        assert await table.past.round(2) is None
        assert await table.past.script(2) is None
        assert await table.past.round(3) is None


async def test_a_void_round_is_told_without_what_lay_face_down_and_has_no_script(tmp_path: Path) -> None:
    async with playing(tmp_path / "table.db", setup_for()) as table:
        await table.open()
        await table.tell(i.OpenRound())
        await table.cards("TS 5S 7D 9C 6D KH")
        await table.tell(i.Void("the shoe fell"))
        await table.play(Random(2))
        told = await table.told(1)
        assert (told.status, told.void_reason) == ("void", "the shoe fell")
        assert told.dealer is not None
        assert None in told.dealer.cards
        assert b"KH" not in msgspec.json.encode(told)
        with pytest.raises(Refused, match="Round 1 was voided"):
            await table.past.script(1)


async def test_a_corrected_round_is_told_with_the_difference(tmp_path: Path) -> None:
    async with playing(tmp_path / "table.db", setup_for()) as table:
        await table.tell(i.OpenTable())
        await table.tell(i.Shoe("load"))
        await table.tell(i.Wager(1, "10"))
        await table.tell(i.OpenRound())
        await table.cards("TS 7D 9C TH")
        for what in (i.Decision(1, 1, "stand"), i.TurnHoleCard(), i.Settle()):
            await table.tell(what)
        assert (await table.told(1)).net == {1: "10"}
        await table.tell(i.Correct(1, 3, "6C"))
        told = await table.told(1)
        assert told.net == {1: "10"}
        assert (told.difference, told.corrected) == ({1: "-20"}, 1)
        assert told.hands[0].cards == ("TS", "6C")
        assert told.hands[0].outcome == "lose"
        await table.tell(i.OpenRound())
        await table.cards("TS 7D")
        (listed,) = await table.past.round_list(None, 9)
        assert (listed.difference, listed.corrected) == ({1: "-20"}, 1)


async def test_a_round_under_rules_of_then_is_told_by_them(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    old = setup_for("monte_carlo", limits={})
    async with playing(path, old) as table:
        await table.open()
        await table.play(Random(3))
        lay = public_view(table.runner.table)
    for today in (setup_for("blackjack"), setup_for(rules=load_game("blackjack", {"dealer_hits_soft_17": True}))):
        async with playing(path, today) as table:
            told = await table.told(1)
            assert (told.game, told.problem) == ("monte_carlo", "")
            assert (told.hands, told.dealer, told.side_bets) == (lay.hands, lay.dealer, lay.side_bets)
            script = await table.past.script(1)
            assert script is not None
            assert script["game"] == "monte_carlo"
            settled = settle_script(script, load_game)
            assert {int(seat): net for seat, net in settled["net"].items()} == lay.net


async def test_a_round_under_rules_that_nobody_knows_any_more_is_told_in_words(tmp_path: Path) -> None:
    path, setup = tmp_path / "table.db", setup_for()
    rules: dict[str, Any] = {**written(setup.rules), "double_on_tuesdays": True}
    journal = Journal.open(path)
    events: list[e.Event] = [
        e.TableSetUp("tuesday_blackjack", rules, {}),
        e.RoundBegun(1, {1: e.Bets("10")}),
        e.RoundEnded(1, {1: "10"}),
    ]
    journal.append([Entry("dealer:Ann", type(each).__name__, e.encode_event(each)) for each in events])
    journal.close()
    past = PastRounds(path, setup)
    told = await past.round(1)
    assert told is not None
    assert (told.game, told.net, told.hands) == ("tuesday_blackjack", {1: "10"}, ())
    assert "rules of tuesday_blackjack that this version of Croupier does not know" in told.problem
    assert "double_on_tuesdays" in told.problem
    with pytest.raises(Refused, match="does not know"):
        await past.script(1)


async def test_a_round_that_was_played_with_other_settings_is_told_as_it_was(tmp_path: Path) -> None:
    """The journal does not tell whether a card was a hit by itself, or whether a 21 stood by itself."""
    path = tmp_path / "table.db"
    async with playing(path, setup_for(settings=PlaySettings(auto_stand_21=True))) as table:
        await table.tell(i.OpenTable())
        await table.tell(i.Shoe("load"))
        await table.tell(i.Wager(1, "10"))
        await table.tell(i.OpenRound())
        await table.cards("5S 7D 6C TH TD")
        for what in (i.TurnHoleCard(), i.Settle()):
            await table.tell(what)
        lay = public_view(table.runner.table)
    for settings in (PlaySettings(), PlaySettings(implied_hit=False)):
        told = await PastRounds(path, setup_for(settings=settings)).round(1)
        assert told is not None
        assert (told.problem, told.hands, told.net) == ("", lay.hands, {1: "10"})


async def test_a_damaged_journal_is_told_in_words(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    async with playing(path, setup_for()) as table:
        await table.open()
        await table.play(Random(4))
    with Journal.read_only(path) as journal:
        drawn = next(record.sequence for record in journal.after(0) if record.kind == "CardDrawn")
    tamper(path, "UPDATE record SET data = replace(data, 'shoe', 'manual') WHERE sequence = ?", values=(drawn,))
    past = PastRounds(path, setup_for())
    with pytest.raises(Refused, match="The journal is damaged there") as refused:
        await past.round(1)
    assert refused.value.code == "journal_broken"
    path.unlink()
    with pytest.raises(Refused, match="The past can't be read now"):
        await past.round_list(None, 5)
