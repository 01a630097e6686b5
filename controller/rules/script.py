"""Round scripts: what happened at a table, as JSON, played through the round itself. Refuses without half-settling.

The format is the one of the README: bets, the cards in the order they left the shoe, the decisions in the order the
dealer entered them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from controller.rules.cards import BadCard, Card, card
from controller.rules.engine.awaiting import (
    CardFor,
    DecisionBy,
    HoleCardDue,
    InsuranceOffer,
    PeekDue,
    SettlementDue,
    SurrenderOffer,
)
from controller.rules.engine.events import Event
from controller.rules.engine.inputs import (
    ACTIONS,
    CloseOffer,
    Decide,
    Input,
    Insure,
    Peek,
    PlaySettings,
    SeatBet,
    Settle,
    TurnHoleCard,
)
from controller.rules.engine.round import Round
from controller.rules.errors import Refused, RulesetError
from controller.rules.money import Money, parse_amount
from controller.rules.ruleset import Ruleset
from controller.rules.words.reasons import refuse

RulesFor = Callable[[str, Mapping[str, Any]], Ruleset]
SCRIPT_ACTIONS: Final = (*ACTIONS, "redouble", "insurance")
AS_PLAYED: Final = PlaySettings(implied_hit=False)  # a script says every hit
MAX_SEATS: Final = 99


class Entry(Struct, frozen=True):
    """One line of a script's actions; insurance has hand 0 and an amount."""

    seat: int
    hand: int
    action: str
    amount: object = None  # as written: read only if insurance is offered at all


class Script(Struct, frozen=True):
    """A script that is well formed; whether it can be played is for the round to say."""

    rules: Ruleset
    seats: tuple[SeatBet, ...]
    shoe: tuple[Card, ...]
    actions: tuple[Entry, ...]


def read_script(data: object, rules_for: RulesFor) -> Script:
    """Check a script's form, in this order: game, options, seats, side bets, cards, actions."""
    if not isinstance(data, Mapping):
        raise Refused("bad_script", "A round script is a JSON object.")
    rules = _rules(data, rules_for)
    seats = tuple(_seat(item) for item in _list(data, "seats"))
    for seat in seats:
        if sum(other.seat == seat.seat for other in seats) > 1:
            raise Refused(f"seat_twice:{seat.seat}", f"Seat {seat.seat} is named twice.")
    sides = [_side(item, seat.seat, rules) for item, seat in zip(_list(data, "seats"), seats, strict=True)]
    seats = tuple(SeatBet(seat.seat, seat.bet, side) for seat, side in zip(seats, sides, strict=True))
    if not seats:
        raise refuse("no_seats", rules)
    shoe = _shoe(_list(data, "shoe"), rules.decks)
    actions = tuple(_entry(item) for item in _list(data, "actions"))
    return Script(rules, seats, shoe, actions)


def _list(data: Mapping[str, Any], key: str) -> list[Any]:
    value = data.get(key, [] if key == "actions" else None)
    if not isinstance(value, list):
        raise Refused(f"bad_script:{key}", f"The script's {key!r} is not a list.")
    return value


def _rules(data: Mapping[str, Any], rules_for: RulesFor) -> Ruleset:
    game, options = data.get("game"), data.get("options", {})
    if not isinstance(options, Mapping):
        raise Refused("bad_script:options", "The script's 'options' is not an object.")
    try:
        return rules_for(game if isinstance(game, str) else repr(game), options)
    except RulesetError as error:
        code = "unknown_option" if error.kind == "unknown" else "bad_option"
        raise Refused(f"{code}:{error.key}", str(error)) from error


def _seat(item: object) -> SeatBet:
    if not isinstance(item, Mapping):
        raise Refused("bad_script:seats", "A seat is an object with 'seat' and 'bet'.")
    number = item.get("seat")
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MAX_SEATS:
        raise Refused(f"bad_seat:{number}", f"{number!r} is no seat: seats are numbered from 1.")
    return SeatBet(number, None if item.get("bet") is None else _amount(item["bet"], number))


def _side(item: Mapping[str, Any], seat: int, rules: Ruleset) -> dict[str, Money | None]:
    side = item.get("side")
    if side is None:
        return {}
    if not isinstance(side, Mapping):
        raise Refused("bad_script:side", f"Seat {seat}'s 'side' is not an object.")
    for name in side:
        if name not in rules.side_bets:
            raise refuse("side_bet_not_offered", rules, bet=name)
    if item.get("bet") is not None:
        return {name: _amount(wager, seat) for name, wager in side.items()}
    if any(wager is not None for wager in side.values()):
        raise Refused(f"bad_bet:{seat}", f"Seat {seat} plays without a wager, so its side bets have none either.")
    return dict.fromkeys(side)


def _amount(value: object, seat: int) -> Money:
    try:
        amount = parse_amount(value)
    except ValueError as error:
        raise Refused(f"bad_bet:{seat}", f"Seat {seat}: {error}") from error
    if amount <= 0:
        raise Refused(f"bad_bet:{seat}", f"Seat {seat}: {value!r} is not an amount above zero.")
    return amount


