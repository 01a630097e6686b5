"""Finds rulesets on disk: the games that come with Croupier, and a house's own files. Reads only."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from controller.rules.errors import Refused, RulesetError, nearest
from controller.rules.rulebook import Layer, Source, build, overlay, read_layers
from controller.rules.ruleset import Ruleset
from controller.rules.written import difference, written

GAMES = resources.files("controller.rules.games")


@cache
def game_names() -> tuple[str, ...]:
    """The games that come with Croupier."""
    return tuple(sorted(item.name.removesuffix(".toml") for item in GAMES.iterdir() if item.name.endswith(".toml")))


def _shipped(name: str) -> Source | None:
    name = name.replace("-", "_")
    if name not in game_names():
        return None
    return Source(name, f"croupier:{name}.toml", (GAMES / f"{name}.toml").read_text(encoding="utf-8"))


def _find(name: str, wanted_by: Source) -> Source | None:
    """What `extends` names: a game that comes with Croupier, or a file beside the one that says so."""
    if name.endswith(".toml"):
        path = Path(os.path.normpath(Path(wanted_by.place).parent / name))
        try:
            return read_source(path) if path.is_file() else None
        except OSError:
            return None
    return _shipped(name)


def read_source(path: Path) -> Source:
    """A house's ruleset file as text."""
    place = str(path)
    try:
        return Source(path.stem, place, path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise RulesetError("not UTF-8 text", source=place) from error
    except OSError as error:
        raise RulesetError(f"can't be read: {error.strerror}", source=place) from error


def load_file(path: Path, options: Mapping[str, Any] | None = None, place: str = "options") -> Ruleset:
    """A house's own ruleset, with options over its own."""
    source = read_source(path)
    extra = (overlay(options, place),) if options else ()
    return build(source.game, (*read_layers(source, _find), *extra))


@lru_cache(maxsize=64)
def _layers(name: str) -> tuple[Layer, ...] | None:
    source = _shipped(name)
    return None if source is None else read_layers(source, _find)


def load_game(name: str, options: Mapping[str, Any] | None = None, place: str = "options") -> Ruleset:
    """A game that comes with Croupier, with options over its own; refuses an unknown name with the nearest."""
    return _load(name, json.dumps(options or {}), place)


@lru_cache(maxsize=256)
def _load(name: str, options: str, place: str) -> Ruleset:
    layers = _layers(name)
    if layers is None:
        near = nearest(name, game_names())
        hint = f" Did you mean {near}?" if near else ""
        raise Refused("unknown_game", f"There is no game {name!r}.{hint} There are {', '.join(game_names())}.")
    chosen: dict[str, Any] = json.loads(options)
    extra = (overlay(chosen, place),) if chosen else ()
    return build(name.replace("-", "_"), (*layers, *extra))


def as_options(rules: Ruleset) -> tuple[str, dict[str, Any]]:
    """A game that comes with Croupier and the options over it that make these rules, so that a round script can name
    a house's own. Raises Refused where none can."""
    for name in dict.fromkeys((rules.game, "blackjack", *game_names())):
        if name not in game_names():
            continue
        options = difference(rules, load_game(name))
        try:
            if written(load_game(name, options)) == written(rules):
                return name, options
        except RulesetError:  # that game is not offered with them
            continue
    raise Refused("no_script", f"No game of Croupier's becomes {rules.name} by options alone.")
