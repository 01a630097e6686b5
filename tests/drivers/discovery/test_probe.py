"""Asking a port who is there: real ptys, and every kind of far end that may be behind one."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from drivers.discovery.ear import FLOOD, Ear
from drivers.discovery.probe import Outcome, Patience, probe
from drivers.errors import PortLost
from drivers.ports.base import LineSettings, Port
from drivers.ports.memory import memory_pair
from drivers.ports.pty import PtyPair
from drivers.ports.tty import open_tty
from firmware_protocol.angel_eye import AngelEyeShoe
from firmware_protocol.bee_tek import BeeTekShoe
from firmware_protocol.tablelink.endpoint import framed
from firmware_protocol.tablelink.framing import Frame, FrameDecoder
from firmware_protocol.tablelink.messages import (
    ROLE_PANEL,
    ROLE_SIGN,
    SIMULATED,
    Hello,
    Message,
    NoSession,
    Refused,
    decode_message,
)
from tests.drivers.discovery.machines import Behaviour, chatter, echo, on_pty, silent, tablelink

SHORT: Final = Patience(listen_s=0.1, ask_s=0.2)  # for far ends that never answer
LONG: Final = Patience(listen_s=0.1, ask_s=30.0)  # for those that do: it ends with the answer
LISTEN: Final = Patience(listen_s=30.0, ask_s=0.2)  # for those that talk by themselves


async def asked(behave: Behaviour, patience: Patience, bauds: Sequence[int] = (115200, 9600)) -> tuple[Outcome, bytes]:
    """What is made of a far end, and all that was sent to it."""
    async with on_pty(behave) as far:
        outcome = await probe(far.path, open_tty, bauds=bauds, patience=patience)
        return outcome, bytes(far.got)


def messages(sent: bytes) -> list[Message]:
    found = FrameDecoder().feed(sent)
    assert all(isinstance(each, Frame) for each in found)
    return [decode_message(each.body) for each in found if isinstance(each, Frame)]


async def test_a_shoe_says_who_it_is() -> None:
    outcome, sent = await asked(tablelink("SH-42"), LONG)
    assert (outcome.said, outcome.asked) == ("answered", True)
    answer = outcome.answer
    assert answer is not None
    assert (answer.roles, answer.serial, answer.firmware, answer.boot) == (("shoe",), "SH-42", "1.2.3", 0xB007)
    assert (answer.capabilities, answer.simulated, answer.baud) == (
        ("suits", "cut_card", "keeps_queue"),
        False,
        115200,
    )
    assert outcome.words == "answers as a shoe (TableLink, serial SH-42, firmware 1.2.3)"
    assert all(isinstance(each, Hello) for each in messages(sent))


async def test_a_device_may_have_several_roles_or_none() -> None:
    both, _ = await asked(tablelink(roles=ROLE_SIGN | ROLE_PANEL), LONG)
    none, _ = await asked(tablelink(roles=0x40), LONG)
    assert both.answer is not None
    assert both.answer.roles == ("sign", "panel")
    assert none.answer is not None
    assert none.answer.roles == ()
    assert "without a role" in none.words


async def test_a_simulated_device_is_marked() -> None:
    outcome, _ = await asked(tablelink("SIM-1", capabilities=SIMULATED), LONG)
    assert outcome.answer is not None
    assert outcome.answer.simulated
    assert "a SIMULATED shoe" in outcome.words


async def test_a_device_that_wants_its_key_says_so_without_it() -> None:
    outcome, _ = await asked(tablelink(key=bytes(16)), LONG)
    assert outcome.answer is not None
    assert "needs_key" in outcome.answer.capabilities


async def test_a_device_of_another_version_is_no_shoe_to_use() -> None:
    async def refuse(port: Port, got: bytearray) -> None:
        while True:
            got += await port.read()
            await port.write(framed(Refused(1, 2, 3), None))

    outcome, _ = await asked(refuse, LONG)
    assert outcome.said == "refused"
    assert "versions 2 to 3" in outcome.words
    assert "firmware" in outcome.advice


async def test_a_silent_port_is_told_as_silent_at_every_speed_tried() -> None:
    outcome, sent = await asked(silent, SHORT)
    assert (outcome.said, outcome.asked) == ("silent", True)
    assert outcome.words == "nothing answered at 115200 or 9600 baud"
    assert len(messages(sent)) >= 2


async def test_a_board_that_greets_in_plain_text_is_still_asked() -> None:
    outcome, _ = await asked(tablelink(greeting=b"ets Jun  8 2016 00:22:57\r\nrst:0x1\r\n"), LONG)
    assert outcome.answer is not None


async def test_a_glitch_on_the_line_is_no_reason_not_to_ask() -> None:
    outcome, _ = await asked(tablelink(greeting=b"\xff\x00\xf8"), LONG)
    assert outcome.answer is not None


async def test_a_device_that_misses_the_first_hello_is_heard_at_the_next() -> None:
    deaf = 1

    async def behave(port: Port, got: bytearray) -> None:
        nonlocal deaf
        while deaf:
            await port.read()
            deaf -= 1
        await tablelink()(port, got)

    outcome, _ = await asked(behave, LONG)
    assert outcome.answer is not None


async def test_the_answer_to_somebody_elses_hello_is_none() -> None:
    other, _ = await asked(tablelink(), LONG)
    assert other.answer is not None
    ear = Ear(b"another!", 115200)
    async with on_pty(tablelink()) as far:
        port = await open_tty(far.path, LineSettings())
        await port.write(framed(Hello(1, 1, b"somebody"), None))
        ear.hear(await port.read())
        await port.close()
    assert ear.answer is None


async def test_an_angel_eye_is_recognised_and_nothing_is_sent_to_it() -> None:
    shoe = AngelEyeShoe()
    says = [shoe.start()] * 3 + [shoe.draw("8S")] * 3
    outcome, sent = await asked(chatter(*says), LISTEN)
    assert (outcome.said, outcome.looks_like, outcome.asked) == ("other", "angel_eye", False)
    assert outcome.words == "looks like an Angel Eye shoe; nothing was sent to it"
    assert sent == b""


async def test_an_angel_eye_that_speaks_after_the_first_listening_is_not_sent_to_either() -> None:
    shoe = AngelEyeShoe()
    opened = 0

    async def later(path: str, line: LineSettings) -> Port:
        nonlocal opened
        opened += 1
        near, far = memory_pair(path)
        if opened > 1:
            await far.write(b"\x80" + shoe.draw("TD"))
        return near

    outcome = await probe("made up", later, patience=SHORT)
    assert (outcome.looks_like, outcome.asked) == ("angel_eye", False)


async def test_a_bee_tek_is_recognised() -> None:
    outcome, sent = await asked(chatter(BeeTekShoe().draw("KH")), LISTEN)
    assert (outcome.looks_like, outcome.asked, sent) == ("bee_tek", False, b"")


async def test_chatter_at_another_speed_is_not_sent_to() -> None:
    """An Angel Eye at 9600 read at 115200 is bytes that mean nothing."""
    outcome, sent = await asked(chatter(b"\xf8\x00\x80\xe0\xfe" * 3), SHORT)
    assert (outcome.said, outcome.looks_like, outcome.asked, sent) == ("other", None, False, b"")
    assert "no TableLink: F8 00 80" in outcome.words
    assert outcome.words.endswith("nothing was sent to it")


async def test_a_reader_that_sends_lines_is_shown_as_text() -> None:
    outcome, _ = await asked(chatter(b"0012345\r\n", gap_s=0.2), SHORT)
    assert outcome.said == "other"
    assert "'0012345\\r\\n" in outcome.words


async def test_a_flood_of_noise_ends_in_bounded_time_and_memory() -> None:
    noise = random.Random(4).randbytes(4096)
    outcome, sent = await asked(chatter(noise, gap_s=0), LISTEN)
    assert outcome.said == "other"
    assert "a flood of bytes" in outcome.words
    assert sent == b""


@pytest.mark.parametrize("seed", range(8))
def test_a_megabyte_of_noise_is_no_shoe(seed: int) -> None:
    drawn = random.Random(seed)
    ear = Ear(bytes(8), None)
    for _ in range(256):
        ear.hear(drawn.randbytes(4096))
    assert ear.answer is None
    assert ear.looks_like is None
    assert ear.must_not_be_asked
    assert ear.heard <= FLOOD + 4096


async def test_a_loop_back_plug_is_no_device() -> None:
    outcome, _ = await asked(echo, SHORT)
    assert outcome.said == "other"
    assert "loop-back" in outcome.words


async def test_a_device_that_talks_tablelink_and_never_answers_is_told() -> None:
    outcome, _ = await asked(chatter(framed(NoSession(), None)), SHORT)
    assert "speaks TableLink and does not answer" in outcome.words
    assert outcome.asked


async def test_a_port_that_takes_no_bytes_is_given_up() -> None:
    async def stuffed(path: str, line: LineSettings) -> Port:
        near, _ = memory_pair(path)
        await near.write(bytes(4096))
        return near

    outcome = await probe("made up", stuffed, bauds=(), patience=SHORT)
    assert (outcome.said, outcome.words) == ("silent", "took no bytes and sent none")


async def test_a_port_that_hangs_up_while_asked_is_told() -> None:
    async def hang_up(path: str, line: LineSettings) -> Port:
        near, far = memory_pair(path)
        await far.close()
        return near

    outcome = await probe("made up", hang_up, patience=SHORT)
    assert outcome.said == "failed"
    assert "hung up" in outcome.words


async def test_a_port_without_a_speed_is_asked_once() -> None:
    opened: list[LineSettings] = []

    async def opening(path: str, line: LineSettings) -> Port:
        opened.append(line)
        near, _ = memory_pair(path)
        return near

    outcome = await probe("socket://127.0.0.1:1", opening, bauds=(), patience=SHORT)
    assert outcome.words == "nothing answered"
    assert len(opened) == 1


async def test_the_angel_eyes_own_speed_is_listened_to_first_and_never_written() -> None:
    opened: list[tuple[int, Port]] = []

    async def opening(path: str, line: LineSettings) -> Port:
        near, far = memory_pair(path)
        opened.append((line.baud, far))
        return near

    await probe("made up", opening, patience=SHORT)
    assert [baud for baud, _ in opened] == [4800, 115200, 9600]
    with pytest.raises(PortLost):
        await opened[0][1].read()
    assert await opened[1][1].read()


@pytest.mark.parametrize("what", ["a directory", "a plain file", "nothing"])
async def test_a_path_that_is_no_port_is_told_in_words(tmp_path: Path, what: str) -> None:
    path = tmp_path / "port"
    if what == "a directory":
        path.mkdir()
    elif what == "a plain file":
        path.write_text("")
    outcome = await probe(str(path), open_tty, patience=SHORT)
    assert (outcome.said, outcome.asked) == ("failed", False)
    assert ("is not there" if what == "nothing" else what) in outcome.words


async def test_a_pty_whose_owner_is_gone_is_told() -> None:
    pair = PtyPair(hold=False)
    await pair.close()
    outcome = await probe(pair.path, open_tty, patience=SHORT)
    assert outcome.said == "failed"


async def test_a_port_that_another_program_locked_is_held() -> None:
    pair = PtyPair()
    lock = (
        "import fcntl, sys; port = open(sys.argv[1], 'rb+', 0); fcntl.flock(port, fcntl.LOCK_EX); "
        "print('locked', flush=True); sys.stdin.read()"
    )
    program = await asyncio.to_thread(
        subprocess.Popen, [sys.executable, "-c", lock, pair.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert program.stdout is not None
        await asyncio.to_thread(program.stdout.readline)
        outcome = await probe(pair.path, open_tty, patience=SHORT)
    finally:
        await asyncio.to_thread(program.communicate)
        await pair.close()
    assert (outcome.said, outcome.asked) == ("held", False)
    assert str(program.pid) in outcome.words


async def test_no_descriptor_is_left_open() -> None:
    before = len(os.listdir("/proc/self/fd"))
    await asked(tablelink(), LONG)
    await asked(silent, SHORT)
    await asked(chatter(AngelEyeShoe().start()), LISTEN)
    assert len(os.listdir("/proc/self/fd")) == before
