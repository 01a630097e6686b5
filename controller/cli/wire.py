"""`croupier wire`: what was said on a wire, and what to say. For anyone who builds, installs or repairs a device."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from controller.cli.common import USAGE, fail, json_option, print_json
from controller.rules.errors import nearest

if TYPE_CHECKING:
    from firmware_protocol.line_reader import CardMap
    from firmware_protocol.protocols import WireFormat
    from firmware_protocol.wire import Decoded

CHUNK: Final = 65536
BAD_INPUT: Final = 6


@click.group()
def wire() -> None:
    """Read and make the bytes of every device protocol."""


@wire.command("list")
@json_option
def list_formats(as_json: bool) -> None:
    """List the protocols with what they can tell and how well they are known."""
    from firmware_protocol.protocols import FORMATS

    if as_json:
        fields = ("name", "kind", "title", "grade", "capabilities", "needs_cards", "note")
        said = [{name: msgspec.to_builtins(getattr(known, name)) for name in fields} for known in FORMATS.values()]
        for known, row in zip(FORMATS.values(), said, strict=True):
            row["decodes"], row["encodes"] = known.decoder is not None, known.encoder is not None
        print_json(said)
        return
    for known in FORMATS.values():
        able = [name for name, has in msgspec.to_builtins(known.capabilities).items() if has]
        click.echo(f"{known.name}: {known.title}")
        click.echo(f"    {known.kind}; tells: {', '.join(able) or 'nothing'}{'; ' + known.note if known.note else ''}")
        click.echo(f"    evidence: {known.grade}")


def _protocol(name: str, as_json: bool) -> WireFormat:
    from firmware_protocol.protocols import ALIASES, FORMATS, wire_format

    found = wire_format(name)
    if found is None:
        near = nearest(name, [*FORMATS, *ALIASES])
        hint = f" Did you mean {near}?" if near else ""
        fail(
            USAGE, "unknown_protocol", f"There is no protocol {name!r}.{hint} There are {', '.join(FORMATS)}.", as_json
        )
    return found


def _card_map(path: Path | None, wanted: WireFormat, as_json: bool) -> CardMap:
    from firmware_protocol.line_reader import BadCardMap, CardMap

    if path is None:
        return CardMap()
    if not wanted.needs_cards:
        fail(USAGE, "cards_not_used", f"{wanted.name} needs no card map.", as_json)
    try:
        return CardMap.from_table(tomllib.loads(path.read_text(encoding="utf-8")))
    except (BadCardMap, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        fail(USAGE, "bad_card_map", f"{path}: {error}", as_json)
    except OSError as error:
        fail(USAGE, "bad_card_map", f"{path}: {error.strerror}", as_json)


_file = click.argument("file", type=click.Path(allow_dash=True), default="-")
_cards = click.option(
    "--cards", type=click.Path(path_type=Path), help="For line_reader: a TOML file that maps codes to cards."
)


@wire.command()
@click.argument("protocol")
@_file
@click.option("--hex", "as_hex", is_flag=True, help="The input is text in hexadecimal; white space does not matter.")
@_cards
@json_option
def decode(protocol: str, file: str, as_hex: bool, cards: Path | None, as_json: bool) -> None:
    """Say what the bytes of FILE (- or nothing: standard input) say in PROTOCOL.

    Bad bytes are told as bad frames and the rest is still read; that is no error. With --json each thing said is one
    object a line.
    """
    wanted = _protocol(protocol, as_json)
    if wanted.decoder is None:
        fail(USAGE, "no_decoder", f"{wanted.name} can't be decoded from a capture: {wanted.note}.", as_json)
    decoder = wanted.decoder(_card_map(cards, wanted, as_json))
    with _opened(file, as_json) as stream:
        for chunk in _from_hex(stream, as_json) if as_hex else iter(lambda: stream.read1(CHUNK), b""):
            _tell(decoder.feed(chunk), as_json)
    _tell(decoder.close(), as_json)


def _opened(file: str, as_json: bool) -> BufferedReader:
    if file == "-":
        return sys.stdin.buffer  # type: ignore[return-value]
    try:
        return open(file, "rb")
    except OSError as error:
        fail(USAGE, "unreadable", f"{file}: {error.strerror}", as_json)


def _from_hex(stream: BufferedReader, as_json: bool) -> Iterator[bytes]:
    """Hexadecimal text to bytes; `0x`, commas, colons and comments after # are what people paste."""
    for number, line in enumerate(stream, 1):
        text = line.split(b"#")[0].decode("latin-1")
        digits = text.replace("0x", " ").replace(",", " ").replace(":", " ")
        try:
            yield bytes.fromhex(digits)
        except ValueError:
            fail(USAGE, "bad_hex", f"line {number} is not hexadecimal: {text.strip()[:60]!r}", as_json)


def _tell(found: Iterable[Decoded], as_json: bool) -> None:
    for each in found:
        said = describe(each)
        if as_json:
            print_json(said)
            continue
        offset, event = said.pop("offset"), said.pop("event")
        details = ", ".join(f"{key} {value}" for key, value in said.items() if value not in (None, ""))
        click.echo(f"{offset:>8}  {event}{': ' + details if details else ''}")


def describe(found: Decoded) -> dict[str, Any]:
    """What was decoded as plain values: `event` and `offset` first, bytes in hexadecimal, a sign's also as text."""
    fields: dict[str, Any] = {}
    for name in found.__struct_fields__:
        value = getattr(found, name)
        if isinstance(value, bytes):
            fields[name] = value.hex()
            text = value.decode("latin-1")
            if name == "data" and hasattr(found, "sign_type"):
                fields["text"] = "".join(char if char.isprintable() else f"<{ord(char):02X}>" for char in text)
        else:
            fields[name] = msgspec.to_builtins(value)
    name = str(found.__struct_config__.tag)
    if "message" in fields:  # TableLink's own messages go by their own names
        name = fields.pop("message")
        fields |= fields.pop("fields")
    return {"event": name, "offset": fields.pop("offset"), **fields}


@wire.command()
@click.argument("protocol")
@_file
@click.option("--hex", "as_hex", is_flag=True, help="Print hexadecimal text, one line an event, instead of bytes.")
@_cards
def encode(protocol: str, file: str, as_hex: bool, cards: Path | None) -> None:
    """Make the bytes of PROTOCOL for events in FILE (- or nothing: standard input), one JSON object a line.

    The objects are those that decode prints, e.g. {"event": "card_read", "card": "8S"}.
    """
    wanted = _protocol(protocol, False)
    if wanted.encoder is None:
        fail(USAGE, "no_encoder", f"{wanted.name} can't be encoded as a capture: {wanted.note}.", False)
    make = wanted.encoder(_card_map(cards, wanted, False))
    with _opened(file, False) as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                event = json.loads(line)
                if not isinstance(event, dict):
                    raise ValueError("not a JSON object")
                data = make(event)
            except (ValueError, RecursionError) as error:
                fail(BAD_INPUT, "bad_event", f"line {number}: {error}", False)
            if as_hex:
                click.echo(data.hex(" ").upper())
            else:
                sys.stdout.buffer.write(data)
    sys.stdout.flush()
