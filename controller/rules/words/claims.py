"""What a ruleset claims, one claim a rule: short for a sign, whole for a rules card. Every option has its words here.

Odds are always written with "to". The sign's lines are in capitals but for "to" and "or", as layouts print them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from controller.rules.money import odds_words
from controller.rules.options import InstantWin
from controller.rules.ruleset import Ruleset
from controller.rules.words.reasons import or_list, times

_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Claim(Struct, frozen=True):
    """One rule in words. `sign` is empty where a rule is not for the sign."""

    topic: str
    words: str
    sign: str = ""


def number_word(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def claims(rules: Ruleset) -> tuple[Claim, ...]:
    """Everything these rules claim, in the order a rules card tells it."""
    return (
        *_cards(rules),
        *_dealer(rules),
        *_blackjack(rules),
        *_insurance(rules),
        *_power(rules),
        *_doubling(rules),
        *_splitting(rules),
        *_surrender(rules),
        *_instant_wins(rules),
        *_payouts(rules),
    )


def _cards(rules: Ruleset) -> Iterator[Claim]:
    topic = "The cards"
    decks = "one deck" if rules.decks == 1 else f"{number_word(rules.decks)} decks"
    yield Claim(topic, f"The game is dealt from {decks} of 52 cards.", decks.upper())
    if rules.cut_card_from_back:
        low, high = rules.cut_card_from_back
        behind = f"{low}" if low == high else f"{low} to {high}"
        said = f"The cut card lies {behind} cards from the back; the round in which it shows is the last of the shoe."
        yield Claim(topic, said)
    lie = "face up" if rules.player_cards == "face_up" else "face down"
    yield Claim(topic, f"Players' first cards and the second cards of split hands lie {lie}; hits lie face up.")
    if rules.no_hole_card:
        yield Claim(topic, "The dealer is dealt one card, face up.")
    else:
        first, second = ("up", "down") if rules.up_card == "first" else ("down", "up")
        yield Claim(topic, f"The dealer's first card lies face {first}, the second face {second}.")


def _dealer(rules: Ruleset) -> Iterator[Claim]:
    topic = "The dealer"
    if rules.dealer_hits_soft_17:
        said, sign = "must draw to 16 and hit soft 17", "DEALER MUST HIT SOFT 17"
    else:
        said, sign = "must draw to 16 and stand on all 17s", "DEALER MUST DRAW TO 16 AND STAND ON ALL 17s"
    if rules.dealer_pushes_22:
        sign += " AND WILL PUSH ON A TOTAL OF 22"
        tail = "A dealer total of 22 pushes every hand that is not settled yet, except blackjacks."
    else:
        tail = "A dealer total over 21 is a bust: every hand still in play wins."
    yield Claim(topic, f"The dealer {said}. {tail}", sign)
    if rules.dealer_always_draws:
        yield Claim(topic, "The dealer draws also when no hand is left to compare.")
    else:
        live = " unless a side bet waits for the dealer's hand" if waits_for_dealer(rules) else ""
        yield Claim(topic, f"The dealer draws no card when no hand is left to compare{live}.")
    if rules.no_hole_card:
        takes = "all bets of a hand" if rules.dealer_blackjack_takes == "all" else "the original bet only"
        said = f"The dealer's second card is drawn after the players have played; a dealer blackjack takes {takes}."
        yield Claim(topic, said, "NO HOLE CARD")
    else:
        said = "With an ace or a ten-value up the dealer checks for blackjack before play; it takes original bets only."
        yield Claim(topic, said)


def waits_for_dealer(rules: Ruleset) -> bool:
    return any(phase.stage == "dealer" for offered in rules.side_bets.values() for phase in offered.bet.phases)


def _blackjack(rules: Ruleset) -> Iterator[Claim]:
    topic = "Blackjack"
    pays = odds_words(rules.blackjack_pays)
    when = {
        "at_once": "at once",
        "in_turn": "in turn, when the dealer has no blackjack",
        "after_all": "after every other bet",
    }[rules.blackjack_paid]
    said = f"An ace and a ten-value as first two cards is a blackjack and pays {pays}, {when}."
    yield Claim(topic, said, f"BLACKJACK PAYS {pays}")
    if rules.blackjack_tie == "win":
        yield Claim(topic, "A blackjack wins even against a dealer blackjack.", "PLAYER BLACKJACK ALWAYS WINS")
    else:
        yield Claim(topic, "A blackjack against a dealer blackjack is a push.")
    yield Claim(topic, "An ace and a ten-value after a split is 21, not a blackjack.")


def _insurance(rules: Ruleset) -> Iterator[Claim]:
    if not rules.insurance:
        yield Claim("Insurance", "Insurance is not offered.")
        return
    pays = odds_words(rules.insurance_pays)
    said = f"Against a dealer's ace, insurance of up to half the bet is offered; it pays {pays} on a dealer blackjack."
    yield Claim("Insurance", said, f"INSURANCE PAYS {pays}")


def _power(rules: Ruleset) -> Iterator[Claim]:
    topic = "Power options"
    if rules.power_double_totals:
        totals = or_list(rules.power_double_totals)
        said = (
            f"A hard {totals} on the first two cards may be power doubled: the card drawn is kept, "
            "or burned once for the next one, which then counts."
        )
        yield Claim(topic, said, f"POWER DOUBLE ANY {totals}")
    if rules.power_split_totals:
        totals = or_list(rules.power_split_totals)
        said = f"A hard {totals} on the first two cards may be power split into two hands, even if it is no pair."
        yield Claim(topic, said, f"POWER SPLIT ANY {totals}")


def _doubling(rules: Ruleset) -> Iterator[Claim]:
    topic = "Doubling"
    cards = "on its first two cards" if rules.double_cards == "first_two" else "on any number of cards"
    totals = f" with a total of {or_list(rules.double_totals)}" if rules.double_totals else ""
    sign = f"DOUBLE ON {or_list(rules.double_totals)} ONLY" if rules.double_totals else ""
    said = f"A hand may be doubled {cards}{totals}; it gets one card for it."
    yield Claim(topic, said, sign)
    if not rules.double_soft:
        yield Claim(topic, "Only hard hands may be doubled.")
    elif rules.double_totals:
        yield Claim(topic, "An ace counts as 1 or 11 for this, so soft hands may be doubled.")
    after = "may" if rules.double_after_split else "may not"
    yield Claim(topic, f"Split hands {after} be doubled.", "" if rules.double_after_split else "NO DOUBLE AFTER SPLIT")
    if rules.max_doubles > 1:
        said = f"A doubled hand may be doubled again, {times(rules.max_doubles)} in all, each time its whole wager."
        yield Claim(topic, said, f"RE-DOUBLE UP TO {rules.max_doubles} DOUBLES")
    if rules.double_card == "face_down":
        yield Claim(topic, "The double card lies face down until every hand, the dealer's included, is complete.")


def _splitting(rules: Ruleset) -> Iterator[Claim]:
    topic = "Splitting"
    if rules.max_hands == 1:
        yield Claim(topic, "Pairs may not be split.", "NO SPLITTING")
        return
    pair = "equal value (K-Q is a pair)" if rules.pairs == "value" else "one rank (K-Q is no pair)"
    most = number_word(rules.max_hands)
    yield Claim(
        topic, f"Two cards of {pair} may be split, to at most {most} hands.", f"SPLIT UP TO {most.upper()} HANDS"
    )
    second = "at once" if rules.split_cards == "at_once" else "when its turn comes"
    order = "right after the one it came from" if rules.new_hand_plays == "next" else "last of its seat"
    yield Claim(topic, f"A split hand gets its second card {second}; a new hand is played {order}.")
    if rules.split_aces == "one_card":
        yield Claim(topic, "Split aces get one card each.", "SPLIT ACES GET ONE CARD EACH")
    else:
        yield Claim(topic, "Split aces are played like any other hand.")
    again = "may" if rules.resplit_aces and rules.max_hands > 2 else "may not"
    yield Claim(topic, f"Split aces {again} be split again.")


def _surrender(rules: Ruleset) -> Iterator[Claim]:
    said, sign = {
        "none": ("Surrender is not offered.", ""),
        "early": (
            "First two cards may be surrendered for half the bet before the dealer checks for blackjack.",
            "EARLY SURRENDER",
        ),
        "late": (
            "First two cards may be surrendered for half the bet once the dealer has checked for blackjack.",
            "LATE SURRENDER",
        ),
        "any_time": (
            "Any hand that has not bust may be surrendered for half of its whole wager, also after hitting, "
            "splitting and doubling.",
            "SURRENDER ANY TIME",
        ),
    }[rules.surrender]
    yield Claim("Surrender", said, sign)


def _instant_wins(rules: Ruleset) -> Iterator[Claim]:
    for win in rules.instant_wins:
        pays, total = odds_words(win.pays), total_words(win)
        cards = number_word(win.cards)
        said = f"A hand of {cards} or more cards with a total of {total}, not doubled, is paid {pays} at once."
        line = f"{cards} CARDS or MORE TOTALLING {total} PAY".upper().replace(" OR ", " or ")
        yield Claim("Instant winners", said, f"{line} {pays}")


def total_words(win: InstantWin) -> str:
    """`20`, `17 to 20`, `16 or less`: what the cards of an instant winner come to."""
    if win.total_min == win.total_max or win.total_min == 21:
        return str(win.total_min)
    return f"{win.total_max} or less" if win.total_min == 0 else f"{win.total_min} to {win.total_max}"


def _payouts(rules: Ruleset) -> Iterator[Claim]:
    if rules.rounding == "exact":
        yield Claim("Payouts", "Payouts are exact.")
        return
    way = {"up": "up", "down": "down", "nearest": "to the nearest, halves up,"}[rules.rounding]
    yield Claim("Payouts", f"Payouts are rounded {way} to whole chips of {rules.rounding_chip}.")
