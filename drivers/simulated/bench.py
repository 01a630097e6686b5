"""What a simulated device on its own can be told, a line at a time, and what it says back: words, and fields for JSON.

Refuses in words what it does not understand; nothing has happened then.
"""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from drivers.simulated.faults import FAULTS, Faults
from drivers.simulated.panel import TableLinkPanelModel
from drivers.simulated.panel_driver import KEYS, SWITCH_NUMBER
from drivers.simulated.pty_plug import Happened, PtyPlug
from drivers.simulated.shoe import LoadedShoe, ShoeStopped, keep_dealing, shoe_end
from drivers.simulated.shoe_ends import ShoeEnd
from drivers.simulated.signs import SignEnd, sign_end
from drivers.simulated.tablelink_end import TableLinkEnd

Said = dict[str, Any]  # `event`, `words` and whatever belongs to the event
Say = Callable[[Said], None]
Order = Callable[[list[str]], Awaitable[list[Said]]]
LOOK_S: Final = 0.05  # between two looks at a sign
MOST_AT_ONCE: Final = 500
_OWN_FAULTS: Final = {
    "shoe": ("misread", "double_feed", "backfeed", "queue_full"),
    "sign": ("mute_sign",),
    "panel": ("stuck_key", "bounce"),
}


class NotUnderstood(Exception):
    """What was typed means nothing here; the words say what would."""


class Bench:
    """One device and the orders it takes."""

    kind: str
    protocol: str
    end: ShoeEnd | SignEnd | TableLinkEnd

    def __init__(self, seed: int) -> None:
        self.faults = Faults(seed)
        self._plug: PtyPlug | None = None
        self._say: Say = lambda said: None
        self.orders: dict[str, tuple[str, Order]] = {
            "fault": ("fault NAME [CHANCE] or fault NAME off; fault alone lists them", self._fault),
            "show": ("what it is like now", self._show),
            "help": ("this list", self._help),
        }

    def attach(self, plug: PtyPlug, say: Say) -> None:
        self.end.woken = plug.wake
        self._plug, self._say = plug, say

    async def live(self) -> None:
        """What the device does by itself, until it is cancelled."""
        await asyncio.Event().wait()

    async def told(self, line: str) -> list[Said]:
        """Does what was typed and says what came of it."""
        words = line.split()
        if not words:
            return []
        name = words[0].lower()
        try:
            if name not in self.orders:
                near = difflib.get_close_matches(name, (*self.orders, "quit"), n=1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join((*self.orders, 'quit'))}"
                raise NotUnderstood(f"{words[0]!r} is nothing a simulated {self.kind} can be told: {hint}")
            return await self.orders[name][1](words[1:])
        except NotUnderstood as error:
            return [_said("not_understood", str(error))]

    def line_event(self, what: Happened, path: str) -> Said:
        about = f"SIMULATED {self.protocol} {self.kind}"
        words = {
            "plugged_in": f"{path}\n{about}: nothing here is real. {self.about()} Type help.",
            "opened": f"a program opened {path}",
            "closed": f"the program closed {path}",
            "unplugged": f"unplugged: {path} is gone until the fault unplug is off",
        }[what]
        return _said(what, words, path=path, kind=self.kind, protocol=self.protocol, simulated=True)

    def about(self) -> str:
        raise NotImplementedError

    def state(self) -> Said:
        """Of the device itself; `show` adds the line and the faults."""
        raise NotImplementedError

    @property
    def listened_to(self) -> bool:
        return self._plug is not None and self._plug.is_open

    async def _fault(self, words: list[str]) -> list[Said]:
        if not words:
            usable = self.faults_of_mine()
            return [_said("faults", "\n".join(f"{name}: {FAULTS[name]}" for name in usable), faults=usable)]
        name, *rest = words
        try:
            if name in FAULTS and name not in self.faults_of_mine():
                raise NotUnderstood(f"a {self.kind} can't have the fault {name!r}: type fault for those it can")
            self.faults.switch(name, _chance(rest))
        except ValueError as error:
            raise NotUnderstood(str(error)) from None
        is_on = self.faults.is_on(name)
        return [_said("fault", f"{name} is {'on' if is_on else 'off'}: {FAULTS[name]}", fault=name, on=is_on)]

    def faults_of_mine(self) -> list[str]:
        """Those that a device of this kind can have."""
        others = {fault for kind, faults in _OWN_FAULTS.items() if kind != self.kind for fault in faults}
        return [name for name in FAULTS if name not in others]

    async def _show(self, words: list[str]) -> list[Said]:
        _nothing_more("show", words)
        state = self.state()
        line = "a program has it open" if self.listened_to else "no program has it open"
        on = self.faults.on
        faults = f"faults on: {', '.join(on)}" if on else "no fault is on"
        state["words"] = f"{state['words']}\n{line}; {faults}"
        return [{**state, "open": self.listened_to, "faults": on}]

    async def _help(self, words: list[str]) -> list[Said]:
        lines = [f"{name}: {use}" for name, (use, _) in sorted(self.orders.items())]
        return [_said("help", "\n".join([*lines, "quit: end it"]), orders=[*sorted(self.orders), "quit"])]


