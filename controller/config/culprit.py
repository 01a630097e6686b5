"""Which setting a driver's sentence is about, so that a mistake is shown at its key. Guesses from names and values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from controller.config.places import Path


def culprit(words: str, settings: Mapping[str, Any]) -> Path:
    """Below the device's section; empty where the sentence names none of its settings."""
    named = re.findall(r"\w+", words)
    best: tuple[int, int, int] = (0, 0, 0)
    found: Path = ()
    for path, value in _leaves((), settings):
        name = next(part for part in reversed(path) if isinstance(part, str))
        score = (
            int(named[:1] == [name] or named[:1] == [str(path[0])]),
            int(name in named) + int(str(path[0]) in named),
            int(_is_quoted(value, words)),
        )
        if any(score) and score >= best:  # of two that are alike, the second: it is the one too many
            best, found = score, path
    return found


def _leaves(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _leaves((*path, key), inner)
    elif isinstance(value, list) and value:
        for place, inner in enumerate(value):
            yield from _leaves((*path, place), inner)
    else:
        yield path, value


def _is_quoted(value: Any, words: str) -> bool:
    """Whether the sentence holds the value. A number counts where it stands alone."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return re.search(rf"(?<![\w.]){value}(?![\w])", words) is not None
    return isinstance(value, str) and value != "" and value in words
