"""What a day comes to, from its events alone."""

from __future__ import annotations

from controller.surfaces.pack_down import Day, SeatDay, day
from controller.table import events as e
from controller.table.history import Kept


def of(*events: e.Event, step_s: int = 60) -> Day | None:
    """Each event a minute after the one before."""
    kept = []
    for number, event in enumerate(events, 1):
        minutes = number * step_s // 60
        kept.append(Kept(number, f"2026-10-01T{20 + minutes // 60:02}:{minutes % 60:02}:00.000Z", "dealer:Ann", event))
    return day(kept)


def drawn(card: str = "TS", source: e.Source = "shoe") -> e.CardDrawn:
    return e.CardDrawn(card, source)


def round_of(number: int, **net: str | None) -> tuple[e.Event, ...]:
    nets = {int(seat[1:]): amount for seat, amount in net.items()}
    return e.RoundBegun(number, {seat: e.Bets("10") for seat in nets}), drawn(), drawn(), e.RoundEnded(number, nets)


def test_a_table_that_was_never_opened_had_no_day() -> None:
    assert of() is None
    assert of(e.ShoeLoaded(1, 6), e.TableClosed()) is None


def test_rounds_cards_shoes_and_hours_are_counted_since_the_last_opening() -> None:
    told = of(
        e.TableOpened(), e.ShoeLoaded(1, 6), *round_of(1, s1="10"), e.TableClosed(),
        e.TableOpened(), e.ShoeLoaded(2, 6), e.CardBurned("2S", "shoe"), *round_of(2, s1="15/2", s3="-10"),
        e.ShoeLoaded(3, 6), *round_of(3, s1="-10", s3="0"), e.TableClosed("Mr Smith"),
    )  # fmt: skip
    assert told is not None
    assert (told.rounds, told.cards, told.shoes, told.by_hand, told.voided) == (2, 5, 2, 0, 0)
    assert told.seconds == 12 * 60
    assert told.seats == (SeatDay(1, 2, 1, 1, "-5/2"), SeatDay(3, 2, 0, 1, "-10"))


def test_an_open_table_has_no_closing_and_what_is_in_play_no_net() -> None:
    told = of(e.TableOpened(), *round_of(1, s1="10"), e.RoundBegun(2, {1: e.Bets("10")}), drawn(), drawn("AS"))
    assert told is not None
    assert (told.closed, told.rounds, told.seats) == ("", 1, (SeatDay(1, 1, 1, 0, "10"),))


def test_without_wagers_seats_have_rounds_and_no_money() -> None:
    told = of(e.TableOpened(), *round_of(1, s1=None), e.TableClosed())
    assert told is not None
    assert told.seats == (SeatDay(1, 1, 0, 0, None),)


def test_voided_rounds_count_only_with_bets_that_stand() -> None:
    returned, stands = (e.RoundVoided(1, "spilt", bets, {1: "10"}) for bets in ("returned", "settled_stand"))
    first, second = of(e.TableOpened(), returned), of(e.TableOpened(), stands)
    assert first is not None
    assert second is not None
    assert (first.voided, first.seats) == (1, ())
    assert second.seats == (SeatDay(1, 1, 1, 0, "10"),)


def test_a_correction_changes_what_its_round_came_to() -> None:
    told = of(e.TableOpened(), *round_of(1, s1="10"), e.CardCorrected(1, 1, "TS", "2S", {1: "-20"}), e.TableClosed())
    assert told is not None
    assert (told.corrected, told.seats) == (1, (SeatDay(1, 1, 0, 1, "-10"),))


def test_a_card_that_is_taken_back_or_undone_is_counted_once() -> None:
    told = of(
        e.TableOpened(), drawn(), e.CardTakenBack(2, 1), drawn("TS", "shoe"),
        drawn("9S", "manual"), e.Undone(5, "the card named by hand"), drawn("8S", "manual"), e.TableClosed(),
    )  # fmt: skip
    assert told is not None
    assert (told.cards, told.by_hand) == (2, 1)


def test_faults_are_counted_and_those_of_now_are_marked() -> None:
    pulled = e.FaultBegan("shoe", "pulled", True), e.FaultEnded("shoe")
    told = of(e.TableOpened(), *pulled, *pulled, e.FaultBegan("sign", "gone", False), e.TableClosed())
    assert told is not None
    assert [(each.device, each.times, each.now) for each in told.faults] == [("shoe", 2, False), ("sign", 1, True)]


def test_a_clock_that_was_set_back_makes_no_hours() -> None:
    told = of(e.TableOpened(), e.TableClosed(), step_s=-600)
    assert told is not None
    assert told.seconds is None
