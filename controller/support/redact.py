"""Takes what is secret out of what is told. Pure. What nobody knows to be harmless is left out, not let through."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from controller.rules.options import OPTIONS

OUT: Final = "(left out)"
LONG: Final = 16  # characters of what is kept in files: a token has 43, a hash 64, a key 32 and more
SHORTEST: Final = 4  # characters of a secret that can be searched for; a shorter one would blot out half the words
SECTIONS: Final[dict[str, frozenset[str]]] = {
    "table": frozenset(
        (
            *("name", "seats", "money", "currency", "chips", "wagers", "simulated", "burns", "lone_dealer"),
            *("implied_hit", "auto_stand_21"),
        )
    ),
    "game": frozenset(("ruleset", "side_bets", *OPTIONS)),
    "journal": frozenset(("path",)),
    "web": frozenset(
        ["listen", "socket", "certificate", "key", "insecure", "framed_by"]
    ),  # key and certificate are paths
}
DEVICE: Final = frozenset(("driver", "name", "shows", "decks", "port"))
KINDS: Final = ("shoe", "display", "console")
_SECRET_KEY: Final = re.compile(r"^(key|pin|code|seed)$|token|passw|passphrase|secret|credential|auth|login", re.I)
_DIGITS: Final = re.compile(
    r"(?<![0-9A-Za-z])[0-9A-Fa-f]{24,}(?![0-9A-Za-z])"
)  # a key that was written where it is not meant
_LOGIN: Final = re.compile(r"(?<=//)[^/@\s]+@")
_CARD: Final = re.compile(r"(?<![A-Za-z0-9])(?:10|[2-9TJQKA])(?:[SHDC](?![A-Za-z0-9])|[♠♥♦♣♤♡♢♧])")
_RANKS: Final = "ace|two|three|four|five|six|seven|eight|nine|ten|jack|queen|king"
_NAMED: Final = re.compile(rf"\b(?:{_RANKS}) of (?:spades|hearts|diamonds|clubs)\b", re.IGNORECASE)

Fields = Callable[[str, str], frozenset[str]]  # which settings a driver of ours has, by kind and name


class Redacted:
    """A configuration to be told, and every value that was left out of it, to be searched for elsewhere."""

    def __init__(self, data: Mapping[str, Any], fields: Fields) -> None:
        self.left_out: set[str] = set()
        self._fields = fields
        self.data = {key: self._section(key, value) for key, value in data.items()}

    def _section(self, name: str, value: Any) -> Any:
        if name in KINDS:
            return (
                [self._device(name, each) for each in value] if isinstance(value, list) else self._device(name, value)
            )
        if name == "limits" and isinstance(value, Mapping):
            return {bet: self._table(each, frozenset(("min", "max", "step"))) for bet, each in value.items()}
        return self._table(value, SECTIONS.get(name, frozenset()))

    def _device(self, kind: str, value: Any) -> Any:
        driver = value.get("driver") if isinstance(value, Mapping) else None
        known = self._fields(kind, driver) if isinstance(driver, str) else frozenset()
        return self._table(value, DEVICE | {key for key in known if not _SECRET_KEY.search(key)})

    def _table(self, value: Any, shown: frozenset[str]) -> Any:
        if not isinstance(value, Mapping):
            return self._out(value)
        return {key: _plain(each) if key in shown else self._out(each) for key, each in value.items()}

    def _out(self, value: Any) -> str:
        self.left_out.update(_texts(value))
        return OUT


class Scrubber:
    """Blots out secrets, names and cards in texts. `holds`: is a secret file's text there after all?"""

    def __init__(self, of_files: Iterable[str], others: Iterable[str] = (), names: Iterable[str] = ()) -> None:
        self._of_files = {each for each in of_files if len(each) >= LONG}
        every = {each for each in (*self._of_files, *others) if len(each) >= SHORTEST}
        self._secrets = sorted(every, key=len, reverse=True)
        self._names = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE) for name in names if name]

    def __call__(self, text: str) -> str:
        return _NAMED.sub("??", _CARD.sub("??", self.only_secrets(text)))

    def only_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, OUT)
        for name in self._names:
            text = name.sub(OUT, text)
        return _LOGIN.sub(f"{OUT}@", _DIGITS.sub(OUT, text))

    def each(self, value: Any) -> Any:
        """Every text in a value of lists and tables; so that it is still one afterwards."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, Mapping):
            return {self(str(key)): self.each(inner) for key, inner in value.items()}
        return [self.each(inner) for inner in value] if isinstance(value, list | tuple) else value

    def holds(self, data: bytes) -> bool:
        return any(secret.encode() in data for secret in self._of_files)


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return _LOGIN.sub(f"{OUT}@", _DIGITS.sub(OUT, value))
    if isinstance(value, Mapping):
        return {key: OUT if _SECRET_KEY.search(str(key)) else _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value if isinstance(value, int | float | bool) else str(value)


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif not isinstance(value, bool):
        yield str(value)