def _shoe(codes: Sequence[object], decks: int) -> tuple[Card, ...]:
    shoe = []
    for code in codes:
        try:
            shoe.append(card(code))
        except BadCard as error:
            raise Refused(f"bad_card:{code}", str(error)) from error
    seen: Counter[Card] = Counter()
    for drawn in shoe:
        seen[drawn] += 1
        if seen[drawn] > decks:
            words = f"{decks} decks hold {decks} of {drawn.text}, and the script has one more."
            raise Refused(f"too_many:{drawn.text}", words)
    return tuple(shoe)


def _entry(item: object) -> Entry:
    match item:
        case [int(seat), int(hand), str(action), *rest] if bool not in (type(seat), type(hand)) and (
            not rest or (len(rest) == 1 and action == "insurance")
        ):
            pass
        case _:
            raise Refused("bad_script:actions", f"{item!r} is no action: write [seat, hand, action].")
    if action not in SCRIPT_ACTIONS:
        words = f"There is no action {action!r}; there are {', '.join(SCRIPT_ACTIONS)}."
        raise Refused(f"unknown_action:{action}", words)
    return Entry(seat, hand, "double" if action == "redouble" else action, rest[0] if rest else None)


Watch = Callable[[Round, Input, Sequence[Event]], None]


def play(script: Script, watch: Watch | None = None) -> Round:
    """Play a script to the end of its round; `watch` sees every input and what it did."""
    return _Player(script, watch).play()


class _Player:
    """Feeds a script to a round: a card when a card is awaited, the next entry when a decision is."""

    def __init__(self, script: Script, watch: Watch | None) -> None:
        self.round = Round(script.rules, script.seats, AS_PLAYED)
        self.shoe = iter(script.shoe)
        self.actions = list(script.actions)
        self.next = 0
        self.watch = watch

    def play(self) -> Round:
        insurance_asked = False
        while True:
            awaited = self.round.awaiting
            if not insurance_asked and self.round.cards_used == len(self.round.deal):
                insurance_asked = True
                self._insurance()
                continue
            match awaited:
                case CardFor():
                    self._card()
                case InsuranceOffer():
                    self._do(CloseOffer())
                case SurrenderOffer():
                    self._early_surrender(awaited)
                case PeekDue():
                    self._do(Peek())
                case DecisionBy():
                    self._decision(awaited)
                case HoleCardDue():
                    self._do(TurnHoleCard())
                case SettlementDue():
                    self._do(Settle())
                case _:
                    break
        entry = self._peek_entry()
        if entry is not None:
            self._refuse_resplit(entry)
            raise Refused("extra_action", f"The round is over and {_said(entry)} is left.")
        return self.round

    def _do(self, what: Input) -> None:
        events = self.round.apply(what)
        if self.watch is not None:
            self.watch(self.round, what, events)

    def _peek_entry(self) -> Entry | None:
        return self.actions[self.next] if self.next < len(self.actions) else None

    def _card(self) -> None:
        drawn = next(self.shoe, None)
        if drawn is None:
            raise Refused("shoe_exhausted", f"The script's shoe ends after {self.round.cards_used} cards.")
        self._do(drawn)

    def _insurance(self) -> None:
        """Insurance entries come before all other decisions, so they are read as soon as the cards lie."""
        while (entry := self._peek_entry()) is not None and entry.action == "insurance":
            if entry.hand != 0 or entry.seat not in self.round.seats:
                raise self._out_of_turn(entry)
            offered = isinstance(self.round.awaiting, InsuranceOffer)
            wagered = self.round.seats[entry.seat].bet is not None
            amount = _amount(entry.amount, entry.seat) if offered and wagered else None
            self._do(Insure(entry.seat, amount))
            self.next += 1

    def _early_surrender(self, awaited: SurrenderOffer) -> None:
        entry = self._peek_entry()
        if entry is not None and entry.action == "surrender" and entry.hand == 1 and entry.seat in awaited.seats:
            self.next += 1
            self._do(Decide(entry.seat, entry.hand, "surrender"))
        else:
            self._do(CloseOffer())

    def _decision(self, awaited: DecisionBy) -> None:
        entry = self._peek_entry()
        if entry is None:
            place = f"{awaited.seat}/{awaited.hand}"
            words = f"The script ends while seat {awaited.seat}, hand {awaited.hand} must decide."
            raise Refused(f"missing_action:{place}", words)
        if (entry.seat, entry.hand) != (awaited.seat, awaited.hand) or entry.action == "insurance":
            self._refuse_resplit(entry)
            raise self._out_of_turn(entry)
        self.next += 1
        self._do(Decide(entry.seat, entry.hand, entry.action))  # type: ignore[arg-type]

    def _refuse_resplit(self, entry: Entry) -> None:
        """Splitting aces again deserves its own reason, though such a hand has ended by itself."""
        seat = self.round.seats.get(entry.seat)
        if entry.action == "split" and seat and 1 <= entry.hand <= len(seat.hands):
            hand = seat.hands[entry.hand - 1]
            if hand.split_ace and hand.pair_of_aces and self.round.rules.split_aces == "one_card":
                raise refuse("split_aces_again", self.round.rules)

    def _out_of_turn(self, entry: Entry) -> Refused:
        return Refused(f"out_of_turn:{entry.seat}/{entry.hand}", f"It is not the turn for {_said(entry)}.")


def _said(entry: Entry) -> str:
    return f"{entry.action!r} of seat {entry.seat}, hand {entry.hand}"
