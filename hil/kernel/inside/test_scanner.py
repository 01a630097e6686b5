"""The driver `line_reader` on a scanner that types, made by the kernel's uinput: codes become cards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.base import Misread, Ready
from drivers.consoles.input_events import CODES
from drivers.errors import PortLost
from drivers.shoes.line_reader import LineReaderShoe
from drivers.shoes.typed import PLAIN, SHIFTS
from hil.kernel.inside.listening import Listener, served
from hil.kernel.keypad import Keypad

SHIFT = min(SHIFTS)


@pytest.fixture
def scanner() -> Iterator[Keypad]:
    made = Keypad([*PLAIN, *SHIFTS], "Kernel scanner", product=0xCA51)
    yield made
    made.unplug()


def scan(scanner: Keypad, code: str) -> None:
    for character in code:
        scanner.turn(SHIFT, character.isupper())
        scanner.press(CODES[character.upper()])
    scanner.turn(SHIFT, False)
    scanner.press(CODES["ENTER"])


def reader(port: str, folder: Path) -> LineReaderShoe:
    cards = folder / "cards.toml"
    cards.write_text('[cards]\n"0012345" = "AS"\n"Card8h" = "8H"\n"45" = "2C"\n')
    return LineReaderShoe(LineReaderShoe.Settings(port=port, cards=str(cards)))


@pytest.mark.parametrize("address", ["path", "name:Kernel scanner"])
async def test_codes_become_cards_until_it_is_unplugged(scanner: Keypad, address: str, tmp_path: Path) -> None:
    async with served(reader(scanner.path if address == "path" else address, tmp_path)) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the scanner")
        for count, code in enumerate(("0012345", "Card8h", "card8h", "45"), 2):
            scan(scanner, code)
            await listener.until(lambda told=count: len(listener.said) == told, code)  # type: ignore[misc]
        assert listener.cards == ["AS", "8H", "2C"]
        assert [each.reason for each in listener.of(Misread)] == ["the code 'card8h' is not in the card map"]
        scanner.unplug()
        lost = await listener.trouble()
        assert isinstance(lost, PortLost)
        assert "the scanner Kernel scanner" in lost.words


async def test_keys_that_the_kernel_dropped_make_a_misread_and_no_wrong_card(scanner: Keypad, tmp_path: Path) -> None:
    async with served(reader(scanner.path, tmp_path)) as listener:
        await listener.until(lambda: bool(listener.of(Ready)), "the scanner")
        for _ in range(20):  # more than the kernel keeps for a program that is busy
            scan(scanner, "0012345")
        await listener.until(lambda: scanned(scanner, listener), "a misread")
        assert set(listener.cards) <= {"AS"}, "the rest of a code is never taken for a shorter one"
        count = len(listener.cards)
        scan(scanner, "Card8h")
        await listener.until(lambda: listener.cards[count:] == ["8H"], "the next card")


def scanned(scanner: Keypad, listener: Listener) -> bool:
    """Ends the line that was cut off, until it is told as a misread."""
    scanner.press(CODES["ENTER"])
    return bool(listener.of(Misread))
