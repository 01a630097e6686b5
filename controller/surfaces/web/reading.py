"""The body of a request as one typed input, or a problem that says where it is wrong. Pure."""

from __future__ import annotations

import re
from typing import Final, get_args

import msgspec
from msgspec import Struct

from controller.rules.errors import nearest
from controller.surfaces.web.problems import Rejected, rejected
from controller.table.inputs import FromPeople

TAG_FIELD: Final = "input"
KNOWN: Final[dict[str, type[Struct]]] = {str(each.__struct_config__.tag): each for each in get_args(FromPeople)}

_inputs: msgspec.json.Decoder[FromPeople] = msgspec.json.Decoder(FromPeople)
_objects = msgspec.json.Decoder(dict[str, msgspec.Raw])

_BYTE: Final = re.compile(r" ?\(byte (\d+)\)")
_PLACE: Final = re.compile(r" - at `\$\.?(.*)`$")
_FIELD: Final = re.compile(r"(?P<which>missing required|contains unknown) field `(?P<name>.*)`")


def read_input(data: bytes) -> FromPeople:
    """Raises Rejected."""
    tag = _tag(data)
    if tag not in KNOWN:
        meant = nearest(tag, KNOWN)
        words = f"There is no input {tag!r}." + (f" Did you mean {meant}?" if meant else "")
        raise rejected("unknown_input", words, path=TAG_FIELD, known=tuple(KNOWN), nearest=meant)
    try:
        return _inputs.decode(data)
    except msgspec.ValidationError as error:
        raise _bad_field(tag, str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _malformed(data, error) from None


def _tag(data: bytes) -> str:
    try:
        found = _objects.decode(data).get(TAG_FIELD)
    except msgspec.ValidationError as error:
        raise rejected("malformed", f"The body must be one JSON object, with the field {TAG_FIELD}: {error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _malformed(data, error) from None
    try:
        return msgspec.json.decode(found or b"null", type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        words = f'The field {TAG_FIELD} says which input it is: {{"{TAG_FIELD}": "open_round"}}.'
        raise rejected("unknown_input", words, path=TAG_FIELD, known=tuple(KNOWN)) from None


def _malformed(data: bytes, error: Exception) -> Rejected:
    if isinstance(error, UnicodeDecodeError):
        return rejected("malformed", "The body is not UTF-8.")
    if isinstance(error, RecursionError):
        return rejected("malformed", "The body is nested too deeply.")
    words = str(error)
    found = _BYTE.search(words)
    at = min(int(found[1]), len(data) - 1) if found else len(data)
    before = data[:at]
    line, column = before.count(b"\n") + 1, at - before.rfind(b"\n")
    return rejected("malformed", f"Line {line}, column {column}: {_BYTE.sub('', words)}.", path=f"{line}:{column}")


def _bad_field(tag: str, words: str) -> Rejected:
    fields = tuple(field.encode_name for field in msgspec.structs.fields(KNOWN[tag]))
    place = _PLACE.search(words)
    if place is not None:
        return rejected("bad_field", f"{tag}, field {place[1]}: {_PLACE.sub('', words)}.", path=place[1])
    named = _FIELD.search(words)
    if named is None:
        return rejected("bad_field", f"{tag}: {words}.")
    name = named["name"]
    if named["which"].startswith("missing"):
        return rejected("bad_field", f"{tag} needs the field {name}.", path=name, known=fields)
    meant = nearest(name, fields)
    has = f"it has {', '.join(fields)}" if fields else "it has none"
    advice = f" Did you mean {meant}?" if meant else ""
    return rejected("bad_field", f"{tag} has no field {name!r}; {has}.{advice}", path=name, known=fields, nearest=meant)
