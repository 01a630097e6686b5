"""Reads rulesets from TOML text: layers that extend one another, merged, typed and checked.

Pure: files are found by the caller's `find`. Every refusal is a `RulesetError` naming file, line, key, what is
allowed and the nearest key.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from controller.rules.errors import RulesetError, nearest
from controller.rules.money import parse_odds
from controller.rules.options import OPTIONS
from controller.rules.ruleset import Ruleset, impossible
from controller.rules.sidebets import OfferedBet, SideBet, known_bets
from controller.rules.toml_lines import Path, key_lines, line_of

HEAD_KEYS: Final = ("name", "summary", "extends", "offers", "side_bets")


class Source(Struct, frozen=True):
    """A ruleset's text: `game` is what it is called by, `place` where it is (a path, for messages)."""

    game: str
    place: str
    text: str


Find = Callable[[str, Source], Source | None]


class Layer(Struct, frozen=True):
    """One file's own keys, and where they are written."""

    place: str
    data: Mapping[str, Any]
    lines: Mapping[Path, int]

    def error(self, path: Path, problem: str, **more: Any) -> RulesetError:
        line = line_of(self.lines, path)
        return RulesetError(problem, source=self.place, line=line, key=".".join(path), **more)


def read_layers(source: Source, find: Find) -> tuple[Layer, ...]:
    """The file and all it extends, the furthest first."""
    layers: list[Layer] = []
    places: list[str] = []
    current: Source | None = source
    while current is not None:
        layer = _parse(current)
        layers.insert(0, layer)
        places.append(current.place)
        base = layer.data.get("extends")
        if base is None:
            break
        if not isinstance(base, str):
            raise layer.error(("extends",), "names no game", allowed="a game's name or a file")
        following = find(base, current)
        if following is None:
            raise layer.error(("extends",), f"there is no game {base!r}", allowed="a game's name or a file")
        if following.place in places:
            raise layer.error(("extends",), "goes round in a circle: " + " → ".join([*places, following.place]))
        current = following
    return tuple(layers)


def overlay(options: Mapping[str, Any], place: str) -> Layer:
    """A layer of options that come from elsewhere than a file: a round script, the command line."""
    for key in options:
        if key not in OPTIONS and key != "side_bets":
            known = [*OPTIONS, "side_bets"]
            raise RulesetError(
                "there is no such option",
                source=place,
                key=key,
                nearest=nearest(key, known),
                allowed="see 'croupier games options'",
                kind="unknown",
            )
    return Layer(place, options, {})


def build(game: str, layers: tuple[Layer, ...]) -> Ruleset:
    """One ruleset from its layers, the last one winning."""
    values: dict[str, Any] = {key: option.kind.read(option.default) for key, option in OPTIONS.items()}
    set_by: dict[str, Layer] = {}
    offers: dict[str, tuple[list[Any], str, Layer]] = {}
    head: dict[str, Any] = {"name": game, "summary": ""}
    for layer in layers:
        _check_keys(layer)
        for key, value in layer.data.items():
            if key in OPTIONS:
                values[key] = _read_option(layer, key, value)
                set_by[key] = layer
            elif key in head:
                if not isinstance(value, str) or not value.strip():
                    raise layer.error((key,), "is not a text", allowed="a text")
                head[key] = value
        for key, offered in _read_offers(layer).items():
            offers[key] = (offered, head["name"], layer)
    for key, (offered, name, offering) in offers.items():
        if values[key] not in offered:
            allowed = ", ".join(_written(key, value) for value in offered)
            problem = f"{name} is not offered with {_written(key, values[key])}"
            if key in set_by and layers.index(set_by[key]) >= layers.index(offering):
                raise set_by[key].error((key,), problem, allowed=allowed)
            raise offering.error(("offers", key), problem, allowed=allowed)
    rules = Ruleset(game=game, side_bets=_side_bets(layers), **head, **values)
    wrong = impossible(rules)
    if wrong is not None:
        keys, words = wrong
        last = max((key for key in keys if key in set_by), key=lambda k: layers.index(set_by[k]))
        raise set_by[last].error((last,), words)
    return rules


def _parse(source: Source) -> Layer:
    try:
        data = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        problem = "not TOML: " + re.sub(r"\s*\(at .*\)$", "", str(error))
        line = int(where[1]) if where else source.text.count("\n") + 1
        raise RulesetError(problem, source=source.place, line=line) from error
    except (ValueError, RecursionError) as error:  # a number too long to convert, lists too deep to follow
        raise RulesetError(f"not TOML that can be read: {error}", source=source.place) from error
    return Layer(source.place, data, key_lines(source.text))


