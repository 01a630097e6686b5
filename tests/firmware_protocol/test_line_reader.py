"""A barcode or RFID reader as a shoe: which lines are cards, which codes a map takes, and what it refuses."""

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.line_reader import CAPABILITIES, BadCardMap, CardMap, Decoder, LineReader, capabilities
from firmware_protocol.shoe_events import CardRead, CutCardSeen, Misread
from firmware_protocol.wire import BadFrame, Decoded

DECK = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
CARDS = CardMap.from_table({"cards": {"0012345": "AS", "77": "10D", "78": "TD"}, "cut_card": ["999"]})


def decode(stream: bytes, cards: CardMap = CARDS) -> list[Decoded]:
    decoder = Decoder(cards)
    return decoder.feed(stream) + decoder.close()


@pytest.mark.parametrize("line_end", [b"\r", b"\n", b"\r\n"])
def test_a_line_is_a_card_whatever_ends_it(line_end: bytes) -> None:
    assert decode(b"0012345" + line_end + b"77" + line_end + b"999" + line_end) == [
        CardRead(offset=0, card="AS"),
        CardRead(offset=7 + len(line_end), card="TD"),
        CutCardSeen(offset=9 + 2 * len(line_end)),
    ]


@pytest.mark.parametrize("nothing", [b"", b"\r", b"\n\n", b"\r\n\r\n", b"   \r\n", b"   "])
def test_an_empty_line_is_nothing(nothing: bytes) -> None:
    assert decode(nothing) == []


def test_blanks_around_a_code_do_not_count() -> None:
    assert decode(b"  77 \r\n") == [CardRead(offset=0, card="TD")]


def test_an_unmapped_code_is_a_misread_that_shows_the_code() -> None:
    assert decode(b"12345\r\n") == [Misread(offset=0, reason="the code '12345' is not in the card map")]


def test_a_line_with_unprintable_bytes_is_spoilt_and_no_other() -> None:
    reason = "a line with bytes that are no printable characters"
    for spoilt in (b"\x0077", b"7\xff7", b"77\t", b"\x1b"):
        assert decode(spoilt + b"\r\n77\r\n") == [
            BadFrame(offset=0, reason=reason, data=spoilt),
            CardRead(offset=len(spoilt) + 2, card="TD"),
        ]


def test_64_bytes_are_the_longest_line() -> None:
    cards = CardMap([("7" * 64, "TD")])
    assert decode(b"7" * 64 + b"\r", cards) == [CardRead(offset=0, card="TD")]
    assert decode(b"7" * 65 + b"\r" + b"7" * 64 + b"\r", cards) == [
        BadFrame(offset=0, reason="a line longer than 64 bytes", data=b"7" * 65),
        CardRead(offset=66, card="TD"),
    ]


@pytest.mark.parametrize(("length", "pieces"), [(128, [128]), (129, [128, 1]), (300, [128, 128, 44])])
def test_a_very_long_line_is_reported_in_pieces_up_to_its_end(length: int, pieces: list[int]) -> None:
    *bad, event = decode(b"7" * length + b"\r77\r")
    assert [len(frame.data) for frame in bad if isinstance(frame, BadFrame)] == pieces
    assert event == CardRead(offset=length + 1, card="TD")


def test_the_end_of_a_long_line_is_never_taken_for_a_card() -> None:
    found = decode(b"x" * 128 + b"77\r")
    assert [type(event) for event in found] == [BadFrame, BadFrame]


def test_a_line_without_its_end_is_no_card_for_its_code_may_be_longer() -> None:
    assert decode(b"77") == [BadFrame(offset=0, reason="cut off before the end of the line", data=b"77")]


def test_after_close_a_decoder_starts_afresh_but_goes_on_counting_bytes() -> None:
    decoder = Decoder(CARDS)
    decoder.feed(b"x" * 100)
    decoder.close()
    assert decoder.feed(b"77\r") == [CardRead(offset=100, card="TD")]


