"""The C device does what PROTOCOL.md's golden frames say, and byte for byte what the Python device does.

Most tests drive a `Twin`, so each is a comparison of both ends as well. Compiled here with sanitizers: an overrun or
undefined behaviour ends the program, and the test with it.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Iterator
from hashlib import blake2s
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocol.tablelink import auth, messages
from firmware_protocol.tablelink.card_code import card_code
from firmware_protocol.tablelink.device import HostConnected, HostLost, SlotChanged
from firmware_protocol.tablelink.framing import DELIMITER, decode_frame, encode_frame
from firmware_protocol.tablelink.host import DeviceRefused, Known, SlotShown
from firmware_protocol.tablelink.messages import (
    Ack,
    CardEvent,
    Hello,
    LidEvent,
    Message,
    Ping,
    Resume,
    Show,
    decode_message,
    encode_message,
)
from tests.firmware_protocol.c_harness import (
    BOOT,
    LINK,
    SLOTS,
    SOURCE,
    WARNINGS,
    CDevice,
    Pipe,
    Table,
    Twin,
    build,
    cut,
)

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc: the C reference can't be compiled here")

VECTORS: Final[dict[str, Any]] = json.loads((SOURCE.parent / "vectors.json").read_text())
AUTH: Final = VECTORS["authentication"]
KEY: Final = bytes.fromhex(AUTH["key"])
OTHER_KEY: Final = bytes(range(1, 33))
HOST_NONCE: Final = bytes.fromhex(AUTH["host_nonce"])
DEVICE_NONCE: Final = bytes.fromhex(AUTH["device_nonce"])
MAX_RAM: Final = 1536
EIGHT: Final = card_code("8S")


@pytest.fixture(scope="module")
def pipe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipe]:
    with Pipe(build(tmp_path_factory.mktemp("c"), auth=True)) as running:
        yield running


@pytest.fixture(scope="module")
def plain_pipe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipe]:
    """The device compiled without authentication."""
    with Pipe(build(tmp_path_factory.mktemp("c"), auth=False)) as running:
        yield running


def framed(message: Message) -> bytes:
    return encode_frame(encode_message(message))


def sent(data: bytes) -> list[Message]:
    """The messages in what a device without a key sent."""
    return [decode_message(decode_frame(run)) for run in data.split(DELIMITER)[:-1]]


def vector(name: str, part: str = "frame") -> bytes:
    [found] = [entry for entry in VECTORS["frames"] if entry["name"] == name]
    return bytes.fromhex(found[part])


def opened(pipe: Pipe, **options: Any) -> Table:
    """A table whose device is a twin and connected."""
    table = Table(Twin(pipe, **options), key=options.get("key"), baud=options.get("baud", 115200)).run(100)
    assert table.host.phase == "open"
    return table


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


# Sessions


@pytest.mark.parametrize("key", [None, KEY, OTHER_KEY])
@pytest.mark.parametrize("baud", [9600, 115200])
def test_events_arrive_once_and_in_order_and_are_forgotten_when_committed(
    pipe: Pipe, key: bytes | None, baud: int
) -> None:
    table = opened(pipe, key=key, baud=baud)
    assert [connection.proven for connection in table.connections] == [False]
    assert table.from_device == [HostConnected()]
    for number in range(1, 100):
        assert table.device.add(CardEvent, 10 * number, EIGHT, 0) == number
        table.run(60)
    assert table.numbers == list(range(1, 100))
    assert [event.clock_ms for event in table.journal] == [10 * number for number in range(1, 100)]
    assert table.run(100).device.state()["queued"] == 0


def test_every_kind_of_event_arrives_with_its_values(pipe: Pipe) -> None:
    table = opened(pipe)
    for place, kind in enumerate(messages.EVENT_CLASSES):
        fields = len(kind.__struct_fields__) - 3
        assert table.device.add(kind, 0xFFFFFFFF, *(0x11, place)[:fields])
    table.run(100)
    assert [type(event) for event in table.journal] == list(messages.EVENT_CLASSES)


def test_an_event_that_can_not_be_is_not_kept(pipe: Pipe) -> None:
    twin = Twin(pipe)
    assert twin.add(CardEvent, 0, 0x0E, 0) == 0
    assert pipe.one("E 43 0 0 0") == "N 0"
    assert twin.state()["next_number"] == 1


@pytest.mark.parametrize("clock", [0, 2**32 - 1500, 2**31 - 1500])
def test_an_event_is_sent_again_after_growing_times_also_over_the_clocks_wrap(pipe: Pipe, clock: int) -> None:
    twin = Twin(pipe, clock=clock)
    twin.receive(framed(Resume(1, BOOT, 0)), 0)
    twin.add(CardEvent, 0, EIGHT, 0)
    assert len(sent(twin.data_to_send(0))) == 2
    times = []
    for ms in range(1, 13000):
        if ms % 1000 == 0:
            twin.receive(framed(Ping(1)), ms)
        twin.poll(ms)
        if any(isinstance(message, CardEvent) for message in sent(twin.data_to_send(ms))):
            times.append(ms)
    assert times[:1] == [281]  # 0.28 s at 115200, to the next millisecond
    assert [b - a for a, b in pairwise(times)] == [562, 1123, 2245, 4000, 4000]


def test_progress_sets_the_time_back_and_sends_only_the_rest(pipe: Pipe) -> None:
    twin = Twin(pipe)
    twin.receive(framed(Resume(1, BOOT, 0)), 0)
    for _ in range(3):
        twin.add(CardEvent, 0, EIGHT, 0)
    twin.data_to_send(0)
    twin.poll(281)
    assert len(sent(twin.data_to_send(281))) == 3
    twin.receive(framed(Ack(BOOT & 0xFFFF, 2)), 400)
    twin.poll(680)
    assert twin.data_to_send(680) == b""
    twin.poll(681)
    assert [event.number for event in sent(twin.data_to_send(681)) if isinstance(event, CardEvent)] == [3]


@pytest.mark.parametrize("key", [None, KEY])
def test_after_a_cut_the_host_resumes_and_knows_that_nothing_was_missed(pipe: Pipe, key: bytes | None) -> None:
    table = opened(pipe, key=key)
    table.device.add(CardEvent, 1, EIGHT, 0)
    table.run(100)
    for number in range(2, 10):
        table.device.add(CardEvent, number, EIGHT, 0)
    table.run(5000, to_device=cut, to_host=cut)
    assert table.losses == ["nothing was heard for 3 seconds"]
    assert table.from_device == [HostConnected(), HostLost()]
    table.run(1000)
    assert table.connections[-1].proven
    assert table.numbers == list(range(1, 10))
    assert table.from_device == [HostConnected(), HostLost(), HostConnected()]


def test_a_full_queue_stops_the_shoe_and_loses_nothing(pipe: Pipe) -> None:
    table = opened(pipe)
    table.committing = False
    stops = []
    for number in range(1, 33):
        assert table.device.add(CardEvent, 0, EIGHT, 0) == number
        stops.append(table.device.state()["must_stop"])
    assert stops == [0] * 29 + [1] * 3
    assert table.device.add(CardEvent, 0, EIGHT, 0) == 0
    table.run(2000)
    assert table.numbers == list(range(1, 33))
    assert table.device.state()["queued"] == 32
    table.committing = True
    table.commit()
    assert table.run(100).device.state()["must_stop"] == 0
    assert table.device.add(CardEvent, 0, EIGHT, 0) == 33
    assert table.run(100).numbers == list(range(1, 34))


@pytest.mark.parametrize("key", [None, KEY])
def test_a_restart_is_noticed_and_proves_nothing(pipe: Pipe, key: bytes | None) -> None:
    table = opened(pipe, key=key)
    table.device.add(CardEvent, 0, EIGHT, 0)
    table.run(100)
    table.device = Twin(pipe, boot=BOOT + 1, key=key, nonce=b"\0\0\0\0\1\0\0\0")
    table.run(3000)
    assert table.losses == ["the device has no session any more: it restarted"]
    assert [connection.proven for connection in table.connections] == [False, False]
    assert "restarted" in table.connections[-1].words
    table.device.add(CardEvent, 0, EIGHT, 0)
    assert table.run(100).numbers == [1, 1]


def test_a_host_that_restarts_goes_on_from_its_journal(pipe: Pipe) -> None:
    table = opened(pipe)
    for _ in range(5):
        table.device.add(CardEvent, 0, EIGHT, 0)
    table.run(100)
    table.device.add(CardEvent, 0, EIGHT, 0)
    later = Table(table.device, known=Known(BOOT, 5), now=table.now, host_nonce=b"\0\0\0\0LATE").run(200)
    assert later.connections[0].proven
    assert later.numbers == [6]


def test_without_a_session_ping_ack_and_show_are_answered_so_and_nothing_else_is(pipe: Pipe) -> None:
    twin = Twin(pipe)
    for message in (Ping(1), Ack(BOOT & 0xFFFF, 0), Show(0, 1, b"x"), Resume(1, BOOT + 1, 0)):
        twin.receive(framed(message), 0)
        assert twin.data_to_send(0) == vector("no session")
    for name in ("pong", "shown", "card 8S", "ready", "identity of a shoe"):
        twin.receive(vector(name), 0)
        assert twin.data_to_send(0) == b""
    assert twin.state()["open"] == 0


@pytest.mark.parametrize("versions", [(2, 9), (0, 0), (2, 1)])
def test_a_wrong_version_is_refused_and_an_open_session_goes_on(pipe: Pipe, versions: tuple[int, int]) -> None:
    table = opened(pipe)
    table.device.receive(framed(Hello(*versions, HOST_NONCE)), table.now)
    assert table.device.data_to_send(table.now) == vector("refused, version")
    table.device.add(CardEvent, 0, EIGHT, 0)
    assert table.run(2000).numbers == [1]
    assert table.losses == []


def test_a_stray_hello_leaves_the_session_open(pipe: Pipe) -> None:
    for key in (None, KEY):
        table = opened(pipe, key=key)
        table.device.receive(framed(Hello(1, 1, HOST_NONCE)), table.now)
        table.device.add(CardEvent, 0, EIGHT, 0)
        assert table.run(2000).numbers == [1]
        assert table.losses == []


def test_acks_of_another_boot_and_of_events_never_numbered_are_ignored(pipe: Pipe) -> None:
    twin = Twin(pipe)
    twin.receive(framed(Resume(1, BOOT, 0)), 0)
    twin.add(CardEvent, 0, EIGHT, 0)
    twin.data_to_send(0)
    for ack in (
        Ack(BOOT + 1 & 0xFFFF, 1),
        Ack(BOOT & 0xFFFF, 2),
        Ack(BOOT & 0xFFFF, 0xFFFFFFFF),
        Ack(BOOT & 0xFFFF, 0),
    ):
        twin.receive(framed(ack), 0)
        assert twin.state()["queued"] == 1
    twin.receive(framed(Resume(2, BOOT, 77)), 0)
    assert twin.state()["queued"] == 1
    twin.receive(framed(Ack(BOOT & 0xFFFF, 1)), 0)
    assert twin.state()["queued"] == 0


# A revision, whether it changes the slot, the revision it is answered with. Half the circle ahead is not newer.
CIRCLE: Final = (
    (5, 1, 5),
    (5, 0, 5),
    (4, 0, 5),
    (0x8005, 0, 5),
    (0x8004, 1, 0x8004),
    (5, 0, 0x8004),
    (3, 1, 3),
    (0xFFFF, 0, 3),
)


def test_slots_show_the_newest_and_answer_repeats(pipe: Pipe) -> None:
    table = opened(pipe)
    table.host.show(0x80, b"\1")
    table.host.show(0, b"MIN 25")
    table.run(100)
    assert table.from_device[1:] == [SlotChanged(0x80, b"\1"), SlotChanged(0, b"MIN 25")]
    assert [output.slot for output in table.from_host if isinstance(output, SlotShown)] == [0x80, 0]
    twin = table.device
    for revision, changed, answered in CIRCLE:
        outputs = twin.receive(framed(Show(1, revision, b"x")), table.now)
        assert (len(outputs), sent(twin.data_to_send(table.now))) == (changed, [messages.Shown(1, answered)]), revision
    twin.receive(framed(Resume(1, BOOT, 0)), table.now)
    assert twin.receive(framed(Show(1, 3, b"y")), table.now) == [SlotChanged(1, b"y")]


def test_of_several_questions_in_one_read_the_last_of_each_kind_is_answered(pipe: Pipe) -> None:
    table = opened(pipe)
    questions = [Hello(1, 1, HOST_NONCE), Ping(1), Show(0, 100, b"a"), Show(1, 100, b"b"), Resume(7, BOOT, 0), Ping(2)]
    questions += [Show(0, 101, b"c"), Hello(9, 9, HOST_NONCE), Hello(1, 1, DEVICE_NONCE), Ping(3)]
    table.device.receive(b"".join(map(framed, questions * 30)), table.now)
    answers = sent(table.device.data_to_send(table.now))
    kinds = [type(answer).__name__ for answer in answers]
    assert kinds == ["Shown", "Ready", "Shown", "Refused", "Identity", "Pong"]
    assert isinstance(answers[4], messages.Identity)
    assert answers[4].host_nonce == DEVICE_NONCE
    assert answers[5] == messages.Pong(3)


def test_a_slot_the_device_does_not_have_is_answered_and_counted(pipe: Pipe) -> None:
    table = Table(CDevice(pipe, slots=b"\0")).run(100)
    table.host.show(0x40, b"\1")
    table.host.show(0x41, b"\1")
    table.run(3000)
    assert table.from_device == [HostConnected()]
    assert {output.slot for output in table.from_host if isinstance(output, SlotShown)} == {0x40, 0x41}
    assert table.device.state()["unknown_slots"] >= 2


def test_what_was_due_to_a_lost_host_is_not_sent_later(pipe: Pipe) -> None:
    twin = Twin(pipe)
    twin.receive(framed(Resume(1, BOOT, 0)) + framed(Ping(1)) + framed(Show(0, 1, b"x")), 0)
    assert twin.poll(2999) == []
    assert twin.poll(3000) == [HostLost()]
    assert twin.data_to_send(3000) == b""


def test_frames_may_be_taken_one_at_a_time(pipe: Pipe) -> None:
    device = CDevice(pipe)
    device.receive(framed(Resume(1, BOOT, 0)), 0)
    for _ in range(3):
        device.add(CardEvent, 0, EIGHT, 0)
    frames = [device.frames_to_send(0, "D1") for _ in range(2)]
    device.receive(framed(Ping(9)), 5)
    frames += [device.frames_to_send(5, "D1") for _ in range(4)]
    kinds = [type(message).__name__ for part in frames for message in sent(b"".join(part))]
    assert kinds == ["Ready", "CardEvent", "Pong", "CardEvent", "CardEvent"]


def test_a_pulled_cable_closes_the_session_and_keeps_the_events(pipe: Pipe) -> None:
    table = opened(pipe)
    table.device.add(CardEvent, 0, EIGHT, 0)
    table.device.receive(vector("ping")[:3], table.now)
    assert table.device.disconnected() == [HostLost()]
    assert table.device.disconnected() == []
    assert table.device.state()["queued"] == 1
    assert table.run(2000).numbers == [1]


# Keys


@pytest.mark.parametrize(
    ("device_key", "host_key", "words"),
    [
        (KEY, OTHER_KEY, "another key"),
        (KEY, None, "wants its key"),
        (None, KEY, "the device uses none"),
    ],
)
def test_without_the_right_key_there_is_no_session(
    pipe: Pipe, device_key: bytes | None, host_key: bytes | None, words: str
) -> None:
    table = Table(Twin(pipe, key=device_key), key=host_key).run(8000)
    assert table.connections == []
    [refused] = [output for output in table.from_host if isinstance(output, DeviceRefused)]
    assert words in refused.words
    assert table.from_device == []


def test_a_keyed_device_obeys_no_plain_frame_but_hello(pipe: Pipe) -> None:
    table = opened(pipe, key=KEY)
    table.device.add(CardEvent, 0, EIGHT, 0)
    table.device.data_to_send(table.now)
    for message in (Ack(BOOT & 0xFFFF, 1), Ping(1), Show(0, 1, b"x")):
        assert table.device.receive(framed(message), table.now) == []
        assert table.device.data_to_send(table.now) == b""
    table.device.receive(framed(Resume(1, BOOT, 1)), table.now)
    assert table.device.data_to_send(table.now) == vector("refused, key")
    state = table.device.state()
    assert (state["queued"], state["unsealed"]) == (1, 4)


def test_replayed_and_reordered_frames_change_nothing(pipe: Pipe) -> None:
    table = opened(pipe, key=KEY)
    recorded: list[bytes] = []
    table.host.show(0, b"one")

    def listening(data: bytes) -> bytes:
        recorded.append(data)
        return data

    table.run(3000, to_device=listening)
    table.host.show(0, b"two")
    table.run(1000)
    before = table.device.state()
    shown = len(table.from_device)
    for data in [*recorded, *reversed(recorded)]:
        assert table.device.receive(data, table.now) == []
        assert table.device.data_to_send(table.now) == b""
    assert len(table.from_device) == shown
    assert table.device.state()["forged"] > before["forged"]
    later = Twin(pipe, boot=BOOT, key=KEY, nonce=b"\0\0\0\0\7\0\0\0")  # the same boot id by mistake: still safe
    for data in recorded:
        assert later.receive(data, table.now) == []
    assert later.state()["open"] == 0


def test_a_session_whose_counter_is_nearly_used_up_is_replaced(pipe: Pipe) -> None:
    """C alone: it looks before each frame, Python before each batch, so C ends the session a call earlier."""
    table = Table(CDevice(pipe, key=KEY), key=KEY, known=Known(BOOT, 0)).run(100)
    pipe.ask(f"H {0xFFFFFFFF - 1024}")
    table.device.add(CardEvent, 0, EIGHT, 0)
    assert table.run(20).numbers == [1]
    table.device.add(CardEvent, 0, EIGHT, 0)
    table.run(3000)
    assert table.numbers == [1, 2]
    assert table.from_device == [HostConnected(), HostLost(), HostConnected()]
    assert [connection.proven for connection in table.connections] == [True, True]


def test_a_device_compiled_without_keys_works_and_takes_no_sealed_frame(plain_pipe: Pipe) -> None:
    table = opened(plain_pipe)
    table.device.add(CardEvent, 0, EIGHT, 0)
    assert table.run(100).numbers == [1]
    sealed = auth.seal(encode_message(Ping(1)), bytes(32), auth.FROM_HOST, 0)
    table.device.receive(encode_frame(sealed), table.now)
    assert table.device.data_to_send(table.now) == b""
    assert table.device.state()["forged"] == 1
    with pytest.raises(ValueError, match="refuses"):
        CDevice(plain_pipe, key=KEY)


# Chance

FAULTS = ("good", "good", "good", "lost", "flipped", "cut short", "twice", "noise", "late")


class BadLine:
    """Does to each burst of bytes what it is told, then what comes by itself is good."""

    def __init__(self, faults: list[tuple[str, int]]) -> None:
        self.faults = faults
        self.late = b""

    def __call__(self, data: bytes) -> bytes:
        if not data:
            return data
        fault, place = self.faults.pop() if self.faults else ("good", 0)
        place %= len(data)
        late, self.late = self.late, b""
        match fault:
            case "lost":
                data = b""
            case "flipped":
                data = data[:place] + bytes([data[place] ^ (1 << place % 8)]) + data[place + 1 :]
            case "cut short":
                data = data[:place]
            case "twice":
                data += data
            case "noise":
                data = data[:place] + random.Random(place).randbytes(place % 90) + data[place:]
            case "late":
                data, self.late = b"", data
        return data + late  # what is late comes behind its successor: out of order


faults = st.lists(st.tuples(st.sampled_from(FAULTS), st.integers(0, 255)), max_size=60)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(keyed=st.booleans(), down=faults, up=faults, cards=st.lists(st.integers(1, 8), max_size=12))
def test_over_any_bad_line_every_event_arrives_once_and_in_order(
    pipe: Pipe, keyed: bool, down: list[tuple[str, int]], up: list[tuple[str, int]], cards: list[int]
) -> None:
    key = KEY if keyed else None
    table = Table(Twin(pipe, key=key), key=key, known=Known(BOOT, 0))
    to_device, to_host = BadLine(down), BadLine(up)
    added = 0
    for several in cards:
        for _ in range(several):
            added += table.device.add(CardEvent, 0, EIGHT, 0) > 0
        table.run(600, step=100, to_device=to_device, to_host=to_host)
    for _ in range(60):
        if not (to_device.faults or to_host.faults):
            break
        table.run(1000, step=100, to_device=to_device, to_host=to_host)
    table.run(9200, step=100, to_device=to_device, to_host=to_host)  # TL-074
    assert table.numbers == list(range(1, added + 1))
    assert all(connection.proven for connection in table.connections)
    assert table.device.state()["queued"] == 0


def random_frame(chance: random.Random, seal: tuple[bytes, int] | None = None) -> bytes:
    """A right frame with a body of chance: half of them right messages but for their values."""
    body = bytearray(chance.randbytes(chance.randint(1, 52)))
    if chance.random() < 0.7:
        body = bytearray.fromhex(chance.choice(VECTORS["frames"] + VECTORS["bad_messages"])["body"])
        if len(body) > 1 and chance.random() < 0.7:
            body[chance.randrange(1, len(body))] = chance.randrange(256)
    if body[0] & 0x7F == Show.id and len(body) > 1:
        body[1] = chance.choice(SLOTS)  # the Python device has all slots, the C device these
    if seal:
        body[0] &= 0x7F
        return encode_frame(auth.seal(bytes(body[:52]), seal[0], auth.FROM_HOST, seal[1]))
    return encode_frame(bytes(body))


@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_both_devices_send_the_same_bytes_whatever_comes(pipe: Pipe, keyed: bool, seed: int) -> None:
    """A host, a bad line, a stranger who knows the format and sometimes the session key, and hands on the shoe."""
    chance = random.Random(seed)
    key = chance.randbytes(chance.randint(16, 32)) if keyed else None
    baud = chance.choice([9600, 19200, 57600, 115200])
    boot = chance.getrandbits(32)
    twin = Twin(pipe, boot=boot, key=key, baud=baud, clock=chance.getrandbits(32))
    table = Table(twin, key=key, baud=baud)
    held: list[bytes] = []
    for _ in range(1200):
        match chance.randrange(12):
            case 0 | 1:
                kind = chance.choice(messages.EVENT_CLASSES)
                fields = len(kind.__struct_fields__) - 3
                twin.add(kind, chance.getrandbits(32), *(EIGHT, chance.randrange(256))[:fields])
            case 2 | 3:
                twin.add(CardEvent, table.now, EIGHT, 0)
            case 4:
                table.host.show(chance.choice(SLOTS), chance.randbytes(chance.randint(0, 48)))
            case 5:
                seal = table.host._seal
                sealed = (seal.session, seal.counter + chance.randint(0, 2)) if seal else None
                held.append(random_frame(chance, sealed if chance.random() < 0.8 else None))
            case 6:
                held.append(chance.randbytes(chance.randint(1, 100)))
            case 7:
                held.append(framed(Resume(chance.getrandbits(16), boot, chance.randrange(3 * twin.python.next_number))))
            case 8 if held:
                data = b"".join(chance.choices(held, k=1 if keyed else 3))
                place = chance.randrange(len(data) + 1)
                twin.receive(data[:place], table.now)
                if chance.random() < 0.8:
                    twin.receive(data[place:], table.now)
                if keyed or chance.random() < 0.5:
                    twin.data_to_send(table.now)
            case 9:
                bend = chance.choice((bytes, bytes, bytes, cut))
                step = chance.choice((1, 7, 50, 281, 1000))
                table.run(step * chance.randint(1, 5), step=step, to_device=bend, to_host=bend)
            case 10 if chance.random() < 0.1:
                twin.disconnected()
            case _:
                table.committing = chance.random() < 0.8
                twin.data_to_send(table.now)
                table.run(40)
        twin.state()
    assert len(table.connections) >= 2
    assert len(table.journal) > 20


@pytest.mark.parametrize("seed", range(3))
def test_noise_breaks_nothing_and_a_session_is_possible_after_it(pipe: Pipe, plain_pipe: Pipe, seed: int) -> None:
    chance = random.Random(seed)
    for running, key in ((plain_pipe, None), (pipe, None), (pipe, KEY)):
        device = CDevice(running, key=key)
        for number in range(40):
            device.add(CardEvent, number, EIGHT, 0)
        for now in range(60):
            parts = [chance.randbytes(chance.randint(1, 200)) for _ in range(20)]
            few = bytes(chance.choice(b"\0\0\1\2\3\x08\x18\x80\x88") for _ in range(2000))  # many short frames
            frames = [random_frame(chance) for _ in range(20)]
            device.receive(b"".join(parts) + few + b"".join(frames), 100 * now)
            assert all(len(frame) <= 68 and frame[-1] == 0 for frame in device.frames_to_send(100 * now))
            device.poll(100 * now)
        assert device.state()["bad_frames"] > 100
        table = Table(device, key=key, now=20_000).run(8000)
        assert table.connections
        assert table.numbers == list(range(table.numbers[0], 33)) if table.numbers else True
