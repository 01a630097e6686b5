"""`croupier backup` as a person runs it, beside a real daemon."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from controller.cli.common import BAD_RULESET, BROKEN, REFUSED, USAGE
from tests.controller.cli.conftest import Croupier
from tests.controller.daemon.served import Process


@pytest.fixture
def process(tmp_path: Path) -> Process:
    folder = tmp_path / "table"
    folder.mkdir()
    return Process(folder)


def test_the_card_dies_and_a_new_machine_goes_on(croupier: Croupier, process: Process, tmp_path: Path) -> None:
    config, file = str(process.config), str(tmp_path / "stick.tar.gz")
    other = tmp_path / "other"
    try:
        process.start()
        process.open()
        process.play()
        made = croupier("backup", "create", file, "--config", config)
        assert made.status == 0, made.err
        assert "done and proven" in made.out
        assert "secret" in made.out
        assert stat.S_IMODE(Path(file).stat().st_mode) == 0o600
        running = croupier("backup", "restore", file, "--to", str(process.folder), "--replace")
        assert (running.status, "in use by" in running.err) == (BROKEN, True)
        process.play()
        rounds = process.state("public")["round"]
        assert process.stop() == 0
    finally:
        process.close()
    more = croupier("backup", "restore", file, "--to", str(process.folder))
    assert (more.status, "--replace" in more.err, "would be missing" in more.err) == (REFUSED, True, True)
    back = croupier("backup", "restore", file, "--to", str(other), "--json")
    assert back.status == 0, back.err
    assert f"{other}/table.db" in back.json["written"]
    new = Process(other, (other / "table.toml").read_text())
    try:
        new.start()
        assert new.state("public")["round"] == rounds - 1
        new.enter("dealer_in", name="Ann")  # its shoe is another one, and the table asks about that first
        assert new.stop() == 0
    finally:
        new.close()


def test_bad_command_lines_are_refused_in_words(croupier: Croupier, process: Process, tmp_path: Path) -> None:
    process.close()
    config = str(process.config)
    for args, status in (
        (("create", "--config", config), USAGE),
        (("create", "a", "-o", "b", "--config", config), USAGE),
        (("create", "no/folder/a.tar.gz", "--config", config), USAGE),
        (("create", "a.tar.gz", "--config", "none.toml"), BAD_RULESET),
        (("restore", "none.tar.gz"), USAGE),
        (("restore", config), REFUSED),
    ):
        ran = croupier("backup", *args)
        assert (ran.status, ran.err.startswith(("error: ", "Error"))) == (status, True), (args, ran)
    assert croupier("backup", "restore", "none", "--json").json["error"] == "no_backup"
    assert croupier("backup", "create", "-o", "a.tar.gz", "--config", config).status == 0
    assert croupier("backup", "create", "a.tar.gz", "--config", config).status == USAGE
