"""What an input means at this table now: the events, or a refusal in words. Changes nothing: it tries on a fork.

People enter, devices report; who may enter what is checked first. What devices report is never refused: a card that
left the shoe has left it, and is dealt, burned or held for a question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from controller.rules.errors import Refused
from controller.table import answers, day, entries, reports
from controller.table import events as e
from controller.table import inputs as i
from controller.table.legal import legal_now
from controller.table.running import raise_alarms
from controller.table.table import Table
from controller.table.trial import Trial

_HANDLERS: Final[dict[type, Callable[[Trial, Any], None]]] = {
    **day.HANDLERS,
    **entries.HANDLERS,
    **answers.HANDLERS,
    **reports.HANDLERS,
}

# What people write themselves, and how long: it stands on signs, on every screen and in the journal for ever.
_WRITTEN: Final = {"name": 60, "reserved": 60, "why": 200, "reason": 200}


def decide(table: Table, what: i.Input, actor: i.Actor, now: int) -> tuple[e.Event, ...]:
    """`now` is the wall clock in seconds. No events: it is as it was already. Raises Refused, with what is legal."""
    try:
        _check_role(table, what, actor)
        _check_written(what)
        trial = Trial(table.fork(), now)
        _HANDLERS[type(what)](trial, what)
        raise_alarms(trial)
    except Refused as refused:
        raise Refused(refused.code, refused.message, legal_now(table)) from refused
    return tuple(trial.events)


def _check_role(table: Table, what: i.Input, actor: i.Actor) -> None:
    if (actor.role == "device") == isinstance(what, i.PEOPLE):
        raise Refused(
            "not_yours", f"{actor} can't enter this: it is for {'people' if actor.role == 'device' else 'devices'}."
        )
    voids = isinstance(what, i.Answer) and what.answer == "void"
    if (voids or isinstance(what, i.SUPERVISOR_ONLY)) and actor.role != "supervisor" and not table.setup.lone_dealer:
        raise Refused("supervisor_only", "This needs a supervisor.")


def _check_written(what: i.Input) -> None:
    """No line ends and nothing else that a screen would obey and not show, such as another direction of writing."""
    if not isinstance(what, i.PEOPLE):
        return
    for field, longest in _WRITTEN.items():
        text = getattr(what, field, "")
        if not isinstance(text, str) or (len(text.strip()) <= longest and text.strip().isprintable()):
            continue
        raise Refused("bad_text", f"{field}: at most {longest} characters in one line, without control characters.")
