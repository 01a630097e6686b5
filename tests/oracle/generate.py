"""Writes plausible round scripts by chance: whole rounds, and rounds with one thing wrong. Seeded outside.

The decisions are found by asking the reference which hand is awaited. What the texts leave open and nobody
has settled is left out unless `contested` is asked for.
"""

import random
from typing import Any

from .house import ACTIONS, DEFAULTS, RANKS, SUITS, is_soft, total
from .play import Hand
from .reference import awaited

GAMES = tuple(DEFAULTS)
BETS = ("10", "10", "25", "5", "1", "100", "5/2", "15", "7/3", "33")
SIDE_STAKES = ("5", "1", "5/2", "2", "1/3")
SIDE_BETS = {
    "super_fun_21_extreme": ("precious_diamond",),
    "chinese_fortune_21": ("ten_eleven_or_bust",),
    "blackjack": ("perfect_pairs", "twenty_one_plus_three"),
}
# Ranks that come more often than they should, so that rare rounds are not rare.
FAVOURED: tuple[tuple[str, ...], ...] = (
    (),
    (),
    ("A", "10", "K", "Q", "J"),
    ("5", "6", "10", "9"),
    ("2", "3", "A", "4"),
    ("A", "A", "8"),
    ("8", "K", "7"),
    ("10", "J", "5", "6"),
    ("A", "5", "6", "4", "7"),
    ("2", "3", "4"),
    ("4", "5", "6"),
)
CONTESTED_CODES = ("split_aces_one_card",)
ANY_OPTIONS: dict[str, tuple[Any, ...]] = {
    "insurance": (True, False),
    "double_after_split": (True, False),
    "double_soft": (True, False),
    "split_aces": ("one_card", "play_on"),
    "resplit_aces": (True, False),
    "max_hands": (1, 2, 3, 4),
}
FREE_OPTIONS: dict[str, dict[str, tuple[Any, ...]]] = {
    "super_fun_21_extreme": {
        "decks": (2, 6, 8),
        "blackjack_pays": ("2:1", "12:5", "5:2"),
        "blackjack_tie": ("win", "push"),
        "dealer_hits_soft_17": (True,),
        "surrender": ("none", "late", "any_time"),
    },
    "monte_carlo": {"decks": (1, 4, 5, 8), "dealer_hits_soft_17": (True, False), "max_hands": (1, 2, 3)},
    "power_blackjack": {"decks": (6,), "blackjack_pays": ("3:2",), "max_hands": (2, 3, 4)},
    "chinese_fortune_21": {
        "decks": (1, 2, 4, 8),
        "blackjack_pays": ("3:2", "6:5", "1:1"),
        "dealer_hits_soft_17": (True, False),
        "surrender": ("none", "late"),
    },
    "blackjack": {
        "decks": (1, 2, 3, 8),
        "blackjack_pays": ("3:2", "6:5", "7:5"),
        "blackjack_tie": ("push",),
        "dealer_hits_soft_17": (True, False),
        "surrender": ("none", "late"),
    },
}
BAD_OPTIONS: dict[str, tuple[tuple[str, Any], ...]] = {
    "super_fun_21_extreme": (("decks", 4), ("dealer_hits_soft_17", False), ("blackjack_pays", "3:2")),
    "monte_carlo": (("decks", 9), ("blackjack_tie", "win"), ("blackjack_pays", "6:5")),
    "power_blackjack": (("decks", 8), ("dealer_hits_soft_17", False), ("blackjack_pays", "2:1")),
    "chinese_fortune_21": (("decks", 3), ("blackjack_tie", "win"), ("blackjack_pays", "0:1")),
    "blackjack": (("decks", 0), ("blackjack_pays", "often"), ("insurance", "yes")),
}
HALVES = {"5": "5/2", "5/2": "5/4", "7/3": "7/6", "1": "1/2", "25": "25/2", "10": "5", "33": "33/2"}


def random_script(rng: random.Random, game: str | None = None, *, contested: bool = False) -> dict[str, Any]:
    """One script; about two in three can be settled, the others are wrong in one place."""
    while True:
        script = attempt(rng, game or rng.choice(GAMES), contested)
        if contested or awaited(script)[1] not in CONTESTED_CODES:
            return script


