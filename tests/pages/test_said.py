"""What the table says, said in Spanish by the pages' own script: no English is left in it but the names of bets."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from controller.library import game_names
from tests.controller.surfaces.test_said_by_the_coach import said_in_a_game
from tests.pages.browsing import Pages

ENGLISH = re.compile(
    r"\b(the|and|of|then|pays?|with|seats?|cards?|to|dealer|it|is|may|suited|offsuit|press|take)\b", re.I
)
SAY = """async (sentences) => {
  const {sayer} = await import("/pages/said.js");
  const say = await sayer({lang: "es"}, ["coach", "said"]);
  return [...sentences.map((each) => say(each)), say.part("one $100, two $25 and one $5 chip")];
}"""


def test_no_english_is_left_in_what_the_coach_says(page: Pages) -> None:
    opened = page("/")
    expect(opened.locator("#table")).to_have_text("Table 7")
    games = [said_in_a_game(game, wagers) for game in game_names() for wagers in (True, False)]
    sentences = sorted(set().union(*games))
    *said, chips = opened.evaluate(SAY, sentences)
    assert [each for each in said if ENGLISH.search(each)] == []
    assert chips == "fichas: una de $100, dos de $25 y una de $5"
    assert len(set(said)) > len(sentences) / 2
