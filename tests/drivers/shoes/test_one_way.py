"""What the shoes that only talk share: noise in words, half a frame at hang-up, settings, and the reader's card map."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from drivers import base
from drivers.base import Ready
from drivers.errors import BadSetting
from drivers.noise import EVERY_S, Noise
from drivers.ports.base import LineSettings
from drivers.shoes.angel_eye import AngelEyeShoe
from drivers.shoes.bee_tek import BeeTekShoe
from drivers.shoes.line_reader import LineReaderShoe, read_card_map
from drivers.shoes.one_way import as_event
from drivers.shoes.tablelink import TableLinkShoe
from firmware_protocol.wire import BadFrame
from tests.drivers.shoes.bench import Bench, make_link

ONE_WAY = ("angel_eye", "bee_tek", "line_reader")


@pytest.mark.parametrize("protocol", ["bee_tek", "line_reader"])
def test_a_shoe_that_numbers_nothing_says_that_nobody_can_tell(protocol: str) -> None:
    ready = make_link(protocol).opened(0)[0]
    assert isinstance(ready, Ready)
    assert not ready.proven
    assert ready.words == (
        "this shoe does not number its cards: after an interruption nobody can tell whether one was missed"
    )


@pytest.mark.parametrize("protocol", ONE_WAY)
def test_noise_is_counted_and_told_at_most_once_in_five_seconds(protocol: str) -> None:
    bench = Bench(protocol)
    bench.join()
    for _ in range(100):
        bench.receive(bytes([1, 7, 0x99]) * 100 + b"\n")
        bench.wait(0.1)
    noticed = bench.told(base.Noticed)
    assert 2 <= len(noticed) <= 4
    assert len(bench.said) == 1 + len(noticed), "nothing else is said of noise"
    assert "could not be used; the last: " in noticed[1].words
    bench.wait(EVERY_S + 1)
    counted = sum(int(each.words.split()[3]) for each in bench.told(base.Noticed))
    assert counted == bench.link.noise.total  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("protocol", "half"),
    [("angel_eye", b"\x051D\x81"), ("bee_tek", b"[Game]<Card:4"), ("line_reader", b"00123")],
)
def test_half_a_frame_at_hang_up_is_told_as_cut_off_and_is_no_part_of_the_next_connection(
    protocol: str, half: bytes
) -> None:
    bench = Bench(protocol)
    bench.join()
    bench.receive(half)
    bench.part()
    noticed = bench.told(base.Noticed)
    assert len(noticed) == 1
    assert "cut off" in noticed[0].words
    assert bench.link.closed() == [], "it is told once"
    bench.join()
    bench.shoe.deal()
    bench.until(lambda: bench.cards == bench.shoe.dealt)


def test_bee_tek_s_alarms_and_warnings_are_told_and_stop_nothing() -> None:
    link = make_link("bee_tek")
    link.opened(0)
    assert link.receive(b"[GameAlarm]<Alarm:E3 Card Not Read> <W0x01>\n[Game]<Game>", 0) == [
        base.FaultReported(words="E3 Card Not Read", code=3),
        base.Noticed(words="warning 0x01 (01)"),
        base.Misread(reason="the shoe could not read the card"),
    ]


def test_what_no_shoe_says_is_no_event() -> None:
    with pytest.raises(TypeError, match="BadFrame is nothing a shoe says"):
        as_event(BadFrame(offset=0, reason="noise", data=b""))


def test_noise_says_what_is_left_when_the_port_goes() -> None:
    noise = Noise()
    noise.add("static")
    assert len(noise.told(0)) == 1
    noise.add("static", 3)
    assert noise.told(1) == []
    assert noise.next_time() == EVERY_S
    assert "3 pieces" in noise.rest()[0].words
    assert noise.rest() == []
    assert noise.next_time() is None


# Settings

DRIVERS = {"angel_eye": AngelEyeShoe, "bee_tek": BeeTekShoe, "tablelink": TableLinkShoe}


def test_the_lines_are_set_as_each_protocol_has_it() -> None:
    assert AngelEyeShoe.Settings(port="/dev/x").line == LineSettings(baud=4800)
    assert BeeTekShoe.Settings(port="/dev/x").line == LineSettings(baud=9600)
    settings = LineReaderShoe.Settings(port="/dev/x", cards="c", data_bits=7, parity="E", stop_bits=2)
    assert settings.line == LineSettings(baud=9600, data_bits=7, parity="E", stop_bits=2)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"port": ""}, "port: write where the device is"),
        ({"port": "x", "baud": 0}, "baud: a line has a speed above 0"),
        ({"port": "x", "data_bits": 9}, "data_bits: 7 or 8, not 9"),
        ({"port": "x", "stop_bits": 3}, "stop_bits: 1 or 2, not 3"),
        ({"port": "x", "parity": "Q"}, "parity|enum"),
        ({"port": "x", "boud": 9600}, "unknown field `boud`"),
        ({}, "missing required field `port`"),
    ],
)
def test_settings_that_can_never_work_are_refused_in_words(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=words):
        msgspec.convert(wrong, AngelEyeShoe.Settings)


def test_a_parity_given_in_code_is_checked_too() -> None:
    with pytest.raises(ValueError, match=r"parity: N \(none\), E \(even\) or O \(odd\), not 'Q'"):
        BeeTekShoe.Settings(port="x", parity="Q")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="baud"):
        TableLinkShoe.Settings(port="x", baud=-1)


@pytest.mark.parametrize("driver", DRIVERS)
def test_every_driver_can_be_made_from_its_settings_alone(driver: str) -> None:
    made = DRIVERS[driver](msgspec.convert({"port": "/dev/nothing"}, DRIVERS[driver].Settings))
    assert (made.kind, made.driver, made.address, made.simulated) == ("shoe", driver, "/dev/nothing", False)


def test_auto_is_for_tablelink_only() -> None:
    TableLinkShoe(TableLinkShoe.Settings(port="auto"))
    with pytest.raises(BadSetting, match="auto"):
        BeeTekShoe(BeeTekShoe.Settings(port="auto"))


# The reader's card map


def write(path: Path, text: str) -> LineReaderShoe.Settings:
    path.write_text(text)
    return LineReaderShoe.Settings(port="/dev/x", cards=str(path))


def test_a_card_map_is_read_from_its_file(tmp_path: Path) -> None:
    settings = write(tmp_path / "cards.toml", 'cut_card = ["999"]\n[cards]\n"0012345" = "AS"\n"0012346" = "10H"\n')
    link = LineReaderShoe(settings)._link
    assert isinstance(ready := link.opened(0)[0], Ready)
    assert ready.identity == "card reader, 3 codes mapped"
    assert link.receive(b"0012345\r\n0012346\n999\r77\r\n", 0) == [
        base.CardRead(card="AS"),
        base.CardRead(card="TH"),
        base.CutCardSeen(),
        base.Misread(reason="the code '77' is not in the card map"),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[cards", "is no TOML"),
        ("", 'needs a table "cards"'),
        ('[cards]\n"1" = "XX"', "which is no card"),
        ('[cards]\n"1" = "AS"\n[more]\n', "'more' is no part of a card map"),
    ],
)
def test_a_card_map_that_can_not_be_used_is_refused_with_its_file_and_why(
    tmp_path: Path, text: str, words: str
) -> None:
    settings = write(tmp_path / "cards.toml", text)
    with pytest.raises(BadSetting, match=words) as refused:
        LineReaderShoe(settings)
    assert str(tmp_path / "cards.toml") in str(refused.value)


def test_a_card_map_that_is_no_text_or_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    for name, words in (("bytes.toml", "is no UTF-8 text"), ("none.toml", "No such file"), (".", "Is a directory")):
        with pytest.raises(BadSetting, match=words):
            read_card_map(str(tmp_path / name))