def attempt(rng: random.Random, game: str, contested: bool) -> dict[str, Any]:
    options = random_options(rng, game, contested)
    script: dict[str, Any] = {"game": game, "options": options, "seats": random_seats(rng, game)}
    shoe = BiasedShoe(rng, options.get("decks", 6))
    script["shoe"] = shoe.more(2 * len(script["seats"]) + 2 + rng.randint(4, 8 * len(script["seats"]) + 8))
    script["actions"] = []
    stack(rng, script, shoe)
    mischief = rng.random()
    if mischief < 0.06:
        spoil(rng, script)
        return script
    insure(rng, script, naughty=mischief > 0.9)
    surrender_early(rng, script)
    decide_everything(rng, script, shoe, naughty=0.06 <= mischief < 0.30)
    actions = script["actions"]
    if 0.30 <= mischief < 0.33 and actions:
        del actions[rng.randrange(len(actions)) :]
    elif 0.33 <= mischief < 0.36 and awaited(script)[1] == "":
        actions.append(stray_action(rng, script, None))
    elif 0.36 <= mischief < 0.38 and len(actions) > 1:
        place = rng.randrange(len(actions) - 1)
        actions[place], actions[place + 1] = actions[place + 1], actions[place]
        script["shoe"] += shoe.more(15)  # so that a short shoe is never a second fault
    return script


def random_options(rng: random.Random, game: str, contested: bool) -> dict[str, Any]:
    """Usually few; now and then the whole house is different."""
    offered = ANY_OPTIONS | FREE_OPTIONS[game]
    share = rng.choice((0, 0, 0.15, 0.3, 0.6))
    options = {key: rng.choice(values) for key, values in offered.items() if rng.random() < share}
    return options | contested_options(rng, game) if contested else options


def contested_options(rng: random.Random, game: str) -> dict[str, Any]:
    """What the games' texts do not mention, as the house has decided it."""
    options: dict[str, Any] = {}
    if game in ("blackjack", "chinese_fortune_21") and rng.random() < 0.3:
        options["blackjack_tie"] = "win"
    if rng.random() < 0.4:
        options["surrender"] = rng.choice(("early", "early", "late" if game == "monte_carlo" else "any_time"))
    if game == "blackjack" and rng.random() < 0.5:
        options["no_hole_card"] = True
        options["dealer_blackjack_takes"] = rng.choice(("all", "original"))
        if rng.random() < 0.9:
            options["surrender"] = rng.choice(("none", "early"))
    return options


def random_seats(rng: random.Random, game: str) -> list[dict[str, Any]]:
    numbers = sorted(rng.sample(range(1, 8), rng.choice((1, 1, 1, 2, 2, 3, 4, 5, 6))))
    seats = []
    for number in numbers:
        seat: dict[str, Any] = {"seat": number, "bet": rng.choice(BETS)}
        side = {name: rng.choice(SIDE_STAKES) for name in SIDE_BETS.get(game, ()) if rng.random() < 0.6}
        if side:
            seat["side"] = side
        seats.append(seat)
    return seats


STARTS = {  # two-card starts worth seeing often, for a seat
    "super_fun_21_extreme": (("AD", "KD"), ("10D", "AD"), ("AS", "AH"), ("2S", "2H"), ("2C", "3D"), ("KD", "QS")),
    "monte_carlo": (("AS", "AH"), ("8S", "8D"), ("5S", "4D"), ("AH", "8C"), ("AC", "9C"), ("KS", "QS")),
    "power_blackjack": (("10S", "5D"), ("9C", "6C"), ("8S", "8H"), ("5S", "5C"), ("6D", "5H"), ("8C", "3C")),
    "chinese_fortune_21": (("5S", "5H"), ("6S", "5S"), ("6H", "5C"), ("8D", "2D"), ("9C", "2C"), ("5D", "5D")),
    "blackjack": (("AS", "AC"), ("QH", "KH"), ("7D", "7D"), ("3S", "3C"), ("AH", "KH"), ("9S", "9D")),
}
LOW_DEALER = (("2S", "2D"), ("2C", "3H"), ("3C", "AH"), ("AD", "2H"), ("4S", "3S"), ("AH", "5C"), ("10C", "AC"))


def stack(rng: random.Random, script: dict[str, Any], shoe: "BiasedShoe") -> None:
    """Often put a rare start in front of one seat, and now and then a long hand in front of the dealer."""
    seats = len(script["seats"])
    wishes = []
    if rng.random() < 0.4:
        wishes.append((rng.randrange(seats), rng.choice(STARTS[script["game"]])))
    if rng.random() < 0.2:
        wishes.append((seats, rng.choice(LOW_DEALER)))
    for place, cards in wishes:
        for where, name in zip((place, seats + 1 + place), cards, strict=True):
            if shoe.count.get(name, 0) < shoe.decks and where < len(script["shoe"]):
                shoe.count[name] = shoe.count.get(name, 0) + 1
                shoe.count[script["shoe"][where].replace("T", "10")] -= 1
                script["shoe"][where] = name


