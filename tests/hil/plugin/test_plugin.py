"""Tests of a firmware engineer, run with the plugin on simulated devices and on devices at ports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

from drivers.simulated.bench import PanelBench, ShoeBench
from drivers.simulated.pile import shuffled
from drivers.simulated.shoe_ends import ShoeEnd
from firmware_protocol.tablelink.framing import Frame, FrameDecoder, encode_frame
from firmware_protocol.tablelink.messages import Identity
from hil.record.capture import CaptureReader, Chunk
from tests.hil.plugin.conftest import Desk, Farm

DEVICES = """
import pytest
from drivers.base import Misread

def test_a_card(shoe):
    assert shoe.simulated
    assert shoe.deal("8S") == "8S"
    assert shoe.expect_card("8S").mark.number == 1
    shoe.nothing_more()

def test_a_cable_that_was_out(shoe, power):
    with power.out("shoe"):
        shoe.await_lost()
        shoe.deal("9S")
    assert shoe.await_ready().proven
    shoe.expect_card("9S")

def test_a_supply_that_was_cut(shoe, power):
    power.cut("shoe")
    shoe.await_lost()
    power.restore("shoe")
    assert not shoe.await_ready().proven

def test_what_is_not_committed_is_kept(shoe):
    shoe.commits = False
    shoe.deal("8S")
    event = shoe.expect_card("8S")
    assert shoe.hand.do("show")["waiting"] == 1
    shoe.commit(event)

@pytest.mark.fault("misread")
def test_a_fault(shoe):
    shoe.deal()
    shoe.expect_event(Misread)

@pytest.mark.fault("bit_flip", 0.2)
@pytest.mark.fault("duplicate", 0.3, device="shoe")
def test_a_bad_line(shoe):
    dealt = [shoe.deal() for _ in range(10)]
    for card in dealt:
        shoe.expect_card(card, within=30)

def test_sign_and_console(sign, console):
    sign.show(limits="MIN 25")
    sign.expect_text("MIN 25")
    console.press("hit")
    console.expect_key("hit")
    console.hold("undo")
    console.expect_key("undo", held=True)
    console.light({"hit": "blinking"})
    console.expect_lamp("hit", "blinking")

def test_the_wire_alone(wire):
    hello = bytes.fromhex("00 07 01 01 01")
    wire.shoe.send(b"\\x00no frame\\x00")
    wire.shoe.silence(0.1)
    assert wire.shoe.sent == b"\\x00no frame\\x00"

def test_the_wire_beside_a_driver(wire, shoe):
    said = len(wire.shoe.heard)
    assert said and wire.shoe.sent
    wire.shoe.say(b"\\x01\\x02\\x03\\x00")
    shoe.deal("8S")
    shoe.expect_card("8S")
    assert b"\\x01\\x02\\x03\\x00" in wire.shoe.heard[said:]

async def test_beside_another_loop(shoe, clock):
    shoe.deal("8S")
    clock.until(lambda: shoe.cards == ["8S"], within=10)

@pytest.mark.hardware
def test_for_hardware(shoe):
    raise AssertionError("not here")
