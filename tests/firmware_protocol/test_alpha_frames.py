"""An Alpha sign's packets and commands are byte for byte what the manual's examples say, and wrong ones are refused."""

from functools import partial

import pytest

from firmware_protocol import alpha
from firmware_protocol.alpha import Colour, Mode, Position, SignType, StringCall, StringFile, TextFile

NULLS = "00 00 00 00 00"
ALL = f"{NULLS} 01 5A 30 30 02"
HELLO = alpha.write_text("A", "HELLO", position=None, mode=None)

PLAIN = [
    ("HELLO to all", HELLO, f"{ALL} 41 41 48 45 4C 4C 4F 04"),
    ("release priority", alpha.release_priority(), f"{ALL} 41 30 04"),
    ("hold, file A", alpha.write_text("A", "MIN 25 MAX 500"), f"{ALL} 41 41 1B 20 62 {b'MIN 25 MAX 500'.hex()} 04"),
    ("STRING a", alpha.write_string("a", "25-500"), f"{ALL} 47 61 {b'25-500'.hex()} 04"),
    (
        "TEXT calling STRING a",
        alpha.write_text("A", ["LIMITS ", StringCall("a")]),
        f"{ALL} 41 41 1B 20 62 {b'LIMITS '.hex()} 10 61 04",
    ),
]


@pytest.mark.parametrize(("command", "packet"), [row[1:] for row in PLAIN], ids=[row[0] for row in PLAIN])
def test_a_packet_without_checksum_is_as_the_manual_has_it(command: bytes, packet: str) -> None:
    assert alpha.frame(command, checksum=False) == bytes.fromhex(packet)


def test_a_packet_can_be_for_one_kind_of_sign_at_one_address() -> None:
    packet = alpha.frame(HELLO, sign_type=SignType.ONE_LINE, address="02", checksum=False)
    assert packet == bytes.fromhex(f"{NULLS} 01 31 30 32 02 41 41 48 45 4C 4C 4F 04")


@pytest.mark.parametrize(
    ("command", "digits"),
    [
        (HELLO, b"01FB"),
        (alpha.release_priority(), b"0076"),
        (alpha.write_text("A", "MIN 25 MAX 500"), b"044A"),
        (alpha.write_string("a", "25-500"), b"01D6"),
        (alpha.write_text("A", ["LIMITS ", StringCall("a")]), b"0387"),
    ],
)
def test_a_checksum_is_added_unless_it_is_not_wanted(command: bytes, digits: bytes) -> None:
    plain = alpha.frame(command, checksum=False)
    assert alpha.frame(command) == plain[:-1] + b"\x03" + digits + b"\x04"


def test_the_checksum_of_a_real_signs_reply_is_the_one_measured() -> None:
    assert alpha.checksum(b"\x02GaREAD ME\x03") == "027B"
    assert alpha.reply(b"GaREAD ME") == bytes(20) + b"\x01000\x02GaREAD ME\x03027B\x04"


def test_more_nulls_can_be_sent_and_fewer_are_refused() -> None:
    assert alpha.frame(HELLO, nulls=9) == bytes(4) + alpha.frame(HELLO)
    with pytest.raises(ValueError, match="5 NULs"):
        alpha.frame(HELLO, nulls=4)


@pytest.mark.parametrize("address", ["", "0", "000", "0g", "aa", "٠٠", "00\n"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="two upper-case hexadecimal digits"):
        alpha.frame(HELLO, address=address)


@pytest.mark.parametrize("byte", range(5))
def test_a_command_with_a_framing_byte_in_it_is_refused(byte: int) -> None:
    with pytest.raises(ValueError, match=f"framing byte {byte:02X}"):
        alpha.frame(b"AA" + bytes([byte]))


def test_an_empty_and_an_endless_command_are_refused() -> None:
    with pytest.raises(ValueError, match="needs a command"):
        alpha.frame(b"")
    with pytest.raises(ValueError, match="Shorten the text"):
        alpha.frame(alpha.write_text("A", "x" * 2048))


def test_position_mode_and_colour_stand_before_the_text() -> None:
    command = alpha.write_text("B", "LAST HAND", position=Position.FILL, mode=Mode.FLASH, colour=Colour.RED)
    assert command == b"AB\x1b0c\x1c1LAST HAND"


@pytest.mark.parametrize(
    ("position", "byte"),
    [(Position.MIDDLE, 0x20), (Position.TOP, 0x22), (Position.BOTTOM, 0x26), (Position.FILL, 0x30)],
)
@pytest.mark.parametrize(("mode", "letter"), [(Mode.ROTATE, b"a"), (Mode.HOLD, b"b"), (Mode.FLASH, b"c")])
def test_every_position_and_mode_has_its_byte(position: Position, byte: int, mode: Mode, letter: bytes) -> None:
    assert alpha.write_text("A", "x", position=position, mode=mode) == b"AA\x1b" + bytes([byte]) + letter + b"x"


@pytest.mark.parametrize(("colour", "bytes_"), [("RED", b"\x1c1"), ("GREEN", b"\x1c2"), ("AMBER", b"\x1c3")])
def test_a_colour_can_stand_anywhere_in_a_text(colour: str, bytes_: bytes) -> None:
    assert alpha.write_string("a", ["MIN ", Colour[colour], "25"]) == b"GaMIN " + bytes_ + b"25"


def test_a_position_without_a_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="or neither"):
        alpha.write_text("A", "x", mode=None)
    with pytest.raises(ValueError, match="or neither"):
        alpha.write_text("A", "x", position=None)


