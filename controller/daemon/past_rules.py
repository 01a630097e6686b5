"""The rules that a round of before was played by, from what the journal says the table was set up as then."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import structs

from controller.rules.engine.inputs import PlaySettings
from controller.rules.engine.round import Round
from controller.rules.engine.settlement import settlement
from controller.rules.errors import Refused, RulesetError
from controller.rules.rulebook import build, overlay
from controller.rules.ruleset import Ruleset
from controller.rules.written import written
from controller.table.events import TableSetUp
from controller.table.history import RoundOnRecord
from controller.table.rounds import played
from controller.table.state import Setup

PLACE: Final = "the journal"
_KINDS: Final = [PlaySettings(implied_hit=hit, auto_stand_21=stand) for hit in (True, False) for stand in (False, True)]


def setup_then(setup: Setup, was: TableSetUp | None) -> Setup:
    """Today's setup with the rules of then. Raises Refused where this program can't play by them any more."""
    if was is None or (was.game == setup.rules.game and was.rules == written(setup.rules)):
        return setup
    return structs.replace(setup, rules=_rules(was.game, msgspec.json.encode(was.rules)))


@lru_cache(maxsize=8)
def _rules(game: str, text: bytes) -> Ruleset:
    told: dict[str, Any] = msgspec.json.decode(text)
    try:
        rules = build(game, (overlay(told, PLACE),))
    except RulesetError as error:
        raise _unknown(game, str(error)) from error
    if written(rules) != told:
        raise _unknown(game, "they do not come out the same")
    return rules


def _unknown(game: str, why: str) -> Refused:
    words = f"It was played by rules of {game} that this version of Croupier does not know: {why}."
    return Refused("old_rules", words)


def settings_then(setup: Setup, found: RoundOnRecord) -> Setup:
    """With the settings of play that make the round what it was: the journal does not tell them. Raises Refused."""
    for settings in _likely(setup.settings):
        try:
            round_ = played(setup.rules, found.log, settings)
        except (Refused, ValueError):
            continue
        as_settled = round_.over and (bool(found.corrections) or _nets(round_) == found.net)
        if as_settled or found.status != "ended":
            return structs.replace(setup, settings=settings)
    raise Refused("not_again", "What was entered does not make this round again by the rules of then.")


def _likely(today: PlaySettings) -> Iterator[PlaySettings]:
    yield today
    yield from (settings for settings in _KINDS if settings != today)


def _nets(round_: Round) -> dict[int, str | None]:
    return {seat: None if net is None else str(net) for seat, net in settlement(round_).net.items()}
