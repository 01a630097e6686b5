"""`croupier pack-down` against the real daemon: its words, and that they hold when the plug is pulled."""

from __future__ import annotations

from pathlib import Path

from controller.cli.common import NO_DAEMON
from controller.store import audit
from tests.controller.cli.conftest import Croupier
from tests.controller.daemon.served import Process


def test_the_day_is_told_and_the_plug_is_pulled(tmp_path: Path, croupier: Croupier) -> None:
    process = Process(tmp_path)
    at = ("--socket", str(process.socket))
    try:
        process.start()
        assert "it was never opened" in croupier("pack-down", *at).out
        process.open()
        process.play()
        still = croupier("pack-down", *at)
        assert (still.status, "NOT YET SAFE TO UNPLUG: The table is open" in still.out) == (0, True)
        process.enter("close_table")
        told = croupier("pack-down", *at).out.splitlines()
        assert told[0] == "Table 7"
        assert "    1 rounds" in told or "    1 round" in told
        assert "    seat 1: +10 in 1 round (1 won, 0 lost)" in told
        assert "    the house: -10" in told
        assert told[-1] == "SAFE TO UNPLUG"
        before = croupier("pack-down", *at, "--json").json
        assert before["safe"] is True
        process.kill()
        audit.verify(tmp_path / "table.db")
        process.start()
        assert croupier("pack-down", *at, "--json").json["day"]["rounds"] == before["day"]["rounds"]
        assert process.stop() == 0
    finally:
        process.close()
    assert croupier("pack-down", *at).status == NO_DAEMON
