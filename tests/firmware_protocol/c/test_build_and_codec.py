"""The C code compiles, fits, and makes and reads the golden frames; its seals are those of Python."""

from __future__ import annotations

import random
import shutil
import subprocess
from hashlib import blake2s
from pathlib import Path
from typing import Any

import pytest

from firmware_protocol.tablelink import auth, messages
from firmware_protocol.tablelink.device import HostConnected, SlotChanged
from firmware_protocol.tablelink.framing import encode_frame
from firmware_protocol.tablelink.messages import (
    Hello,
    LidEvent,
    Ping,
    Show,
    decode_message,
    encode_message,
)
from tests.firmware_protocol.c.common import (
    AUTH,
    DEVICE_NONCE,
    HOST_NONCE,
    KEY,
    MAX_RAM,
    NEEDS_GCC,
    VECTORS,
    framed,
    vector,
)
from tests.firmware_protocol.c.harness import (
    BOOT,
    LINK,
    SOURCE,
    WARNINGS,
    CDevice,
    Pipe,
    build,
)

pytestmark = NEEDS_GCC


# Building and size


@pytest.mark.parametrize("auth", [False, True])
def test_it_compiles_optimised_without_a_warning_and_fits_its_memory(tmp_path: Path, auth: bool) -> None:
    with Pipe(build(tmp_path, auth=auth, flags=("-O2",))) as running:
        _, device, event, flag = running.one("Z").split()
    print(f"TL_AUTH={flag}: a device with 32 events and 16 slots takes {device} bytes on this machine")
    assert int(device) <= MAX_RAM
    assert int(event) == 8


BOARD = """
#include "tablelink.h"
#define STUB(name) volatile uint8_t name
STUB(port);
uint32_t board_start_count(void) { return port; }
uint32_t board_millis(void) { return port; }
bool board_received(uint8_t *byte) { *byte = port; return port; }
bool board_line_is_free(void) { return port; }
void board_send(const uint8_t *bytes, uint8_t size) { while (size--) { port = *bytes++; } }
bool board_card_passed(uint8_t *code) { *code = port; return port; }
void board_lock(bool locked) { port = locked; }
void board_table_lamp(bool on) { port = on; }
void board_stop_motor(bool stopped) { port = stopped; }
"""


@pytest.mark.skipif(shutil.which("avr-gcc") is None, reason="no avr-gcc: the size on the ATmega328P is not measured")
@pytest.mark.parametrize("auth", [0, 1])
def test_the_example_shoe_fits_an_atmega328p(tmp_path: Path, auth: int) -> None:
    (tmp_path / "board.c").write_text(BOARD)
    options = ("-Os", "-mmcu=atmega328p", "-ffunction-sections", "-Wl,--gc-sections", f"-DTL_AUTH={auth}")
    sources = [str(SOURCE / name) for name in (*LINK, "example_shoe.c")] + [str(tmp_path / "board.c")]
    program = str(tmp_path / "shoe.elf")
    command = ["avr-gcc", *WARNINGS, *options, "-I", str(SOURCE), "-o", program, *sources]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    sizes = subprocess.run(["avr-size", program], capture_output=True, text=True, check=True).stdout.split()
    flash, ram = int(sizes[6]) + int(sizes[7]), int(sizes[7]) + int(sizes[8])
    print(f"TL_AUTH={auth}: {flash} bytes of flash and {ram} of RAM on an ATmega328P, the example's loop included")
    assert flash <= 12 * 1024
    assert ram <= MAX_RAM


# Golden frames


def test_the_crc_has_its_check_value(pipe: Pipe) -> None:
    assert pipe.one("C " + b"123456789".hex()) == VECTORS["crc_check"]


def test_the_cards_are_those_of_the_table(pipe: Pipe) -> None:
    found = {f"{code:02X}" for code in range(256) if pipe.one(f"A {code}") == "1"}
    assert found == set(VECTORS["cards"])


@pytest.mark.parametrize("by_byte", [False, True])
def test_every_golden_frame_comes_out_of_its_body_and_back(pipe: Pipe, by_byte: bool) -> None:
    for entry in VECTORS["frames"] + VECTORS["unknown"] + VECTORS["bad_messages"]:
        assert pipe.one("G " + entry["body"]) == entry["frame"], entry["name"]
        data = bytes.fromhex(entry["frame"])
        parts = [data[i : i + 1] for i in range(len(data))] if by_byte else [data]
        lines = [line for answer in pipe.ask(*("F " + part.hex() for part in parts)) for line in answer]
        assert lines == ["body " + entry["body"]], entry["name"]


