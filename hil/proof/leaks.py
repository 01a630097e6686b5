"""Leaks that are planted on purpose: a proof that finds none of them would prove nothing."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final
from unittest.mock import patch

from msgspec import structs

from controller.table import running
from controller.table.table import Table
from controller.table.views import PublicView, public_view

Leak = Callable[[Table], PublicView]


def _hole_total(table: Table) -> PublicView:
    """The dealer's total counts the hole card."""
    view = public_view(table)
    if table.round is None or view.dealer is None:
        return view
    return structs.replace(view, dealer=structs.replace(view.dealer, total=str(table.round.dealer.total)))


def _event_count(table: Table) -> PublicView:
    """The round's number is how many events the journal has, hidden alarms among them."""
    return structs.replace(public_view(table), round=table.state.sequence)


def _held_card(table: Table) -> PublicView:
    """The card in question is named."""
    held = table.state.held
    view = public_view(table)
    return structs.replace(view, awaiting=f"the dealer, about {held[0].card}") if held else view


def _own_cards(table: Table) -> PublicView:
    """Whose turn it is says what may be done."""
    view, awaited = public_view(table), table.round.awaiting if table.round is not None else None
    return structs.replace(view, awaiting=f"{view.awaiting}: {', '.join(getattr(awaited, 'legal', ()))}")


def _log(table: Table) -> PublicView:
    """The log tells every card."""
    logging.getLogger(__name__).debug("%s", table.state.round)
    return public_view(table)


LEAKS: Final[dict[str, Leak]] = {
    "hole_total": _hole_total,
    "event_count": _event_count,
    "held_card": _held_card,
    "own_cards": _own_cards,
    "log": _log,
    "early_alarm": public_view,
}


@contextmanager
def leaking(leak: Leak | None) -> Iterator[Leak]:
    """How the public sees a table while this leak is there; with None, as it should."""
    if leak is LEAKS["event_count"] or leak is public_view:
        with patch.object(running, "hidden", lambda table: Counter[str]()):  # an alarm as soon as the card is out
            yield leak
        return
    yield leak if leak is not None else public_view
