"""The hub on its own: one encoding for all screens, numbers that tell nothing hidden, and nobody waits for a screen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Struct

from controller.surfaces.web import hub as hub_module
from controller.surfaces.web.desk import Desk
from controller.surfaces.web.hub import BROKEN, ENDING, RING, SCREENS, TOO_SLOW, WAITING, Hub, Screen, Since
from controller.surfaces.web.problems import Rejected
from controller.table import inputs as i
from controller.table.inputs import Actor, Input
from controller.table.table import Table
from tests.controller.surfaces.web.rig import KeptRounds
from tests.controller.table.playing import Played


class Seen(Struct, frozen=True):
    """A view of two fields that is easy to follow."""

    open: bool
    seats: tuple[int, ...]


class Hidden(Struct, frozen=True):
    sequence: int


class AtTable:
    """A table that changes at once."""

    trouble = ""

    def __init__(self) -> None:
        self.played = Played()
        self.table: Table = self.played.table.fork()
        self._listeners: list[Callable[[Any], None]] = []

    async def enter(self, what: Input, actor: Actor) -> tuple[int, ...]:
        raise AssertionError("nobody enters anything here")

    def listen(self, listener: Callable[[Any], None]) -> None:
        self._listeners.append(listener)

    def forget(self, listener: Callable[[Any], None]) -> None:
        self._listeners.remove(listener)

    async def tell(self, what: Input) -> None:
        self.played.tell(what)
        self.table = self.played.table.fork()
        for listener in self._listeners:
            listener(None)
        await asyncio.sleep(0)


def seen(table: Table) -> Seen:
    return Seen(table.state.open, tuple(table.state.wagers))


def hidden(table: Table) -> Hidden:
    return Hidden(table.state.sequence)


class Rig:
    def __init__(self, boot: str = "b00t") -> None:
        self.table = AtTable()
        desk = Desk(
            running=self.table,
            devices=list,
            rounds=KeptRounds.__new__(KeptRounds),
            boot=boot,
            simulated=False,
            settled=lambda: True,
            started=0.0,
            now=lambda: 12.5,
        )
        self.encoded: list[str] = []
        self.hub = Hub(desk, {"seen": self._counted("seen", seen), "hidden": self._counted("hidden", hidden)})
        self.hub.start()

    def _counted(self, name: str, see: Callable[[Table], Any]) -> Callable[[Table], Any]:
        def counted(table: Table) -> Any:
            self.encoded.append(name)
            return see(table)

        return counted

    def join(self, view: str = "seen", since: str = "", *, delay: float = 0) -> tuple[Screen, list[dict[str, Any]]]:
        screen, first = self.hub.join(view, Since.read(since) if since else None, delay)
        return screen, [json.loads(text) for text in first]


async def told(screen: Screen) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(await asyncio.wait_for(screen.next(), 5))
    return made


def silent(screen: Screen) -> bool:
    return screen._waiting.empty()


async def test_a_screen_gets_the_whole_and_then_only_what_changed() -> None:
    rig = Rig()
    screen, first = rig.join()
    state = {"open": False, "seats": []}
    assert first == [
        {"type": "snapshot", "boot": "b00t", "number": 1, "view": "seen", "simulated": False, "state": state}
    ]
    await rig.table.tell(i.OpenTable())
    await rig.table.tell(i.Wager(3, "10"))
    assert await told(screen) == {"type": "change", "number": 2, "set": {"open": True}}
    assert await told(screen) == {"type": "change", "number": 3, "set": {"seats": [3]}}


async def test_what_is_hidden_from_a_view_is_neither_told_nor_counted_there() -> None:
    rig = Rig()
    screen, _ = rig.join()
    owner, _ = rig.join("hidden")
    await rig.table.tell(i.DealerIn("Ann"))
    await rig.table.tell(i.DealerIn("Bea"))
    await rig.table.tell(i.OpenTable())
    assert await told(screen) == {"type": "change", "number": 2, "set": {"open": True}}
    assert [(await told(owner))["number"] for _ in range(3)] == [2, 3, 4]


async def test_a_change_is_encoded_once_however_many_screens_there_are_and_not_at_all_for_none() -> None:
    rig = Rig()
    screens = [rig.join()[0] for _ in range(50)]
    rig.encoded.clear()
    await rig.table.tell(i.OpenTable())
    assert rig.encoded == ["seen"], "and nobody looks at the other view"
    texts = {id(await screen.next()) for screen in screens}
    assert len(texts) == 1, "one text, shared"


async def test_who_was_away_gets_what_was_missed() -> None:
    rig = Rig()
    screen, _ = rig.join()
    rig.hub.leave(screen)
    await rig.table.tell(i.OpenTable())
    await rig.table.tell(i.Wager(3, "10"))
    again, missed = rig.join(since="b00t:1")
    assert missed == [{"type": "change", "number": 2, "set": {"open": True, "seats": [3]}}], "in one, as nobody looked"
    await rig.table.tell(i.Wager(4, "10"))
    assert (await told(again))["number"] == 3
    _, nothing = rig.join(since="b00t:3")
    assert nothing == []
    _, both = rig.join(since="b00t:1")
    assert [each["number"] for each in both] == [2, 3]
    _, all_of_it = rig.join(since="b00t:0")
    assert [each["number"] for each in all_of_it] == [1, 2, 3], "the first change is from nothing"


@pytest.mark.parametrize("since", ["other:1", "b00t:9", "b00t:999999999999999999"])
async def test_who_comes_from_another_boot_or_the_future_gets_the_whole(since: str) -> None:
    rig = Rig()
    _, first = rig.join(since=since)
    assert [each["type"] for each in first] == ["snapshot"]


@pytest.mark.parametrize(
    "since", ["", ":", "b00t", "b00t:", ":1", "b00t:-1", "b00t:1.5", "b00t:x", "b00t:²", "b:" + "9" * 19]
)
def test_a_since_that_says_nothing_is_refused(since: str) -> None:
    with pytest.raises(Rejected, match="is not BOOT:NUMBER"):
        Since.read(since)


async def test_changes_are_kept_for_a_while_and_not_for_ever() -> None:
    rig = Rig()
    screen, _ = rig.join()
    for number in range(RING):
        await rig.table.tell(i.Wager(number % 7 + 1, "10"))
        await rig.table.tell(i.Seat(number % 7 + 1, taken=False))
        while not silent(screen):
            await screen.next()
    number = json.loads(rig.hub.snapshot("seen"))["number"]
    assert number == 2 * RING + 1
    _, missed = rig.join(since=f"b00t:{number - RING}")
    assert len(missed) == RING
    assert [each["number"] for each in missed] == list(range(number - RING + 1, number + 1))
    _, first = rig.join(since=f"b00t:{number - RING - 1}")
    assert [each["type"] for each in first] == ["snapshot"]


async def test_changes_put_into_a_snapshot_give_the_next_snapshot() -> None:
    rig = Rig()
    screen, [snapshot] = rig.join()
    for what in (i.OpenTable(), i.Wager(3, "10"), i.DealerIn("Ann"), i.Wager(5, "10"), i.CloseTable()):
        await rig.table.tell(what)
    while not silent(screen):
        change = await told(screen)
        assert change["number"] == snapshot["number"] + 1
        snapshot["number"], snapshot["state"] = change["number"], snapshot["state"] | change["set"]
    assert snapshot == json.loads(rig.hub.snapshot("seen"))


async def test_a_screen_that_does_not_keep_up_is_dropped_and_the_others_are_not() -> None:
    rig = Rig()
    slow, _ = rig.join()
    quick, _ = rig.join()
    for _ in range(WAITING):
        rig.hub.beat()
        assert (await told(quick))["type"] == "beat"
    assert not slow.gone.done()
    await rig.table.tell(i.OpenTable())
    assert slow.gone.result() == TOO_SLOW
    assert (await told(quick))["set"] == {"open": True}
    assert rig.hub.dropped == 1
    assert rig.hub.watched() == {"seen": 1, "hidden": 0}
    rig.hub.leave(slow)


async def test_a_beat_says_the_time() -> None:
    rig = Rig()
    screen, _ = rig.join("hidden")
    rig.hub.beat()
    assert await told(screen) == {"type": "beat", "at": 12.5}


async def test_a_view_that_fails_drops_its_screens_and_leaves_the_others(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = Rig()
    screen, _ = rig.join()
    other, _ = rig.join("hidden")

    def broken(table: Table) -> Any:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(rig.hub._channels["seen"], "_see", broken)
    await rig.table.tell(i.OpenTable())
    assert screen.gone.result() == BROKEN
    assert (await told(other))["number"] == 2
    assert "the seen view can't be made" in caplog.text


async def test_a_change_that_comes_while_a_screen_joins_is_neither_lost_nor_told_twice() -> None:
    rig = Rig()
    early, _ = rig.join()
    rig.table.played.tell(i.OpenTable())
    rig.table.table = rig.table.played.table.fork()
    rig.hub._changed(None)  # is looked at in the loop's next turn, and before that somebody joins
    late, [snapshot] = rig.join()
    assert (snapshot["number"], snapshot["state"]["open"]) == (2, True)
    await asyncio.sleep(0)
    assert (await told(early))["number"] == 2
    assert silent(early)
    assert silent(late)


async def test_there_is_a_most_of_screens() -> None:
    rig = Rig()
    screens = [rig.join("seen" if number % 2 else "hidden")[0] for number in range(SCREENS)]
    with pytest.raises(Rejected) as refused:
        rig.join()
    assert refused.value.problem.status == 503
    rig.hub.leave(screens[0])
    rig.join()


async def test_the_end_is_told_to_every_screen_and_the_table_is_left_alone() -> None:
    rig = Rig()
    screens = [rig.join()[0], rig.join("hidden")[0]]
    rig.hub.close()
    assert [screen.gone.result() for screen in screens] == [ENDING, ENDING]
    assert rig.table._listeners == []
    assert rig.hub.watched().total() == 0


def test_every_farewell_fits_a_close_message() -> None:
    for farewell in (TOO_SLOW, ENDING, BROKEN):
        assert len(farewell.words.encode()) <= 123
        assert farewell.code in (1011, 1012, 1013)
    assert hub_module.WAITING < hub_module.RING, "who is dropped can still resume"


async def test_a_late_screen_learns_of_nothing_before_its_time_and_of_everything_in_order() -> None:
    rig, clock = Rig(), asyncio.get_running_loop().time
    rig.join()
    begun = clock()
    screen, first = rig.join(delay=0.2)
    assert first == [], "not even the table as it is"
    await rig.table.tell(i.OpenTable())
    opened = clock()
    rig.hub.beat()
    assert (await told(screen))["type"] == "beat", "at once: it tells that the line lives, and nothing else"
    assert (await told(screen))["state"] == {"open": False, "seats": []}
    assert clock() >= begun + 0.2
    await rig.table.tell(i.Wager(3, "10"))
    assert await told(screen) == {"type": "change", "number": 2, "set": {"open": True}}
    assert clock() >= opened + 0.2
    assert (await told(screen))["set"] == {"seats": [3]}


async def test_a_late_screen_that_comes_back_waits_for_what_it_missed_too() -> None:
    rig, clock = Rig(), asyncio.get_running_loop().time
    rig.join()
    await rig.table.tell(i.OpenTable())
    begun = clock()
    screen, first = rig.join(since="b00t:1", delay=0.1)
    assert first == []
    assert await told(screen) == {"type": "change", "number": 2, "set": {"open": True}}
    assert clock() >= begun + 0.1


async def test_a_late_screen_for_which_too_much_is_kept_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "KEPT", 3)
    rig = Rig()
    screen, _ = rig.join(delay=300)
    for number in range(3):
        assert not screen.gone.done()
        await rig.table.tell(i.Wager(number + 1, "10"))
    assert screen.gone.result() == TOO_SLOW
