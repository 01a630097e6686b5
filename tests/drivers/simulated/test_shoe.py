"""The simulated shoe: the cards in it, what stops it, and what each protocol can say of it."""

from __future__ import annotations

import asyncio
import math
from collections import Counter

import pytest

from drivers.base import CardRead, Said
from drivers.simulated.faults import Faults
from drivers.simulated.pile import CUT, DECK, MAX_CARDS, shuffled, without_cut, written
from drivers.simulated.shoe import LoadedShoe, ShoeStopped, shoe_end
from drivers.simulated.shoe_driver import SimulatedShoe
from drivers.simulated.shoe_ends import PROTOCOLS
from firmware_protocol import angel_eye, shoe_events

WAIT_S = 30.0


def loaded(protocol: str = "tablelink", order: str = "8S TD AC 2H", burn: int = 0) -> LoadedShoe:
    faults = Faults(1)
    shoe = LoadedShoe(shoe_end(protocol, faults), faults, written(order), burn=burn)
    shoe.end.connected(0.0)
    return shoe


# The cards


def test_a_shuffled_shoe_is_whole_decks_with_the_cut_card_at_three_quarters() -> None:
    cards = shuffled(6, 7)
    assert Counter(without_cut(cards)) == Counter(DECK * 6)
    assert cards.index(CUT) == 234
    assert shuffled(6, 7) == cards
    assert shuffled(6, 8) != cards
    assert CUT not in shuffled(6, 7, 0)
    assert without_cut(shuffled(6, 7, 10)) == without_cut(cards), "the cut card's place changes no other"


def test_an_order_is_read_as_people_write_it() -> None:
    assert written("8s, 10D cut\nac # and so on") == ("8S", "TD", CUT, "AC")


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ("", "write at least one card"),
        (" , # nothing", "write at least one card"),
        ("8S 1D", "card 2: '1D' is no card"),
        ("8S " * (MAX_CARDS + 1), f"holds {MAX_CARDS} cards at most"),
    ],
)
def test_an_order_that_is_none_is_refused(order: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        written(order)


@pytest.mark.parametrize(("decks", "cut"), [(0, None), (9, None), (1, 53), (1, -1)])
def test_a_shoe_that_cannot_be_is_refused(decks: int, cut: int | None) -> None:
    with pytest.raises(ValueError, match=r"decks|cut_card"):
        shuffled(decks, 0, cut)


@pytest.mark.parametrize("wrong", [{"protocol": "morse"}, {"pace": -1.0}, {"burn": -1}, {"order": "XX"}, {"decks": 0}])
def test_the_drivers_settings_are_checked_at_once(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SimulatedShoe.Settings(**wrong)  # type: ignore[arg-type]


# Dealing


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_cards_leave_in_their_order_and_then_it_is_empty(protocol: str) -> None:
    shoe = loaded(protocol)
    assert [shoe.deal().cards for _ in range(4)] == [("8S",), ("TD",), ("AC",), ("2H",)]
    for _ in range(2):
        with pytest.raises(ShoeStopped, match="it is empty"):
            shoe.deal()
    assert shoe.dealt == ["8S", "TD", "AC", "2H"]
    shoe.load()
    assert len(shoe.left) == 4
    assert shoe.deal("kd").cards == ("KD",), "a card named by hand comes first"
    assert shoe.deal().cards == ("8S",)


def test_the_lid_and_a_jam_stop_it_and_say_so() -> None:
    shoe = loaded()
    shoe.lid(True)
    with pytest.raises(ShoeStopped, match="its lid is open"):
        shoe.deal()
    shoe.lid(False)
    shoe.jam(True)
    with pytest.raises(ShoeStopped, match="a card is jammed"):
        shoe.deal()
    shoe.jam(False)
    assert shoe.deal().cards == ("8S",)


def test_what_is_no_card_is_refused_and_no_card_leaves() -> None:
    shoe = loaded()
    with pytest.raises(ValueError, match="'1S' is no card"):
        shoe.deal("1S")
    assert (shoe.dealt, len(shoe.left)) == ([], 4)


def test_faults_of_the_feed_are_told_apart_and_every_card_stays_accounted_for() -> None:
    shoe = loaded(order="8S TD CUT AC 2H 3H")
    shoe.faults.switch("backfeed", 1)
    assert shoe.deal().what == "backfeed"
    assert shoe.dealt == []
    shoe.faults.switch("backfeed", None)
    shoe.faults.switch("double_feed", 1)
    assert shoe.deal().cards == ("8S", "TD")
    shoe.faults.switch("double_feed", None)
    shoe.faults.switch("misread", 1)
    dealt = shoe.deal()
    assert (dealt.what, dealt.cards, dealt.cut_card) == ("misread", ("AC",), True)
    assert [*shoe.dealt, *shoe.left] == ["8S", "TD", "AC", "2H", "3H"]


def test_two_cards_need_two_cards() -> None:
    shoe = loaded(order="8S")
    shoe.faults.switch("double_feed", 1)
    assert shoe.deal().what == "card"


def test_angel_eye_says_everything_three_times_and_the_burn_card_with_another_letter() -> None:
    shoe = loaded("angel_eye", burn=1)
    shoe.deal()
    shoe.deal()
    sent, now = b"", 0.0
    while (due := shoe.end.next_time()) is not None or not sent:
        now = max(now, due or 0.0)
        sent += shoe.end.data_to_send(now)
    half = len(sent) // 2
    assert sent[:half] == sent[: half // 3] * 3
    told = angel_eye.Decoder().feed(sent)
    assert [each.card for each in told if isinstance(each, shoe_events.CardRead)] == ["8S", "TD"]
    plain = loaded("angel_eye")
    plain.deal()
    assert plain.end.data_to_send(0.0) != sent[: half // 3]


def test_more_burn_cards_than_cards_are_refused() -> None:
    with pytest.raises(ValueError, match="4 cards are in the shoe, so 5 can't be burned"):
        loaded(burn=5)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_card_dealt_as_soon_as_the_port_is_open_is_told(protocol: str) -> None:
    device = SimulatedShoe(SimulatedShoe.Settings(protocol=protocol, order="8S TD"))
    await device.open()
    device.simulated_shoe.deal()
    told: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def hear(said: Said) -> None:
        if isinstance(said, CardRead) and not told.done():
            told.set_result(said.card)

    serving = asyncio.create_task(device.serve(hear))
    async with asyncio.timeout(WAIT_S):
        assert await told == "8S"
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    await device.close()


async def test_an_opening_that_is_cancelled_leaves_neither_task_nor_port() -> None:
    device = SimulatedShoe(SimulatedShoe.Settings(protocol="bee_tek"))
    opening = asyncio.create_task(device.open())
    await asyncio.sleep(0)
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)
    await device.close()
    assert asyncio.all_tasks() == {asyncio.current_task()}
    await device.open()
    await device.close()


@pytest.mark.parametrize("pace", [-1.0, math.inf, math.nan])
def test_a_pace_that_is_no_time_is_refused(pace: float) -> None:
    with pytest.raises(ValueError, match="seconds from card to card"):
        SimulatedShoe.Settings(pace=pace)
