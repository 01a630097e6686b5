"""The fixture `sign`: a sign under its real driver, and eyes: of the simulated sign, of a person, or the sign's word.

A sign that can't answer, with nobody to look at it, skips the test: nobody would know.
"""

from __future__ import annotations

import time
from typing import Final, cast

from drivers.base import Display, Text
from hil.plugin.hands import Nobody, OwnHand, PinHand, Stimulus
from hil.plugin.shoe import Moved
from hil.plugin.words import CantDo, NotHeard

LOOK_S: Final = 0.02
ANSWERS: Final = ("tablelink",)  # drivers of signs that say what they show


class BenchSign(Moved):
    @property
    def device(self) -> Display:
        """The driver, for what is not here. It lives in the bench's loop."""
        return cast(Display, self.watched.device)

    def show(self, **slots: str | Text) -> None:
        """`limits`, `rules`, `result` and `message`; one that is missing is blank. A word is shown in every length."""
        content = {slot: _text(text) for slot, text in slots.items()}
        self._story.tell("the test", f"{self.place.name}: show {slots}")
        self.watched.run(lambda: self.device.show(content))

    def problems(self, **slots: str | Text) -> list[str]:
        """What this sign can't show of it, in words."""
        content = {slot: _text(text) for slot, text in slots.items()}
        return self.watched.run(lambda: self.device.problems(content))

    def seen(self) -> str:
        """What is to be seen on it. Asks the person at the bench; skips where nobody can tell."""
        return self.hand.look("what does it show?")

    def expect_text(self, text: str, within: float = 10.0) -> None:
        """It shows this text: as seen; or, with nobody to look, as the sign itself says of what it was last given."""
        __tracebackhide__ = True
        if isinstance(self.hand, Nobody | Stimulus):
            self._expect_word(within)
            return
        if not isinstance(self.hand, OwnHand | PinHand):
            answer = self.hand.look(f"does it show {text!r}? [y/n]")
            if not answer.lower().startswith("y"):
                raise NotHeard(f"{self.place.name} does not show {text!r}, says who looked")
            return
        end = time.monotonic() + within
        while text not in (shown := self.seen()):
            if time.monotonic() > end:
                raise NotHeard(f"{self.place.name} does not show {text!r} within {within:g} s; it shows {shown!r}")
            time.sleep(LOOK_S)

    def _expect_word(self, within: float) -> None:
        if self.place.driver not in ANSWERS:
            raise CantDo(f"{self.place.name} can't say what it shows, and nobody looks at it")
        self.watched.until(lambda: self.device.shown(), within, "the sign's word that it shows it")


def _text(text: str | Text) -> Text:
    return text if isinstance(text, Text) else Text(page=text, line=text, short=text, digits=text)
