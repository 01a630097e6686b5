"""From what a capture reads back to bytes: one function a protocol, taking an event as `wire decode --json` prints it.

Each makes its own end of the wire (shoes speak as devices, displays are spoken to) and refuses, with ValueError in
words, an event its protocol has no bytes for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from firmware_protocol import alpha, escpos
from firmware_protocol.angel_eye import AngelEyeShoe
from firmware_protocol.bee_tek import BeeTekShoe
from firmware_protocol.line_reader import CardMap, LineReader
from firmware_protocol.tablelink.capture import encode_said

Event = Mapping[str, Any]
Encode = Callable[[Event], bytes]
Makers = Mapping[str, Callable[[Event], bytes]]


def _encode(protocol: str, makers: Makers, event: Event) -> bytes:
    name = event.get("event")
    maker = makers.get(name) if isinstance(name, str) else None
    if maker is None:
        raise ValueError(f"{protocol} has no bytes for the event {name!r}; it has them for {', '.join(makers)}")
    try:
        return maker(event)
    except KeyError as missing:
        raise ValueError(f"the event {name!r} lacks {missing}") from None
    except (TypeError, AttributeError) as error:
        raise ValueError(f"the event {name!r} has a value of the wrong kind: {error}") from None


def angel_eye() -> Encode:
    shoe = AngelEyeShoe()
    makers: Makers = {
        "shoe_started": lambda e: shoe.start(),
        "stand_by": lambda e: shoe.stand_by(),
        "card_read": lambda e: shoe.draw(e["card"], in_game=e.get("in_game", True)),
        "misread": lambda e: shoe.draw_unread(),
        "attention": lambda e: shoe.disagree(e["card"]),
        "cut_card_seen": lambda e: shoe.cut_card(),
        "error": lambda e: shoe.error(e["code"], error_mode=e.get("error_mode", True)),
        "error_cleared": lambda e: shoe.cancel(e["code"]),
        "lock_changed": lambda e: shoe.lock(e["locked"]),
    }
    return lambda event: _encode("angel_eye", makers, event)


def bee_tek() -> Encode:
    shoe = BeeTekShoe()
    makers: Makers = {
        "card_read": lambda e: shoe.draw(e["card"]),
        "misread": lambda e: shoe.draw_unread(),
        "error": lambda e: shoe.alarm(e["words"]),
    }
    return lambda event: _encode("bee_tek", makers, event)


def line_reader(cards: CardMap) -> Encode:
    reader = LineReader(cards)
    makers: Makers = {
        "card_read": lambda e: reader.draw(e["card"]),
        "cut_card_seen": lambda e: reader.cut_card(),
        "misread": lambda e: reader.send(e["code"]),
    }
    return lambda event: _encode("line_reader", makers, event)


def alpha_sign() -> Encode:
    def way(event: Event) -> dict[str, Any]:
        chosen: dict[str, Any] = {}
        if event.get("position") is not None:
            chosen["position"] = alpha.Position(event["position"])
        if event.get("mode") is not None:
            chosen["mode"] = alpha.Mode(event["mode"])
        return chosen

    makers: Makers = {
        "sign_text": lambda e: alpha.write_text(e["label"], e["text"], **way(e)),
        "sign_string": lambda e: alpha.write_string(e["label"], e["text"]),
        "priority_text": lambda e: alpha.write_priority(e["text"], **way(e)),
        "priority_released": lambda e: alpha.release_priority(),
        "memory_erased": lambda e: alpha.erase(),
        "soft_reset": lambda e: alpha.soft_reset(),
        "run_sequence": lambda e: alpha.run_sequence(*e["labels"], locked=e.get("locked", False)),
    }

    def encode(event: Event) -> bytes:
        sign_type = alpha.SignType(event.get("sign_type", "Z"))
        address = event.get("address", alpha.BROADCAST)
        return alpha.frame(
            _encode("alpha_sign", makers, event),
            sign_type=sign_type,
            address=address,
            checksum=event.get("checked", True),
        )

    return encode


def escpos_display() -> Encode:
    makers: Makers = {
        "display_initialised": lambda e: escpos.initialise(),
        "display_cleared": lambda e: escpos.clear(),
        "cursor_homed": lambda e: escpos.home(),
        "cursor_moved": lambda e: escpos.move(e["x"], e["y"]),
        "overwrite_set": lambda e: escpos.overwrite_mode(),
        "brightness_set": lambda e: escpos.brightness(e["level"]),
        "blink_set": lambda e: escpos.blink(e["n"]),
        "text_written": lambda e: escpos.text(e["text"]),
    }
    return lambda event: _encode("escpos", makers, event)


def tablelink() -> Encode:
    return encode_said
