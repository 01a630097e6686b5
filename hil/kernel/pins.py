"""A chip of pins made by the kernel's gpio-sim: a test pushes and reads its lines. Needs root and configfs."""

from __future__ import annotations

from pathlib import Path
from typing import Final

CONFIG: Final = Path("/sys/kernel/config/gpio-sim")
LINES: Final = 54  # as a Pi 4's chip has
LABEL: Final = "pinctrl-bcm2711"


class PinChip:
    """One chip, alive from the start until `remove`."""

    def __init__(self, name: str = "pi", lines: int = LINES) -> None:
        self._config = CONFIG / name
        bank = self._config / "bank0"
        bank.mkdir(parents=True)
        (bank / "num_lines").write_text(str(lines))
        (bank / "label").write_text(LABEL)
        (self._config / "live").write_text("1")
        self.chip = (bank / "chip_name").read_text().strip()
        self._lines = Path("/sys/devices/platform") / (self._config / "dev_name").read_text().strip() / self.chip

    @property
    def number(self) -> int:
        """N of /dev/gpiochipN."""
        return int(self.chip.removeprefix("gpiochip"))

    def pull(self, line: int, up: bool) -> None:
        """As a key, a resistor or another chip does from outside. An output is stronger than any pull."""
        (self._lines / f"sim_gpio{line}" / "pull").write_text("pull-up" if up else "pull-down")

    def level(self, line: int) -> int:
        """The line as a meter would show it."""
        return int((self._lines / f"sim_gpio{line}" / "value").read_text())

    def remove(self) -> None:
        (self._config / "live").write_text("0")
        (self._config / "bank0").rmdir()
        self._config.rmdir()
