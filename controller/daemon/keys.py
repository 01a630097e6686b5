"""A console's key as an input, and its lamps: a key means something only where the table awaits that very thing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.rules.engine.inputs import ACTIONS
from controller.rules.errors import Refused
from controller.table import inputs as i
from controller.table.views import DealerView
from drivers.base import Lamp

STEPS: Final[Mapping[str, i.FromPeople]] = {
    "peek": i.Peek(),
    "turn_hole_card": i.TurnHoleCard(),
    "settle": i.Settle(),
    "close_offer": i.CloseOffer(),
    "open_round": i.OpenRound(),
    "next_round": i.NextRound(),  # one key for the one step that is next
}
UNDO: Final = "undo"
CUT_CARD: Final = "cut_card"  # for shoes that can't tell; never lit, because it may come at any time


def input_of_key(key: str, view: DealerView) -> i.FromPeople:
    """Raises Refused for a key that means nothing now."""
    if key == UNDO:
        return i.Undo()
    if key in ACTIONS and view.actions:
        seat, hand = view.public.turn
        return i.Decision(seat, hand, key)
    if key == CUT_CARD:
        return i.CutCard()
    if key in STEPS:
        return STEPS[key]
    raise Refused("key_means_nothing", f"The key {key} means nothing now: the table awaits {view.public.awaiting}.")


def lamps(keys: tuple[str, ...], view: DealerView) -> dict[str, Lamp]:
    """Lit keys are those that would be taken. While a question is open none is."""
    if view.question is not None:
        return {}
    lit = {key for key in keys if key in view.actions or (key in STEPS and key in view.legal)}
    if UNDO in keys and view.undo:
        lit.add(UNDO)
    return dict.fromkeys(sorted(lit), "on")
