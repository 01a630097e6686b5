"""Our Alpha packets are those of `readerboard`, an independent program for BetaBrite signs, byte for byte.

It sends six NULs and type ^, and no checksum; ours are asked for in the same way.
"""

from hypothesis import given
from hypothesis import strategies as st
from readerboard.protocol import constants, frames, replies

from firmware_protocol import alpha
from firmware_protocol.alpha import Colour, Mode, Position, SignType, StringCall, StringFile, TextFile

TEXT = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=100)
TEXT_LABELS = st.sampled_from([chr(code) for code in range(0x20, 0x7F) if chr(code) != "0"])
STRING_LABELS = st.sampled_from([chr(code) for code in range(0x20, 0x7F) if chr(code) not in "0?"])


def same(ours: bytes, theirs: bytes) -> None:
    packet = alpha.frame(ours, sign_type=SignType.BETABRITE, checksum=False, nulls=len(constants.WAKEUP))
    assert packet == frames.packet(theirs)


def ascii_(text: str) -> bytes:
    return text.encode("ascii")


@given(TEXT_LABELS, TEXT, st.sampled_from(Mode))
def test_a_text(label: str, text: str, mode: Mode) -> None:
    theirs = {Mode.ROTATE: constants.MODE_ROTATE, Mode.HOLD: constants.MODE_HOLD, Mode.FLASH: constants.MODE_FLASH}
    same(
        alpha.write_text(label, text, mode=mode),
        frames.write_text_file(ascii_(label), ascii_(text), mode=theirs[mode]),
    )


@given(STRING_LABELS, TEXT)
def test_a_string_and_the_text_that_calls_it(label: str, value: str) -> None:
    same(alpha.write_string(label, value), frames.write_string_file(ascii_(label), ascii_(value)))
    body = b"LIMITS " + constants.STRING_FILE_INSERT + ascii_(label)
    same(alpha.write_text("A", ["LIMITS ", StringCall(label)]), frames.write_text_file(b"A", body))


def test_the_colours() -> None:
    theirs = constants.TEXT_COLOR_RED, constants.TEXT_COLOR_GREEN, constants.TEXT_COLOR_AMBER
    for colour, code in zip((Colour.RED, Colour.GREEN, Colour.AMBER), theirs, strict=True):
        same(alpha.write_text("A", "25", colour=colour), frames.write_text_file(b"A", code + b"25"))


def test_the_positions() -> None:
    assert [ascii_(position.value) for position in Position] == [
        constants.TEXT_POS_MIDDLE,
        constants.TEXT_POS_TOP,
        constants.TEXT_POS_BOTTOM,
        constants.TEXT_POS_FILL,
    ]


@given(TEXT.filter(bool))
def test_a_priority_text_and_its_release(text: str) -> None:
    same(alpha.write_priority(text), frames.write_text_file(constants.FILE_PRIORITY, ascii_(text)))
    same(alpha.release_priority(), frames.clear_priority_file())


TEXT_FILES = st.tuples(TEXT_LABELS, st.integers(1, 0xFFFF), st.booleans())
STRING_FILES = st.tuples(STRING_LABELS, st.integers(1, 125))


@given(st.lists(st.one_of(TEXT_FILES, STRING_FILES), min_size=1, max_size=20, unique_by=lambda file: file[0]))
def test_a_memory_configuration(files: list[tuple[str, int] | tuple[str, int, bool]]) -> None:
    ours: list[TextFile | StringFile] = []
    theirs: list[frames.FileAllocation] = []
    for file in files:
        if len(file) == 3:
            label, size, locked = file
            ours.append(TextFile(label, size, locked=locked))
            theirs.append(frames.FileAllocation(ascii_(label), size, locked=locked))
        else:
            ours.append(StringFile(*file))
            theirs.append(frames.FileAllocation.string(ascii_(file[0]), file[1]))
    same(alpha.configure_memory(*ours), frames.set_memory_config(theirs))


@given(st.lists(TEXT_LABELS, min_size=1, max_size=20, unique=True), st.booleans())
def test_the_special_functions(labels: list[str], locked: bool) -> None:
    same(alpha.run_sequence(*labels, locked=locked), frames.set_run_sequence(list(map(ascii_, labels)), locked=locked))
    same(alpha.erase(), frames.clear_memory())
    same(alpha.soft_reset(), frames.soft_reset())


@given(STRING_LABELS, TEXT)
def test_it_reads_our_replies(label: str, value: str) -> None:
    command = alpha.write_string(label, value)
    unwrapped = replies.unwrap(alpha.reply(command), ascii_(label), command=constants.COMMAND_WRITE_STRING)
    assert unwrapped == ascii_(value)


@given(TEXT)
def test_our_model_shows_what_it_sends(text: str) -> None:
    sign = alpha.AlphaSign()
    sign.receive(frames.packet(frames.write_text_file(b"A", ascii_(text))))
    assert sign.shown() == text
