"""Turns a device's part of the configuration into its driver's `Settings`; refuses a wrong key with what is allowed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from drivers.errors import BadSetting

S = TypeVar("S", bound=Struct)
_TYPES: Final = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}


def converted(full: str, settings_type: type[S], given: Mapping[str, Any]) -> S:
    """The settings of the driver `full`. One wrong key at a time: the first one, in words."""
    fields = {field.encode_name: field for field in msgspec.structs.fields(settings_type)}
    for key in given:
        if key not in fields:
            raise BadSetting(f"{full} has no setting {key!r}; {nearest(key, fields)}")
    missing = [key for key, field in fields.items() if field.required and key not in given]
    if missing:
        raise BadSetting(f"{full} needs {joined(missing)}; its settings are {joined(fields)}")
    for key, value in given.items():
        try:
            msgspec.convert(value, fields[key].type)
        except msgspec.ValidationError as error:
            raise BadSetting(f"{full}.{key} {_value_words(value, fields[key].type, str(error))}") from error
    try:
        return msgspec.convert(dict(given), settings_type)
    except msgspec.ValidationError as error:
        raise BadSetting(f"{full}: {error}") from error


def nearest(word: str, allowed: Iterable[str]) -> str:
    """The end of a sentence about a wrong word: `"did you mean 'port'? There are baud and port"`."""
    known = list(allowed)
    near = difflib.get_close_matches(word, known, n=1)
    there = f"there are {joined(known)}" if known else "there is none"
    return f"did you mean {near[0]!r}? T{there[1:]}" if near else there


def joined(words: Iterable[str], last: str = "and") -> str:
    *most, end = list(words) or ["none"]
    return f"{', '.join(most)} {last} {end}" if most else end


def _value_words(value: Any, allowed: Any, error: str) -> str:
    choices = [choice for choice in _choices(allowed) if isinstance(choice, str)]
    if choices and isinstance(value, str):
        return f"cannot be {value!r}; {nearest(value, choices)}"
    error, _, path = error.partition(" - at ")
    expected = re.fullmatch(r"Expected `(.+?)`, got `(.+?)`", error)
    if expected is not None:
        wanted, got = (" or ".join(_TYPES.get(each, each) for each in part.split(" | ")) for part in expected.groups())
        error = f"must be {wanted}, not {got}"
    else:
        error = f"is wrong: {error}"
    inside = path.strip("`").removeprefix("$").removeprefix(".")
    return error + (f" (inside it, at {inside})" if inside else "")


def _choices(allowed: Any) -> tuple[Any, ...]:
    """What a Literal allows, also one that may be None."""
    if get_origin(allowed) is Literal:
        return get_args(allowed)
    if get_origin(allowed) in (Union, UnionType):
        return tuple(choice for part in get_args(allowed) for choice in _choices(part))
    return ()
