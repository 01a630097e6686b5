"""One pass over a capture before it is played: how long it is, whether it is whole, which nonces its hosts used."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from hil.record.capture import BadCapture, CaptureReader, Damage, Ended, Header
from hil.record.host_end import Hello


class Survey(Struct, frozen=True, kw_only=True):
    header: Header
    nonces: dict[str, list[bytes]]
    seconds: float
    entries: int
    damage: Damage | None
    ended: str  # why it was ended, where it was


def survey(path: Path) -> Survey:
    """Raises BadCapture for what can't be played at all."""
    with CaptureReader(path) as reader:
        hello = Hello(reader.header.ports)
        seconds, count, ended = 0.0, 0, ""
        for entry in reader:
            hello.look(entry)
            seconds, count = entry.t, count + 1
            if isinstance(entry, Ended):
                ended = entry.words
        if not reader.header.ports:
            raise BadCapture(f"{path} has no port: the table that was recorded had none that carries bytes")
        return Survey(
            header=reader.header,
            nonces=dict(hello.nonces),
            seconds=seconds,
            entries=count,
            damage=reader.damage,
            ended=ended,
        )
