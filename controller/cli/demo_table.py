"""A table that plays by itself: the daemon on simulated devices over real ptys, a bot, and sums that must come out.

The devices live beside the daemon and speak to it through ptys alone, as hardware would. Whatever the shoe really dealt
is compared with what the journal has.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from controller.cli.demo_world import KEYS, World
from controller.daemon.bot import Bot
from controller.daemon.crew import Crew
from controller.daemon.daemon import Daemon
from controller.daemon.runner import Change
from controller.library import as_options, load_game
from controller.rules.errors import Refused
from controller.rules.money import parse_amount, whole
from controller.rules.report import settle_script
from controller.rules.ruleset import Ruleset
from controller.store.audit import verify
from controller.table import events as e
from controller.table import inputs as i
from controller.table.export import round_script
from controller.table.limits import BetLimits
from controller.table.state import Setup
from controller.table.table import Table
from controller.table.views import dealer_view

if TYPE_CHECKING:
    from drivers.simulated.shoe import LoadedShoe

DEALER: Final = i.Actor("dealer", "bot")
SUPERVISOR: Final = i.Actor("supervisor", "bot")
PTY_LINE: Final = {"data_bits": 8, "parity": "N"}  # a pty takes no other
PATIENCE_S: Final = 180.0  # for a device to come back, which may be tried again only every half minute
FAULTS: Final = {
    "none": (),
    "light": (("misread", 0.02), ("unplug", 0.01), ("bit_flip", 0.01)),
    "heavy": (
        ("misread", 0.05),
        ("double_feed", 0.02),
        ("backfeed", 0.02),
        ("unplug", 0.02),
        ("reboot", 0.01),
        ("bit_flip", 0.05),
        ("drop", 0.05),
        ("duplicate", 0.05),
        ("garbage", 0.05),
    ),
}
_OF_THE_FEED: Final = ("misread", "double_feed", "backfeed")


class Summary(Struct):
    """What a demo came to. `problems` is empty where everything adds up."""

    game: str
    seed: int
    rounds: int = 0
    voided: int = 0
    cards_read: int = 0  # that left the shoe, those that it could not read among them
    cards_journalled: int = 0
    nets: dict[int, str] = {}
    faults_injected: dict[str, int] = {}
    audit: str = ""
    records: int = 0
    head: str = ""
    paths: dict[str, str] = {}
    problems: list[str] = []
    simulated: bool = True


class Demo:
    """`say` is told after every change. `run` plays so many rounds, or for ever with none."""

    def __init__(self, rules: Ruleset, folder: Path, *, seed: int, faults: str = "none", pause_s: float = 0.0) -> None:
        from drivers.simulated.pile import shuffled

        self.setup = Setup(
            name="SIMULATED table", rules=rules, seats=5, currency="$", limits={"main": BetLimits(10, 500, 5)}
        )
        self.summary = Summary(rules.game, seed)
        self._seed, self._pause_s, self._folder = seed, pause_s, folder
        self._named_rules = as_options(rules)
        self._chance = Random(f"faults {seed}")
        self._faults = FAULTS[faults]
        self._load = 0
        self._cards: Callable[[int], tuple[str, ...]] = lambda load: shuffled(rules.decks, seed * 1000 + load)
        self.world = World(self._cards(0), folder, seed=seed)
        self.shoe: LoadedShoe = self.world.shoe
        self.summary.paths = {name: str(path) for name, path in self.world.paths.items()}
        self._bot = Bot(seed, seats=self.setup.seats, least="10")
        self._changed = asyncio.Event()
        self.daemon = Daemon(self.setup, folder / "table.db", self._crew, allow_simulated=True)

    async def run(self, rounds: int | None, say: Callable[[Demo, Change], None] = lambda demo, change: None) -> Summary:
        async with self.world.plugged_in():
            await self._run(rounds, say)
        self._audit()
        return self.summary

    async def _run(self, rounds: int | None, say: Callable[[Demo, Change], None]) -> None:
        running = asyncio.create_task(self.daemon.run())
        try:
            ready = asyncio.create_task(self.daemon.ready.wait())
            await asyncio.wait((running, ready), return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                ready.cancel()
                running.result()
            self.daemon.runner.listen(lambda change: self._noticed(change, say))
            playing = asyncio.create_task(self._play(rounds))
            await asyncio.wait((running, playing), return_when=asyncio.FIRST_COMPLETED)
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            if not playing.cancelled() and (error := playing.exception()):
                raise error
        finally:
            self.daemon.stop()
            await asyncio.gather(running, return_exceptions=True)

    def _crew(self, table: Table) -> Crew:
        from drivers.base import Mark
        from drivers.registry import make

        mark = table.state.marks.get("shoe")
        known = None if mark is None else Mark(mark.boot, mark.number)

        def device(kind: Any, driver: str, name: str, **more: Any) -> Any:
            settings = {"port": str(self.world.paths[name]), **more}
            return make(kind, driver, settings, known=known if name == "shoe" else None, allow_simulated=True)

        keys = {key: number for number, key in enumerate(KEYS)}
        return Crew(
            shoe=device("shoe", "tablelink", "shoe"),
            displays={
                "sign": (device("display", "alpha_sign", "sign", **PTY_LINE), "limits"),
                "board": (device("display", "escpos", "board"), "results"),
            },
            consoles={"keys": device("console", "tablelink", "keys", keys=keys)},
        )

    # Playing

    async def _play(self, rounds: int | None) -> None:
        runner = self.daemon.runner
        await self._until(lambda: self._shoe_ready() and "shoe" in runner.table.state.marks)
        for first in (i.OpenTable(), i.Shoe("load"), *self._bets()):
            await runner.enter(first, DEALER)
        while rounds is None or self.summary.rounds < rounds or runner.table.round is not None:
            await asyncio.sleep(self._pause_s)
            if self._shoe_keeps_events():
                await self._until_changed()  # who answers now would name cards that the shoe is about to tell
                continue
            what = self._bot.next(dealer_view(runner.table), self.shoe.dealt)
            try:
                if what is None:
                    await self._deal()
                else:
                    await runner.enter(what, DEALER)
            except Refused as refused:
                await self._help(refused)

    def _bets(self) -> list[i.FromPeople]:
        return self._bot.wagers()

    def _shoe_ready(self) -> bool:
        return self.daemon.devices.status()[0].state == "ready"

    def _shoe_keeps_events(self) -> bool:
        from drivers.simulated.tablelink_end import TableLinkEnd

        end = self.world.shoe_bench.end
        return isinstance(end, TableLinkEnd) and bool(end.queued)

    async def _deal(self) -> None:
        """One card, when the shoe lets one out; then the table must know of it, or ask."""
        from drivers.simulated.shoe import ShoeStopped

        if not self.shoe.left and not self._unknown():  # the cut card went by unseen between two others
            await self._change_empty_shoe()
            return
        self._spoil()
        before = len(self.shoe.dealt)
        try:
            dealt = self.shoe.deal()
        except ShoeStopped:
            await self._until_changed()
            return
        finally:
            for name in _OF_THE_FEED:
                self.shoe.faults.switch(name, None)
        self.summary.cards_read += len(self.shoe.dealt) - before
        state = self.daemon.runner.table.state
        asked, count = state.held_number, state.shoe.count
        if dealt.what == "backfeed":
            await self._until(lambda: self.daemon.runner.table.state.held_number > asked)
        else:
            await self._until(
                lambda: (
                    self.daemon.runner.table.state.shoe.count > count
                    or self.daemon.runner.table.state.held_number > asked
                )
            )

    async def _change_empty_shoe(self) -> None:
        runner = self.daemon.runner
        if runner.table.round is not None:
            await runner.enter(i.Void("the shoe is empty"), SUPERVISOR)
        await self._help(Refused("shoe_change_due", "the shoe is empty"))

    async def _help(self, refused: Refused) -> None:
        """What a dealer does who was refused."""
        runner = self.daemon.runner
        match refused.code:
            case "shoe_change_due":
                self._compare()
                self._load += 1
                self.shoe.load(self._cards(self._load))
                await runner.enter(i.Shoe("load"), DEALER)
            case "device_missing" | "question_first":
                await self._until_changed()
            case _:
                raise refused

    def _unknown(self) -> tuple[str, ...]:
        """The cards that left the shoe and that the table has not been told."""
        return tuple(self.shoe.dealt[self.daemon.runner.table.state.shoe.count :])

    def _spoil(self) -> None:
        for name, often in self._faults:
            if self._chance.random() >= often:
                continue
            self.summary.faults_injected[name] = self.summary.faults_injected.get(name, 0) + 1
            self.shoe.faults.switch(name, 1 if name in (*_OF_THE_FEED, "unplug", "reboot") else 0.3)
            if name not in _OF_THE_FEED:
                seconds = self._chance.uniform(0.05, 0.3)
                asyncio.get_running_loop().call_later(seconds, self.shoe.faults.switch, name, None)

    # What comes of it

    def _noticed(self, change: Change, say: Callable[[Demo, Change], None]) -> None:
        for event in change.events:
            if isinstance(event, e.RoundEnded):
                self.summary.rounds += 1
                self._settle_again(event)
                for seat, net in event.net.items():
                    before = parse_amount(self.summary.nets.get(seat, "0"))
                    self.summary.nets[seat] = str(whole(Fraction(before + parse_amount(net or "0"))))
            elif isinstance(event, e.RoundVoided):
                self.summary.voided += 1
        self._changed.set()
        self._changed = asyncio.Event()
        say(self, change)

    async def _until(self, reached: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not reached():
                await self._until_changed()

    async def _until_changed(self) -> None:
        changed = self._changed
        try:
            async with asyncio.timeout(0.05):  # a shoe that lets no card out is tried again
                await changed.wait()
        except TimeoutError:
            pass

    def _settle_again(self, ended: e.RoundEnded) -> None:
        """The round as a script, settled by itself: every seat must get the same."""
        log = self.daemon.runner.table.state.last
        assert log is not None
        script = round_script(self.setup, log, *self._named_rules)
        nets = settle_script(script, load_game).get("net")
        if nets != {str(seat): net for seat, net in ended.net.items()}:
            self.summary.problems.append(f"round {ended.number}: settled {ended.net}, and again {nets}")

    def _compare(self) -> None:
        """Every card that the shoe dealt is at the table exactly once."""
        shoe = self.daemon.runner.table.state.shoe
        dealt = Counter(self.shoe.dealt)
        self.summary.cards_journalled += shoe.count
        if shoe.unknown or Counter(shoe.out) != dealt:
            missing, extra = dict(dealt - Counter(shoe.out)), dict(Counter(shoe.out) - dealt)
            self.summary.problems.append(f"shoe {shoe.number}: missing {missing}, too many {extra}")

    def _audit(self) -> None:
        self._compare()
        try:
            verified = verify(self._folder / "table.db")
        except ValueError as error:
            self.summary.audit = str(error)
            self.summary.problems.append(f"the journal: {error}")
            return
        self.summary.audit = "whole"
        self.summary.records, self.summary.head = verified.records, str(verified.head)
