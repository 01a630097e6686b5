"""The two ways the rules say no: a ruleset that can't be, and an input that may not happen now."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class Refused(ValueError):
    """An input that is not legal now. Nothing has changed. `code` is for programs, `message` for people, `legal` what
    a table would take instead, where one was asked."""

    def __init__(self, code: str, message: str, legal: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.legal = legal


class RulesetError(ValueError):
    """A ruleset that can't be used: what is wrong, where it is written, what is allowed, the nearest key."""

    def __init__(
        self,
        problem: str,
        *,
        source: str,
        line: int | None = None,
        key: str = "",
        allowed: str = "",
        nearest: str = "",
        kind: str = "bad",
    ) -> None:
        place = f"{source}:{line}" if line else source
        parts = [f"{place}: {key}: {problem}" if key else f"{place}: {problem}"]
        if allowed:
            parts.append(f"allowed: {allowed}")
        if nearest:
            parts.append(f"did you mean {nearest!r}?")
        super().__init__("; ".join(parts))
        self.problem = problem
        self.source = source
        self.line = line
        self.key = key
        self.allowed = allowed
        self.nearest = nearest
        self.kind = kind


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word a mistyped one was probably meant to be, or nothing."""
    found = difflib.get_close_matches(word, list(known), n=1)
    return found[0] if found else ""
