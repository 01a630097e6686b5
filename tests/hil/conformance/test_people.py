"""A person as helper: asked in words, told what was not understood, free to skip."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from drivers.simulated.tablelink_end import TableLinkEnd
from hil.conformance.helper import NoHand, Person, Terminal
from hil.conformance.simulated import Obeying
from hil.stimulus import Order
from tests.hil.conformance.rig import failures, tried


class Someone:
    """Types the lines given; what is done at the device happens as they are typed."""

    def __init__(self, *lines: str | None) -> None:
        self.lines = list(lines)
        self.asked: list[str] = []
        self.told: list[str] = []

    async def _ask(self, what: str) -> str | None:
        self.asked.append(what)
        return self.lines.pop(0)

    @property
    def person(self) -> Person:
        return Person(Terminal(self.told.append, self._ask))


async def test_a_card_is_typed_in_either_way_and_nonsense_is_told() -> None:
    someone = Someone("1S", "8x", "8s", "10H", "")
    assert await someone.person.happen("shoe") == "8S"
    assert someone.told == [
        "'1S' is not understood: type rank and suit, such as 8S, TD or AC",
        "'8X' is not understood: type rank and suit, such as 8S, TD or AC",
    ]
    assert await someone.person.happen("shoe") == "TH"
    assert await someone.person.happen("shoe") is None


async def test_yes_no_and_numbers_are_asked_until_understood() -> None:
    someone = Someone("maybe", "Y", "many", "-1", "31", "n")
    assert await someone.person.looks(0, b"x", "Does it show x?") is True
    assert await someone.person.fill("shoe") == ([None] * 31, False)
    assert [words.split(":")[0] for words in someone.told] == [
        "'maybe' is not understood",
        "'many' is not understood",
        "'-1' is not understood",
    ]


@pytest.mark.parametrize(("line", "why"), [("s", "skipped"), ("SKIP", "skipped"), (None, "nobody answers")])
async def test_a_person_may_skip_or_leave(line: str | None, why: str) -> None:
    for ask in (
        lambda person: person.happen("shoe"),
        lambda person: person.happen("panel"),
        lambda person: person.restart(),
        lambda person: person.looks(0, b"", "?"),
    ):
        with pytest.raises(NoHand, match=why):
            await ask(Someone(line).person)


def at_the_device(end: TableLinkEnd, thinks: float = 0.0) -> Callable[[str], object]:
    """A person who does what is asked, and takes time."""
    obeying = Obeying(end)
    dealt = 0

    async def ask(what: str) -> str | None:
        nonlocal dealt
        start = end.clock()
        for _ in range(600):  # where no session is open the kit waits too, and its clock stands still
            if end.clock() >= start + thinks:
                break
            await asyncio.sleep(0)
        if "Draw one card" in what:
            dealt += 1
            card = "A23456789TJQK"[dealt % 13] + "SHDC"[dealt % 4]
            await obeying.obey(Order("deal", card))
            return card.lower()
        if "type how many" in what:
            count = 0
            order = Order("deal", "2C") if "Draw" in what else Order("key", "1 down")
            while (await obeying.obey(order)).ok:
                count += 1
            return str(count)
        if "one key" in what:
            await obeying.obey(Order("key", "1 down"))
            await obeying.obey(Order("key", "1 up"))
            return ""
        if "off and on" in what:
            end.reboot()
            return ""
        return "y"

    return ask


@pytest.mark.parametrize("role", ["shoe", "sign", "panel"])
def test_a_device_conforms_with_a_person_who_takes_ten_seconds_for_everything(role: str) -> None:
    end = TableLinkEnd(role)
    told: list[str] = []
    person = Person(Terminal(told.append, at_the_device(end, thinks=10.0)))  # type: ignore[arg-type]
    report = tried(end, role, helper=person)
    assert failures(report) == {}
    assert report.conforms
    assert told == []
