"""The dealer's console: what goes wrong in a round, how it is taken back, fingers and keys, and who sees it."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import pytest
from playwright.sync_api import expect

from controller.rules.engine.events import Outcome
from controller.rules.engine.inputs import ACTIONS
from controller.surfaces.web.pages import ROOT
from controller.table.coach_words import Step
from controller.table.events import Situation
from controller.table.inputs import AnswerName
from controller.table.questions import SHOE_LOST
from tests.pages.browsing import Pages
from tests.pages.dealing import Console, MakeTable, PagesOf, console_at, console_of
from tests.pages.served import Table

TOUCH_PX = {800: 94.5, 1024: 120, 1280: 120}  # 18 mm on a 7-inch screen of that width; on a larger one more

# Buttons and seats whose words or cards do not fit into them.
CUT_OFF = """() => [...document.querySelectorAll("button, .say, .asks, .mark")].filter((each) => each.checkVisibility())
  .filter((each) => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1)
  .map((each) => each.innerText)"""


@pytest.fixture
def console(table: Table, page: Pages) -> Console:
    """At Power Blackjack, as a dealer."""
    return console_of(page, table)


# Taking back


def test_undo_is_always_in_its_corner_and_says_what_it_undoes(console: Console) -> None:
    console.open(1, 2)
    corner = console.named("undo").bounding_box()
    expect(console.named("undo")).to_be_disabled()
    console.step("Open round")
    console.deal("TS", "9S", "5D", "6C", "8C", "TC")
    expect(console.named("undo")).to_contain_text("Take back")
    console.tap("stand")
    expect(console.named("undo")).to_contain_text("seat 1, hand 1: stand")
    console.tap("undo")
    console.says("Ask seat 1:")
    console.tap("power_split")
    expect(console.named("undo")).to_contain_text("power split")
    console.tap("undo")
    console.says("Ask seat 1:")
    assert console.named("undo").bounding_box() == corner


def test_a_card_is_taken_back_and_dealt_where_it_belongs(console: Console) -> None:
    console.open(1, 2)
    console.step("Open round")
    console.deal("TS", "9S", "5D", "8C", "8D", "TC")
    console.says("Ask seat 1:")
    console.deal("2H")  # it was meant for seat 2: seat 1 had said stand
    console.tap("undo")
    console.asks("A card was taken back")
    console.tap("stand")
    expect(console.named("answer-deal")).to_contain_text("It belongs to seat 2")
    console.tap("answer-deal")
    console.says("Ask seat 2:")
    hands = {hand["seat"]: hand["cards"] for hand in console.table.state()["hands"]}
    assert hands == {1: ["TS", "8C"], 2: ["9S", "8D", "2H"]}


# What goes wrong


def test_a_misread_card_is_named_in_two_taps(console: Console) -> None:
    console.open(1)
    console.step("Open round")
    console.deal("TS")
    console.table.shoe.told("fault misread 1")
    console.deal("9C")
    console.table.shoe.told("fault misread off")
    console.asks("Which card is it?")
    console.tap("rank-9", "suit-C")
    console.says("Deal a card to seat 1.")
    assert console.table.state()["dealer"]["cards"] == ["9C"]


def test_two_cards_at_once_are_named_in_their_order(console: Console) -> None:
    console.open(1)
    console.step("Open round")
    console.deal("TS")
    console.table.shoe.told("fault double_feed 1")
    console.deal("9C")
    console.table.shoe.told("fault double_feed off")
    console.asks("Two cards left the shoe together")
    console.tap("rank-9", "suit-C", "suit-H", "rank-T")
    console.says("Deal the dealer's card face down.")
    state = console.table.state()
    assert state["dealer"]["cards"] == ["9C"]
    assert state["hands"][0]["cards"] == ["TS", "TH"]


def test_a_card_before_the_round_begins_it_or_is_burned(console: Console) -> None:
    console.open(1)
    console.deal("TS")
    console.asks("Does the round begin with it, or is it burned?")
    console.hold("answer-burn", ms=300)
    console.asks("Does the round begin with it, or is it burned?")  # let go too early: nothing happened
    console.hold("answer-burn")
    console.says("Close the betting for seat 1")
    console.deal("9S")
    console.tap("answer-begin")
    console.says("Deal the dealer's card face up.")
    assert console.table.state()["hands"][0]["cards"] == ["9S"]


def test_a_card_that_nobody_awaited_waits_for_what_was_forgotten(console: Console) -> None:
    console.open(1)
    console.step("Open round")
    console.deal("TS", "9S", "8C", "7C")
    console.tap("stand")
    console.says("Turn the hole card.")
    console.deal("5H")
    console.asks("A card left the shoe and none was awaited")
    expect(console.named("answer-deal")).to_have_count(0)
    console.hold("answer-burn")
    console.step("Turn hole card")
    console.says("Deal the dealer a card: the dealer has 16.")


def test_a_lost_shoe_holds_the_round_until_it_is_back(console: Console) -> None:
    console.open(1)
    console.step("Open round")
    console.deal("TS")
    console.table.shoe.told("fault unplug")
    console.asks("The shoe is gone in the middle of a round")
    expect(console.page.locator("#trouble")).to_contain_text("shoe")
    console.table.shoe.told("fault unplug off")
    expect(console.page.locator("#question")).to_be_hidden()
    console.says("Deal the dealer's card face up.")
    console.deal("9S")
    console.says("Deal a card to seat 1.")


def test_without_the_shoe_cards_are_named_by_hand(console: Console) -> None:
    console.open(1)
    console.step("Open round")
    console.deal("TS")
    console.table.shoe.told("fault unplug")
    console.asks("The shoe is gone")
    console.tap("answer-by_hand")
    expect(console.named("next")).to_contain_text("Name the card")
    console.tap("next")
    console.tap("rank-9", "suit-S")
    console.says("Deal a card to seat 1.")
    assert console.table.state()["dealer"]["cards"] == ["9S"]
    expect(console.named("undo")).to_contain_text("the card named by hand")
    console.tap("undo")
    console.says("Deal the dealer's card face up.")


def test_a_bet_outside_the_limits_is_refused_in_words(console: Console, page: Pages) -> None:
    page.allow("status of 409")
    console.open()
    console.seat(4).tap()
    console.tap("chip-25", "place-bet")
    expect(console.page.locator("#notice")).to_contain_text("25 is outside the limits: 10 to 500 in steps of 10")
    console.tap("bet-clear", "chip-25", "chip-5")
    console.tap("place-bet")
    expect(console.seat(4)).to_contain_text("$30")


def test_a_dealer_is_told_that_a_void_needs_a_supervisor(console: Console) -> None:
    console.open(1)
    console.step("Open round")
    console.deal("TS")
    console.tap("menu", "menu-void")
    expect(console.page.locator("#sheet")).to_contain_text("This needs a supervisor")
    assert console.table.state()["phase"] == "playing"


def test_a_supervisor_voids_a_round_by_holding_its_reason(tables: MakeTable, pages_of: PagesOf) -> None:
    at = console_at(tables, pages_of, "power_blackjack", role="supervisor")
    at.open(1)
    at.step("Open round")
    at.deal("TS")
    at.tap("menu", "menu-void")
    at.tap("void-misdeal")  # a tap is not enough
    assert at.table.state()["phase"] == "playing"
    at.hold("void-misdeal")
    at.says("Round 1 is void: clear the cards")
    assert at.table.state()["phase"] == "betting"


def test_the_cut_card_of_a_shoe_that_cant_tell_it_is_said_by_holding(console: Console) -> None:
    console.open(1)
    console.step("Open round")
    console.deal("TS")
    console.tap("menu", "menu-cut_card")  # a tap is not enough
    assert not console.table.state("dealer")["last_round_of_shoe"]
    console.hold("menu-cut_card")
    expect(console.page.locator("#shoe")).to_contain_text("last round")
    assert console.table.state("dealer")["last_round_of_shoe"]


def test_a_supervisor_corrects_a_card_when_table_and_system_disagree(tables: MakeTable, pages_of: PagesOf) -> None:
    at = console_at(tables, pages_of, "power_blackjack", role="supervisor")
    at.open(1)
    at.step("Open round")
    at.deal("TS", "9S")
    at.tap("menu", "menu-disagree")
    expect(at.page.locator("#sheet .laid")).to_have_count(2)
    at.tap("way-correct", "correct-1-2", "rank-8", "suit-H")
    expect(at.page.locator('#dealer-hand [data-card="8H"]')).to_be_visible()
    assert at.table.state()["dealer"]["cards"] == ["8H"]


# Fingers and keys


def test_the_same_tap_twice_acts_once_and_two_different_ones_both_count(console: Console) -> None:
    console.open(1, 2, 3)
    console.step("Open round")
    console.deal("TS", "TD", "6S", "7D", "8C", "9C", "5D", "TC")
    console.says("Ask seat 1:")
    console.page.evaluate(
        """() => { const hit = document.querySelector('[data-name="stand"]'); hit.click(); hit.click(); }"""
    )
    console.says("Ask seat 2:")
    console.page.wait_for_timeout(400)
    quick = (
        """() => { for (const name of ["stand", "double"]) document.querySelector(`[data-name="${name}"]`).click(); }"""
    )
    console.page.evaluate(quick)
    console.says("Take the doubled bet of seat 3")
    doubles = {hand["seat"]: hand["doubles"] for hand in console.table.state()["hands"]}
    assert doubles == {1: 0, 2: 0, 3: 1}


def test_a_button_looks_pressed_before_anything_is_asked_of_the_table(console: Console) -> None:
    pressed = console.page.evaluate(
        """() => {
          const button = document.querySelector('[data-name="next"]');
          button.dispatchEvent(new PointerEvent("pointerdown"));
          return button.classList.contains("pressed");
        }"""
    )
    assert pressed is True


def test_a_round_can_be_dealt_with_keys(console: Console) -> None:
    keys = console.page.keyboard
    console.tap("why", "why")  # a finger leaves nothing behind that a key would press again
    keys.press("Enter")
    console.says("Fill the shoe")
    console.page.wait_for_timeout(350)  # the same key again within 300 ms counts once
    keys.press("Enter")
    console.says("Take the bets")
    keys.press("3")
    expect(console.page.locator("#sheet")).to_contain_text("Seat 3")
    for key in ("3", "2", "Enter"):  # a chip of 25, one of 5
        keys.press(key)
    expect(console.seat(3)).to_contain_text("$30")
    console.page.wait_for_timeout(350)
    keys.press("Enter")
    console.says("Deal a card to seat 3.")
    console.deal("8S", "9S", "8C", "7C")
    console.says("Ask seat 3:")
    keys.press("s")
    console.says("Turn the hole card.")
    keys.press("Backspace")
    console.says("Ask seat 3:")
    keys.press("?")
    console.says("A card that is drawn now is a hit.")
    keys.press("?")
    keys.press("p")
    console.says("Part seat 3's cards")
    console.deal("2H", "3H")
    console.says("hand 1")
    keys.press("m")
    expect(console.page.locator("#sheet")).to_contain_text("Menu")
    keys.press("Escape")
    expect(console.page.locator("#sheet")).to_be_hidden()


@pytest.mark.parametrize("size", [(800, 480), (1024, 600), (1280, 800)])
def test_everything_to_be_tapped_is_large_enough_and_stays_in_its_place(
    size: tuple[int, int], table: Table, page: Pages
) -> None:
    width, height = size
    at = console_of(page, table, width=width, height=height)
    places: dict[str, Any] = {}

    def look() -> None:
        found = at.page.evaluate(
            """() => [...document.querySelectorAll("button, a.button")].filter((each) => each.checkVisibility())
              .map((each) => [each.dataset.name ?? each.className, each.getBoundingClientRect().toJSON()])"""
        )
        for name, box in found:
            assert box["width"] >= TOUCH_PX[width] - 0.5, (name, box)
            assert box["height"] >= TOUCH_PX[width] - 0.5, (name, box)
            assert box["left"] >= 0, (name, box)
            assert box["right"] <= width, (name, box)
            assert box["bottom"] <= height, (name, box)
            if name in ("undo", "next", "hit", "stand", "double", "split", "why", "menu"):
                assert places.setdefault(name, box) == box, name
        assert at.page.evaluate(CUT_OFF) == []

    look()
    at.open(1, 2)
    look()
    at.seat(3).tap()
    look()
    at.tap("close")
    at.step("Open round")
    at.deal("8S", "TD", "6S", "8C", "9C", "5D")
    at.says("Ask seat 1:")
    look()
    at.tap("menu")
    look()
    at.tap("menu-disagree")
    look()
    at.tap("close", "split")
    at.says("Part seat 1's cards")
    at.deal("2C", "AC")
    at.tap("stand")
    at.says("Deal a second card to seat 1, hand 2.")
    at.deal("3D")
    at.says("Ask seat 1, hand 2:")
    look()
    table.shoe.told("fault misread 1")
    at.deal("9C")
    table.shoe.told("fault misread off")
    at.asks("Which card is it?")
    look()


@pytest.mark.parametrize("size", [(800, 480), (1024, 600)])
@pytest.mark.parametrize("lang", ["en", "es"])
def test_seven_seats_with_splits_keep_their_cards_totals_and_bets(
    size: tuple[int, int], lang: str, tables: MakeTable, pages_of: PagesOf
) -> None:
    width, height = size
    table = tables(game="blackjack", limits=("100", "500000", "100"))
    table.open(*range(1, 8), wager="100000")
    table.enter_all("open_round")
    opened = pages_of(table)(f"/dealer?lang={lang}", role="dealer", width=width, height=height, touch=True)
    table.deal(*["8S", "9S", "TD", "9H", "9D", "9C", "TC", "AH", "8C", "KD", "5C", "9S", "8H", "5D", "KC", "6C"])
    expect(opened.locator(".seat .mark")).to_have_count(7)
    assert opened.evaluate(CUT_OFF) == []
    table.enter_all("next_round", "next_round")
    for card in ("8D", "8H"):  # a third and a fourth hand
        table.enter({"input": "decision", "seat": 1, "hand": 1, "action": "split"})
        table.deal(card)
    table.enter({"input": "decision", "seat": 1, "hand": 1, "action": "split"})
    table.deal("2H", "3C", "4D")
    expect(opened.locator('.seat[data-seat="1"] .hand')).to_have_count(4)
    expect(opened.locator('.seat[data-seat="1"] .card')).to_have_count(7)
    assert opened.evaluate(CUT_OFF) == []


def test_a_long_name_hides_nothing_beside_it(tables: MakeTable, pages_of: PagesOf) -> None:
    table = tables(name="The table of the house at the harbour of the town, number twenty-seven")
    table.open(1)
    opened = pages_of(table)("/dealer", role="dealer", width=800, height=480, touch=True)
    expect(opened.locator("#who")).to_have_text("Ann (dealer)")
    table.kill()
    mark = opened.locator("#stale")
    expect(mark).to_be_visible()
    for each in (mark, opened.locator(".simulated-mark")):
        box = each.bounding_box()
        assert box is not None
        assert box["x"] >= 0, box
        assert box["x"] + box["width"] <= 800, box


# Who sees it, and when it is old


def test_who_has_not_signed_in_is_shown_the_way(table: Table, page: Pages) -> None:
    opened = page("/dealer")
    link = opened.get_by_role("link", name="Sign in")
    expect(link).to_have_attribute("href", "/sign-in?next=/dealer")
    expect(opened.locator(".seat")).to_have_count(0)


def test_the_hole_card_is_nowhere_in_the_page(console: Console) -> None:
    console.open(1)
    console.step("Open round")
    console.deal("TS", "9S", "8C", "7D")
    console.says("Ask seat 1:")
    assert "7D" not in console.page.content()
    expect(console.page.locator("#dealer-hand .card-down")).to_have_count(1)


def test_a_console_that_hears_nothing_says_so_and_comes_back_by_itself(console: Console) -> None:
    console.open(1)
    console.step("Open round")
    console.deal("TS", "9S", "8C", "7D")
    console.says("Ask seat 1:")
    console.table.kill()
    root = console.page.locator("html")
    expect(root).to_have_attribute("data-stale", "1", timeout=10_000)
    expect(console.page.locator("#stale")).to_contain_text("No news from the table since")
    expect(root).to_have_attribute("data-stale", "2", timeout=15_000)
    wager = console.page.locator(".seat .wager").first
    expect(wager).to_have_css("color", "rgba(0, 0, 0, 0)")
    console.table.start()
    expect(root).to_have_attribute("data-stale", "0", timeout=15_000)
    console.tap("stand")
    console.says("Turn the hole card.")


def test_the_console_speaks_spanish(table: Table, page: Pages) -> None:
    opened = page("/dealer?lang=es", role="dealer", width=1024, height=600)
    expect(opened.locator('[data-name="next"]')).to_contain_text("Abrir la mesa")
    expect(opened.locator('[data-name="undo"]')).to_contain_text("Deshacer")


def test_the_coach_and_what_it_pays_are_spanish_too(tables: MakeTable, pages_of: PagesOf) -> None:
    table = tables(game="blackjack")
    table.open(1, 2, wager="30")
    opened = pages_of(table)("/dealer?lang=es", role="dealer", width=800, height=480, touch=True)
    coach = opened.locator("#coach .sentence")
    expect(coach).to_have_text("Cierre las apuestas de los puestos 1 y 2 y pulse Abrir mano.")
    table.enter_all("open_round")
    table.deal("TS", "AS", "6D", "8C", "KC", "TC")
    expect(coach).to_have_text("Pregunte al puesto 1: ¿pide carta, se planta o dobla?")
    opened.locator('[data-name="stand"]').tap()
    expect(opened.locator("#coach")).to_contain_text(
        "Pague al puesto 2: $45, el blackjack paga 3 a 2: fichas: una de $25"
    )
    opened.locator('[data-name="paid"]').tap()
    expect(coach).to_have_text("Descubra la carta tapada.")
    opened.locator('[data-name="why"]').tap()
    expect(opened.locator("#coach .because")).to_contain_text("La banca pide hasta 16 y se planta con todo 17.")
    table.shoe.told("fault misread 1")
    table.deal("9C")
    expect(opened.locator("#question .asks")).to_have_text("Salió una carta del sabot sin leer. ¿Qué carta es?")


# Words for everything that the table can say


@pytest.mark.parametrize("lang", ["en", "es"])
def test_there_are_words_for_all_that_a_table_can_ask_and_await(lang: str) -> None:
    texts = json.loads((ROOT / f"texts/{lang}/dealer.json").read_text())
    needed = [f"situation.{each}" for each in (*get_args(Situation), SHOE_LOST)]
    needed += [f"answer.{each}" for each in get_args(AnswerName) if each not in ("deal", "name")]  # told by the table
    needed += [f"action.{each}" for each in ACTIONS] + [f"outcome.{each}" for each in get_args(Outcome)]
    needed += [f"step.{each}" for each in get_args(Step) if each]
    assert [each for each in needed if f"dealer.{each}" not in texts] == []


def test_every_answer_has_a_place_and_every_step_an_input() -> None:
    question, actions = (ROOT / f"dealer-{name}.js" for name in ("question", "actions"))
    for answer in get_args(AnswerName):
        assert answer == "name" or re.search(rf"\b{answer}: \d", question.read_text()), answer
    for each in (*ACTIONS, *filter(None, get_args(Step))):
        assert re.search(rf"^  {each}: [\[{{]", actions.read_text(), re.MULTILINE), each
