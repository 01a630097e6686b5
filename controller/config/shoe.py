"""Whether the shoe fits the game: it tells suits where a bet needs them, and holds the decks that are dealt."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Final

import msgspec

from controller.config.devices import FoundShoe
from controller.config.game import load_rules
from controller.config.part import Part
from controller.rules.cards import RANKS, SUITS, Card, card
from controller.rules.errors import RulesetError
from controller.rules.ruleset import Ruleset
from controller.rules.sidebets import SideBet
from controller.table.state import DECK
from drivers import registry

# The same ranks in these suits: a bet that answers differently looks at suits.
_SUITED: Final = ("DDD", "SSS", "DSH", "SDC")
AS_PROTOCOL: Final = "as the protocol it speaks"  # among the capabilities of a simulated shoe
EVERYTHING: Final = ("suits", "cut card")  # of a shoe that nobody knows yet: its settings are wrong
CUT: Final = "CUT"  # the cut card in a card map


def check_shoe(shoe: FoundShoe, rules: Ruleset, game: Part) -> None:
    _check_decks(shoe, rules, game)
    if shoe.driver is not None:
        _check_cards(shoe, rules)


def _check_decks(shoe: FoundShoe, rules: Ruleset, game: Part) -> None:
    if shoe.decks == rules.decks:
        return
    held = f"the shoe holds {_decks(shoe.decks)}, and {rules.name} is dealt from {rules.decks} here"
    options = {key: value for key, value in game.data.items() if key != "ruleset"}
    try:
        load_rules(game, game.data["ruleset"], {**options, "decks": shoe.decks})
    except RulesetError as error:
        allowed = f" ({error.problem}; allowed: {error.allowed})" if error.allowed else f" ({error.problem})"
        shoe.part.wrong("decks", f"{held}{allowed}; load {rules.decks}")
    else:
        shoe.part.wrong("decks", f"{held}; write decks = {shoe.decks} in [game] too, or load {rules.decks}")


def _decks(count: int) -> str:
    return "1 deck" if count == 1 else f"{count} decks"


def _check_cards(shoe: FoundShoe, rules: Ruleset) -> None:
    capabilities, mapped = _capabilities(shoe), _mapped(shoe)
    suits = {code[1] for code in mapped if code != CUT}
    if mapped and len(suits) < len(SUITS):
        only = f"the card map has no suit but {' and '.join(sorted(suits)) or 'none'}"
        _no_suits(shoe, rules, "cards", only, "the count of the shoe can't come out")
    elif "suits" not in capabilities:
        only = f"the shoe's driver {shoe.driver_name} does not tell suits"
        _no_suits(shoe, rules, "driver", only, "the table asks for every card")
    elif mapped and (unread := [code for code in DECK if code not in mapped]):
        few = ", ".join(unread[:5]) + (", …" if len(unread) > 5 else "")
        words = f"the card map has no code for {few}: the dealer has to name {'it' if len(unread) == 1 else 'them'}"
        shoe.part.sheet.note(shoe.part.at("cards"), words)
    tells_cut = CUT in mapped if mapped else any(word.startswith("cut card") for word in capabilities)
    if not tells_cut:
        words = "this shoe does not tell when the cut card comes: the dealer has to say it"
        shoe.part.sheet.note(shoe.part.at("cards" if mapped else "driver"), words)


def _no_suits(shoe: FoundShoe, rules: Ruleset, key: str, only: str, else_: str) -> None:
    bets = [offered.bet.title for offered in rules.side_bets.values() if needs_suits(offered.bet)]
    if not bets:
        shoe.part.sheet.note(shoe.part.at(key), f"{only}: {else_}")
        return
    words = f"{only}, and {rules.name} needs suits for {' and '.join(bets)}"
    shoe.part.wrong(key, f"{words}; take another shoe, or switch off in [game] what needs suits")


def _capabilities(shoe: FoundShoe) -> tuple[str, ...]:
    assert shoe.driver is not None
    spoken = shoe.driver.CAPABILITIES
    if AS_PROTOCOL not in spoken or shoe.device is None:
        return spoken if AS_PROTOCOL not in spoken else EVERYTHING
    default = next(field.default for field in msgspec.structs.fields(shoe.driver.Settings) if field.name == "protocol")
    return registry.load("shoe", shoe.settings.get("protocol", default)).CAPABILITIES


def _mapped(shoe: FoundShoe) -> frozenset[str]:
    """The cards of a reader's card map, which its driver has found good; empty where there is none we can read."""
    path = shoe.settings.get("cards")
    if shoe.device is None or not isinstance(path, str):
        return frozenset()
    try:
        table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # a third party's driver may have maps of its own
        return frozenset()
    cards, cut = table.get("cards"), table.get("cut_card")
    if not isinstance(cards, Mapping):
        return frozenset()
    codes = {str(code).replace("10", "T") for code in cards.values()} | ({CUT} if cut else set())
    return frozenset(codes & {*DECK, CUT})


def needs_suits(bet: SideBet) -> bool:
    """Asked of the bet itself: whether the same ranks in other suits come to something else."""
    for ranks in product(RANKS, repeat=3):
        hands = [_hand(ranks, suits) for suits in _SUITED]
        for phase in bet.phases:
            if len({phase.judge(cards[:2], cards[2:]) for cards in hands}) > 1:
                return True
    return False


def _hand(ranks: tuple[str, ...], suits: str) -> list[Card]:
    return [card(rank + suit) for rank, suit in zip(ranks, suits, strict=True)]
