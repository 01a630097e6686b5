"""What the engine works out once per ruleset and asks again in every round: the order of the deal, legal choices.

Nothing here is part of a round's state; the same answers would come from the rules each time, only slower.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from controller.rules.cards import DECK, Card
from controller.rules.engine.awaiting import DecisionBy, FirstCard, PlayerCard
from controller.rules.engine.events import DEALER, CardDealt, CardsTurned
from controller.rules.engine.legality import Facts, choices
from controller.rules.ruleset import Ruleset

# One card of the deal: whose (the dealer comes last), the bit it sets if it lies face down, the record for any
# card, and what is awaited after it (None after the last one). A bare tuple: this is the hottest path there is.
DealStep = tuple[int, int, dict[Card, tuple[CardDealt]], FirstCard | None]


Deal = tuple[tuple[DealStep, ...], FirstCard]  # every step, and what is awaited before the first


# Records that come in every round and differ only by the card.
HOLE_TURNED: Final = {card: (CardsTurned(DEALER, 1, (card.code,)),) for card in DECK}
DEALER_DREW: Final = {card: (CardDealt(DEALER, 1, card.code, True, "draw"),) for card in DECK}


@lru_cache(maxsize=256)
def _dealt(seat: int, face_up: bool) -> dict[Card, tuple[CardDealt]]:
    return {card: (CardDealt(seat, 1, card.code, face_up, "deal"),) for card in DECK}


class Plan:
    """The remembered answers for one ruleset."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self._deals: dict[tuple[int, ...], Deal] = {}
        self.decisions: dict[tuple[int, ...], DecisionBy] = {}
        self._cards: dict[tuple[int, int, str], PlayerCard] = {}

    def deal(self, seats: tuple[int, ...]) -> Deal:
        """To each seat in order, then the dealer, twice round; with no hole card the dealer only once."""
        found = self._deals.get(seats)
        if found is None:
            found = self._deals[seats] = self._plan_deal(seats)
        return found

    def _plan_deal(self, seats: tuple[int, ...]) -> Deal:
        rules = self.rules
        players = rules.player_cards == "face_up"
        takers = [(place, seat, players) for place, seat in enumerate(seats)]
        dealer = len(seats)
        order = [*takers, (dealer, DEALER, rules.up_card == "first"), *takers]
        if not rules.no_hole_card:
            order.append((dealer, DEALER, rules.up_card == "second"))
        awaited = [FirstCard(seat, 1, face_up, "deal") for _, seat, face_up in order]
        steps: list[DealStep] = []
        for (place, seat, face_up), following in zip(order, [*awaited[1:], None], strict=True):
            second = len(steps) > dealer
            steps.append((place, 0 if face_up else 1 << second, _dealt(seat, face_up), following))
        return tuple(steps), awaited[0]

    def decide(self, key: tuple[int, ...]) -> DecisionBy:
        """Work out the decision that `State.decision` asks for, and remember it.

        The key is a seat and the facts about its hand; those that only splits and doubles change may be left out.
        """
        seat, hard, ace, pair, two_cards, checked, *more = key
        number, split, doubles, hands, power_card = more or (1, False, 0, 1, False)
        facts = Facts(
            hard=hard,
            ace=bool(ace),
            pair=bool(pair),
            two_cards=bool(two_cards),
            split=bool(split),
            doubles=doubles,
            hands=hands,
            power_card=bool(power_card),
            checked=bool(checked),
        )
        said = choices(self.rules, facts)
        found = self.decisions[key] = DecisionBy(seat, number, said.legal, said.illegal)
        return found

    def card(self, seat: int, number: int, draw: str) -> PlayerCard:
        """The awaited card of a hand: a split's and a double's lie as the rules say, a hit's always up."""
        key = (seat, number, draw)
        found = self._cards.get(key)
        if found is None:
            lies = {"second": self.rules.player_cards, "double": self.rules.double_card}
            face_up = lies.get(draw, "face_up") == "face_up"
            found = self._cards[key] = PlayerCard(seat, number, face_up, draw)
        return found


def plan_of(rules: Ruleset) -> Plan:
    """The plan of a ruleset, made the first time it is asked for and kept with it."""
    try:
        return rules.derived["plan"]  # type: ignore[no-any-return]
    except KeyError:
        found = rules.derived["plan"] = Plan(rules)
        return found
