"""A whole table around the firmware: `croupier run` as a process, our devices on its ports, a dealer, and the books.

The books hold what left the shoe, start by start; `audit` compares them with the journal, event by event.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from controller.store.audit import verify
from controller.store.journal import Journal
from drivers.simulated.pile import shuffled
from hil.firmware.device import Device
from hil.stimulus import Answer
from tests.controller.daemon.served import CONFIG, Process, until

OK = Answer(True)
STOPPED = Answer(False, "stopped")
DECKS = 6
HEARD = ("CardDrawn", "CardHeld", "CardBurned")
SIGN = """
[[display]]
name = "sign"
shows = "limits"
driver = "tablelink"
port = "{port}"
"""


class Books:
    """What left the shoe at each of its starts; the place in a start's list is the event's number less one."""

    def __init__(self) -> None:
        self.starts: list[list[str]] = [[]]

    def dealt(self, card: str) -> None:
        self.starts[-1].append(card)

    def restarted(self) -> None:
        self.starts.append([])

    def audit(self, journal: Path) -> tuple[int, int]:
        """How many cards the journal has, and how many were lost and declared. Fails if one is there twice, changed,
        out of its order, or absent with nobody told."""
        verify(journal)
        with Journal.read_only(journal) as reader:
            records = [(record.actor, json.loads(record.data)) for record in reader.unproven()]
        heard: dict[int, list[str]] = {}
        doubts: set[int] = set()  # boots that began with the question whether the felt agrees
        fresh: list[str] = []
        doubted = False
        for actor, event in records:
            if actor != "device:shoe":
                continue
            if event["event"] in HEARD and event.get("card"):
                fresh.append(event["card"])
            doubted |= event["event"] == "CardHeld" and event["situation"] == "missed"
            if event["event"] == "MarkReached":
                cards = heard.setdefault(event["boot"], [])
                if event["number"] == 0:
                    assert not cards, "a start begins once"
                    assert not fresh
                    doubts |= {event["boot"]} if doubted else set()
                else:
                    assert fresh, f"event {event['number']} of boot {event['boot']} is marked and has no card"
                    cards += fresh
                    assert len(cards) == event["number"], "each number once and in order"
                fresh, doubted = [], False
        assert not fresh, "a card without its mark would be told again"
        return self._compare(heard, doubts)

    def _compare(self, heard: dict[int, list[str]], doubts: set[int]) -> tuple[int, int]:
        first = min(heard)
        known = {boot - first for boot in heard}
        assert known <= set(range(len(self.starts))), f"{known} for {len(self.starts)} starts"
        lost = 0
        pending = False
        for start, dealt in enumerate(self.starts):
            boot = first + start
            got = heard.get(boot, [])
            assert got == dealt[: len(got)], f"start {start}: the journal has {got}, and {dealt} left the shoe"
            if pending and boot in heard:
                assert boot in doubts, f"cards were lost before start {start}, and the table was not asked"
                pending = False
            lost += len(dealt) - len(got)
            pending |= len(got) < len(dealt)
        assert not pending, "the last cards are in no journal"
        return sum(map(len, heard.values())), lost


class Table:
    """The daemon, its dealer, and the hands at the shoe. Every card comes from one seeded shuffle."""

    def __init__(self, folder: Path, shoe: Device, sign: Device, seed: int) -> None:
        section = f'driver = "tablelink"\nport = "{shoe.link}"\ndecks = {DECKS}'
        config = CONFIG.replace('driver = "simulated"', section) + SIGN.format(port=sign.link)
        self.shoe, self.sign, self.books = shoe, sign, Books()
        self.process = Process(folder, config)
        self._cards = iter(shuffled(DECKS, seed, 0))
        self._chance = Random(seed)

    def begin(self) -> None:
        self.process.start()
        self.until_ready("shoe")
        self.process.open()

    def device(self, name: str) -> Any:
        _, said = self.process.ask("GET", "/api/v1/devices")
        return next(device for device in said["devices"] if device["device"] == name)

    def until_ready(self, name: str) -> None:
        until(lambda: self.device(name)["state"] == "ready", f"the {name}")

    @property
    def view(self) -> Any:
        return self.process.state("dealer")

    # The shoe

    def deal(self) -> bool:
        """Whether a card left the shoe."""
        card = next(self._cards)
        answer = self.shoe.tell(f"deal {card}")
        assert answer in (OK, STOPPED)
        if answer == OK:
            self.books.dealt(card)
        return answer == OK

    def deal_until_full(self) -> None:
        while self.deal():
            pass
        for _ in range(2):
            card = next(self._cards)
            assert self.shoe.tell(f"throat {card}") == OK
            self.books.dealt(card)

    def restart(self) -> None:
        """By one of the ways in which a real one restarts."""
        way = self._chance.randrange(3)
        if way == 0:
            self.shoe.reset()
        elif way == 1:
            assert self.shoe.tell("reset") == OK
        else:
            self.shoe.power(False)
            self.shoe.power(True)
        assert self.shoe.tell("hello").ok
        self.books.restarted()

    def settled(self) -> None:
        """The shoe is ready, and the journal has all that it still held."""
        self.until_ready("shoe")
        dealt = len(self.books.starts[-1])

        def reached() -> bool:
            mark = self.process.state()["state"]["marks"]["shoe"]
            return bool(mark["number"] == dealt and mark["boot"] == self.boot)

        until(reached, f"all {dealt} cards of this start")

    @property
    def boot(self) -> int:
        """Which start the shoe is in, as its memory says."""
        memory, at = self.shoe.memory.read_bytes(), 0x40
        records = [memory[place : place + 4] for place in range(at, at + 16 * 8, 8)]
        return max(int.from_bytes(each, "little") for each in records if each != b"\xff" * 4)

    # The dealer

    def step(self) -> None:
        """What a dealer does next."""
        view = self.view
        question = view["question"]
        if question is not None:
            answers = [choice["answer"] for choice in question["choices"]]
            self.process.enter("answer", answer=next(a for a in answers if a not in ("name", "same")))
        elif view["actions"]:
            seat, hand = view["public"]["turn"]
            action = next((a for a in ("stand", "keep") if a in view["actions"]), view["actions"][0])
            self.process.enter("decision", seat=seat, hand=hand, action=action)
        elif "next_round" in view["legal"]:
            self.process.enter("next_round")
        else:
            assert self.deal()
            self.settled()

    def play(self, rounds: int) -> None:
        """Until so many more rounds are over."""
        goal = self.view["public"]["round"] + rounds
        for _ in range(200 * rounds):
            public = self.view["public"]
            if public["round"] >= goal and self.view["question"] is None and public["phase"] != "playing":
                return
            self.step()
        raise AssertionError(f"{rounds} rounds did not end: {self.view}")

    def play_until(self, cards: int) -> None:
        """Into a round, until so many of its cards lie on the felt."""
        while len(self.process.state()["state"]["round"]["entries"] if self._in_round else []) < cards:
            self.step()

    @property
    def _in_round(self) -> bool:
        return self.process.state()["state"]["round"] is not None
