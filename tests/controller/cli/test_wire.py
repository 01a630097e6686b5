"""`croupier wire`: captures in, words or JSON out, and back; bad bytes are told, bad usage is refused in words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.controller.cli.conftest import Croupier

# The vectors of the shoe's own documentation, a card sent three times, noise, and a cut card.
ANGEL = "05 31 53 03 36 31 " + "05 31 44 81 B8 03 34 46 " * 3 + "FF 05 05 33 43 03 37 33"
CARDS = '[cards]\n"0012345" = "AS"\n"0012346" = "10D"\n'


def told(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_a_capture_is_told_one_object_a_line(croupier: Croupier) -> None:
    ran = croupier("wire", "decode", "angel_eye", "--hex", "--json", stdin=ANGEL.encode())
    assert ran.status == 0
    assert [(said["event"], said["offset"]) for said in told(ran.out)] == [
        ("shoe_started", 0),
        ("card_read", 6),
        ("bad_frame", 30),
        ("cut_card_seen", 32),
    ]
    assert told(ran.out)[1]["card"] == "8S"


def test_binary_and_hexadecimal_say_the_same(croupier: Croupier, tmp_path: Any) -> None:
    (tmp_path / "capture.bin").write_bytes(bytes.fromhex(ANGEL))
    binary = croupier("wire", "decode", "angel-eye", "capture.bin", "--json")
    (tmp_path / "capture.txt").write_text(f"# pasted by hand\n0x05,0x31,0x53,0x03,0x36,0x31\n{ANGEL[18:]}\n")
    text = croupier("wire", "decode", "angel-eye", "capture.txt", "--hex", "--json")
    assert binary.out == text.out
    assert len(told(text.out)) == 4


def test_people_get_a_line_of_words_for_each_thing_said(croupier: Croupier) -> None:
    lines = croupier("wire", "decode", "angel_eye", "--hex", stdin=ANGEL.encode()).out.splitlines()
    assert lines[1].split() == ["6", "card_read:", "card", "8S,", "in_game", "True,", "sequence", "1"]


def test_what_was_cut_off_is_told_and_is_no_error(croupier: Croupier) -> None:
    ran = croupier("wire", "decode", "angel_eye", stdin=bytes.fromhex(ANGEL)[:-2])
    assert ran.status == 0
    assert "cut off" in ran.out.splitlines()[-1]


@pytest.mark.parametrize("protocol", ["angel_eye", "bee_tek", "line_reader", "alpha_sign", "escpos", "tablelink"])
def test_any_bytes_can_be_decoded(croupier: Croupier, protocol: str) -> None:
    ran = croupier("wire", "decode", protocol, "--json", stdin=bytes(range(256)) * 40)
    assert ran.status == 0
    assert all("event" in said and "offset" in said for said in told(ran.out))


@pytest.mark.parametrize(
    ("protocol", "events"),
    [
        (
            "angel_eye",
            [{"event": "card_read", "card": "8S"}, {"event": "error", "code": 2}, {"event": "cut_card_seen"}],
        ),
        ("bee_tek", [{"event": "card_read", "card": "TD"}, {"event": "misread"}]),
        ("alpha", [{"event": "sign_text", "label": "A", "text": "MIN 25"}, {"event": "priority_released"}]),
        ("escpos", [{"event": "display_initialised"}, {"event": "text_written", "text": "MIN 25"}]),
        ("tablelink", [{"event": "card_read", "card": "8S", "sequence": "7"}, {"event": "ping", "token": 9}]),
    ],
)
def test_what_is_encoded_is_decoded_again(croupier: Croupier, protocol: str, events: list[dict[str, Any]]) -> None:
    made = croupier("wire", "encode", protocol, "--hex", stdin="\n".join(map(json.dumps, events)).encode())
    assert made.status == 0
    back = told(croupier("wire", "decode", protocol, "--hex", "--json", stdin=made.out.encode()).out)
    assert [{key: said.get(key) for key in event} for said, event in zip(back, events, strict=True)] == events


def test_a_reader_of_codes_uses_its_card_map(croupier: Croupier, tmp_path: Any) -> None:
    (tmp_path / "cards.toml").write_text(CARDS)
    ran = croupier("wire", "decode", "barcode", "--cards", "cards.toml", "--json", stdin=b"0012346\r\n999\r\n")
    card, unknown = told(ran.out)
    assert (card["event"], card["card"]) == ("card_read", "TD")
    assert unknown["event"] == "misread"
    assert "999" in unknown["reason"]


@pytest.mark.parametrize(
    ("args", "stdin", "said"),
    [
        (["decode", "angel"], b"", "Did you mean angel_eye?"),
        (["decode", "tm1637"], b"", "no stream of bytes"),
        (["decode", "angel_eye", "--hex"], b"05 3", "line 1 is not hexadecimal"),
        (["decode", "angel_eye", "no-such-file"], b"", "No such file"),
        (["decode", "angel_eye", "--cards", "x.toml"], b"", "needs no card map"),
        (["decode", "line_reader", "--cards", "x.toml"], b"", "x.toml"),
        (["encode", "max7219"], b"", "no stream of bytes"),
    ],
)
def test_a_wrong_call_is_told_in_words(croupier: Croupier, args: list[str], stdin: bytes, said: str) -> None:
    ran = croupier("wire", *args, stdin=stdin)
    assert ran.status == 2
    assert said in ran.err


@pytest.mark.parametrize(
    ("protocol", "event"),
    [
        ("angel_eye", "nonsense"),
        ("angel_eye", "[]"),
        ("angel_eye", '{"event": "ping"}'),
        ("angel_eye", '{"event": "card_read"}'),
        ("angel_eye", '{"event": "card_read", "card": "1X"}'),
        ("angel_eye", '{"event": "card_read", "card": 8}'),
        ("angel_eye", '{"event": "error", "code": "two"}'),
        ("alpha", '{"event": "sign_text", "label": "A", "text": "\\u2660"}'),
        ("alpha", '{"event": "sign_text", "label": "A", "text": "x", "mode": "zigzag"}'),
        ("escpos", '{"event": "cursor_moved", "x": 21, "y": 1}'),
        ("tablelink", '{"event": "ping", "token": "x"}'),
        ("tablelink", '{"event": "card_read", "card": "8S", "sequence": "-1"}'),
        ("tablelink", '{"event": "show", "slot": 1, "revision": 1, "content": "zz"}'),
        ("tablelink", '{"event": "identity"}'),
    ],
)
def test_an_event_without_bytes_is_refused_with_its_line(croupier: Croupier, protocol: str, event: str) -> None:
    ran = croupier("wire", "encode", protocol, "--hex", stdin=f"\n{event}\n".encode())
    assert (ran.status, ran.out) == (6, "")
    assert ran.err.startswith("error: line 2: ")


def test_the_protocols_are_listed_with_their_evidence(croupier: Croupier) -> None:
    listed = croupier("wire", "list", "--json").json
    assert {known["name"] for known in listed} >= {"tablelink", "angel_eye", "bee_tek", "line_reader", "alpha_sign"}
    assert all(known["grade"] for known in listed)
    assert "Not tried on a real shoe" in croupier("wire", "list").out
