"""What a device said, as an input of the table: cards, doubts, troubles; None for what only the log should have."""

from __future__ import annotations

import re

from controller.table import inputs as i
from drivers import base
from drivers.supervisor import StateChanged


def input_of(device: str, event: base.DeviceEvent) -> i.Input | None:
    """A shoe's words. Keys are for `keys`."""
    match event:
        case base.CardRead():
            return i.CardLeftShoe(event.card)
        case base.Misread():
            return i.CardUnread(event.reason, event.cards)
        case base.ShoeEmptied():
            return i.ShoeRanEmpty()
        case base.CutCardSeen():
            return i.CutCardCame()
        case base.EventsMissed():
            return i.CardsMissed(event.words)
        case base.AttentionAsked():
            return i.CardsMissed(event.reason)
        case base.CardRanBack():
            return i.CardsMissed("a card ran back into the shoe")
        case base.LidMoved():
            return _trouble(f"{device} lid", "its lid is open", event.open)
        case base.Jammed():
            return _trouble(f"{device} jam", "a card is jammed", event.jammed)
        case base.FaultReported():
            return i.DeviceTrouble(f"{device} itself", event.words, holds=event.stopped)
        case base.FaultCleared():
            return i.DeviceWell(f"{device} itself")
        case base.TamperSeen():
            return i.DeviceTrouble(f"{device} seal", event.words)
    return None


def _trouble(part: str, words: str, began: bool) -> i.Input:
    return i.DeviceTrouble(part, words) if began else i.DeviceWell(part)


def input_of_change(kind: base.Kind, change: StateChanged) -> i.Input | None:
    """What becomes of the link to a device. A round waits for its shoe, and for nothing else."""
    if change.state == "ready":
        return i.DeviceWell(change.device)
    if change.state in ("stopped", "connecting") or not change.tries:
        return None
    words = ". ".join(part for part in (change.words, change.advice) if part)
    return i.DeviceTrouble(change.device, words, holds=kind == "shoe")


def doubt_of(kind: base.Kind, ready: base.Ready) -> i.Input | None:
    """A shoe that can't prove that it told every card."""
    return i.CardsMissed(ready.words) if kind == "shoe" and not ready.proven else None


def words_of(event: base.DeviceEvent) -> str:
    """For the log, of what means nothing to the table: "power changed: the mains are back"."""
    named = re.sub(r"(?<!^)(?=[A-Z])", " ", type(event).__name__).lower()
    return ": ".join(filter(None, (named, getattr(event, "words", ""))))
