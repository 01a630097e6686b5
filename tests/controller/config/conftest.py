"""Configurations for tests: a good one in sections, of which a test replaces what it is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.config.load import load
from controller.config.model import TableConfig
from controller.config.problems import BadConfig, Problem

SECTIONS = {
    "table": '[table]\nname = "Table 7"\nchips = ["1", "5", "25"]\nsimulated = true\n',
    "game": '[game]\nruleset = "power_blackjack"\n',
    "limits": '[limits.main]\nmin = "10"\nmax = "500"\nstep = "10"\n',
    "shoe": '[shoe]\ndriver = "simulated"\n',
}


class Writer:
    """Writes `table.toml` into a folder. Sections that a test names replace those of the good configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / "table.toml"

    def write(self, text: str | bytes) -> Path:
        self.path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.path

    def good(self, **sections: str) -> TableConfig:
        return load(self.write(text_of(**sections)))

    def problems(self, **sections: str) -> tuple[Problem, ...]:
        return self.problems_of(text_of(**sections))

    def problems_of(self, text: str | bytes) -> tuple[Problem, ...]:
        with pytest.raises(BadConfig) as caught:
            load(self.write(text))
        return caught.value.problems

    def line(self, text: str, occurrence: int = 1) -> str:
        """As in "(line 12)": where this stands in the file."""
        lines = self.path.read_text().split("\n")
        return f"(line {[number for number, line in enumerate(lines, 1) if text in line][occurrence - 1]})"

    def problem(self, **sections: str) -> Problem:
        """The only one there is."""
        (problem,) = self.problems(**sections)
        return problem


def text_of(**sections: str) -> str:
    return "\n".join({**SECTIONS, **sections}.values())


def shown(problem: Problem) -> str:
    """What stands at the caret, to the end of its line."""
    assert problem.column is not None
    return problem.line_text[problem.column - 1 :]


def keys(problems: tuple[Problem, ...]) -> list[str]:
    return [problem.key for problem in problems]


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(tmp_path)