class ShoeBench(Bench):
    """A shoe, dealt from by whoever types, or by the clock."""

    kind = "shoe"

    def __init__(
        self, protocol: str, cards: Sequence[str], *, seed: int = 0, burn: int = 0, auto: float | None = None
    ) -> None:
        super().__init__(seed)
        self.protocol = protocol
        self.end: ShoeEnd = shoe_end(protocol, self.faults)
        self.shoe = LoadedShoe(self.end, self.faults, cards, burn=burn)
        self._auto = auto
        self.orders |= {
            "deal": ("deal, deal 5 for five cards, or deal 8S for that one", self._deal),
            "cut": ("the cut card comes out", self._cut),
            "lid": ("lid open or lid close", self._lid),
            "jam": ("jam on or jam off", self._jam),
            "load": ("fill it with the same cards again", self._load),
        }

    async def live(self) -> None:
        if self._auto is None:
            await super().live()
        else:
            await keep_dealing(self.shoe, self._auto)

    def about(self) -> str:
        return f"{len(self.shoe.left)} cards are in it, seed {self.faults.seed}."

    def state(self) -> Said:
        shoe, end = self.shoe, self.end
        waiting = end.queued if isinstance(end, TableLinkEnd) else 0
        kept = f"; {waiting} events wait to be acknowledged" if isinstance(end, TableLinkEnd) else ""
        stopped = f"; it lets none out: {shoe.stopped}" if shoe.stopped else ""
        return _said(
            "state",
            f"{len(shoe.left)} cards in it, {len(shoe.dealt)} left it{kept}{stopped}",
            left=len(shoe.left),
            dealt=list(shoe.dealt),
            waiting=waiting,
            stopped=shoe.stopped,
        )

    async def _deal(self, words: list[str]) -> list[Said]:
        if len(words) > 1:
            raise NotUnderstood("deal takes one word: a number of cards, or one card")
        what = words[0] if words else "1"
        said: list[Said] = []
        try:
            if not (what.isascii() and what.isdigit()):
                return [self._one(what)]
            if not 1 <= int(what) <= MOST_AT_ONCE:
                raise NotUnderstood(f"deal from 1 to {MOST_AT_ONCE} cards at once, not {what[:20]}")
            for _ in range(int(what)):
                said.append(self._one(None))
                await asyncio.sleep(0)  # the line and the other tasks have their turn
        except ShoeStopped as error:
            said.append(_said("stopped", str(error)))
        except ValueError as error:
            raise NotUnderstood(str(error)) from None
        return said

    def _one(self, card: str | None) -> Said:
        dealt = self.shoe.deal(card)
        cards = " and ".join(dealt.cards)
        words = {
            "card": f"{cards} left the shoe",
            "misread": f"{cards} left the shoe unread",
            "double_feed": f"{cards} left the shoe together",
            "backfeed": "a card was pushed back into the shoe",
        }[dealt.what]
        cut = "the cut card came out; " if dealt.cut_card else ""
        lost = "" if self.listened_to or isinstance(self.end, TableLinkEnd) else "; nobody listened, and it is lost"
        return _said("dealt", cut + words + lost, what=dealt.what, cards=list(dealt.cards), cut_card=dealt.cut_card)

    async def _cut(self, words: list[str]) -> list[Said]:
        _nothing_more("cut", words)
        return [self._happened("cut", "the cut card came out", self.shoe.cut())]

    async def _lid(self, words: list[str]) -> list[Said]:
        is_open = _one_of("lid", words, "open", "close")
        return [self._happened("lid", f"the lid is {'open' if is_open else 'closed'}", self.shoe.lid(is_open))]

    async def _jam(self, words: list[str]) -> list[Said]:
        jammed = _one_of("jam", words, "on", "off")
        happened = "a card is jammed" if jammed else "the jam is cleared"
        return [self._happened("jam", happened, self.shoe.jam(jammed))]

    async def _load(self, words: list[str]) -> list[Said]:
        _nothing_more("load", words)
        self.shoe.load()
        return [_said("loaded", f"{len(self.shoe.left)} cards are in it again", left=len(self.shoe.left))]

    def _happened(self, event: str, words: str, told: bool) -> Said:
        return _said(event, words if told else f"{words}; {self.protocol} has no words for it", told=told)