"""


def test_every_fixture_works_on_simulated_devices_and_hardware_tests_are_skipped(desk: Desk) -> None:
    result = desk.run(DEVICES)
    result.assert_outcomes(passed=10, skipped=1)
    result.stdout.fnmatch_lines(
        ["*bench: simulated: shoe SIMULATED*", "*for hardware only, and the shoe of the bench simulated is simulated*"]
    )


def test_the_daemon_plays_each_game_and_loses_no_card_when_it_is_killed(desk: Desk) -> None:
    desk.bench('[[bench]]\nname = "one"\nscreenshots = false\n[bench.shoe]\ndriver = "simulated"\n')
    result = desk.run(
        """
        import pytest

        @pytest.mark.game("power_blackjack", "monte-carlo")
        def test_kill(table, shoe, power):
            table.open(1)
            table.enter("open_round")
            shoe.deal("8S")
            table.wait_cards("8S")
            power.cut_table()
            assert not table.running
            shoe.deal("TD")
            power.restore_table()
            table.wait_cards("8S", "TD")
            with pytest.raises(Exception, match="the table's daemon has one shoe"):
                shoe.expect_card("8S")
        """,
        "-v",
    )
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*test_kill?one-power_blackjack? PASSED*", "*test_kill?one-monte-carlo? PASSED*"])


def test_a_failure_keeps_the_wire_the_story_the_journal_and_the_log_and_says_where(desk: Desk) -> None:
    desk.bench('[[bench]]\nname = "one"\nscreenshots = false\n[bench.shoe]\ndriver = "simulated"\n')
    result = desk.run(
        """
        def test_goes_wrong(table, shoe):
            table.open(1)
            shoe.deal("8S")
            table.wait_cards("8S")
            assert table.cards() == ["9S"]
        """
    )
    result.assert_outcomes(failed=1)
    folder = desk.artefacts("test_goes_wrong")
    result.stdout.fnmatch_lines([f"kept in {folder}:", "*wire.jsonl*", "*the hand: one shoe: deal 8S*"])
    assert {each.name for each in folder.iterdir()} == {"wire.jsonl", "timeline.txt", "journal.jsonl", "daemon.log"}
    with CaptureReader(folder / "wire.jsonl") as capture:
        entries = list(capture)
    assert capture.damage is None
    assert {each.direction for each in entries if isinstance(each, Chunk)} == {"from_device", "to_device"}
    timeline = (folder / "timeline.txt").read_text()
    assert timeline.index("the hand: one shoe: deal 8S") < timeline.index("shoe < card_read(card=8S")
    kinds = [json.loads(line)["kind"] for line in (folder / "journal.jsonl").read_text().splitlines()]
    assert "TableOpened" in kinds
    assert "ready" in (folder / "daemon.log").read_text()
    assert (folder / "wire.jsonl").stat().st_mode & 0o077 == 0
    assert (folder / "journal.jsonl").stat().st_mode & 0o077 == 0


def test_one_test_runs_on_many_devices_at_their_ports_and_of_every_protocol(desk: Desk, farm: Farm) -> None:
    left = farm.plug("left", ShoeBench("tablelink", shuffled(6, 1, 0), auto=0.05)).path
    desk.bench(
        f"""
        [[bench]]
        name = "left"
        [bench.shoe]
        driver = "tablelink"
        port = "{left}"
        hand = "none"
        """
        + "".join(
            f'[[bench]]\nname = "{shoe}-{sign}"\n[bench.shoe]\ndriver = "simulated"\nprotocol = "{shoe}"\n'
            f'[bench.sign]\ndriver = "simulated"\nprotocol = "{sign}"\n'
            '[bench.console]\ndriver = "simulated"\nprotocol = "gpio_keys"\n'
            for shoe, sign in (("angel_eye", "alpha_sign"), ("bee_tek", "tm1637"), ("line_reader", "escpos"))
        )
    )
    result = desk.run(
        """
        import pytest

        def test_a_card(shoe):
            if shoe.simulated:
                shoe.deal("8S")
                shoe.expect_card("8S")
            else:
                shoe.expect_card()

        def test_dealt(shoe):
            shoe.deal("8S")
            shoe.expect_card("8S")

        def test_sign(sign):
            sign.show(limits="1234")
            sign.expect_text("1234")

        def test_keys_on_pins(console):
            console.press("hit")
            console.expect_key("hit")

        @pytest.mark.fault("misread")
        def test_fault(shoe):
            shoe.deal()

        @pytest.mark.fault("stall")
        def test_on_any_line(shoe):
            told = len(shoe.cards)
            shoe.fault("stall", None)

        @pytest.mark.hardware
        def test_hardware(shoe, wire, power):
            card = shoe.expect_card()
            assert wire.shoe.heard
            power.unplug("shoe")
            shoe.await_lost()
            power.plug_in("shoe")
            assert shoe.await_ready().words

        def test_supply(shoe, power):
            power.cut("shoe")
        """,
        "-v",
    )
    result.stdout.fnmatch_lines(
        [
            "*test_a_card?left? PASSED*",
            "*test_a_card?angel_eye-alpha_sign? PASSED*",
            "*test_a_card?bee_tek-tm1637? PASSED*",
            "*test_dealt?left? SKIPPED*",
            "*test_dealt?line_reader-escpos? PASSED*",
            "*test_sign?bee_tek-tm1637? PASSED*",
            "*test_keys_on_pins?bee_tek-tm1637? PASSED*",
            "*test_fault?left? SKIPPED*",
            "*test_fault?bee_tek-tm1637? PASSED*",
            "*test_on_any_line?left? PASSED*",
            "*test_hardware?left? PASSED*",
            "*test_hardware?angel_eye-alpha_sign? SKIPPED*",
            "*test_supply?left? SKIPPED*",
        ]
    )
    said = result.stdout.str()
    for why in (
        'nobody is at left shoe to deal 8S: the bench file says hand = "none"',
        "the bench left has no sign: write [bench.sign] for one",
        "the real shoe of the bench left can't be given the fault misread",
        "nothing cuts the supply of left shoe: write [bench.power] with cut and restore",
    ):
        assert why in said
    assert result.parseoutcomes().get("failed", 0) == 0


class OtherVersion:
    """A shoe's end that says of itself that it speaks version 9."""

    def __init__(self, end: ShoeEnd) -> None:
        self._end, self._frames = end, FrameDecoder()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._end, name)

    def data_to_send(self, now: float) -> bytes:
        bodies = [frame.body for frame in self._frames.feed(self._end.data_to_send(now)) if isinstance(frame, Frame)]
        return b"".join(encode_frame(b"\x02\x09" + body[2:] if body[0] == Identity.id else body) for body in bodies)


