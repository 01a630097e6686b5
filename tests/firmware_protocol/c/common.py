"""What the tests of the C device share: golden frames, keys, and short ways to say a frame or open a session."""

from __future__ import annotations

import json
import shutil
from typing import Any, Final

import pytest

from firmware_protocol.tablelink.card_code import card_code
from firmware_protocol.tablelink.framing import DELIMITER, decode_frame, encode_frame
from firmware_protocol.tablelink.messages import (
    Message,
    decode_message,
    encode_message,
)
from tests.firmware_protocol.c.harness import (
    SOURCE,
    Pipe,
    Table,
    Twin,
)

VECTORS: Final[dict[str, Any]] = json.loads((SOURCE.parent / "vectors.json").read_text())
AUTH: Final = VECTORS["authentication"]
KEY: Final = bytes.fromhex(AUTH["key"])
OTHER_KEY: Final = bytes(range(1, 33))
HOST_NONCE: Final = bytes.fromhex(AUTH["host_nonce"])
DEVICE_NONCE: Final = bytes.fromhex(AUTH["device_nonce"])
MAX_RAM: Final = 1536
EIGHT: Final = card_code("8S")


NEEDS_GCC = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc: the C reference can't be compiled here")


def framed(message: Message) -> bytes:
    return encode_frame(encode_message(message))


def sent(data: bytes) -> list[Message]:
    """The messages in what a device without a key sent."""
    return [decode_message(decode_frame(run)) for run in data.split(DELIMITER)[:-1]]


def vector(name: str, part: str = "frame") -> bytes:
    [found] = [entry for entry in VECTORS["frames"] if entry["name"] == name]
    return bytes.fromhex(found[part])


def opened(pipe: Pipe, **options: Any) -> Table:
    """A table whose device is a twin and connected."""
    table = Table(Twin(pipe, **options), key=options.get("key"), baud=options.get("baud", 115200)).run(100)
    assert table.host.phase == "open"
    return table