class BiasedShoe:
    """Cards in an order that favours some ranks, but never more of one card than the decks hold."""

    def __init__(self, rng: random.Random, decks: int) -> None:
        self.rng = rng
        self.decks = decks
        self.favoured = rng.choice(FAVOURED)
        self.suits = rng.choice((SUITS, SUITS, ("D", "D", "S"), ("H",)))
        self.bias = rng.choice((0.4, 0.7, 0.85)) if self.favoured else 0.0
        self.count: dict[str, int] = {}

    def more(self, wanted: int) -> list[str]:
        cards: list[str] = []
        rng = self.rng
        if rng.random() < 0.3:
            self.favoured = rng.choice(FAVOURED) or RANKS
        for _ in range(wanted * 20):
            if len(cards) == wanted:
                break
            if rng.random() < self.bias:
                name = rng.choice(self.favoured) + rng.choice(self.suits)
            else:
                name = rng.choice(RANKS) + rng.choice(SUITS)
            if self.count.get(name, 0) < self.decks:
                self.count[name] = self.count.get(name, 0) + 1
                cards.append(name.replace("10", "T") if name[0] == "1" and rng.random() < 0.3 else name)
        return cards


def insure(rng: random.Random, script: dict[str, Any], naughty: bool) -> None:
    """With an ace up some seats insure, in any order; a naughty script insures where or how it may not."""
    seats = script["seats"]
    up = len(seats) if script["game"] != "monte_carlo" else 2 * len(seats) + 1
    ace_up = script["shoe"][up][0] == "A"
    offered = script["options"].get("insurance", script["game"] != "super_fun_21_extreme")
    naughty = naughty and rng.random() < (1 if ace_up else 0.15)
    entries = []
    for seat in seats:
        if naughty or (ace_up and offered and rng.random() < 0.5):
            amount = HALVES.get(seat["bet"], "1/2") if rng.random() < 0.7 else "1/3"
            entries.append([seat["seat"], 0, "insurance", amount])
    rng.shuffle(entries)
    if naughty:
        amount = rng.choice(("1/2", "60", "0", "much", "-1"))
        entries.append([rng.choice([seat["seat"] for seat in seats] + [9]), 0, "insurance", amount])
    script["actions"] += entries


def surrender_early(rng: random.Random, script: dict[str, Any]) -> None:
    """Where surrender is early some seats try it before the check, in any order; one that may not is a fault."""
    if script["options"].get("surrender") != "early":
        return
    for seat in rng.sample(script["seats"], len(script["seats"])):
        if rng.random() < 0.25:
            script["actions"].append([seat["seat"], 1 if rng.random() < 0.97 else 2, "surrender"])
            refusal = awaited(script)[1].partition(":")[0]
            if refusal not in ("", "missing_action", "shoe_exhausted") and rng.random() < 0.9:
                script["actions"].pop()


def decide_everything(rng: random.Random, script: dict[str, Any], shoe: BiasedShoe, naughty: bool) -> None:
    """Ask the reference who is to decide and write something down, until the round is over or refused."""
    actions = script["actions"]
    patient = rng.random() < 0.4  # hits far, so that five- and six-card hands occur
    for _ in range(200):
        hand, code = awaited(script)
        if code == "shoe_exhausted" and rng.random() < 0.85:
            more = shoe.more(12)
            script["shoe"] += more
            if more:
                continue
        if hand is None:
            return
        interesting = hand.split or hand.doubles or len(hand.cards) > 2
        if naughty and rng.random() < (0.8 if hand.doubles > 2 else 0.3 if interesting else 0.12):
            actions.append(stray_action(rng, script, hand))
            continue
        for name in likely(rng, hand, patient, script):
            actions.append([hand.seat, hand.number, name])
            _, refusal = awaited(script)
            if refusal.partition(":")[0] in ("", "missing_action", "shoe_exhausted"):
                if naughty and name == "split" and hand.cards[0][0] == "A":
                    split_aces_once_more(script, hand.seat)
                break
            if naughty and rng.random() < 0.4:
                return
            actions.pop()


