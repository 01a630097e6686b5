"""What several decisions have in common: a card finds its place, a round begins or ends, limits come due."""

from __future__ import annotations

from collections import Counter

from controller.rules.cards import card
from controller.rules.engine import awaiting as a
from controller.rules.engine.round import Round
from controller.rules.errors import Refused
from controller.rules.money import parse_amount
from controller.table import events as e
from controller.table.state import MAIN
from controller.table.table import Table
from controller.table.trial import Trial


def take_card(trial: Trial, code: str, source: e.Source, answered: int = 0) -> None:
    """A card left the shoe: it is counted, burned, dealt or held, and never lost. `answered`: the question that named
    it."""
    state, round_ = trial.table.state, trial.table.round
    waits = state.held and (not answered or state.held[0].source == "manual")  # behind one that was named with it
    if state.shoe.passing:
        trial.emit(e.CardPassed(code))
    elif waits:
        hold(trial, "behind_a_question", code, source=source)
    elif source == "shoe" and perhaps_named(trial):
        hold(trial, "named_already", code, source=source)
    elif round_ is None and state.burn_due:
        trial.emit(e.CardBurned(code, source, answered, "a card is burned before the first round"))
    elif round_ is None:
        hold(trial, "game_before_time", code, source=source)
    elif round_.allows(card(code)):
        draw(trial, code, source, answered)
    else:
        hold(trial, "extra_card" if _needs_no_more(round_) else "unexpected_card", code, source=source)


def perhaps_named(trial: Trial) -> bool:
    """Whether a card that the shoe tells now may be one that was named by hand while it was away. Which card it is
    must not matter here: that a question is asked would tell it."""
    state = trial.table.state
    return bool(state.by_hand) and (bool(state.set_aside) or trial.now <= state.by_hand_until)


def _needs_no_more(round_: Round) -> bool:
    return isinstance(round_.awaiting, a.SettlementDue | a.Nothing)


def draw(trial: Trial, code: str, source: e.Source, held: int = 0) -> None:
    """The card goes into the round."""
    trial.emit(e.CardDrawn(code, source, held))
    end_round_if_over(trial)


def hold(trial: Trial, situation: e.Situation, code: str = "", words: str = "", source: e.Source = "shoe") -> None:
    trial.emit(e.CardHeld(trial.table.state.held_number + 1, situation, code, words, source))


def raise_alarms(trial: Trial) -> None:
    """For every card that the decks can't hold, as soon as it may be known. One that lies face down is not counted
    yet: an alarm would tell which it is."""
    state = trial.table.state
    shoe = state.shoe
    if shoe.passing or not shoe.decks:
        return
    too_many = [code for code, count in shoe.out.items() if count > shoe.decks]
    unseen = hidden(trial.table) if too_many else Counter[str]()
    for code in too_many:
        shown = shoe.out[code] - unseen[code]
        for _ in range(shown - max(trial.table.state.alarmed.get(code, 0), shoe.decks)):
            words = f"A card came out that can't be in a shoe of {shoe.decks} decks: all of its kind were out already"
            trial.emit(e.AlertRaised(trial.table.state.alert_number + 1, words, code))


def hidden(table: Table) -> Counter[str]:
    """The cards that nobody at the table has seen: those face down in the round in play, and those in question."""
    unseen = Counter(held.card for held in table.state.held if held.card)
    round_ = table.round
    if round_ is None:
        return unseen
    for hand in (round_.dealer, *(hand for seat in round_.seats.values() for hand in seat.hands)):
        unseen.update(each.code for place, each in enumerate(hand.cards) if hand.down >> place & 1)
    return unseen


def begin_round(trial: Trial) -> None:
    """Betting is closed. Raises Refused where no round can begin now."""
    apply_due_limits(trial)
    refused = why_no_round(trial.table)
    if refused is not None:
        raise refused
    state = trial.table.state
    trial.emit(e.RoundBegun(state.round_number + 1, state.wagers))


def line(text: str, missing: Refused | None = None) -> str:
    """What a person wrote, for the journal and for every screen; `missing` is raised where it says nothing."""
    text = text.strip()
    if missing is not None and not text:
        raise missing
    return text


def why_no_round(table: Table) -> Refused | None:
    """What keeps a round from beginning."""
    state = table.state
    if state.round is not None:
        return Refused("round_in_play", f"Round {state.round.number} is in play.")
    if not state.open:
        return Refused("table_closed", "The table is closed.")
    if not state.shoe.number:
        return Refused("no_shoe", "No shoe is loaded.")
    if state.shoe.passing:
        return Refused("counting", "The shoe is being counted.")
    if state.shoe_change_due:
        return Refused("shoe_change_due", "This shoe is over: change it.")
    if state.holding:
        device = state.holding[0]
        return Refused("device_missing", f"No round without the {device}: {state.faults.get(device, '')}")
    if not state.wagers:
        return Refused("no_bets", "Nobody has placed a bet.")
    return refused_wager(table)


def why_no_cut_card(table: Table) -> Refused | None:
    """What keeps a person from saying that the cut card came out."""
    shoe = table.state.shoe
    if not shoe.number:
        return Refused("no_shoe", "No shoe is loaded.")
    if shoe.passing:
        return Refused("counting", "The shoe is being counted.")
    if shoe.cut_card:
        return Refused("cut_card_out", "The cut card came out already.")
    return None


def refused_wager(table: Table) -> Refused | None:
    """Why a wager that lies there can't stay: limits change, and a bet goes on as the same again."""
    try:
        for seat, bets in sorted(table.state.wagers.items()):
            check_wagers(table, seat, bets)
    except Refused as refused:
        return refused
    return None


def end_round_if_over(trial: Trial) -> None:
    round_, log = trial.table.round, trial.table.state.round
    if round_ is None or log is None or not round_.over:
        return
    trial.emit(e.RoundEnded(log.number, trial.table.nets(round_)))
    apply_due_limits(trial, boundary="next_round")


def apply_due_limits(trial: Trial, boundary: str = "") -> None:
    """Between rounds: what waited for this boundary, and notices whose time is over."""
    for each in trial.table.state.pending:
        notice_over = each.policy.startswith("notice:") and each.due <= trial.now
        if notice_over or (boundary and each.policy == boundary):
            trial.emit(e.LimitsApplied(each.bet, trial.table.state.limits[each.bet], each.limits))


def check_wagers(table: Table, seat: int, bets: e.Bets) -> None:
    """Raises Refused for bets that this table does not take at this seat."""
    _check_wager(table, seat, MAIN, bets.amount)
    for bet, amount in bets.side.items():
        if bet not in table.setup.rules.side_bets:
            offered = ", ".join(table.setup.rules.side_bets) or "none"
            raise Refused("side_bet_not_offered", f"The side bet {bet!r} is not offered; there is {offered}.")
        _check_wager(table, seat, bet, amount)


def _check_wager(table: Table, seat: int, bet: str, amount: str | None) -> None:
    setup = table.setup
    if (amount is not None) != setup.wagers:
        words = "Say how much." if setup.wagers else "This table plays without wagers."
        raise Refused("bad_bet", f"Seat {seat}: {words}")
    if amount is None:
        return
    try:
        wager = parse_amount(amount)
    except ValueError as error:
        raise Refused("bad_amount", f"Seat {seat}: {error}.") from None
    if wager <= 0:
        raise Refused("bad_bet", f"Seat {seat}: a bet is more than 0.")
    limits = table.state.limits.get(bet)
    words = limits.limits.refusal(wager) if limits is not None else ""
    if words:
        raise Refused("outside_limits", f"Seat {seat}, {bet} bet: {words}.")
