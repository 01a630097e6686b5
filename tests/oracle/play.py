"""The felt, and the playing of one hand after another: each decision is taken from the list when it is due.

Knows nothing of dealing, the dealer's own hand or paying; refuses what the rules do not allow a hand.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NoReturn

from .house import VALUE, Card, Refused, Script, is_natural, is_soft, total


@dataclass
class Hand:
    """One hand on the felt. `outcome` stays empty while it still waits for the dealer's cards."""

    seat: int
    number: int
    bet: Fraction
    cards: list[Card]
    wager: Fraction = Fraction(0)
    doubles: int = 0
    split: bool = False
    split_aces: bool = False
    closed_pair_of_aces: bool = False  # one-card split aces that drew an ace and may not be split again
    keep_or_rollover: bool = False
    outcome: str = ""
    net: Fraction = Fraction(0)
    stage: str = ""
    why: str = ""

    def end(self, outcome: str, net: Fraction, stage: str, why: str) -> None:
        self.outcome, self.net, self.stage, self.why = outcome, net, stage, why


@dataclass
class Felt:
    """Everything on the table, and how far the shoe and the list of decisions have been used."""

    script: Script
    hands: dict[int, list[Hand]] = field(default_factory=dict)  # per seat, in the order of play
    dealer: list[Card] = field(default_factory=list)
    insurance: dict[int, Fraction] = field(default_factory=dict)
    burned: list[Card] = field(default_factory=list)
    cards_used: int = 0
    actions_used: int = 0

    def draw(self) -> Card:
        if self.cards_used == len(self.script.shoe):
            raise Refused("shoe_exhausted", "the round needs another card and the list has none")
        self.cards_used += 1
        return self.script.shoe[self.cards_used - 1]

    def next_action(self) -> list[Any] | None:
        left = self.actions_used < len(self.script.actions)
        return self.script.actions[self.actions_used] if left else None

    def all_hands(self) -> list[Hand]:
        return [hand for hands in self.hands.values() for hand in hands]

    def option(self, key: str) -> Any:
        return self.script.options[key]

    def up_card(self) -> Card:
        return self.dealer[self.script.nature.up_card]

    def threat(self) -> bool:
        """The up card is one that a blackjack may have."""
        return VALUE[self.up_card()[0]] in (1, 10)

    def dealer_checks(self) -> bool:
        return self.threat() and not self.option("no_hole_card")


def play_every_seat(felt: Felt) -> None:
    for hands in felt.hands.values():
        place = 0
        while place < len(hands):  # a split puts new hands further on
            play(felt, hands, place)
            place += 1


def play(felt: Felt, hands: list[Hand], place: int) -> None:
    """One hand, from its turn to its end."""
    hand = hands[place]
    if hand.outcome or (not hand.split and is_natural(hand.cards)):
        return
    if len(hand.cards) == 1:
        hand.cards.append(felt.draw())
    while True:
        if one_card_only(felt, hand):
            pair = [rank for rank, _ in hand.cards] == ["A", "A"]
            may_split = pair and felt.option("resplit_aces") and len(hands) < felt.option("max_hands")
            if not may_split:
                hand.closed_pair_of_aces = pair
                return
        action = decision(felt, hand)
        if action in ("stand", "keep"):
            return
        if action == "surrender":
            hand.end("surrender", -hand.wager / 2, "play", "half of the hand's wager is given up")
            return
        if action == "rollover":
            felt.burned.append(hand.cards.pop())
            hand.cards.append(felt.draw())
            return
        if action in ("split", "power_split"):
            split(felt, hands, place)
            continue
        if action == "hit":
            hand.cards.append(felt.draw())
        else:
            hand.wager *= 2
            hand.doubles += 1
            hand.cards.append(felt.draw())
        if total(hand.cards) > 21:
            hand.end("bust", -hand.wager, "play", f"{total(hand.cards)} is over 21")
            return
        if instant_winner(felt, hand):
            return
        if action == "power_double":
            hand.keep_or_rollover = True
        elif hand.doubles and felt.script.nature.doubles_allowed == 1 and felt.option("surrender") != "any_time":
            return


def one_card_only(felt: Felt, hand: Hand) -> bool:
    return hand.split_aces and felt.option("split_aces") == "one_card"


def instant_winner(felt: Felt, hand: Hand) -> bool:
    if not felt.script.nature.instant_winners or hand.doubles:
        return False
    if total(hand.cards) == 21 and len(hand.cards) >= 5:
        hand.end("instant_win", hand.wager * 2, "play", "21 with five or more cards")
    elif total(hand.cards) <= 20 and len(hand.cards) >= 6:
        hand.end("instant_win", hand.wager, "play", "20 or less with six cards")
    return bool(hand.outcome)


