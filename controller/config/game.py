"""The section [game]: a game by name or file, and any rule over its own. Each wrong rule is told at its own place.

A combination of rules is judged when each of them is good: a misspelt one would only make the others look wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from controller.config.part import Part, kind_of
from controller.library import load_file, load_game
from controller.rules.errors import Refused, RulesetError, nearest
from controller.rules.options import OPTIONS
from controller.rules.ruleset import Ruleset

HERE: Final = "[game]"  # what the rules call this section
SIDE_BETS: Final = "side_bets"
NEEDED: Final = 'which game is dealt: a name as `croupier games` lists them, or a file such as "ours.toml"'


def read_game(part: Part) -> Ruleset | None:
    called = part.text("ruleset", needed=NEEDED)
    given = {key: value for key, value in part.data.items() if key != "ruleset"}
    before = len(part.sheet.problems)
    pruned = {key: _pruned(part, (key,), value) for key, value in given.items() if _is_rule(part, key, value)}
    rules = {key: value for key, value in pruned.items() if value is not None}
    complete = len(part.sheet.problems) == before
    try:
        base = load_rules(part, called, {}) if called else None
    except Refused as refused:
        part.wrong("ruleset", refused.message)
        return None
    except RulesetError as error:
        part.wrong("ruleset", str(error))
        return None
    return None if base is None else _with_rules(part, called, rules, complete=complete)


def load_rules(part: Part, called: str, rules: Mapping[str, Any]) -> Ruleset:
    """Raises Refused for a game that there is not, RulesetError for rules that can't be."""
    if called.endswith(".toml"):
        return load_file(part.folder / called, rules, HERE)
    return load_game(called, rules, HERE)


def _is_rule(part: Part, key: str, value: Any) -> bool:
    """Whether this rule can be on its own; what is wrong with it is told. Side bets are for the rules to judge."""
    if key == SIDE_BETS:
        return True
    if key not in OPTIONS:
        near = nearest(key, ["ruleset", SIDE_BETS, *OPTIONS])
        hint = f"; did you mean {near!r}?" if near else ""
        part.sheet.wrong(part.at(key), f"there is no such rule; see 'croupier games options'{hint}", at_value=False)
        return False
    kind = OPTIONS[key].kind
    try:
        kind.read(value)
    except ValueError as error:
        words = str(error) if isinstance(value, str | int | list) else f"can't be {kind_of(value)}"
        near = nearest(value, map(str, kind.samples)) if isinstance(value, str) and value.isidentifier() else ""
        part.wrong(key, f"{words}; allowed: {kind.allowed}" + (f"; did you mean {near!r}?" if near else ""))
        return False
    return True


def _pruned(part: Part, path: tuple[str, ...], value: Any) -> Any:
    """Of side bets, what a pay table may hold; the rest, such as a date, is told and left out."""
    if path[0] != SIDE_BETS or isinstance(value, str | bool):
        return value
    if isinstance(value, Mapping):
        inner = {key: _pruned(part, (*path, key), each) for key, each in value.items()}
        return {key: each for key, each in inner.items() if each is not None}
    part.sheet.wrong(part.at(*path), f'must be a payout such as "5:1", not {kind_of(value)}')
    return None


def _with_rules(part: Part, called: str, rules: dict[str, Any], *, complete: bool) -> Ruleset | None:
    """The game under these rules. Each that is refused is told and taken out, until none is."""
    refused = False
    while True:
        try:
            found = load_rules(part, called, rules)
        except RulesetError as error:
            path = tuple(error.key.split("."))
            if error.source != HERE or path[0] not in rules:
                part.wrong("ruleset", str(error))
                return None
            judged_alone = bool(error.allowed or error.nearest)
            if judged_alone or (complete and not refused):
                part.sheet.wrong(part.at(*path), _words(error), at_value=error.kind != "unknown")
            refused = True
            rules = _without(rules, path)
        else:
            return found if complete and not refused else None


def _words(error: RulesetError) -> str:
    allowed = f"; allowed: {error.allowed}" if error.allowed else ""
    return error.problem + allowed + (f"; did you mean {error.nearest!r}?" if error.nearest else "")


def _without(rules: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """The rules without what is at that path; of what is not there, without the table nearest to it."""
    key, *rest = path
    inner = rules.get(key)
    if rest and isinstance(inner, Mapping) and rest[0] in inner:
        return {**rules, key: _without(inner, tuple(rest))}
    return {other: value for other, value in rules.items() if other != key}