@pytest.mark.parametrize("character", ["\n", "\x1b", "\x04", "\x7f", "é", "♠", "–", "€", "\udc80"])
def test_a_character_the_sign_has_not_is_refused_by_its_place(character: str) -> None:
    for write in (partial(alpha.write_text, "A"), partial(alpha.write_string, "a"), alpha.write_priority):
        with pytest.raises(ValueError, match=r"can't show .* \(character 3 of"):
            write(f"AB{character}C")


@pytest.mark.parametrize("label", ["", "AB", "é", "\n", "\x7f"])
def test_a_label_that_is_none_is_refused(label: str) -> None:
    for write in (
        lambda: alpha.write_text(label, "x"),
        lambda: alpha.write_string(label, "x"),
        lambda: alpha.write_text("A", [StringCall(label)]),
        lambda: TextFile(label, 10),
        lambda: StringFile(label),
        lambda: alpha.run_sequence(label),
    ):
        with pytest.raises(ValueError, match="one printable ASCII character"):
            write()


@pytest.mark.parametrize("label", ["0", "?"])
def test_two_labels_can_be_no_string(label: str) -> None:
    for write in (
        lambda: alpha.write_string(label, "x"),
        lambda: alpha.write_text("A", [StringCall(label)]),
        lambda: StringFile(label),
    ):
        with pytest.raises(ValueError, match="no STRING"):
            write()


def test_a_string_has_at_most_125_bytes_with_its_colours() -> None:
    assert len(alpha.write_string("a", "x" * 125)) == 127
    with pytest.raises(ValueError, match="at most 125 bytes; this one for 'a' has 126"):
        alpha.write_string("a", [Colour.RED, "x" * 124])


def test_a_string_that_calls_a_string_is_refused() -> None:
    with pytest.raises(ValueError, match="only a TEXT can"):
        alpha.write_string("a", [StringCall("b")])


def test_the_priority_file_is_written_only_by_its_own_name() -> None:
    assert alpha.write_priority("VOID") == b"A0\x1b bVOID"
    assert alpha.write_priority([StringCall("a")], mode=Mode.FLASH) == b"A0\x1b c\x10a"
    with pytest.raises(ValueError, match="write_priority"):
        alpha.write_text("0", "VOID")


@pytest.mark.parametrize("nothing", ["", [], [""], [Colour.RED]])
def test_a_priority_text_of_nothing_is_refused_because_it_blanks_the_sign(nothing: alpha.content.Content) -> None:
    with pytest.raises(ValueError, match="release_priority"):
        alpha.write_priority(nothing)


def test_a_priority_text_has_at_most_125_bytes() -> None:
    alpha.write_priority("x" * 125)
    with pytest.raises(ValueError, match="at most 125 bytes"):
        alpha.write_priority("x" * 124, colour=Colour.RED)


def test_a_memory_configuration_has_eleven_characters_a_file() -> None:
    assert alpha.configure_memory(TextFile("A", 0x100)) == b"E$AAU0100FFFF"
    files = TextFile("A", 256, locked=True, times="0A1F"), StringFile("a", 20), StringFile("b")
    assert alpha.configure_memory(*files) == b"E$AAL01000A1F" + b"aBL00140000" + b"bBL007D0000"


def test_only_erase_erases() -> None:
    assert alpha.erase() == b"E$"
    with pytest.raises(ValueError, match="use erase"):
        alpha.configure_memory()


def test_a_memory_configuration_that_can_not_be_is_refused() -> None:
    with pytest.raises(ValueError, match="'A' is there twice"):
        alpha.configure_memory(TextFile("A", 10), StringFile("b"), TextFile("A", 20))
    with pytest.raises(ValueError, match="priority file"):
        TextFile("0", 125)
    with pytest.raises(ValueError, match="four upper-case hexadecimal digits"):
        TextFile("A", 10, times="always")
    for size in (0, -1, 0x10000):
        with pytest.raises(ValueError, match="1 to 65535 bytes"):
            TextFile("A", size)
    for size in (0, 126):
        with pytest.raises(ValueError, match="1 to 125 bytes"):
            StringFile("a", size)


def test_reset_and_run_sequence_are_special_functions() -> None:
    assert alpha.soft_reset() == b"E,"
    assert alpha.run_sequence("A") == b"E.SUA"
    assert alpha.run_sequence("B", "A", locked=True) == b"E.SLBA"


def test_a_run_sequence_of_nothing_or_of_the_priority_file_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        alpha.run_sequence()
    with pytest.raises(ValueError, match="no place in a run sequence"):
        alpha.run_sequence("A", "0")


def test_the_waits_are_those_that_worked_on_a_real_sign() -> None:
    assert alpha.FAILED_GAP_S < alpha.RELIABLE_GAP_S < alpha.PACKET_GAP_S == 0.5
    assert alpha.ERASE_WAIT_S == 2.0
