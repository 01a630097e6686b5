"""The recorder: its files, its limit, its parts, and what becomes of a disk that is full."""

from __future__ import annotations

import errno
import stat
import threading
from pathlib import Path

import pytest
from msgspec import structs

from drivers.ports.tapped import Passed, PortEnded, PortOpened
from hil.record.capture import (
    BadCapture,
    CaptureReader,
    CaptureWriter,
    Chunk,
    Ended,
    Entry,
    Header,
    Opened,
    RecordedPort,
)
from hil.record.recorder import MAX_WAITING, Recorder, part_path, words_path
from hil.record.rigging import recorder_for

PORT = RecordedPort(name="shoe", kind="shoe", driver="angel_eye", address="/dev/ttyUSB0", protocol="angel_eye")
HEADER = Header(started="now", clock="ntp", croupier="0", ports=(PORT,))
WAIT_S = 30.0


def recorded(path: Path, chunks: int, *, limit: int = 10_000_000, keep: int = 1) -> tuple[Recorder, list[str]]:
    said: list[str] = []
    recorder = Recorder(path, HEADER, limit=limit, keep=keep, say=said.append)
    tell = recorder.tell("shoe")
    tell(PortOpened("it is open"))
    for _ in range(chunks):
        tell(Passed("from_device", bytes(64)))
    tell(PortEnded("unplugged", lost=True))
    recorder.stop("enough")
    return recorder, said


def entries_of(path: Path) -> list[Entry]:
    with CaptureReader(path) as reader:
        entries = list(reader)
        assert reader.damage is None
        return entries


def test_the_capture_and_its_words_are_the_owner_s_alone_and_tell_the_same(tmp_path: Path) -> None:
    path = tmp_path / "floor.capture"
    recorder, said = recorded(path, 2)
    assert (recorder.trouble, said) == ("", [])
    assert [type(entry).__name__ for entry in entries_of(path)] == ["Opened", "Chunk", "Chunk", "Gone", "Ended"]
    for file in (path, words_path(path)):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    lines = words_path(path).read_text().splitlines()
    assert len(lines) == 5
    assert "shoe  == opened: it is open" in lines[0]
    assert "shoe  <- 00 00 00" in lines[1]
    assert "shoe  == lost: unplugged" in lines[3]


def test_the_bytes_stand_beside_what_they_mean(tmp_path: Path) -> None:
    from firmware_protocol.encoders import bee_tek

    path = tmp_path / "floor.capture"
    port = RecordedPort(name="shoe", kind="shoe", driver="bee_tek", address="x", protocol="bee_tek")
    recorder = Recorder(path, Header(started="", clock="ntp", croupier="0", ports=(port,)), limit=10**6, say=print)
    tell = recorder.tell("shoe")
    tell(PortOpened("it is open"))
    tell(Passed("from_device", bee_tek()({"event": "card_read", "card": "8S"})))
    recorder.stop("enough")
    assert "card_read: card 8S" in words_path(path).read_text()


def test_at_its_limit_a_recording_of_one_part_ends_in_words(tmp_path: Path) -> None:
    path = tmp_path / "floor.capture"
    recorder, said = recorded(path, 200, limit=10_000)
    assert recorder.trouble == "its limit of 0.01 MB is reached"
    assert said == ["the recording ended, and the table goes on without it: its limit of 0.01 MB is reached"]
    assert entries_of(path)[-1] == Ended(t=entries_of(path)[-1].t, words="its limit of 0.01 MB is reached")
    assert path.stat().st_size + words_path(path).stat().st_size < 11_000


def test_with_more_parts_the_newest_are_kept_and_each_can_be_read_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "floor.capture"
    recorder, said = recorded(path, 200, limit=10_000, keep=2)
    assert (recorder.trouble, said) == ("", [])
    parts = sorted(int(each.suffix[1:]) for each in tmp_path.glob("floor.capture.*") if each.suffix != ".txt")
    assert len(parts) == 2
    assert not path.exists()
    assert len(list(tmp_path.iterdir())) == 4
    last = 0.0
    for number in parts:
        with CaptureReader(part_path(path, number)) as reader:
            assert reader.header.part == number
        first, *rest = entries_of(part_path(path, number))
        assert isinstance(first, Opened)
        assert first.words == "it is open since the part before"
        assert isinstance(rest[0], Chunk)
        assert first.t >= last
        last = rest[-1].t


def test_a_full_disk_ends_the_recording_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = CaptureWriter.write

    def full(self: CaptureWriter, entry: Entry) -> None:
        if isinstance(entry, Chunk):
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, entry)

    monkeypatch.setattr(CaptureWriter, "write", full)
    said = recorded(tmp_path / "floor.capture", 3)[1]
    assert len(said) == 1
    assert said[0].startswith("the recording ended, and the table goes on without it: ")
    assert said[0].endswith("No space left on device")
    assert "recording" not in {thread.name for thread in threading.enumerate()}


def test_a_disk_that_does_not_keep_up_ends_it_before_memory_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = threading.Event()
    monkeypatch.setattr(CaptureWriter, "write", lambda self, entry: stuck.wait(WAIT_S))
    said: list[str] = []
    port = structs.replace(PORT, protocol="of nobody")  # the words for so many bytes would take their time
    header = structs.replace(HEADER, ports=(port,))
    recorder = Recorder(tmp_path / "floor.capture", header, limit=10**9, say=said.append)
    tell = recorder.tell("shoe")
    tell(PortOpened("it is open"))
    for _ in range(2 * MAX_WAITING // 4096):
        tell(Passed("from_device", bytes(4096)))
    assert len(said) == 1
    assert "the disk can't keep up" in said[0]
    stuck.set()
    recorder.stop("enough")


def test_no_file_is_written_over_and_none_is_left_half_made(tmp_path: Path) -> None:
    path = tmp_path / "floor.capture"
    words_path(path).write_text("of yesterday")
    with pytest.raises(BadCapture, match="is there already: no recording is written over another"):
        recorder_for(path, (PORT,), limit=1000, keep=1, say=print)
    assert not path.exists()
    assert words_path(path).read_text() == "of yesterday"
    with pytest.raises(BadCapture, match="can't be made: No such file or directory"):
        recorder_for(tmp_path / "none" / "x", (PORT,), limit=1000, keep=1, say=print)