def _check_keys(layer: Layer) -> None:
    known = [*HEAD_KEYS, *OPTIONS]
    for key in layer.data:
        if key not in known:
            raise layer.error(
                (key,),
                "there is no such key",
                nearest=nearest(key, known),
                allowed="see 'croupier games options'",
                kind="unknown",
            )


def _read_option(layer: Layer, key: str, value: object) -> Any:
    kind = OPTIONS[key].kind
    try:
        return kind.read(value)
    except ValueError as error:
        try:
            shown = repr(value)
        except ValueError:
            shown = "a number too long to write"
        raise layer.error((key,), f"{shown}: {error}", allowed=kind.allowed) from error


def _read_offers(layer: Layer) -> dict[str, list[Any]]:
    offers = layer.data.get("offers", {})
    if not isinstance(offers, Mapping):
        raise layer.error(("offers",), "is not a table", allowed="option keys, each with a list of values")
    read: dict[str, list[Any]] = {}
    for key, offered in offers.items():
        path = ("offers", key)
        if key not in OPTIONS:
            raise layer.error(path, "there is no such option", nearest=nearest(key, OPTIONS), kind="unknown")
        if not isinstance(offered, list) or not offered:
            raise layer.error(path, "is not a list of values", allowed="a list such as [2, 6, 8]")
        try:
            read[key] = [OPTIONS[key].kind.read(value) for value in offered]
        except ValueError as error:
            raise layer.error(path, str(error), allowed=OPTIONS[key].kind.allowed) from error
    return read


def _side_bets(layers: tuple[Layer, ...]) -> dict[str, OfferedBet]:
    """The side bets on offer, in the order the files name them; lines of a pay table merge one by one."""
    offered: dict[str, bool] = {}
    tables: dict[str, dict[str, dict[str, Any]]] = {}
    last: dict[str, Layer] = {}
    for layer in layers:
        named = layer.data.get("side_bets", {})
        if not isinstance(named, Mapping):
            raise layer.error(("side_bets",), "is not a table", allowed=", ".join(known_bets()))
        for key, table in named.items():
            bet = known_bets().get(key)
            if bet is None:
                near = nearest(key, known_bets())
                allowed = ", ".join(known_bets())
                problem = "there is no such side bet"
                raise layer.error(("side_bets", key), problem, nearest=near, allowed=allowed, kind="unknown")
            offered[key] = _merge_bet(layer, key, bet, table, tables.setdefault(key, {}))
            last[key] = layer
    found = {}
    for key, on in offered.items():
        bet = known_bets()[key]
        pays = tuple(tables[key].get(phase.table, {}) for phase in bet.phases)
        for phase, table in zip(bet.phases, pays, strict=True):
            if on and not table:
                raise last[key].error(("side_bets", key), f"lacks its pay table {phase.table!r}")
        if on:
            found[key] = OfferedBet(key, bet, pays)
    return found


def _merge_bet(layer: Layer, key: str, bet: SideBet, table: object, into: dict[str, dict[str, Any]]) -> bool:
    """Add one layer's pay tables to a bet's; returns whether the layer leaves the bet on offer."""
    path = ("side_bets", key)
    phases = {phase.table: phase for phase in bet.phases}
    known = ["offered", *phases]
    if not isinstance(table, Mapping):
        raise layer.error(path, "is not a table", allowed=", ".join(known))
    for name, lines in table.items():
        if name == "offered":
            if not isinstance(lines, bool):
                raise layer.error((*path, name), "not true or false", allowed="true, false")
            continue
        if name not in phases:
            near = nearest(name, known)
            allowed = ", ".join(known)
            raise layer.error((*path, name), "there is no such key", nearest=near, allowed=allowed, kind="unknown")
        if not isinstance(lines, Mapping):
            raise layer.error((*path, name), "is not a pay table", allowed=", ".join(phases[name].lines))
        for line, pay in lines.items():
            where = (*path, name, line)
            if line not in phases[name].lines:
                near = nearest(line, phases[name].lines)
                allowed = ", ".join(phases[name].lines)
                raise layer.error(where, "there is no such line", nearest=near, allowed=allowed, kind="unknown")
            try:
                into.setdefault(name, {})[line] = parse_odds(pay)
            except ValueError as error:
                raise layer.error(where, str(error), allowed='a payout such as "5:1"') from error
    return bool(table.get("offered", True))


def _written(key: str, value: Any) -> str:
    """An option's value as a ruleset file writes it."""
    return json.dumps(OPTIONS[key].kind.write(value))
