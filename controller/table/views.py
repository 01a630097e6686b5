"""What a reader may know of a table, as values that simply do not hold the rest: `public`, `dealer`, `supervisor`.

A card that lies face down is None in every one of them, and no number here is counted over such a card while its round
is in play; not even how many events the journal holds. Only `audit`, for the journal's owner, holds the truth.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from controller.rules.engine import awaiting as a
from controller.rules.money import money_words, parse_amount
from controller.table.coach import Coach, coach
from controller.table.drawn import RoundCards, cards_of
from controller.table.entries import takeable, undoable
from controller.table.felt import HandView, SideBetView, awaited_words, dealer_hand, hands, side_bets
from controller.table.legal import actions_now, legal_now
from controller.table.questions import Question, question
from controller.table.rounds import label
from controller.table.state import PastRound, State
from controller.table.table import Table

Phase = Literal["closed", "betting", "playing"]
View = Literal["public", "dealer", "supervisor", "audit"]


class LimitView(Struct, frozen=True):
    """The limits of one bet; `next` is what is scheduled and `due` when, in seconds of the wall clock (0: at its
    boundary)."""

    bet: str
    min: str
    max: str
    step: str
    words: str
    next: str = ""
    policy: str = ""
    due: int = 0


class SeatView(Struct, frozen=True):
    """A seat that is taken: what lies there, and whether it is the same again as in the round before."""

    seat: int
    wager: str | None
    side: dict[str, str | None]
    again: bool


class ShoeView(Struct, frozen=True):
    """How many cards are out of how many; never which."""

    number: int
    cards_out: int
    cards: int
    cut_card: bool
    change_due: bool


class PublicView(Struct, frozen=True):
    """For signs, boards, streams and anybody who watches."""

    table: str
    game: str
    phase: Phase
    round: int
    seats: tuple[SeatView, ...]
    hands: tuple[HandView, ...]
    dealer: HandView | None
    side_bets: tuple[SideBetView, ...]
    burned: tuple[str, ...]
    awaiting: str
    turn: tuple[int, int]  # seat and hand that a decision is awaited of; 0, 0 where none is
    limits: tuple[LimitView, ...]
    net: dict[int, str | None]  # of a round that has just ended
    shoe: ShoeView
    recent: tuple[PastRound, ...]
    reserved: str  # for whom a closed table is kept; empty where for nobody


class Layout(Struct, frozen=True):
    """What lies on the table and in its tray; it does not change while the table runs. Side bets: name to title."""

    seats: int
    currency: str
    money: str
    chips: tuple[str, ...]
    wagers: bool
    side_bets: dict[str, str]
    lone_dealer: bool


class DealerView(Struct, frozen=True):
    """For the console: what may be entered now. What a hand may do can depend on its own face-down cards."""

    public: PublicView
    legal: tuple[str, ...]
    actions: tuple[str, ...]
    illegal: dict[str, str]
    question: Question | None
    undo: str  # what an undo would undo; empty where nothing can be
    take_back: bool
    faults: dict[str, str]
    holding: tuple[str, ...]
    alerts: dict[int, str]
    last_round_of_shoe: bool
    burn_due: bool
    dealer_name: str
    coach: Coach
    layout: Layout


class SupervisorView(Struct, frozen=True):
    """For the pit: also how the shoe stands, between rounds."""

    dealer: DealerView
    out: dict[str, int] | None  # None while a round is in play: it would tell the hole card
    unknown: int
    why: dict[str, str]  # of scheduled limits, by bet
    correctable: tuple[RoundCards, ...] = ()  # the cards of the round in play and of the last one


class AuditView(Struct, frozen=True):
    """Everything, face-down cards included: for the journal's owner alone."""

    supervisor: SupervisorView
    state: State


