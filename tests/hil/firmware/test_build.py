"""The firmware's build: fits its controller, says what is missing, takes a maker's own sensor; and the memory."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hil.firmware.build import SOURCE, Board, NotBuilt, build, missing
from hil.firmware.device import Device
from tests.hil.firmware.conftest import Start
from tests.hil.firmware.host import Host

HostOf = Callable[..., Host]
STARTS, RECORD, WRITTEN, RECORDS = 0x40, 8, 6, 16  # src/memory.h
STACK = 450  # the link's deepest is about 400 with authentication, and an interrupt comes on top
NEEDS_AVR = pytest.mark.skipif(shutil.which("avr-gcc") is None, reason="no avr-gcc: make firmware-tools")
NEEDS_GCC = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc: make firmware-tools")
READER = """
#include "board.h"
#include "sensor.h"
void sensor_start(void) {}
uint16_t sensor_capabilities(void) { return TL_CAN_SUITS; }
bool sensor_take(sensor_event *event, bool stopped)
{
    event->kind = TL_CARD;
    event->value = 0x38;
    event->second_value = 0;
    return !stopped && board_millis() % 1000 == 0;
}
void sensor_told(bool kept) { (void)kept; }
"""


def make(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", "-C", str(SOURCE), *words], capture_output=True, text=True, timeout=120, check=False)


@NEEDS_AVR
@pytest.mark.parametrize("auth", ["0", "1"])
def test_both_roles_fit_the_atmega328p_with_room_for_the_stack(tmp_path: Path, auth: str) -> None:
    done = make("avr", f"OUT={tmp_path}", f"AUTH={auth}")
    assert done.returncode == 0, done.stderr
    sizes = re.findall(r"^(\w+) on the ATmega328P: flash (\d+) of 32256 bytes, RAM (\d+) of 2048", done.stdout, re.M)
    assert [name for name, _, _ in sizes] == ["shoe", "sign"]
    for name, flash, ram in sizes:
        assert int(flash) <= 32256, name
        assert int(ram) <= 2048 - STACK, name
    assert (tmp_path / "shoe.hex").read_text().startswith(":10")


@NEEDS_AVR
def test_a_makers_own_sensor_is_one_file_and_leaves_the_bench_out(tmp_path: Path) -> None:
    (tmp_path / "reader.c").write_text(READER)
    done = make(f"{tmp_path}/shoe.elf", f"OUT={tmp_path}", f"SENSOR={tmp_path}/reader.c")
    assert done.returncode == 0, done.stderr
    listed = subprocess.run(["avr-nm", tmp_path / "shoe.elf"], capture_output=True, text=True, check=True).stdout
    assert "sensor_take" in listed
    assert "stimulus" not in listed
    assert "bench" not in listed


@pytest.mark.parametrize(
    ("target", "variable", "words"),
    [
        ("native", "CC=no-such-gcc", "There is no no-such-gcc here, the C compiler of this machine"),
        ("avr", "AVR_CC=no-such-gcc", "There is no no-such-gcc here, the C compiler for the ATmega328P"),
        ("simavr", "CC=true-but-no-headers", "There is no simavr here"),
    ],
)
def test_what_is_missing_is_said_with_what_installs_it(tmp_path: Path, target: str, variable: str, words: str) -> None:
    if "no-headers" in variable:
        compiler = tmp_path / "cc"
        compiler.write_text("#!/bin/sh\nexit 1\n")
        compiler.chmod(0o755)
        variable = f"CC={compiler}"
    done = make(target, f"OUT={tmp_path}/out", variable)
    assert done.returncode != 0
    assert words in done.stderr
    assert "make firmware-tools" in done.stderr


@NEEDS_GCC
def test_a_serial_that_the_protocol_forbids_never_speaks(tmp_path: Path) -> None:
    programs = build(tmp_path, "native", SERIAL="TOO-LONG-A-SERIAL")
    with Device("shoe", "native", programs, tmp_path) as shoe:
        assert shoe.tell("deal 8S").words == "stopped"
        assert shoe.pins == {"motor": "stopped", "lamp": "off"}
        with pytest.raises(AssertionError, match="only  came"):
            Host(shoe.link, patience_s=1.0).open().hello()


@NEEDS_GCC
def test_another_serial_is_another_build_and_the_same_is_none(tmp_path: Path) -> None:
    times = []
    for serial in ("ONE", "ONE", "TWO"):
        build(tmp_path, "native", SERIAL=serial)
        times.append((tmp_path / "shoe").stat().st_mtime_ns)
        assert serial.encode() in (tmp_path / "shoe").read_bytes()
    assert times[0] == times[1] < times[2]


@NEEDS_GCC
def test_a_build_that_fails_says_so_in_the_tools_words(tmp_path: Path) -> None:
    with pytest.raises(NotBuilt, match=r"No rule to make target 'bench/not_there\.c'"):
        build(tmp_path, "native", BENCH="bench/not_there.c")


def test_what_is_missing_here_has_a_reason() -> None:
    assert missing("native") == "" or "make firmware-tools" in missing("native")
    assert missing("simavr") == "" or "make firmware-tools" in missing("simavr")


# Its memory


def boot_of(host: HostOf, device: Device) -> int:
    table = host(device)
    boot = table.connect().identity.boot
    table.close()
    return boot


def record_at(place: int) -> slice:
    return slice(STARTS + place * RECORD, STARTS + (place + 1) * RECORD)


def test_the_number_of_a_start_is_never_used_again_around_the_records(start: Start, host: HostOf) -> None:
    shoe = start("shoe")
    boots = [boot_of(host, shoe)]
    for _ in range(RECORDS + 4):
        shoe.power(False)
        shoe.power(True)
        boots.append(boot_of(host, shoe))
    assert boots == list(range(boots[0], boots[0] + RECORDS + 5))


def test_a_power_cut_while_the_number_is_written_leaves_the_one_before(
    board: Board, programs: Path, tmp_path: Path, host: HostOf
) -> None:
    device = Device("shoe", board, programs, tmp_path)
    with device:
        before = boot_of(host, device)
        device.reset()
        whole = boot_of(host, device)
    assert whole == before + 1
    memory = bytearray(device.memory.read_bytes())
    written = memory[record_at(1)]
    for torn in range(RECORD):
        memory[record_at(1)] = written[:torn] + b"\xff" * (RECORD - torn)
        device.memory.write_bytes(memory)
        with device:
            boot = boot_of(host, device)
        assert boot == (whole + 1 if torn >= WRITTEN else whole), f"torn after {torn} bytes"


def test_a_new_memory_begins_where_no_other_began_and_a_strange_one_is_refused(
    programs: Path, tmp_path: Path, host: HostOf
) -> None:
    if not (programs / "shoe").exists():
        pytest.skip("a number for a new memory is in the ATmega328P's image: each build has another")
    boots = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with Device("shoe", "native", programs, tmp_path / name) as shoe:
            boots.append(boot_of(host, shoe))
    assert boots[0] != boots[1]
    (tmp_path / "one" / "shoe.eeprom").write_bytes(b"half")
    with (
        pytest.raises(RuntimeError, match="it has not 1024 bytes"),
        Device("shoe", "native", programs, tmp_path / "one"),
    ):
        pass
