"""Capture files: what is written is read back, and what is cut, torn, foreign or newer is told with its line."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.record.capture import (
    BadCapture,
    CaptureReader,
    CaptureWriter,
    Chunk,
    EmptyCapture,
    Ended,
    Entered,
    Entry,
    ForeignCapture,
    Gone,
    Header,
    NewerCapture,
    Opened,
    RecordedPort,
)

SHOE = RecordedPort(name="shoe", kind="shoe", driver="angel_eye", address="/dev/ttyUSB0", settings={"baud": 9600})
SIGN = RecordedPort(name="sign", kind="display", driver="alpha_sign", address="/dev/ttyUSB1", known=(7, 12))
HEADER = Header(started="2026-11-18T20:00:00.000Z", clock="ntp", croupier="0.1.0", ports=(SHOE, SIGN))
ENTRIES: list[Entry] = [
    Opened(t=0.1, port="shoe", words="/dev/ttyUSB0 is open"),
    Chunk(t=0.2, port="shoe", direction="from_device", data=b"\x02\xff"),
    Opened(t=0.2, port="sign", words="/dev/ttyUSB1 is open"),
    Chunk(t=1.5, port="sign", direction="to_device", data=b"\x00"),
    Gone(t=2, port="shoe", words="unplugged"),
    Gone(t=3, port="sign", words="closed", lost=False),
    Entered(t=3, what={"input": "open_table"}, who="dealer:Ann"),
    Ended(t=3, words="the table ended"),
]


def written(path: Path, entries: list[Entry], header: Header = HEADER) -> Path:
    writer = CaptureWriter(path, header)
    for entry in entries:
        writer.write(entry)
    writer.close()
    return path


def read(path: Path) -> tuple[list[Entry], str]:
    with CaptureReader(path) as reader:
        return list(reader), str(reader.damage or "")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "floor.capture"


def test_what_was_written_is_read_back(path: Path) -> None:
    written(path, ENTRIES)
    with CaptureReader(path) as reader:
        assert reader.header == HEADER
        assert list(reader) == ENTRIES
        assert reader.damage is None


def test_only_the_owner_may_read_it(path: Path) -> None:
    written(path, ENTRIES)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_older_recording_is_never_written_over(path: Path) -> None:
    written(path, ENTRIES)
    with pytest.raises(FileExistsError):
        CaptureWriter(path, HEADER)
    assert read(path)[0] == ENTRIES


def test_each_line_is_in_the_file_at_once(path: Path) -> None:
    writer = CaptureWriter(path, HEADER)
    for count, entry in enumerate(ENTRIES[:-1], 1):
        writer.write(entry)
        assert len(read(path)[0]) == count
    assert writer.size == path.stat().st_size
    writer.close()


def test_a_long_write_becomes_several_lines_of_the_same_moment(path: Path) -> None:
    data = bytes(range(256)) * 40
    written(path, [ENTRIES[0], Chunk(t=1, port="shoe", direction="to_device", data=data)])
    chunks = [entry for entry in read(path)[0] if isinstance(entry, Chunk)]
    assert len(chunks) == 3
    assert b"".join(chunk.data for chunk in chunks) == data
    assert {chunk.t for chunk in chunks} == {1}


def test_a_recording_that_nobody_ended_breaks_off_behind_its_last_line(path: Path) -> None:
    written(path, ENTRIES[:-1])
    entries, damage = read(path)
    assert entries == ENTRIES[:-1]
    assert damage == "line 9: the recording breaks off here: nothing says that it was ended"


@given(st.data())
def test_wherever_a_capture_is_cut_all_before_is_given(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = written(tmp_path_factory.mktemp("cut") / "floor.capture", ENTRIES)
    whole = path.read_bytes()
    size = data.draw(st.integers(0, len(whole) - 1))
    path.write_bytes(whole[:size])
    lines = whole[:size].count(b"\n")
    if not lines:
        with pytest.raises(BadCapture):
            CaptureReader(path)
        return
    entries, damage = read(path)
    assert entries == ENTRIES[: lines - 1]
    assert damage.startswith(f"line {lines + 1}: ")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"{", "it is no line of a capture"),
        (b"\xff\xfe", "it is no line of a capture"),
        (b"", "it is no line of a capture"),
        (b"[]", "it is no line of a capture"),
        (b'{"t": 0.1, "port": "shoe", "dir": "from_device", "hex": "0G"}', "not hexadecimal"),
        (b'{"t": 0.1, "port": "shoe", "dir": "from_device", "hex": ""}', "it has no bytes"),
        (b'{"t": 0.1, "port": "shoe", "hex": "00"}', "it says neither"),
        (b'{"t": 0.1, "port": "shoe", "dir": "sideways", "hex": "00"}', "it is no line of a capture"),
        (b'{"t": 0.1, "port": "drum", "dir": "from_device", "hex": "00"}', "there is no port 'drum' in the header"),
        (b'{"t": 0.05, "port": "shoe", "dir": "from_device", "hex": "00"}', "the line before has 0.1 s"),
        (b'{"t": 0.1, "port": "sign", "dir": "from_device", "hex": "00"}', "sign is not open"),
        (b'{"t": 0.1, "port": "shoe", "opened": "again"}', "it is open already"),
        (b'{"t": 0.1, "port": "shoe"}', "it says neither"),
        (b'{"t": 0.1, "port": "shoe", "smell": "burnt"}', "it is no line of a capture"),
        (b'{"t": 0.1, "port": "shoe", "lost": "a", "opened": "b"}', "it says neither"),
        (b"x" * 300_000, "longer than"),
    ],
)
def test_a_bad_line_is_told_with_its_number_and_all_before_is_given(path: Path, line: bytes, words: str) -> None:
    written(path, ENTRIES[:1])
    with path.open("ab") as file:
        file.write(line + b"\n" + b'{"t": 9, "end": "of no interest"}\n')
    entries, damage = read(path)
    assert entries == ENTRIES[:1]
    assert damage.startswith("line 3: ")
    assert words in damage


def test_nothing_may_stand_behind_the_end(path: Path) -> None:
    written(path, [*ENTRIES, ENTRIES[0]])
    assert read(path) == (ENTRIES, "line 10: something stands behind the line that ends the recording")


def test_an_empty_file_is_called_empty(path: Path) -> None:
    path.touch()
    with pytest.raises(EmptyCapture, match="is empty"):
        CaptureReader(path)


@pytest.mark.parametrize("text", ["hello\n", "{}\n", "[1]\n", '{"croupier_capture": "x"}\n', "\x00\xff\n", "no end"])
def test_a_foreign_file_is_called_foreign(path: Path, text: str) -> None:
    path.write_text(text, encoding="latin-1")
    with pytest.raises(ForeignCapture, match="no capture of Croupier"):
        CaptureReader(path)


def test_a_newer_version_says_which_program_reads_it(path: Path) -> None:
    path.write_text(json.dumps({"croupier_capture": 2, "croupier": "9.1"}) + "\n")
    with pytest.raises(NewerCapture, match=r"version 2.*reads version 1.*9\.1"):
        CaptureReader(path)


def test_a_port_name_twice_is_refused_by_writer_and_reader(path: Path) -> None:
    twice = Header(started="", clock="unset", croupier="0", ports=(SHOE, SHOE))
    with pytest.raises(BadCapture, match="two ports are called 'shoe'"):
        CaptureWriter(path, twice)
    assert not path.exists()
    port = {"name": "shoe", "kind": "shoe", "driver": "bee_tek", "address": "x"}
    header = {"croupier_capture": 1, "started": "", "clock": "ntp", "croupier": "0", "ports": [port, port]}
    path.write_text(json.dumps(header) + "\n")
    with pytest.raises(BadCapture, match="line 1: two ports are called 'shoe'"):
        CaptureReader(path)


def test_a_file_that_is_not_there_is_told_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(BadCapture, match=r"none\.capture can't be read: No such file"):
        CaptureReader(tmp_path / "none.capture")