def public_view(table: Table) -> PublicView:
    state = table.state
    shown = table.round if table.round is not None else table.last
    log = state.round or state.last
    awaited = table.round.awaiting if table.round is not None else None
    return PublicView(
        table=table.setup.name,
        game=table.setup.rules.name,
        phase="playing" if state.round else "betting" if state.open else "closed",
        reserved=state.reserved,
        round=log.number if log else 0,
        seats=_seats(state),
        hands=hands(shown) if shown is not None else (),
        dealer=dealer_hand(shown) if shown is not None else None,
        side_bets=side_bets(shown) if shown is not None else (),
        burned=tuple(card.code for card in shown.burned) if shown is not None else (),
        awaiting=_awaiting(table),
        turn=(awaited.seat, awaited.hand) if isinstance(awaited, a.DecisionBy) else (0, 0),
        limits=_limits(table),
        net=table.nets(table.last) if table.round is None and table.last is not None else {},
        shoe=ShoeView(
            state.shoe.number,
            state.shoe.count,
            state.shoe.decks * 52,
            state.shoe.cut_card,
            state.shoe_change_due,
        ),
        recent=state.recent,
    )


def dealer_view(table: Table) -> DealerView:
    state = table.state
    awaited = table.round.awaiting if table.round is not None else None
    actions = actions_now(table)
    decision = awaited if isinstance(awaited, a.DecisionBy) and actions else None
    entry = undoable(table)
    return DealerView(
        public=public_view(table),
        legal=legal_now(table),
        actions=actions,
        illegal={action: words for action, (_, words) in decision.illegal.items()} if decision else {},
        question=question(table),
        undo=label(entry.what) if entry is not None else "",
        take_back=takeable(table) is not None and not state.held,
        faults=state.faults,
        holding=state.holding,
        alerts={alert.number: alert.words for alert in state.alerts},
        last_round_of_shoe=state.shoe.cut_card and state.round is not None,
        burn_due=state.burn_due,
        dealer_name=state.dealer,
        coach=coach(table),
        layout=_layout(table),
    )


def supervisor_view(table: Table) -> SupervisorView:
    state = table.state
    quiet = state.round is None and not state.held
    return SupervisorView(
        dealer=dealer_view(table),
        out=state.shoe.out if quiet else None,
        unknown=state.shoe.unknown,
        why={each.bet: each.why for each in state.pending},
        correctable=tuple(cards_of(table.setup, log) for log in (state.round, state.last) if log is not None),
    )


def audit_view(table: Table) -> AuditView:
    return AuditView(supervisor_view(table), table.state)


def _layout(table: Table) -> Layout:
    setup = table.setup
    return Layout(
        setup.seats,
        setup.currency,
        setup.money,
        tuple(str(chip) for chip in setup.chips),
        setup.wagers,
        {name: offered.bet.title for name, offered in setup.rules.side_bets.items()},
        setup.lone_dealer,
    )


def _seats(state: State) -> tuple[SeatView, ...]:
    views = []
    for seat in state.seated:
        bets = state.wagers.get(seat)
        views.append(
            SeatView(seat, bets.amount if bets else None, dict(bets.side) if bets else {}, seat in state.again)
        )
    return tuple(views)


def _limits(table: Table) -> tuple[LimitView, ...]:
    pending = {each.bet: each for each in table.state.pending}
    views = []
    for bet, text in table.state.limits.items():
        waiting = pending.get(bet)
        views.append(
            LimitView(
                bet,
                money_words(parse_amount(text.min)),
                money_words(parse_amount(text.max)),
                money_words(parse_amount(text.step)),
                text.limits.words(),
                waiting.limits.limits.words() if waiting else "",
                waiting.policy if waiting else "",
                waiting.due if waiting else 0,
            )
        )
    return tuple(views)


def _awaiting(table: Table) -> str:
    """In words, for everybody: who, and never among what."""
    state = table.state
    if state.holding:
        return f"the {state.holding[0]}"
    if state.held:
        return "the dealer"
    if table.round is None:
        return "bets" if state.open else "the table to open"
    return awaited_words(table.round)


def net_words(net: str | None, currency: str) -> str:
    """What a seat won or lost, for a board: `+15`, `-10`, `0`."""
    if net is None:
        return ""
    amount = parse_amount(net)
    sign = "+" if amount > 0 else "-" if amount < 0 else ""
    return f"{sign}{currency}{money_words(max(amount, -amount))}"
