"""What drivers and tables say, as a line for a person and as plain values for a program."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Struct

from drivers.base import Said


def said_object(said: Said | Struct) -> dict[str, Any]:
    """`event` first, then its fields; those that say nothing are left out."""
    fields = {name: msgspec.to_builtins(getattr(said, name)) for name in said.__struct_fields__}
    return {
        "event": _snake(type(said).__name__),
        **{name: v for name, v in fields.items() if v not in (None, "", [], {})},
    }


def said_words(said: Said | Struct) -> str:
    """ "card read: card 8S, sequence 4"; what is as usual is left out."""
    usual = {field.name: field.default for field in msgspec.structs.fields(type(said))}
    fields = {name: value for name, value in said_object(said).items() if value != usual.get(name, usual)}
    name = fields.pop("event").replace("_", " ")
    fields.pop("mark", None)  # for programs
    told = ", ".join(f"{key.replace('_', ' ')} {_plain(value)}" for key, value in fields.items())
    return f"{name}{': ' + told if told else ''}"


def _plain(value: Any) -> str:
    """Without the characters that could drive a terminal."""
    return "".join(char if char.isprintable() else "?" for char in str(value))


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
