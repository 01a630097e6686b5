"""A recorded device, played again through its real driver, says the same: all shoes, with faults, cuts and restarts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from drivers.base import CardRead, Refused
from firmware_protocol.tablelink.framing import FrameDecoder, encode_frame
from firmware_protocol.tablelink.messages import Resume, decode_message, encode_message
from hil.record.capture import BadCapture, CaptureReader, CaptureWriter, Chunk, Entry
from hil.record.desk import Differs, Trouble
from tests.hil.record.sessions import entries_of, record_panel, record_shoe, replayed

PROTOCOLS = ("tablelink", "angel_eye", "bee_tek", "line_reader")
KEY = bytes(range(16))


def differences(about: list[Any]) -> list[str]:
    return [each.words for each in about if isinstance(each, Differs)]


def rewritten(path: Path, entries: list[Entry]) -> Path:
    with CaptureReader(path) as reader:
        header = reader.header
    other = path.with_name("other.capture")
    writer = CaptureWriter(other, header)
    for entry in entries:
        writer.write(entry)
    writer.close()
    return other


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(3))
def test_the_events_replayed_are_the_events_recorded(tmp_path: Path, protocol: str, seed: int) -> None:
    path = tmp_path / "floor.capture"
    recorded = record_shoe(path, protocol, seed, 50)
    said, about = replayed(path)
    assert recorded
    assert said == recorded
    assert differences(about) == []


@pytest.mark.parametrize("seed", range(2))
def test_a_panel_s_keys_come_again(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "floor.capture"
    recorded = record_panel(path, seed, 25)
    said, about = replayed(path)
    assert said == recorded
    assert differences(about) == []


def test_at_a_speed_between_they_are_the_same_too(tmp_path: Path) -> None:
    path = tmp_path / "floor.capture"
    recorded = record_shoe(path, "tablelink", 1, 30)
    assert replayed(path, speed=7.0)[0] == recorded


def test_a_sealed_session_is_played_with_its_key_and_refused_without(tmp_path: Path) -> None:
    key = tmp_path / "shoe.key"
    key.write_text(KEY.hex())
    path = tmp_path / "floor.capture"
    recorded = record_shoe(path, "tablelink", 1, 40, key=KEY, key_file=key)
    assert any(isinstance(said, CardRead) for said in recorded)
    assert replayed(path)[0] == recorded
    said, _ = replayed(path, {"shoe": {"key_file": ""}})
    assert not any(isinstance(each, CardRead) for each in said)
    assert any(isinstance(each, Refused) and "wants its key" in each.words for each in said)
    key.unlink()
    with pytest.raises(BadCapture, match=r"shoe: .*shoe\.key cannot be read.*--set shoe\.KEY=VALUE"):
        replayed(path)


def test_what_the_host_says_otherwise_is_told(tmp_path: Path) -> None:
    """As if the host had resumed elsewhere in the recording: what it says now is told beside that."""
    path = tmp_path / "floor.capture"
    record_shoe(path, "tablelink", 1, 10)
    entries = entries_of(path)
    at = next(number for number, entry in enumerate(entries) if is_resume(entry))
    resume = entries[at]
    assert isinstance(resume, Chunk)
    message = decode_message(FrameDecoder().feed(resume.data)[0].body)  # type: ignore[attr-defined]
    assert isinstance(message, Resume)
    other = encode_frame(encode_message(structs.replace(message, upto=7)))
    _, about = replayed(rewritten(path, [*entries[:at], structs.replace(resume, data=other), *entries[at + 1 :]]))
    assert any("upto 0; in the recording it said resume" in words and "upto 7" in words for words in differences(about))


def is_resume(entry: Entry) -> bool:
    return (
        isinstance(entry, Chunk) and entry.direction == "to_device" and entry.data[1] == Resume.id
    )  # behind the first byte of its stuffing


def test_a_session_that_was_never_recorded_gets_no_answer_and_says_so(tmp_path: Path) -> None:
    """The first HELLO of the recording is missing: the host greets with a nonce of its own."""
    path = tmp_path / "floor.capture"
    record_shoe(path, "tablelink", 1, 10)
    entries = [entry for entry in entries_of(path) if not (isinstance(entry, Chunk) and entry.direction == "to_device")]
    said, about = replayed(rewritten(path, entries))
    assert not any(isinstance(each, CardRead) for each in said)
    assert "the host began a session that the recording does not have; no answer fits it" in differences(about)


def test_a_lost_port_is_lost_again_in_words(tmp_path: Path) -> None:
    for seed in range(20):
        path = tmp_path / f"{seed}.capture"
        record_shoe(path, "bee_tek", seed, 30)
        if any(getattr(entry, "lost", False) for entry in entries_of(path)):
            break
    _, about = replayed(path)
    assert any(isinstance(each, Trouble) and "gone" in each.words for each in about)