def test_bodies_that_are_empty_or_too_long_get_no_frame(pipe: Pipe) -> None:
    assert pipe.one("G") == ""
    assert pipe.one("G " + "55" * 65) == ""
    assert pipe.one("G " + "55" * 64) == encode_frame(b"\x55" * 64).hex()
    assert pipe.one("G " + "00" * 64) == encode_frame(bytes(64)).hex()


def test_bad_frames_are_dropped_and_the_next_one_is_found(pipe: Pipe) -> None:
    ping = vector("ping").hex()
    for entry in VECTORS["bad_frames"]:
        assert pipe.ask("F " + entry["bytes"], "F 0000" + ping) == [["bad"], ["body 080000"]], entry["name"]


def test_messages_are_told_from_bad_and_unknown_ones(pipe: Pipe) -> None:
    for verdict, group in (("good", "frames"), ("bad", "bad_messages"), ("unknown", "unknown")):
        for entry in VECTORS[group]:
            assert pipe.one("M " + entry["body"]) == verdict, entry["name"]


def pythons_verdict(body: bytes) -> str:
    try:
        return "unknown" if isinstance(decode_message(body), messages.Unknown) else "good"
    except messages.BadMessage:
        return "bad"


def test_every_id_and_length_gets_pythons_verdict(pipe: Pipe) -> None:
    bodies = [bytes([number]) + b"!" * size for number in range(128) for size in range(64)]
    answers = pipe.ask(*("M " + body.hex() for body in bodies))
    assert [verdict for [verdict] in answers] == [pythons_verdict(body) for body in bodies]


def test_golden_bodies_with_one_byte_changed_get_pythons_verdict(pipe: Pipe) -> None:
    """Serials that are not printable, events numbered 0, an oldest event above the next, cards that are none."""
    golden = [bytes.fromhex(entry["body"]) for entry in VECTORS["frames"]]
    bodies = [
        body[:place] + bytes([value]) + body[place + 1 :]
        for body in golden
        for place in range(1, len(body))
        for value in (0, 1, 0x20, 0x21, 0x29, 0x2B, 0x7E, 0x7F, 0xFF)
    ]
    answers = pipe.ask(*("M " + body.hex() for body in bodies))
    assert [verdict for [verdict] in answers] == [pythons_verdict(body) for body in bodies]


def test_events_are_encoded_as_the_golden_ones(pipe: Pipe) -> None:
    for entry in VECTORS["frames"]:
        event = decode_message(bytes.fromhex(entry["body"]))
        if isinstance(event, messages.Event):
            kept = [getattr(event, name) for name in event.__struct_fields__][3:]
            values = " ".join(map(str, kept))
            command = f"V {event.id} {BOOT} {event.number} {event.clock_ms} {values}"
            assert pipe.one(command) == entry["body"], entry["name"]


def test_a_device_answers_with_the_golden_frames(pipe: Pipe) -> None:
    device = CDevice(pipe, nonce=DEVICE_NONCE)
    device.receive(framed(Ping(5)), 0)
    assert device.data_to_send(0) == vector("no session")
    device.receive(framed(Hello(2, 3, HOST_NONCE)), 0)
    assert device.data_to_send(0) == vector("refused, version")
    pipe.ask("N 40")
    assert [device.add(LidEvent, 0, 1), device.add(LidEvent, 0, 0)] == [40, 41]
    device.receive(vector("hello of a later host"), 0)
    assert device.data_to_send(0) == vector("identity of a shoe")
    assert device.receive(vector("resume"), 0) == [HostConnected()]
    assert device.data_to_send(0) == vector("ready")
    device.receive(framed(Ping(0xFFFF)), 0)
    assert device.data_to_send(0) == vector("pong")
    assert device.receive(vector("lock"), 0) == [SlotChanged(0x80, b"\x01")]
    assert device.data_to_send(0) == vector("shown")
    for name in ("show text", "show nothing", "show the longest", "show zeros", "lamp on"):
        show = decode_message(vector(name, "body"))
        assert isinstance(show, Show)
        assert device.receive(vector(name), 0) == [SlotChanged(show.slot, show.content)], name
    keyed = CDevice(pipe, key=KEY, nonce=DEVICE_NONCE)
    keyed.receive(vector("resume"), 0)
    assert keyed.data_to_send(0) == vector("refused, key")


