"""The section [table]: its name, its seats, what its chips are worth, and how it plays apart from the rules."""

from __future__ import annotations

from typing import Final, get_args

from controller.config.model import TableSection, Worth
from controller.config.part import Part, kind_of
from controller.rules.engine.inputs import PlaySettings
from controller.rules.money import Money, money_words

MOST_SEATS: Final = 9
WORTHS: Final[tuple[Worth, ...]] = get_args(Worth)


def read_table(part: Part) -> TableSection:
    section = TableSection(
        name=part.text("name", needed='what the table is called, such as name = "Table 7"').strip(),
        seats=part.number("seats", 7, 1, MOST_SEATS),
        money=part.choice("money", WORTHS),
        currency=part.text("currency"),
        chips=_chips(part),
        wagers=part.flag("wagers", True),
        simulated=part.flag("simulated", False),
        burns=part.flag("burns", False),
        lone_dealer=part.flag("lone_dealer", False),
        play=PlaySettings(
            implied_hit=part.flag("implied_hit", True),
            auto_stand_21=part.flag("auto_stand_21", False),
        ),
    )
    if section.money == "points" and section.currency:
        part.wrong("currency", 'can\'t be with money = "points": points have no currency; leave one of the two out')
    part.finish()
    return section


def _chips(part: Part) -> tuple[Money, ...]:
    """The smallest first; those that are none are told and left out."""
    given = part.take("chips")
    if given is None:
        return ()
    if not isinstance(given, list):
        part.wrong("chips", f'must be a list of amounts in quotes, such as ["1", "5", "25"], not {kind_of(given)}')
        return ()
    if not given:
        part.wrong("chips", "is empty: list the chips there are, or leave the key out")
    chips: list[Money] = []
    for place, value in enumerate(given):
        chip = part.amount("chips", value, at=(place,))
        if chip is not None and chip in chips:
            part.sheet.wrong(part.at("chips", place), f"the chip {money_words(chip)} is there twice")
        elif chip is not None:
            chips.append(chip)
    return tuple(sorted(chips))
