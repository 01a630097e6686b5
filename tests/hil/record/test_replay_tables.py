"""A recorded table, played again through the whole daemon: its journal holds the same cards and the same rounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.store.audit import verify
from controller.table.events import CardDrawn, RoundEnded
from hil.record.capture import Chunk, Entered
from hil.record.floor import misfits
from hil.record.survey import survey
from tests.hil.record.sessions import entries_of
from tests.hil.record.tables import config_in, events_in, record_table, replay_table


@pytest.mark.parametrize(
    ("protocol", "sign", "faults", "speed"),
    [
        ("tablelink", "tablelink", (), None),
        ("angel_eye", "alpha_sign", ("misread",), None),
        ("bee_tek", "escpos", (), None),
        ("line_reader", "tablelink", (), None),
        ("tablelink", "tablelink", ("misread", "reboot"), 20.0),
    ],
)
def test_the_replay_s_journal_holds_what_the_table_s_holds(
    tmp_path: Path, protocol: str, sign: str, faults: tuple[str, ...], speed: float | None
) -> None:
    config = config_in(tmp_path, protocol, sign=sign)
    capture, again = tmp_path / "floor.capture", tmp_path / "again.db"
    record_table(config, capture, 2, faults)
    otherwise = replay_table(config, capture, again, speed)
    recorded = events_in(tmp_path / "table.db")
    assert sum(isinstance(event, RoundEnded) for _, event in recorded) >= 1
    assert sum(isinstance(event, CardDrawn) for _, event in recorded) >= 4
    assert events_in(again) == recorded
    assert otherwise == []
    assert verify(again).records


def test_keys_come_over_their_port_and_are_not_entered_twice(tmp_path: Path) -> None:
    config = config_in(tmp_path, "tablelink")
    capture = tmp_path / "floor.capture"
    record_table(config, capture, 2)
    entries = entries_of(capture)
    assert all(entry.who == "dealer:Ann" for entry in entries if isinstance(entry, Entered))
    keys = [entry for entry in entries if isinstance(entry, Chunk) and entry.port == "keys"]
    assert {entry.direction for entry in keys} == {"from_device", "to_device"}
    assert {port.name for port in survey(capture).header.ports} == {"shoe", "sign", "keys"}  # and no pins


def test_another_table_s_configuration_is_refused_with_every_misfit(tmp_path: Path) -> None:
    config = config_in(tmp_path, "tablelink")
    capture = tmp_path / "floor.capture"
    record_table(config, capture, 1)
    other = tmp_path / "other"
    other.mkdir()
    path = config_in(other, "angel_eye", sign="max7219").path
    assert path is not None
    text = path.read_text().replace('name = "keys"', 'name = "buttons"')
    path.write_text(text)
    from controller.config.load import load

    words = misfits(load(path), survey(capture).header)
    assert words == [
        "'shoe' is the shoe driver angel_eye in the configuration, and was the shoe driver tablelink when it was "
        "recorded",
        "'sign' has no port in the configuration; it had one when it was recorded",
        "the recording has a console 'keys', and the configuration none of that name",
        "the configuration has a console 'buttons', and the recording none of that name",
    ]
    assert misfits(config, survey(capture).header) == []