class SignBench(Bench):
    """A sign, looked at all the time."""

    kind = "sign"

    def __init__(self, protocol: str, *, seed: int = 0) -> None:
        super().__init__(seed)
        self.protocol = protocol
        self.end: SignEnd = sign_end(protocol, self.faults)

    async def live(self) -> None:
        seen = ""
        while True:
            await asyncio.sleep(LOOK_S)
            if (now := self.end.shown()) != seen:
                seen = now
                self._say(self.state())

    def about(self) -> str:
        return "It is dark."

    def state(self) -> Said:
        shown = self.end.shown()
        framed = "\n".join(f"| {line}" for line in shown.splitlines())
        return _said("shown", f"it shows\n{framed}" if shown else "it is dark", text=shown)


class PanelBench(Bench):
    """A key panel, with fingers."""

    kind = "panel"
    protocol = "tablelink"

    def __init__(self, *, seed: int = 0, keys: Sequence[str] = KEYS) -> None:
        super().__init__(seed)
        self.keys = tuple(keys)
        self.end: TableLinkEnd = TableLinkEnd("panel", faults=self.faults)
        numbers = {key: number for number, key in enumerate(self.keys)}
        self._panel = TableLinkPanelModel(numbers, end=self.end, key_switch=SWITCH_NUMBER)
        self.orders |= {
            "press": (f"press one of {', '.join(self.keys)}", self._press),
            "hold": ("hold a key for long", self._hold),
            "key": ("key on or key off turns the key switch", self._key),
        }

    def about(self) -> str:
        return f"Its keys, from number 0 on: {', '.join(self.keys)}; the key switch is {SWITCH_NUMBER}."

    def state(self) -> Said:
        lamps = self._panel.lamps()
        lit = [f"{key} is {state}" for key, state in lamps.items() if state != "off"]
        return _said("lamps", f"lamps: {', '.join(lit) or 'all off'}", lamps=lamps)

    async def _press(self, words: list[str]) -> list[Said]:
        return await self._finger("pressed", words, self._panel.press)

    async def _hold(self, words: list[str]) -> list[Said]:
        return await self._finger("held", words, self._panel.hold)

    async def _key(self, words: list[str]) -> list[Said]:
        on = _one_of("key", words, "on", "off")
        await self._panel.turn_key(on)
        return [_said("key", f"the key switch is {'on' if on else 'off'}", on=on)]

    async def _finger(self, done: str, words: list[str], finger: Callable[[str], Awaitable[None]]) -> list[Said]:
        if len(words) != 1:
            raise NotUnderstood(f"name one key: {', '.join(self.keys)}")
        try:
            await finger(words[0])
        except ValueError as error:
            raise NotUnderstood(str(error)) from None
        return [_said(done, f"{words[0]} was {done}", key=words[0])]


def _said(event: str, words: str, **fields: Any) -> Said:
    return {"event": event, **fields, "words": words}


def _chance(words: list[str]) -> float | None:
    if not words:
        return 1.0
    if words == ["off"]:
        return None
    try:
        (text,) = words
        return float(text)
    except ValueError:
        raise NotUnderstood("behind a fault's name comes off, or a chance from 0 to 1, such as 0.1") from None


def _one_of(order: str, words: list[str], yes: str, no: str) -> bool:
    if words not in ([yes], [no]):
        raise NotUnderstood(f"write {order} {yes} or {order} {no}")
    return words == [yes]


def _nothing_more(order: str, words: list[str]) -> None:
    if words:
        raise NotUnderstood(f"{order} stands alone")
