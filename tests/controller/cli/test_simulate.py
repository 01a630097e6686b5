"""`croupier simulate`: a device alone on a pty, as another program finds it: opened, dealt from, pulled, killed."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import serial

from firmware_protocol import angel_eye, bee_tek, line_reader
from firmware_protocol.shoe_events import CardRead
from firmware_protocol.wire import Decoder
from tests.controller.cli.conftest import CROUPIER, Croupier

WAIT_S = 30.0


class Device:
    """A running `croupier simulate`; what it says is taken line by line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: queue.Queue[str] = queue.Queue()
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))

    def line(self) -> str:
        return self._lines.get(timeout=WAIT_S)

    def said(self, *events: str) -> Any:
        """The next of these events; others before it are passed over."""
        while True:
            said = json.loads(self.line())
            if said["event"] in events:
                return said

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        self.process.send_signal(number)
        return self.process.wait(WAIT_S), self.errors()

    def kill(self) -> None:
        self.process.kill()
        self._reading.join()  # before its stream is closed

    def errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read()


@contextmanager
def simulating(*args: str, stdin: int = subprocess.PIPE) -> Iterator[Device]:
    with subprocess.Popen(
        [CROUPIER, "simulate", *args], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        device = Device(process)
        try:
            yield device
        finally:
            device.kill()


def decoded(decoder: Decoder, port: serial.Serial, count: int) -> list[str]:
    cards: list[str] = []
    limit = time.monotonic() + WAIT_S
    while len(cards) < count:
        assert time.monotonic() < limit, f"only {cards} came"
        cards += [found.card for found in decoder.feed(port.read(1)) if isinstance(found, CardRead)]
    return cards


def test_its_path_is_the_first_line_and_it_says_that_it_is_simulated() -> None:
    with simulating("shoe", "--protocol", "tablelink", "--pty") as device:
        path = device.line()
        assert Path(path).is_char_device()
        about = device.line()
        assert about.startswith("SIMULATED tablelink shoe")
        assert "312 cards" in about
        assert device.end() == (0, "")
        assert not Path(path).exists()


def test_another_program_finds_a_tablelink_shoe_there(croupier: Croupier) -> None:
    with simulating("shoe", "--json") as device:
        path = device.said("plugged_in")["path"]
        asked = croupier("devices", "ask", path, "--json")
        assert asked.status == 0
        assert asked.json["roles"] == ["shoe"]
        assert asked.json["simulated"] is True
        assert device.said("opened")["path"] == path
        assert device.said("closed")["path"] == path
        assert croupier("devices", "ask", path, "--role", "shoe").status == 0, "and again"


def test_the_cut_card_comes_where_it_was_put_and_burned_cards_are_told_as_such() -> None:
    args = ("--protocol", "angel_eye", "--decks", "1", "--cut-card", "2", "--burn", "1")
    with simulating("shoe", *args, "--json") as device:
        with serial.Serial(device.said("plugged_in")["path"], timeout=1) as port:
            device.said("opened")
            device.type("deal 3")
            assert [device.said("dealt")["cut_card"] for _ in range(3)] == [False, False, True]
            raw, decoder, found = b"", angel_eye.Decoder(), []
            limit = time.monotonic() + WAIT_S
            while len(found) < 4:
                assert time.monotonic() < limit, f"only {found} came"
                raw += (heard := port.read(1))
                found += [type(each).__name__ for each in decoder.feed(heard)]
        assert raw[:4] == b"\x051D\xa1", "the target byte of a burn card"
        assert found == ["CardRead", "CardRead", "CutCardSeen", "CardRead"]


@pytest.mark.parametrize(
    ("protocol", "decoder"),
    [
        ("angel_eye", angel_eye.Decoder),
        ("bee_tek", bee_tek.Decoder),
        ("line_reader", lambda: line_reader.Decoder(line_reader.CardMap((c, c) for c in ("8S", "TD", "AC")))),
    ],
)
def test_cards_come_in_the_order_given_as_bytes_that_any_tool_can_read(
    protocol: str, decoder: Callable[[], Decoder]
) -> None:
    with simulating("shoe", "--protocol", protocol, "--order", "8S 10d ac", "--json") as device:
        path = device.said("plugged_in")["path"]
        device.type("deal")
        assert "nobody listened" in device.said("dealt")["words"]
        with serial.Serial(path, timeout=1) as port:
            device.said("opened")
            device.type("deal 2")
            assert decoded(decoder(), port, 2) == ["TD", "AC"]
        device.type("deal")
        assert "it is empty" in device.said("stopped")["words"]


def test_what_is_typed_happens_and_what_is_not_understood_is_answered_in_words() -> None:
    with simulating("shoe", "--json", "--seed", "4") as device:
        device.said("plugged_in")
        device.type("deal 8s")
        assert device.said("dealt")["cards"] == ["8S"]
        device.type("lid open")
        assert device.said("lid")["told"] is True
        device.type("deal 3")
        assert "its lid is open" in device.said("stopped")["words"]
        device.type("lid close")
        device.type("fault misread")
        assert device.said("fault")["on"] is True
        device.type("deal")
        assert device.said("dealt")["what"] == "misread"
        device.type("fault misread off")
        device.type("cut")
        device.said("cut")
        device.type("jam on")
        device.type("show")
        state = device.said("state")
        assert "a card is jammed" in state["words"]
        assert (state["left"], len(state["dealt"]), state["open"], state["faults"]) == (311, 2, False, {})
        assert state["waiting"] == 6, "card, lid twice, misread, cut card, jam"
        device.type("jam off")
        device.type("load")
        assert device.said("loaded")["left"] == 312
        for wrong, words in {
            "dael": "did you mean deal?",
            "deal 1S": "'1S' is no card",
            "deal 0": "from 1 to 500",
            "deal ²": "is no card",
            "deal 5 6": "one word",
            "lid": "write lid open or lid close",
            "cut now": "cut stands alone",
            "fault mute_sign": "can't have the fault",
            "fault misreed": "did you mean 'misread'?",
            "fault misread 2": "a chance above 0 and up to 1",
            "fault misread often": "comes off, or a chance",
            "\u00e9\u00e9": "is nothing a simulated shoe can be told",
        }.items():
            device.type(wrong)
            assert words in device.said("not_understood")["words"], wrong
        device.type("help")
        assert "deal" in device.said("help")["orders"]
        device.type("quit")
        assert device.process.wait(WAIT_S) == 0


def test_unplugged_its_path_is_gone_and_the_link_leads_to_the_new_one(tmp_path: Path) -> None:
    link = tmp_path / "shoe"
    with simulating("shoe", "--link", str(link), "--json") as device:
        assert device.said("plugged_in")["path"] == str(link)
        with serial.Serial(str(link), timeout=WAIT_S) as port:
            device.said("opened")
            device.type("fault unplug")
            device.said("unplugged")
            assert not link.is_symlink()
            with pytest.raises(serial.SerialException):
                port.read(1)
        device.type("fault unplug off")
        device.said("plugged_in")
        with serial.Serial(str(link)):
            device.said("opened")
        assert device.end(signal.SIGINT) == (0, "")
    assert not link.is_symlink()


def test_a_link_where_something_stands_already_is_refused(tmp_path: Path, croupier: Croupier) -> None:
    taken = tmp_path / "mine"
    taken.write_text("precious")
    ran = croupier("simulate", "shoe", "--link", str(taken))
    assert ran.status == 2
    assert "can't be made: File exists" in ran.err
    assert taken.read_text() == "precious"


def test_it_deals_by_itself_and_stays_when_its_input_has_ended() -> None:
    with simulating(
        "shoe", "--auto", "0.02", "--decks", "1", "--protocol", "angel_eye", stdin=subprocess.DEVNULL
    ) as device:
        path = device.line()
        with serial.Serial(path, timeout=1) as port:
            assert len(decoded(angel_eye.Decoder(), port, 3)) == 3
        assert device.process.poll() is None
        assert device.end() == (0, "")


def test_a_sign_prints_what_it_shows_when_that_changes() -> None:
    with simulating("sign", "--protocol", "escpos", "--json") as device:
        path = device.said("plugged_in")["path"]
        with serial.Serial(path) as port:
            device.said("opened")
            port.write(b"\x1b@BLACKJACK 10-500")
            assert device.said("shown")["text"] == "BLACKJACK 10-500"
            device.type("fault mute_sign")
            assert device.said("shown")["text"] == ""
            device.type("deal")
            assert "is nothing a simulated sign can be told" in device.said("not_understood")["words"]


def test_a_panel_has_keys_and_a_switch(croupier: Croupier) -> None:
    with simulating("panel", "--json") as device:
        path = device.said("plugged_in")["path"]
        assert croupier("devices", "ask", path, "--role", "panel").status == 0
        assert croupier("devices", "ask", path, "--role", "shoe").status == 4
        device.type("press hit")
        assert device.said("pressed")["key"] == "hit"
        device.type("hold undo")
        device.type("key on")
        assert device.said("key")["on"] is True
        device.type("press nothing")
        assert "there is no key 'nothing'" in device.said("not_understood")["words"]
        device.type("show")
        assert device.said("lamps")["lamps"]["hit"] == "off"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("shoe", "--order", "8S 1X"), "card 2: '1X' is no card"),
        (("shoe", "--order", ""), "write at least one card"),
        (("shoe", "--decks", "9"), "9 is not in the range"),
        (("shoe", "--decks", "1", "--cut-card", "53"), "52 cards are in the shoe, so it can't come after 53"),
        (("shoe", "--order", "8S TD", "--cut-card", "1"), "stands among the cards, as CUT"),
        (("shoe", "--order", "8S TD", "--burn", "3"), "2 cards are in the shoe, so 3 can't be burned"),
        (("shoe", "--auto", "0"), "0.0 is not in the range"),
        (("shoe", "--auto", "nan"), "the seconds from card to card, such as 2"),
        (("shoe", "--protocol", "morse"), "'morse' is not one of"),
        (("sign", "--protocol", "angel_eye"), "'angel_eye' is not one of"),
        (("table",), "No such command 'table'"),
    ],
)
def test_wrong_options_are_refused_in_words(croupier: Croupier, args: tuple[str, ...], words: str) -> None:
    ran = croupier("simulate", *args)
    assert ran.status == 2
    assert words in ran.err


def test_who_reads_its_output_may_go_away() -> None:
    read, write = os.pipe()
    with subprocess.Popen(
        [CROUPIER, "simulate", "sign"], stdin=subprocess.PIPE, stdout=write, stderr=subprocess.PIPE, text=True
    ) as process:
        os.close(write)
        with os.fdopen(read) as out:
            out.readline()
        assert process.stdin is not None
        try:
            process.stdin.write("show\n" * 3)
            process.stdin.flush()
            assert process.wait(WAIT_S) == 0
            assert process.stderr is not None
            assert process.stderr.read() == ""
        finally:
            process.kill()