def test_the_longest_identity_is_the_golden_one_plain_and_sealed(pipe: Pipe) -> None:
    about: dict[str, Any] = {"boot": 1, "serial": "ABCDEFGHIJKLMNO", "roles": 7, "capabilities": 0x1FF}
    for key in (None, KEY):
        device = CDevice(pipe, key=key, firmware=(255, 0, 9), nonce=DEVICE_NONCE, **about)
        device.receive(vector("hello"), 0)
        name = "identity with the longest serial"
        [sealed] = [bytes.fromhex(entry["sealed"]) for entry in AUTH["sealed"] if entry["name"] == name]
        assert device.data_to_send(0) == (encode_frame(sealed) if key else vector(name))


@pytest.mark.parametrize(
    "wrong",
    [
        {"serial": ""},
        {"serial": "SIXTEEN-LETTERS!"},
        {"serial": "SHOE 42"},
        {"serial": "SHOE\x7f"},
        {"serial": "gr\N{LATIN SMALL LETTER U WITH DIAERESIS}n"},
        {"key": bytes(15)},
        {"key": bytes(33)},
        {"baud": 0},
        {"slots": bytes(17)},
    ],
)
def test_a_configuration_that_breaks_a_rule_is_refused(pipe: Pipe, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="refuses this configuration"):
        CDevice(pipe, **wrong)


@pytest.mark.parametrize(
    "right", [{"serial": "!"}, {"serial": "~" * 15}, {"key": bytes(16)}, {"baud": 2400}, {"slots": bytes(range(16))}]
)
def test_a_configuration_at_the_edge_of_a_rule_is_taken(pipe: Pipe, right: dict[str, Any]) -> None:
    CDevice(pipe, **right)


# BLAKE2s and seals


def test_blake2s_is_hashlibs_for_every_size_that_one_block_holds(pipe: Pipe) -> None:
    chance = random.Random(1)
    cases = [
        (digest, chance.randbytes(key), chance.randbytes(size))
        for size in range(1, 65)
        for key, digest in ((0, 32), (16, 32), (32, 8), (chance.randint(1, 32), chance.randint(1, 32)))
    ]
    answers = pipe.ask(*(f"B {digest} {key.hex() or '-'} {message.hex()}" for digest, key, message in cases))
    for (digest, key, message), [answer] in zip(cases, answers, strict=True):
        assert answer == blake2s(message, key=key, digest_size=digest).hexdigest()


def test_session_key_and_seals_are_the_golden_ones(pipe: Pipe) -> None:
    assert pipe.one(f"K {AUTH['key']} {AUTH['host_nonce']}{AUTH['device_nonce']}") == AUTH["session_key"]
    session = AUTH["session_key"]
    for entry in AUTH["sealed"]:
        way = ord(entry["direction"])
        assert pipe.one(f"X {session} {way} {entry['counter']} {entry['body']}") == entry["sealed"], entry["name"]
        assert pipe.one(f"Y {session} {way} {entry['sealed']}") == entry["body"], entry["name"]


def test_a_seal_refuses_forged_turned_replayed_and_reordered_frames(pipe: Pipe) -> None:
    session = bytes.fromhex(AUTH["session_key"])
    body = encode_message(Ping(7))
    first, second, third = (auth.seal(body, session, auth.FROM_HOST, counter).hex() for counter in (0, 5, 0xFFFFFFFF))
    heard = f"Y {session.hex()} {ord('H')}"
    plain = body.hex()
    assert pipe.ask(f"{heard} {second} {second} {first} {third} {third} {second}") == [
        [plain, "-", "-", plain, "-", "-"]
    ]
    assert pipe.one(f"Y {session.hex()} {ord('D')} {first}") == "-"
    assert pipe.one(f"{heard} {first[:-2]}") == "-"
    sealed = bytes.fromhex(first)
    for bit in range(8 * len(sealed)):
        forged = bytearray(sealed)
        forged[bit // 8] ^= 1 << bit % 8
        assert pipe.one(f"{heard} {forged.hex()}") == "-", bit


def test_a_counter_that_is_used_up_seals_nothing_more(pipe: Pipe) -> None:
    bodies = "080000 080000"
    used, empty = pipe.ask(f"X {AUTH['session_key']} {ord('D')} {0xFFFFFFFE} {bodies}")[0]
    assert used
    assert empty == "-"
