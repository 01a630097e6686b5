"""A table that is played at in tests, with its events kept as the journal keeps them: number, time, who."""

from __future__ import annotations

from controller.table import events as e
from controller.table import inputs as i
from controller.table.history import Kept, RoundOnRecord, round_on_record
from controller.table.playback import Step, steps, table_before
from controller.table.rounds import RoundLog
from controller.table.state import Setup
from tests.controller.table.playing import DEALER, SHOE, Played


class OnRecord(Played):
    """Each input comes a second after the one before."""

    def __init__(self, setup: Setup | None = None) -> None:
        super().__init__(setup)
        self.kept = [Kept(1, self._wall(), "device:configuration", self.events[0])]

    def _wall(self) -> str:
        return f"2026-05-01T{self.now // 3600 % 24:02}:{self.now // 60 % 60:02}:{self.now % 60:02}.000Z"

    def tell(self, what: i.Input, actor: i.Actor | None = None) -> tuple[e.Event, ...]:
        who = actor or (DEALER if isinstance(what, i.PEOPLE) else SHOE)
        events = super().tell(what, who)
        self.now += 1
        self.kept += [
            Kept(number, self._wall(), str(who), event) for number, event in enumerate(events, len(self.kept) + 1)
        ]
        return events

    def round(self, number: int = 1) -> RoundOnRecord:
        found = round_on_record(number, self.kept)
        assert found is not None
        return found

    def limits_before(self, number: int) -> list[e.Event]:
        began = self.round(number).steps[0].sequence
        kinds = (e.TableSetUp, e.LimitsScheduled, e.LimitsApplied)
        return [each.event for each in self.kept if each.sequence < began and isinstance(each.event, kinds)]

    def steps(self, number: int = 1, last: RoundLog | None = None) -> list[Step]:
        found = self.round(number)
        return list(steps(table_before(self.table.setup, found, self.limits_before(number), last), found))