def split_aces_once_more(script: dict[str, Any], seat: int) -> None:
    """Write a split of an ended pair of split aces, if there is one."""
    for number in (1, 2, 3, 4):
        script["actions"].append([seat, number, "split"])
        if awaited(script)[1] == "split_aces_again":
            return
        script["actions"].pop()


def likely(rng: random.Random, hand: Hand, patient: bool, script: dict[str, Any]) -> list[str]:
    """Decisions worth trying, best first; `stand` or `keep` always ends the list."""
    if hand.keep_or_rollover:
        return [rng.choice(("keep", "rollover"))]
    count, two, ranks = total(hand.cards), len(hand.cards) == 2, [rank for rank, _ in hand.cards]
    ideas = []
    if script["game"] == "power_blackjack" and two and not hand.split and not is_soft(hand.cards):
        if count in (15, 16) and rng.random() < 0.7:
            ideas.append("power_split")
        elif count in (10, 11) and rng.random() < 0.7:
            ideas.append("power_double")
    tens = count == 20 and not hand.split
    if two and rng.random() < (0.75 if ranks[0] == ranks[1] else 0.3 if tens else 0):
        ideas.append("split")
    surrender = script["options"].get("surrender") or script["game"] == "super_fun_21_extreme"
    if surrender and rng.random() < (0.12 if script["game"] == "super_fun_21_extreme" else 0.4):
        ideas.append("surrender")
    if hand.doubles and rng.random() < 0.6:
        ideas.append(rng.choice(("double", "redouble")))
    elif not hand.doubles and rng.random() < (0.5 if two and 9 <= count <= 11 else 0.02 if patient else 0.1):
        ideas.append("double")
    limit = 19 if patient else rng.choice((12, 15, 16, 17))
    if not hand.doubles and not closed(hand, script) and (count < limit or rng.random() < 0.02):
        ideas.append("hit")
    return [*ideas, "stand"]


def closed(hand: Hand, script: dict[str, Any]) -> bool:
    kind = script["options"].get("split_aces", DEFAULTS[script["game"]]["split_aces"])
    return hand.split_aces and kind == "one_card"


def stray_action(rng: random.Random, script: dict[str, Any], hand: Hand | None) -> list[Any]:
    """Something that may well be wrong: any action, by this hand or by some other."""
    seats = [seat["seat"] for seat in script["seats"]]
    name = rng.choice((*sorted(ACTIONS - {"insurance"}), "double", "hit", "split", "surrender"))
    if hand is not None and hand.doubles:
        name = rng.choice(("double", "redouble", "double", "hit", "split", "keep"))
    chance = rng.random()
    if hand is not None and chance < 0.7:
        return [hand.seat, hand.number, name]
    if chance < 0.85:
        return [rng.choice([*seats, 9]), 0, "insurance", "1/2"]
    if chance < 0.93:
        return [rng.choice(seats), rng.choice((1, 2)), "split"]
    return [rng.choice([*seats, 9]), rng.choice((1, 1, 2, 3)), name]


def spoil(rng: random.Random, script: dict[str, Any]) -> None:
    """Break the script before a card is dealt, in exactly one way."""
    seat = rng.choice(script["seats"])
    place = rng.randrange(len(script["shoe"]))
    match rng.randrange(11):
        case 0:
            script["game"] = rng.choice(("pontoon", "", "blackjack_", "Blackjack"))
        case 1:
            script["options"][rng.choice(("colour", "deck", "h17"))] = True
        case 2:
            key, value = rng.choice(BAD_OPTIONS[script["game"]])
            script["options"][key] = value
        case 3:
            seat["bet"] = rng.choice(("0", "-5", "ten", "", "1/0", "0/3"))
        case 4:
            script["seats"].append(dict(seat))
        case 5:
            seat["seat"] = rng.choice((0, -1))
        case 6:
            seat["side"] = {rng.choice(("lucky_ladies", "insurance")): "5"}
        case 7:
            offered = SIDE_BETS.get(script["game"], ("royal_match",))
            seat["side"] = {rng.choice(offered): rng.choice(("0", "-1", "x"))}
        case 8:
            script["shoe"][place] = rng.choice(("1S", "XX", "", "10", "11H", "AX", "as", "S10", "TT"))
        case 9:
            rank, suit = rng.choice(RANKS), rng.choice(SUITS)
            script["shoe"] += [rank + suit] * 9
        case _:
            name = rng.choice(("fold", "Stand", "", "hits", "double_down"))
            script["actions"] = [[seat["seat"], 1, "stand"], [seat["seat"], 1, name]]