def split(felt: Felt, hands: list[Hand], place: int) -> None:
    parent = hands[place]
    child = Hand(parent.seat, len(hands) + 1, parent.bet, [parent.cards.pop()], wager=parent.bet)
    parent.split = child.split = True
    parent.split_aces = child.split_aces = parent.cards[0][0] == "A"
    parent.cards.append(felt.draw())
    if felt.script.nature.split_cards_at_once:
        child.cards.append(felt.draw())
        hands.append(child)
    else:
        hands.insert(place + 1, child)


def decision(felt: Felt, hand: Hand) -> str:
    """The next entry of the list, which must be a legal decision of this hand."""
    entry_ = felt.next_action()
    here = f"{hand.seat}/{hand.number}"
    if entry_ is None:
        raise Refused(f"missing_action:{here}", f"hand {here} has not ended", hand)
    refuse_split_of_closed_aces(felt, entry_)
    if (entry_[0], entry_[1]) != (hand.seat, hand.number) or entry_[2] == "insurance":
        raise Refused(f"out_of_turn:{entry_[0]}/{entry_[1]}", f"hand {here} is to decide")
    action = "double" if entry_[2] == "redouble" else str(entry_[2])
    check(felt, hand, action)
    felt.actions_used += 1
    return action


def refuse_split_of_closed_aces(felt: Felt, action: list[Any]) -> None:
    for hand in felt.hands.get(action[0], []):
        if hand.number == action[1] and action[2] == "split" and hand.closed_pair_of_aces:
            raise Refused("split_aces_again", "these split aces may not be split again")


def check(felt: Felt, hand: Hand, action: str) -> None:
    """Raise if the rules do not allow `action` to this hand now."""
    if hand.keep_or_rollover:
        if action not in ("keep", "rollover"):
            no("power_double_needs_keep_or_rollover")
    elif action in ("keep", "rollover"):
        no(f"{action}_without_power_double")
    elif action == "hit":
        if hand.doubles:
            no("hit_after_double")
        if one_card_only(felt, hand):
            no("split_aces_one_card")
    elif action == "double":
        check_double(felt, hand)
    elif action == "split":
        check_split(felt, hand)
    elif action == "surrender":
        offer = felt.option("surrender")
        if offer == "none":
            no("surrender_not_offered")
        if offer != "any_time" and (len(hand.cards) > 2 or hand.split):
            no("surrender_not_first_two")
        if offer == "early" and felt.dealer_checks():
            no("surrender_too_late")
    elif action in ("power_split", "power_double"):
        check_power(felt, hand, action)


def check_double(felt: Felt, hand: Hand) -> None:
    nature = felt.script.nature
    if len(hand.cards) != 2 and not nature.double_any_number_of_cards:
        no("double_not_two_cards")
    soft = is_soft(hand.cards)
    counts = {total(hand.cards), sum(VALUE[rank] for rank, _ in hand.cards)}
    hard_only = soft and not felt.option("double_soft")
    if nature.double_totals and (hard_only or not counts & set(nature.double_totals)):
        no("double_not_9_10_11")
    if hard_only:
        no("double_not_soft")
    if hand.split and not felt.option("double_after_split"):
        no("double_after_split")
    if hand.doubles == nature.doubles_allowed:
        no("double_too_many")
    if one_card_only(felt, hand):
        no("split_aces_one_card")


def check_split(felt: Felt, hand: Hand) -> None:
    if hand.doubles:
        no("split_after_double")
    ranks = [rank for rank, _ in hand.cards]
    alike = len({rank if felt.script.nature.pairs_by_rank else VALUE[rank] for rank in ranks}) == 1
    if len(ranks) != 2 or not alike:
        no("split_not_a_pair")
    if len(felt.hands[hand.seat]) >= felt.option("max_hands"):
        no("split_too_many_hands")
    if hand.split_aces and not felt.option("resplit_aces"):
        no("split_aces_again")


def check_power(felt: Felt, hand: Hand, action: str) -> None:
    if not felt.script.nature.power:
        no(f"{action}_not_offered")
    if hand.split or len(hand.cards) != 2:
        no(f"{action}_not_first_two")
    low, high = (15, 16) if action == "power_split" else (10, 11)
    if is_soft(hand.cards) or total(hand.cards) not in (low, high):
        no(f"{action}_not_hard_{low}_{high}")
    if action == "power_split" and felt.option("max_hands") < 2:
        no("split_too_many_hands")


def no(code: str) -> NoReturn:
    raise Refused(code, code.replace("_", " "))