def test_a_broken_bench_is_told_once_and_the_rest_of_its_tests_is_skipped_with_the_cause(
    desk: Desk, farm: Farm
) -> None:
    newer = ShoeBench("tablelink", shuffled(6, 1, 0))
    newer.end = cast(Any, OtherVersion(newer.end))
    ports = {
        "gone": Path("/dev/no-such-port"),
        "panel": farm.plug("panel", PanelBench()).path,
        "newer": farm.plug("newer", newer).path,
        "good": farm.plug("good", ShoeBench("tablelink", shuffled(6, 1, 0))).path,
    }
    desk.bench(
        "".join(
            f'[[bench]]\nname = "{name}"\nready_s = {10 if name == "good" else 2}\n'
            f'[bench.shoe]\ndriver = "tablelink"\nport = "{port}"\n'
            for name, port in ports.items()
        )
    )
    result = desk.run(
        """
        def test_one(shoe): pass
        def test_two(shoe): pass
        def test_three(wire): wire.shoe.send(b"1")
        """
    )
    result.assert_outcomes(passed=3, errors=3, skipped=6)
    said = result.stdout.str()
    for name, words in (
        ("gone", "gone shoe: /dev/no-such-port is not there"),
        ("panel", "answered as a panel, not as a shoe"),
        ("newer", "the device wants version 9, and this host speaks 1"),
    ):
        assert words in said
        result.stdout.fnmatch_lines([f"SKIPPED [[]2]*the bench {name} broke in test_one*{words}*"])


def test_a_device_lost_for_good_in_a_failing_test_breaks_its_bench(desk: Desk, tmp_path: Path) -> None:
    port = tmp_path / "shoe"
    command = (sys.executable, "-c", "from controller.cli import main; main()", "simulate", "shoe", "--link", str(port))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as shoe:
        try:
            desk.bench(f'[[bench]]\nname = "left"\nready_s = 1\n[bench.shoe]\ndriver = "tablelink"\nport = "{port}"\n')
            result = desk.run(
                f"""
                import os, signal
                import pytest

                @pytest.mark.hardware
                def test_marked(shoe):
                    raise AssertionError("a simulated device is no hardware")

                def test_one(shoe, clock):
                    assert shoe.simulated
                    os.kill({shoe.pid}, signal.SIGTERM)
                    shoe.await_lost()
                    assert shoe.ready

                def test_two(shoe): pass
                def test_three(shoe): pass
                """,
            )
        finally:
            shoe.terminate()
    result.assert_outcomes(failed=1, skipped=3)
    result.stdout.fnmatch_lines(["*The bench itself is broken: left shoe*", "SKIPPED [[]2]*broke in test_one*"])
    assert "for hardware only, and at the port of left shoe is a simulated device" in result.stdout.str()


def test_the_contracts_run_on_a_device_at_a_port_moved_by_a_stimulus_and_on_pins(desk: Desk, farm: Farm) -> None:
    shoe = farm.plug("shoe", ShoeBench("tablelink", shuffled(6, 1, 0)))
    desk.bench(
        f"""
        [[bench]]
        name = "left"
        [bench.shoe]
        driver = "tablelink"
        port = "{shoe.path}"
        stimulus = "{shoe.stimulus}"
        [[bench]]
        name = "others"
        [bench.shoe]
        driver = "simulated"
        protocol = "line_reader"
        [bench.sign]
        driver = "simulated"
        protocol = "tm1637"
        [bench.console]
        driver = "simulated"
        """
    )
    result = desk.contracts()
    assert result.parseoutcomes().get("failed", 0) == 0
    said = result.stdout.str()
    assert "a line_reader shoe does not keep its events" in said
    assert "it has no cable to be pulled" in said
    assert "the bench left has no sign: write [bench.sign] for one" in said
    result.stdout.fnmatch_lines(["*test_shoe_that_keeps_its_events?left-it_holds_an_event*PASSED*"])
    result.stdout.fnmatch_lines(["*test_console?others-each_press_is_told_once*PASSED*"])


def test_what_a_real_shoe_kept_from_before_a_test_is_no_part_of_it(desk: Desk, farm: Farm) -> None:
    shoe = farm.plug("shoe", ShoeBench("tablelink", shuffled(6, 1, 0)))
    desk.bench(
        f'[[bench]]\nname = "left"\n[bench.shoe]\ndriver = "tablelink"\nport = "{shoe.path}"\n'
        f'stimulus = "{shoe.stimulus}"\n'
    )
    desk.run(
        """
        def test_leaves_cards(shoe):
            shoe.commits = False
            shoe.deal("8S")
            shoe.deal("9S")
            shoe.expect_card("8S")

        def test_begins_anew(shoe):
            assert shoe.cards == []
            shoe.deal("TD")
            shoe.expect_card("TD")
        """
    ).assert_outcomes(passed=2)
