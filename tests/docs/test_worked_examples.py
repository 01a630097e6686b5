"""The worked examples of docs/engineer.md do what they say: a driver, and a game with its golden round."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from controller.library import load_file, load_game
from controller.rules.report import settle_script
from drivers.base import CardRead, Misread, Ready
from tests.docs.reading import blocks

ENGINEER = "docs/engineer.md"


def block(language: str, holding: str) -> str:
    (found,) = (each.text for each in blocks(ENGINEER) if each.language == language and holding in each.text)
    return found


def test_the_driver_reads_its_shoe_however_the_bytes_are_cut() -> None:
    module: dict[str, Any] = {"__name__": "two_letters"}
    exec(compile(block("python", "TwoLetterShoe"), ENGINEER, "exec"), module)
    kind = module["TwoLetterShoe"]
    for size in (1, 2, 100):
        shoe = kind(kind.Settings(port="/dev/none"))
        link = shoe._link
        (ready,) = link.opened(0.0)
        assert isinstance(ready, Ready)
        assert not ready.proven
        data = b"8S\r\nTD\n" + b"XX\n"
        said = [each for at in range(0, len(data), size) for each in link.receive(data[at : at + size], 1.0)]
        assert [each.card for each in said if isinstance(each, CardRead)] == ["8S", "TD"]
        assert [each.reason for each in said if isinstance(each, Misread)] == ["the code 'XX' is not in the card map"]


def test_the_golden_round_comes_out_as_it_says() -> None:
    script = json.loads(block("json", '"expect"'))
    expected = script.pop("expect")
    assert settle_script(script, load_game)["net"] == expected


def test_the_game_has_the_rules_of_the_round(tmp_path: Path) -> None:
    text = block("toml", "Two Chances")
    (tmp_path / "two_chances.toml").write_text(text)
    rules = load_file(tmp_path / "two_chances.toml")
    script = json.loads(block("json", '"expect"'))
    written = tomllib.loads(text)
    assert {key: written[key] for key in script["options"]} == script["options"]
    assert rules.name == "Two Chances"