def test_all_52_cards_go_through_the_wire() -> None:
    cards = CardMap((f"{number:07d}", card) for number, card in enumerate(DECK))
    reader = LineReader(cards)
    read = decode(b"".join(reader.draw(card) for card in DECK), cards)
    assert [event.card for event in read if isinstance(event, CardRead)] == DECK


def test_many_codes_may_be_one_card_and_the_device_end_sends_each_of_them() -> None:
    reader = LineReader(CARDS, line_end=b"\n")
    assert CARDS.codes_for("TD") == ("77", "78")
    assert [reader.draw("TD", copy=copy) for copy in range(3)] == [b"77\n", b"78\n", b"77\n"]
    assert reader.cut_card() == b"999\n"
    assert reader.send("unmapped") == b"unmapped\n"


@given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=64))
def test_any_code_the_map_takes_can_be_read(code: str) -> None:
    cards = CardMap([(code, "8S")])
    assert decode(LineReader(cards).draw("8S"), cards) == [CardRead(offset=0, card="8S")]


def test_the_reader_tells_the_cut_card_only_where_the_map_has_one() -> None:
    assert not CAPABILITIES.cut_card
    assert capabilities(CARDS).cut_card
    assert capabilities(CardMap([("1", "AS")])) == CAPABILITIES


@pytest.mark.parametrize("cut", ["999", ["999"], ("999",)])
def test_the_cut_card_may_be_one_code_or_a_list(cut: object) -> None:
    assert CardMap.from_table({"cards": {}, "cut_card": cut}).card_for("999") == "CUT"


def test_a_map_may_be_empty_so_that_every_code_shows_itself() -> None:
    assert len(CardMap.from_table({"cards": {}})) == 0


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({}, 'a card map needs a table "cards"'),
        ({"cards": ["AS"]}, 'a card map needs a table "cards"'),
        ({"cards": {}, "cutcard": "9"}, "'cutcard' is no part of a card map. Its parts are cards and cut_card."),
        ({"cards": {}, "cut_card": 999}, r'cut_card is a list of codes in quotes, such as \["999"\], not 999'),
        ({"cards": {}, "cut_card": [999]}, 'the code 999 is no text. Write it in quotes: "999".'),
        ({"cards": {"1": "1S"}}, "the code '1' stands for '1S', which is no card"),
        ({"cards": {"1": "as"}}, "which is no card"),
        ({"cards": {"1": 12}}, "which is no card"),
        ({"cards": {"": "AS"}}, "the code '' can never be read"),
        ({"cards": {" 1": "AS"}}, "no blank before or behind"),
        ({"cards": {"1\t2": "AS"}}, "can never be read"),
        ({"cards": {"é": "AS"}}, "can never be read"),
        ({"cards": {"7" * 65: "AS"}}, "1 to 64 printable"),
        ({"cards": {"9": "AS"}, "cut_card": ["9"]}, "the code '9' stands twice, for AS and for CUT. Keep one of them."),
        ({"cards": {}, "cut_card": ["9", "9"]}, "the code '9' stands twice"),
    ],
)
def test_a_wrong_table_is_refused_with_what_to_write(table: Mapping[str, object], words: str) -> None:
    with pytest.raises(BadCardMap, match=words):
        CardMap.from_table(table)


def test_a_code_that_stands_for_two_cards_is_refused() -> None:
    with pytest.raises(BadCardMap, match="the code '7' stands twice, for AS and for KD"):
        CardMap([("7", "AS"), ("7", "KD")])


@pytest.mark.parametrize(
    ("send", "words"),
    [
        (lambda: LineReader(CARDS).draw("2C"), "no code in the card map stands for '2C'"),
        (lambda: LineReader(CardMap()).cut_card(), "no code in the card map stands for 'CUT'"),
        (lambda: LineReader(CARDS).send("7\n7"), "can never be read"),
        (lambda: LineReader(CARDS, line_end=b";"), "a line ends in CR, LF or both, not in b';'"),
    ],
)
def test_the_device_end_refuses_what_a_reader_could_never_send(send: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        send()
