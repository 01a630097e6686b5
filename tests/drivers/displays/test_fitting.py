"""What fits a display: the longest length, whole words, and characters that mean the same; never anything cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.base import SLOTS, Text
from drivers.displays.fitting import Digits, DoesNotFit, Face, Page, choose, each_alone, in_ascii, problems, together
from firmware_protocol import alpha, escpos, max7219, tm1637

POLE = Page(rows=2, columns=20)
SIGN = Page(rows=1, columns=123)
SLOT = Page(rows=1, columns=48, ascii_only=False, size=48)
FOUR = Digits(count=4, check=tm1637.show)
EIGHT = Digits(count=8, check=max7219.show)
FACES: tuple[Face, ...] = (POLE, SIGN, SLOT, FOUR, EIGHT)

LIMITS = Text(
    page="Minimum bet 25, maximum bet 500, in steps of 5. Side bets from 5 to 100.",
    line="Minimum 25, maximum 500",
    short="25–500",
    digits="25",
)
# Any characters, and more often those that tables use.
WILD = st.text(st.characters() | st.sampled_from("0123456789-–—€♠♥é×·… \n\x1b\x00\ud800AKQJ"), max_size=60)
TEXTS = st.builds(Text, page=WILD, line=WILD, short=WILD, digits=WILD)
CONTENTS = st.dictionaries(st.sampled_from(SLOTS), TEXTS)


@pytest.mark.parametrize(
    ("face", "rows"),
    [
        (
            Page(rows=9, columns=20),
            ("Minimum bet 25,", "maximum bet 500, in", "steps of 5. Side", "bets from 5 to 100."),
        ),
        (SIGN, (LIMITS.page,)),
        (POLE, ("Minimum 25, maximum", "500")),
        (Page(rows=1, columns=10), ("25-500",)),
        (Page(rows=1, columns=10, ascii_only=False), ("25–500",)),
        (Page(rows=1, columns=5), ("25",)),
        (EIGHT, ("25-500",)),
        (FOUR, ("25",)),
    ],
)
def test_the_longest_length_that_fits_is_chosen(face: Face, rows: tuple[str, ...]) -> None:
    assert choose(LIMITS, face) == rows


def test_what_fits_in_no_length_is_a_problem_for_a_person() -> None:
    limits = Text(page="12345–50000", line="12345–50000", short="12345–50000", digits="12345")
    assert problems({"limits": limits}, FOUR, "the sign on pins 5 and 6") == [
        "the limits' text '12345' does not fit on the sign on pins 5 and 6, which has 4 digits: "
        "the display has 4 digits; '12345' needs 5; give a shorter or plainer `digits`"
    ]


def test_a_word_is_never_broken() -> None:
    long_word = Text(page="Versicherungswettannahme", line="", short="")
    with pytest.raises(DoesNotFit, match="2 rows of 20 characters: it is too long; give a shorter or plainer `page`"):
        choose(long_word, POLE)


def test_no_digits_means_blank_where_there_are_only_digits() -> None:
    text = Text(page="Place your bets", line="BETS", short="BETS")
    assert choose(text, FOUR) == ()
    assert problems({"message": text}, FOUR, "the sign") == []


def test_no_digits_is_no_excuse_where_there_are_letters() -> None:
    text = Text(page="Place your bets, please", line="", short="")
    assert problems({"message": text}, Page(rows=1, columns=8), "the sign") != []


@pytest.mark.parametrize("form", ["A5 OR AS", "SOS", "IO"])
def test_letters_that_are_read_as_digits_are_shown_only_where_somebody_wrote_them_for_digits(form: str) -> None:
    assert choose(Text(page="", line="", short=form, digits="8"), EIGHT) == ("8",)
    assert choose(Text(page="", line="", short="", digits="SOS"), EIGHT) == ("SOS",)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("25–500 — max", "25-500 - max"),
        ("Café Zürich: “Ça va”, O’Neill", 'Cafe Zurich: "Ca va", O\'Neill'),
        ("A♠ 10♥ K♦\ufe0f 9♣", "AS 10H KD 9C"),
        ("MIN 25 · MAX 500", "MIN 25 - MAX 500"),
        ("2×20 … €5", "2x20 ... EUR5"),
        ("1\u00a0000\u202f000", "1 000 000"),
        ("tab\tand\nline", "tab and line"),
    ],
)
def test_what_means_the_same_is_replaced(text: str, plain: str) -> None:
    assert in_ascii(text) == plain


@pytest.mark.parametrize(
    "text",
    ["♠", "≠5", "2·3", "1½", "5²", "№5", "日本", "a\u0338", "\x1b[2J", "\x07", "\x00", "\ud800", "\u202e25", "①"],
)
def test_what_would_mean_something_else_or_can_not_be_seen_is_refused(text: str) -> None:
    with pytest.raises(DoesNotFit):
        in_ascii(text)


def row(text: str) -> Text:
    return Text(page="", line="", short=text, digits=text)


def test_slots_share_the_rows_and_the_rules_give_way_first() -> None:
    content = {"rules": row("RULES"), "limits": row("LIMITS"), "result": row("RESULT")}
    assert together(content, POLE, "").rows == {"limits": ("LIMITS",), "result": ("RESULT",)}
    assert together({"rules": row("RULES"), "limits": row("LIMITS")}, POLE, "").rows == {
        "limits": ("LIMITS",),
        "rules": ("RULES",),
    }


def test_a_message_stands_alone_and_may_use_all_rows() -> None:
    message = Text(page="Shoe is open, please wait", line="PLEASE WAIT", short="WAIT")
    assert together({"limits": row("LIMITS"), "message": message}, POLE, "").rows == {
        "message": ("Shoe is open, please", "wait")
    }


def test_rooms_left_over_make_a_text_longer() -> None:
    assert together({"limits": LIMITS}, POLE, "").rows == {"limits": ("Minimum 25, maximum", "500")}
    both = together({"limits": LIMITS, "result": row("17")}, POLE, "").rows
    assert both == {"limits": ("25-500",), "result": ("17",)}


def test_a_message_blank_on_digits_leaves_what_is_there() -> None:
    message = Text(page="Wait", line="WAIT", short="WAIT")
    assert together({"limits": row("25"), "message": message}, FOUR, "").rows == {"limits": ("25",)}


@given(content=CONTENTS)
def test_any_content_fits_or_is_a_problem(content: dict[str, Text]) -> None:
    for face in FACES:
        for fitted in (together(content, face, "the sign"), each_alone(content, face, "the sign")):
            assert list(fitted.problems) == problems(content, face, "the sign")
            unfit = {words.removeprefix("the ").split("'")[0] for words in fitted.problems}
            assert not any(fitted.rows.get(slot) for slot in unfit)
        assert sum(len(rows) for rows in together(content, face, "").rows.values()) <= face.rows


@given(text=TEXTS)
def test_whatever_fits_the_codec_takes(text: Text) -> None:
    for face in FACES:
        try:
            rows = choose(text, face)
        except DoesNotFit as error:
            str(error).encode()
            continue
        match face:
            case Digits():
                face.check("".join(rows))
            case _ if face is POLE:
                escpos.refresh(*[*rows, "", ""][:2])
            case _ if face is SIGN:
                alpha.frame(alpha.write_string("a", "".join(rows)))
            case _:
                assert len("".join(rows).encode()) <= 48
