"""A past round with what sign and board showed, as a value and as a file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest

from controller.surfaces.playback import Playback, playback
from controller.surfaces.playback_file import LANGUAGES, ROOT, playback_file
from controller.surfaces.texts import limits_content, results_content
from controller.table import inputs as i
from controller.table.views import public_view
from tests.controller.table.on_record import OnRecord
from tests.controller.table.playing import SUPERVISOR, setup_for


def played() -> OnRecord:
    record = OnRecord(setup_for(currency="$"))
    record.ready()
    return record


def told(record: OnRecord, number: int = 1, *, simulated: bool = False) -> Playback:
    found = record.round(number)
    return playback(record.table.setup, found, limits=record.limits_before(number), last=None, simulated=simulated)


def test_sign_and_board_are_word_for_word_what_the_displays_were_given() -> None:
    record = played()
    shown = []
    for what in (
        i.OpenRound(),
        *(i.CardLeftShoe(code) for code in ("TS", "7D", "9C", "TH")),
        i.Decision(1, 1, "stand"),
        i.TurnHoleCard(),
        i.Settle(),
    ):
        record.tell(what)
        view, setup = public_view(record.table), record.table.setup
        shown.append((limits_content(view, setup.rules, "$"), results_content(view, "$")))
    made = told(record)
    assert [(frame.sign, frame.board) for frame in made.frames] == shown
    assert made.frames[0].sign["limits"].line == "MIN $10 MAX $500"
    assert (made.round, made.status, made.net, made.currency) == (1, "ended", {1: "10"}, "$")


def test_a_scheduled_change_is_on_the_sign_from_the_step_on_that_scheduled_it() -> None:
    record = played()
    record.tell(i.OpenRound())
    record.tell(i.Limits("main", "50", "500", "50", "next_round", "busy"), SUPERVISOR)
    record.tell(i.Void("enough"), SUPERVISOR)
    pages = [frame.sign["limits"].page for frame in told(record).frames]
    assert "then" not in pages[0]
    assert pages[1].endswith("; then 50 to 500 in steps of 50")


@pytest.mark.parametrize("simulated", [True, False])
def test_a_file_says_that_it_was_simulated_where_it_was(simulated: bool) -> None:
    record = played()
    record.tell(i.OpenRound())
    record.tell(i.Void("enough"), SUPERVISOR)
    made = told(record, simulated=simulated)
    assert made.simulated == simulated
    text = playback_file(made, "en").html.decode()
    assert ('<html lang="en" data-simulated>' in text) == simulated


def test_what_people_wrote_can_not_become_code_in_the_file() -> None:
    record = played()
    record.tell(i.OpenRound())
    reason = "</script><img src=x onerror=alert(1)> & <!-- \u2028"
    record.tell(i.Void(reason), SUPERVISOR)
    text = playback_file(told(record), "en").html.decode()
    data = re.findall(r'<script type="application/json" id="round">(.*?)</script>', text, re.S)
    assert len(data) == 1
    assert "<" not in data[0]
    assert reason.strip() in msgspec.json.decode(data[0], type=Playback).frames[-1].words[0]
    assert "onerror=alert(1)>" not in text


def test_a_table_of_a_strange_name_makes_a_sound_file() -> None:
    record = OnRecord(setup_for(name='"><script>{1}'))
    record.ready()
    record.tell(i.OpenRound())
    record.tell(i.Void("enough"), SUPERVISOR)
    assert "<title>&quot;&gt;&lt;script&gt;{1}: 1</title>" in playback_file(told(record), "en").html.decode()


def test_the_player_imports_nothing_or_its_file_would_not_be_whole() -> None:
    for name in ("cards.js", "money.js", "playback.js"):
        text = (ROOT / name).read_text()
        assert not re.search(r"^\s*import\b|\bimport\(", text, re.M), name
        assert "fetch(" not in text


@pytest.mark.parametrize("section", ["playback", "pit", "docs"])
def test_every_word_is_there_in_every_language_with_the_same_values(section: str) -> None:
    catalogues = [json.loads(Path(ROOT / "texts" / lang / f"{section}.json").read_text()) for lang in LANGUAGES]
    for key, words in catalogues[0].items():
        for other in catalogues[1:]:
            assert set(re.findall(r"\{\w+\}", other[key])) == set(re.findall(r"\{\w+\}", words)), key
    assert all(set(each) == set(catalogues[0]) for each in catalogues)
