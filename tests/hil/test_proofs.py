"""The proofs at volume in their short form, whether they would find what they look for, and rounds settled again."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from controller.library import game_names, load_file, load_game
from controller.rules.engine.inputs import PlaySettings
from controller.rules.errors import Refused
from controller.rules.ruleset import Ruleset
from controller.store.journal import Journal
from controller.store.record import Entry
from controller.table import events as e
from controller.table import inputs as i
from controller.table.decisions import decide
from controller.table.events import Event, encode_event
from controller.table.limits import BetLimits
from controller.table.state import Setup
from controller.table.table import Table
from hil.proof import books
from hil.proof.leaks import LEAKS
from hil.proof.secrecy import prove
from hil.proof.tables import bets
from hil.proof.whims import a_card, next_step

NOW = 1_800_000_000
SUPERVISOR = i.Actor("supervisor", "Sam")
SHOE = i.Actor("device", "shoe")
HOUSE = """extends = "{game}"
name = "The House's Own"
{lines}
"""
HOUSE_LINES = {
    "blackjack": 'blackjack_pays = "6:5"\nsurrender = "late"\nrounding = "up"\nrounding_chip = "1"',
    "chinese_fortune_21": "decks = 2\nmax_hands = 2",
    "monte_carlo": "dealer_hits_soft_17 = true\nmax_hands = 2",
    "power_blackjack": 'surrender = "late"',
    "super_fun_21_extreme": "decks = 2\nmax_doubles = 2",
}


def proof(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hil.proof", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_two_rounds_that_differ_in_a_face_down_card_look_the_same_to_the_byte() -> None:
    done = proof("secrecy", "--rounds", "1000", "--seed", "7")
    assert done.returncode == 0, done.stdout + done.stderr
    compared = dict(re.findall(r"(\w+) ([\d,]+)(?:,|$)", done.stdout.splitlines()[1].split(":")[1]))
    assert {"hole", "seat", "double", "held", "burned"} <= compared.keys()
    assert "no face-down card showed anywhere" in done.stdout


@pytest.mark.parametrize("name", LEAKS)
def test_a_planted_leak_is_found(name: str) -> None:
    tables = (prove(number, 1, rounds=20, leak=LEAKS[name]) for number in range(25))
    failure = next((found.failures[0] for found in tables if found.failures), "")
    assert "card shows after" in failure
    assert re.search(r"again: python -m hil\.proof secrecy --seed 1 --table \d+", failure)


def test_a_leak_that_nobody_knows_is_refused() -> None:
    done = proof("secrecy", "--leak", "none_such")
    assert done.returncode == 2
    assert "hole_total" in done.stdout


def test_a_day_with_heavy_faults_adds_up() -> None:
    done = proof("soak", "--rounds", "150", "--seed", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "everything adds up" in done.stdout
    assert int(re.search(r"rounds settled +(\d+)", done.stdout)[1]) >= 150  # type: ignore[index]


def test_a_card_that_is_missing_in_the_journal_is_found() -> None:
    kept = [
        books.Kept(number, "", "", event)
        for number, event in enumerate(
            (
                e.ShoeLoaded(1, 6),
                e.CardDrawn("8S", "shoe"),
                e.CardHeld(1, "unexpected_card", "9D"),
                e.CardDrawn("9D", "shoe", 1),
                e.CardHeld(2, "misread"),
                e.QuestionAnswered(2, "name", ("TC",)),
                e.CardDrawn("TC", "manual", 2),
                e.CardHeld(3, "double_feed"),
                e.QuestionAnswered(3, "burn"),
                e.CardBurned("", "shoe", 3),
                e.CardBurned("", "shoe", 3),
                e.CardDrawn("2H", "manual"),
                e.Undone(11, "the card named by hand"),
                e.CardHeld(4, "misread"),
                e.RoundVoided(1, "a misdeal", "returned", {}),
            )
        )
    ]
    (book,) = books.shoes(kept)
    assert +book.cards == {"8S": 1, "9D": 1, "TC": 1}
    assert book.unread == 3


class Recorded:
    """A table whose events go into a real journal."""

    def __init__(self, setup: Setup, path: Path, seed: str) -> None:
        self.setup, self.path, self.chance = setup, path, Random(seed)
        self.table = Table(setup)
        first = self.table.set_up()
        assert first is not None
        self.table.apply(first)
        self.events: list[Event] = [first]
        self.corrected = self.voided = 0

    def tell(self, what: i.Input) -> bool:
        try:
            events = decide(self.table, what, SUPERVISOR if isinstance(what, i.PEOPLE) else SHOE, NOW)
        except Refused:
            return False
        for event in events:
            self.table.apply(event)
        self.events += events
        return True

    def play(self, rounds: int) -> None:
        self.tell(i.OpenTable())
        self.tell(i.Shoe("load"))
        for wager in bets(self.setup, self.chance):
            assert self.tell(wager)
        for _ in range(rounds):
            self._round()
        with Journal.open(self.path) as journal:
            journal.append([Entry("test", type(event).__name__, encode_event(event)) for event in self.events])

    def _round(self) -> None:
        before = self.table.state.round_number
        for _ in range(400):
            state = self.table.state
            if self.table.round is None and state.round_number > before and not state.held:
                break
            if self.table.round is None and state.shoe_change_due:
                self.tell(i.Shoe("load"))
            if not state.wagers:
                self.tell(bets(self.setup, self.chance)[0])
            self.tell(next_step(self.table, self.chance))
        if self.table.round is not None:
            self.tell(i.Void("it takes too long"))
        self.voided += isinstance(self.events[-1], e.RoundVoided)
        if self.chance.random() < 0.4:
            number, place = self.table.state.round_number, self.chance.randrange(1, 5)
            self.corrected += self.tell(i.Correct(number, place, a_card(self.chance)))
            self.corrected += self.tell(i.Exchange(number, place, place + 1))


def settled(scripts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    lines = "".join(json.dumps(script) + "\n" for script in scripts)
    command = [Path(sys.executable).with_name("croupier"), "settle", "--lines"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=120, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def rules_of(game: str, kind: str, folder: Path) -> Ruleset:
    if kind != "house":
        return load_game(game)
    file = folder / "own.toml"
    file.write_text(HOUSE.format(game=game, lines=HOUSE_LINES[game]))
    return load_file(file)


@pytest.mark.parametrize("kind", ["plain", "house", "stands on 21"])
@pytest.mark.parametrize("game", game_names())
def test_rounds_from_a_journal_settle_the_same_through_the_command(game: str, kind: str, tmp_path: Path) -> None:
    rules = rules_of(game, kind, tmp_path)
    settings = PlaySettings(auto_stand_21=kind == "stands on 21" and rules.may_stand_21)
    setup = Setup(name="Table 7", rules=rules, limits={"main": BetLimits(5, 500, 5)}, settings=settings)
    played = Recorded(setup, tmp_path / "table.db", f"{game} {kind}")
    played.play(60)
    found = list(books.rounds(setup, books.read(played.path)))
    answers = settled([each.script for each in found])
    assert len(found) > 20
    assert len(found) + played.voided <= 60
    assert played.corrected
    for each, answer in zip(found, answers, strict=True):
        if max(Counter(each.script["shoe"]).values()) > rules.decks:  # the table has alarmed; a script is refused
            assert answer["error"].startswith("too_many")
            continue
        assert answer.get("net") == {str(seat): net for seat, net in each.net.items()}, (each, answer)
        assert books.house_takes(answer) + sum(Fraction(net or "0") for net in each.net.values()) == 0
