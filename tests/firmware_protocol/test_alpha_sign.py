"""The model of an Alpha sign shows what a real one would, and ignores what a real one would ignore."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol import alpha
from firmware_protocol.alpha import AlphaSign, Colour, Mode, Position, SignType, StringCall, StringFile, TextFile
from firmware_protocol.alpha.content import Control, encode, parse
from firmware_protocol.alpha.sign import ERASE_BUSY_S, LOST_GAP_S, Run

PRINTABLE = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E))
MEMORY = (TextFile("A", 256), TextFile("B", 256), StringFile("a"), StringFile("b", 10))


def send(sign: AlphaSign, *commands: bytes) -> AlphaSign:
    for command in commands:
        sign.receive(alpha.frame(command))
    return sign


@pytest.fixture
def sign() -> AlphaSign:
    """A sign that has been set up as a table does it."""
    return send(AlphaSign(), alpha.erase(), alpha.configure_memory(*MEMORY))


def test_a_new_sign_shows_nothing() -> None:
    assert AlphaSign().shown() == ""
    assert AlphaSign().showing() == ()


def test_file_a_can_be_written_on_a_sign_without_a_memory_configuration() -> None:
    assert send(AlphaSign(), alpha.write_text("A", "HELLO"), alpha.write_text("B", "NO")).shown() == "HELLO"


def test_position_mode_and_colours_are_seen(sign: AlphaSign) -> None:
    text = alpha.write_text(
        "A", ["MIN ", Colour.GREEN, "25"], position=Position.TOP, mode=Mode.FLASH, colour=Colour.RED
    )
    (shown,) = send(sign, text).showing()
    assert (shown.label, shown.text, shown.position, shown.mode) == ("A", "MIN 25", '"', "c")
    assert shown.runs == (Run("MIN ", Colour.RED), Run("25", Colour.GREEN))
    assert shown.colour is Colour.RED


def test_a_text_shows_the_string_it_calls_and_follows_its_changes(sign: AlphaSign) -> None:
    send(sign, alpha.write_text("A", ["LIMITS ", StringCall("a")]), alpha.write_string("a", "25-500"))
    assert sign.shown() == "LIMITS 25-500"
    send(sign, alpha.write_string("a", "50-1000"))
    assert sign.shown() == "LIMITS 50-1000"
    (shown,) = sign.showing()
    assert shown.runs == (Run("LIMITS 50-1000", None),)


def test_a_colour_in_a_string_is_seen_and_lasts(sign: AlphaSign) -> None:
    send(sign, alpha.write_text("A", ["A", StringCall("a"), "C"]), alpha.write_string("a", [Colour.AMBER, "B"]))
    assert sign.showing()[0].runs == (Run("A", None), Run("BC", Colour.AMBER))


def test_a_string_that_is_not_allocated_shows_nothing(sign: AlphaSign) -> None:
    send(sign, alpha.write_string("z", "25"), alpha.write_text("A", ["LIMITS ", StringCall("z")]))
    assert sign.shown() == "LIMITS "
    assert "no STRING 'z'" in sign.reasons[-1]


def test_a_string_called_by_a_string_shows_nothing(sign: AlphaSign) -> None:
    send(sign, alpha.write_string("a", "x"), b"Gb\x10ay", alpha.write_text("A", [StringCall("b")]))
    assert sign.shown() == "y"


def test_a_value_too_long_for_its_string_empties_it(sign: AlphaSign) -> None:
    send(sign, alpha.write_text("A", ["=", StringCall("b")]), alpha.write_string("b", "0123456789"))
    assert sign.shown() == "=0123456789"
    send(sign, alpha.write_string("b", "0123456789x"))
    assert sign.shown() == "="


def test_a_text_for_no_file_or_too_long_for_its_file_is_ignored(sign: AlphaSign) -> None:
    send(sign, alpha.write_text("A", "x" * 256))
    send(sign, alpha.write_text("A", "y" * 257), alpha.write_text("C", "z"), alpha.write_text("a", "z"))
    assert sign.shown() == "x" * 256
    assert sign.ignored == 3


def test_the_run_sequence_says_which_texts_show(sign: AlphaSign) -> None:
    send(sign, alpha.write_text("A", "ONE"), alpha.write_text("B", "TWO"))
    assert sign.shown() == "ONE"
    send(sign, alpha.run_sequence("B", "C", "A"))
    assert sign.shown() == "TWO\nONE"
    send(sign, alpha.write_text("B", ""))
    assert sign.shown() == "ONE"


def test_a_priority_text_is_over_everything_until_it_is_released(sign: AlphaSign) -> None:
    send(sign, alpha.write_text("A", "MIN 25"), alpha.write_priority("TABLE CLOSED", colour=Colour.RED))
    assert sign.shown() == "TABLE CLOSED"
    assert sign.showing()[0].colour is Colour.RED
    send(sign, alpha.write_text("A", "MIN 50"))
    assert sign.shown() == "TABLE CLOSED"
    send(sign, alpha.release_priority())
    assert sign.shown() == "MIN 50"


def test_an_empty_priority_text_with_a_mode_blanks_the_sign(sign: AlphaSign) -> None:
    send(sign, alpha.write_text("A", "MIN 25"), b"A0\x1b b")
    assert sign.shown() == ""
    assert send(sign, alpha.release_priority()).shown() == "MIN 25"


def test_an_erase_takes_everything_and_file_a_can_be_written_again(sign: AlphaSign) -> None:
    send(sign, alpha.write_text("B", "x"), alpha.run_sequence("B"), alpha.write_priority("P"), alpha.erase())
    assert sign.shown() == ""
    assert (sign.files, sign.texts, sign.strings, sign.sequence) == ({}, {}, {}, ("A",))
    assert send(sign, alpha.write_text("A", "HELLO")).shown() == "HELLO"


def test_a_memory_configuration_without_an_erase_before_it_has_no_effect(sign: AlphaSign) -> None:
    send(sign, alpha.configure_memory(StringFile("q")))
    assert set(sign.files) == {"A", "B", "a", "b"}
    assert "only after an erase" in sign.reasons[-1]
    fresh = send(AlphaSign(), alpha.configure_memory(*MEMORY), alpha.write_string("a", "x"))
    assert fresh.strings == {}


def test_a_soft_reset_keeps_the_memory(sign: AlphaSign) -> None:
    send(sign, alpha.write_text("A", "MIN 25"), alpha.soft_reset())
    assert (sign.shown(), sign.soft_resets) == ("MIN 25", 1)


@pytest.mark.parametrize(
    ("sign_type", "address", "heard"),
    [
        (SignType.ALL, "00", True),
        (SignType.ALL, "02", True),
        (SignType.ALL, "03", False),
        (SignType.ONE_LINE, "02", True),
        (SignType.ONE_LINE, "00", True),
        (SignType.BETABRITE, "02", False),
    ],
)
def test_a_sign_hears_its_own_type_and_address_and_what_is_for_all(
    sign_type: SignType, address: str, heard: bool
) -> None:
    sign = AlphaSign(sign_type=SignType.ONE_LINE, address="02")
    sign.receive(alpha.frame(alpha.write_text("A", "HELLO"), sign_type=sign_type, address=address))
    assert sign.shown() == ("HELLO" if heard else "")


def test_a_damaged_packet_leaves_the_old_limits_standing(sign: AlphaSign) -> None:
    send(sign, alpha.write_text("A", "MIN 25"))
    sign.receive(alpha.frame(alpha.write_text("A", "MIN 50")).replace(b"50", b"90"))
    assert sign.shown() == "MIN 25"
    assert sign.bad_frames == 1


def test_unknown_commands_and_other_signs_replies_change_nothing(sign: AlphaSign) -> None:
    send(sign, alpha.write_text("A", "MIN 25"), b"W!", b"E$AAU01", b"E.TUB")
    sign.receive(alpha.reply(b"AAMIN 90"))
    assert sign.shown() == "MIN 25"
    assert sign.ignored == 4


def test_packets_that_come_too_soon_are_lost() -> None:
    sign = AlphaSign()
    arrivals = [(0.0, "ONE"), (alpha.FAILED_GAP_S, "TWO"), (alpha.FAILED_GAP_S + alpha.RELIABLE_GAP_S, "THREE")]
    seen = []
    for now, text in arrivals:
        sign.receive(alpha.frame(alpha.write_text("A", text)), now)
        seen.append(sign.shown())
    assert seen == ["ONE", "ONE", "THREE"]
    assert sign.ignored == 1


def test_a_sign_hears_nothing_while_it_erases() -> None:
    sign = AlphaSign()
    sign.receive(alpha.frame(alpha.erase()), 10.0)
    sign.receive(alpha.frame(alpha.configure_memory(*MEMORY)), 10.0 + alpha.PACKET_GAP_S)
    assert sign.files == {}
    sign.receive(alpha.frame(alpha.configure_memory(*MEMORY)), 10.0 + alpha.ERASE_WAIT_S)
    assert set(sign.files) == {"A", "B", "a", "b"}


def test_the_models_limits_lie_between_what_failed_and_what_worked() -> None:
    assert alpha.FAILED_GAP_S < LOST_GAP_S < alpha.RELIABLE_GAP_S
    assert alpha.PACKET_GAP_S < ERASE_BUSY_S < alpha.ERASE_WAIT_S


@given(PRINTABLE.filter(lambda text: len(text) <= 256), PRINTABLE.filter(lambda text: len(text) <= 125))
def test_any_text_and_string_are_shown_as_they_were_written(text: str, value: str) -> None:
    sign = send(AlphaSign(), alpha.erase(), alpha.configure_memory(TextFile("A", 400), StringFile("a")))
    send(sign, alpha.write_string("a", value), alpha.write_text("A", [text, StringCall("a"), text]))
    assert sign.shown() == text + value + text


PIECES = st.one_of(
    st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1),
    st.sampled_from(Colour),
    st.sampled_from("abz~").map(StringCall),
)


@given(st.lists(PIECES))
def test_content_comes_back_as_it_was(pieces: list[str | Colour | StringCall]) -> None:
    assert parse(encode(pieces)) == tuple(_merged(pieces))


def _merged(pieces: Iterable[str | Colour | StringCall]) -> list[str | Colour | StringCall]:
    merged: list[str | Colour | StringCall] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    return merged


@given(st.binary(max_size=60))
def test_any_received_text_can_be_parsed(data: bytes) -> None:
    parse(data)


def test_codes_that_are_not_ours_are_no_characters() -> None:
    assert parse(b"A\x1b cB\x1c4C\x15D\x80\x1c") == (
        "A",
        Control(b"\x1b c"),
        "B",
        Control(b"\x1c4"),
        "C",
        Control(b"\x15"),
        "D\ufffd",
        Control(b"\x1c"),
    )


ANY_COMMAND = st.one_of(
    st.binary(max_size=20).map(lambda data: bytes(byte for byte in data if byte > 4) or b"?"),
    st.sampled_from(
        [alpha.erase(), alpha.configure_memory(*MEMORY), alpha.release_priority(), alpha.run_sequence("B", "A")]
    ),
    PRINTABLE.filter(lambda text: len(text) < 100).map(lambda text: alpha.write_string("a", text)),
    st.sampled_from([b"AA\x10a\x10b", b"A0\x1b bx", b"AB\x1c"]),
)


@given(st.lists(st.one_of(ANY_COMMAND.map(alpha.frame), st.binary(max_size=40)), max_size=12))
def test_whatever_a_sign_receives_it_shows_something_and_keeps_little(pieces: list[bytes]) -> None:
    sign = AlphaSign()
    for piece in pieces:
        sign.receive(piece)
        sign.shown()
    by_bytes = AlphaSign()
    for byte in b"".join(pieces):
        by_bytes.receive(bytes([byte]))
    assert by_bytes.showing() == sign.showing()
    assert len(sign.reasons) <= 32
