"""Every rule of PROTOCOL.md is named by a test of this folder, or stands here with the reason why not."""

from __future__ import annotations

import ast
import re
from pathlib import Path

FOLDER = Path(__file__).parent
PROTOCOL = FOLDER.parents[2] / "firmware_protocol" / "PROTOCOL.md"

NOT_TESTABLE_HERE: dict[str, str] = {}


def named_by_tests() -> dict[str, list[str]]:
    """The tests that name each rule in their docstring."""
    found: dict[str, list[str]] = {}
    for file in sorted(FOLDER.glob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for rule in re.findall(r"TL-\d{3}", ast.get_docstring(node) or ""):
                    found.setdefault(rule, []).append(node.name)
    return found


def test_every_rule_is_tested_or_says_why_not() -> None:
    rules = set(re.findall(r"TL-\d{3}", PROTOCOL.read_text()))
    named = set(named_by_tests())
    assert sorted(rules - named - set(NOT_TESTABLE_HERE)) == []
    assert sorted(named - rules) == [], "a test names a rule that the text does not have"
    assert sorted(set(NOT_TESTABLE_HERE) & named) == [], "a rule is tested and said not to be testable"
    assert sorted(set(NOT_TESTABLE_HERE) - rules) == []


def test_every_rule_has_one_id() -> None:
    """A rule is defined where its id begins a row of a table or stands in brackets."""
    defined = re.findall(r"^\| (TL-\d{3}) \||\((TL-\d{3})\)", PROTOCOL.read_text(), re.MULTILINE)
    assert len({a or b for a, b in defined}) == len(set(re.findall(r"TL-\d{3}", PROTOCOL.read_text())))
