"""The whole daemon plays on the firmware, whose cables are pulled and whose controllers start anew in the middle.

Every card that left the shoe is in the journal exactly once, or its absence was declared by the device and answered by
the dealer. The long form (`make hil`, CROUPIER_HIL=long) plays more of the same in random order.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.controller.daemon.served import until
from tests.hil.firmware.conftest import LONG, Start
from tests.hil.firmware.table import Table

SEEDS = range(1, 6) if LONG else range(1, 2)
STEPS = 25


@pytest.fixture(params=SEEDS)
def table(start: Start, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Table]:
    made = Table(tmp_path, start("shoe"), start("sign"), seed=request.param)
    try:
        made.begin()
        yield made
    finally:
        made.process.close()


def audited(table: Table) -> tuple[int, int]:
    assert table.process.stop() == 0
    return table.books.audit(table.process.folder / "table.db")


def test_it_plays_rounds_and_shows_the_limits(table: Table) -> None:
    table.play(2)
    until(lambda: b"10 to 500" in table.sign.shows(0).lower(), "the limits on the sign")
    cards, lost = audited(table)
    assert lost == 0
    assert cards == len(table.books.starts[0]) >= 8


def test_unplugged_in_the_middle_of_a_round_no_card_is_lost(table: Table) -> None:
    table.play_until(3)
    table.shoe.unplug()
    for _ in range(3):
        assert table.deal()
    until(lambda: table.device("shoe")["state"] != "ready", "the loss is noticed")
    table.shoe.plug()
    table.settled()
    table.play(2)
    assert audited(table)[1] == 0


def test_reset_with_untold_events_the_loss_is_declared_and_answered(table: Table) -> None:
    table.play_until(3)
    table.shoe.unplug()
    until(lambda: table.device("shoe")["state"] != "ready", "the loss is noticed")
    for _ in range(3):
        assert table.deal()
    table.restart()
    assert table.deal()
    table.shoe.plug()
    table.settled()
    assert table.view["question"]["situation"] == "missed"
    table.play(2)
    assert audited(table)[1] == 3


def test_reset_while_the_queue_is_full(table: Table) -> None:
    """First the daemon is killed, so that nobody takes what the shoe tells; then it is only frozen, so that some of it
    is on its way."""
    table.play_until(2)
    table.process.kill()
    table.deal_until_full()
    assert table.shoe.pins["motor"] == "stopped"
    table.restart()
    table.process.start()
    table.settled()
    table.play(1)
    table.process.signal(signal.SIGSTOP)
    table.deal_until_full()
    table.restart()
    table.process.signal(signal.SIGCONT)
    assert table.deal()
    table.settled()
    table.play(1)
    cards, lost = audited(table)
    assert lost >= 32
    assert cards + lost == sum(map(len, table.books.starts))


def test_a_full_queue_is_played_out_by_a_daemon_that_comes_late(table: Table) -> None:
    table.play_until(2)
    table.process.kill()
    table.deal_until_full()
    table.process.start()
    table.settled()
    assert table.shoe.pins["motor"] == "runs"
    table.play(1)
    assert audited(table)[1] == 0


@pytest.mark.skipif(not LONG, reason="the long form: make hil")
def test_whatever_happens_in_whatever_order(table: Table, request: pytest.FixtureRequest) -> None:
    chance = Random(request.node.callspec.params["table"])
    for _ in range(STEPS):
        what = chance.randrange(6)
        if what == 0:
            table.play(1)
        elif what == 1:
            table.shoe.unplug()
            for _ in range(chance.randrange(5)):
                table.deal()
            table.shoe.plug()
        elif what == 2:
            table.restart()
        elif what == 3:
            table.process.kill()
            for _ in range(chance.randrange(5)):
                table.deal()
            table.process.start()
        elif what == 4:
            table.process.signal(signal.SIGSTOP)
            table.deal()
            table.restart()
            table.process.signal(signal.SIGCONT)
        else:
            table.sign.reset()
        table.settled()
    table.play(2)
    audited(table)
