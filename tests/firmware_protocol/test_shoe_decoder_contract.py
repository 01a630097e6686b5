"""Every shoe's decoder keeps the contract of decoders; what is special to one shoe is tested in its own file."""

import re
from collections.abc import Callable

import pytest

from firmware_protocol import angel_eye, bee_tek, line_reader
from tests.firmware_protocol.decoder_contract import CHECKS, Case

CARD_MAP = line_reader.CardMap([("0012345", "AS"), ("77", "TD"), ("999", "CUT")])

CASES = [
    Case(
        name="angel_eye",
        make=angel_eye.Decoder,
        frames=(
            bytes.fromhex("053153033631"),
            bytes.fromhex("05314481B8033446"),
            bytes.fromhex("05374491A5033434"),
            bytes.fromhex("05324791034537"),
            bytes.fromhex("053445C1034233"),
            bytes.fromhex("05354C81034642"),
            bytes.fromhex("024F4B033037"),
        ),
        frame=re.compile(
            rb"(\x05[\x00-\xff][\x20-\xff]{1,126}|\x02[\x20-\xff]{1,127})\x03[0-9A-F]{2}|\x06|\x15[\x20-\xff]"
        ),
        repeated=re.compile(rb"\x05"),
        also=(b"\x06", b"\x151", b"\x051Z\x0368", b"\x051Z\x0369", b"\x051\x0332", b"\x05", b"\x02"),
    ),
    Case(
        name="bee_tek",
        make=bee_tek.Decoder,
        frames=(
            b"[Game]<Card:4S>",
            b"[Manual Burn Cards]<Card:KH>",
            b"[Game]<Game>",
            b"[GameAlarm]<Alarm:E3 Card Not Read>",
            b"<W0x01>",
        ),
        frame=re.compile(rb"(\[[ -;=?-Z\\^-~]{0,64}\][ \t\r\n\v\f]{0,4})?<[ -;=?-~]{0,64}>"),
        filler=re.compile(rb"[ \t\r\n\v\f]"),
        resync=b"#",  # else a mode at the end of the noise would belong to the field
        also=(b" ", b"\r\n", b"[Game]", b"[Game]\r\n", b"<Odd>", b"<Card:1S>", b"<" + b"x" * 64 + b">"),
    ),
    Case(
        name="line_reader",
        make=lambda: line_reader.Decoder(CARD_MAP),
        frames=(b"0012345\r", b"77\n", b"999\r", b"unmapped\n"),
        frame=re.compile(rb"[ -~]{1,64}[\r\n]"),
        filler=re.compile(rb" {0,64}([\r\n]|\Z)"),
        resync=b"\r",
        also=(b"\r\n", b" ", b"  77  \n", b"7" * 64, b"\x00"),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_shoe_decoder(check: Callable[[Case], None], case: Case) -> None:
    check(case)
