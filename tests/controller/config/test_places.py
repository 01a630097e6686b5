"""Where every key of a TOML text is, against the parser's own reading of it, and how a mistake is shown."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.config.places import Places, Spot
from controller.config.problems import BadConfig, Problem

TEXT = '''
# a comment with name = "nothing"
top = 1
[table]   # [[not this]]
name = "a # b"
"quoted key" = 'x'
dotted.inner = """
name = "in a string"
"""
list = [ "one", # here
  "two", { three = 3 } ]
[[display]]
port = "first"
[[display]]
keys = { hit = 17, stand = 27 }
port = "second"
[display.deeper]
x = 1
'''


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        (("top",), (3, 1), (3, 7)),
        (("table", "name"), (5, 1), (5, 8)),
        (("table", "quoted key"), (6, 1), (6, 16)),
        (("table", "dotted", "inner"), (7, 8), (7, 16)),
        (("table", "list", 1), (11, 3), (11, 3)),
        (("table", "list", 2, "three"), (11, 12), (11, 20)),
        (("display", 0, "port"), (13, 1), (13, 8)),
        (("display", 1, "keys", "stand"), (15, 20), (15, 28)),
        (("display", 1, "port"), (16, 1), (16, 8)),
        (("display", 1, "deeper", "x"), (18, 1), (18, 5)),
        (("display", 1), (14, 3), (14, 3)),
        (("display", 1, "not", "there"), (14, 3), (14, 3)),
    ],
)
def test_a_key_and_its_value_are_found(
    path: tuple[str | int, ...], key: tuple[int, int], value: tuple[int, int]
) -> None:
    places = Places(TEXT)
    assert places.key(path) == Spot(*key)
    assert places.value(path) == Spot(*value)


def test_what_is_written_nowhere_has_no_place() -> None:
    assert Places(TEXT).key(("nowhere", "at", "all")) is None


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=8)
VALUES = st.recursive(
    st.integers(-99, 99)
    | st.booleans()
    | st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


def written(value: Any) -> str:
    """As TOML, inline. JSON's texts are TOML's, but for characters that JSON lets pass."""
    if isinstance(value, dict):
        pairs = (f"{written(key)} = {written(inner)}" for key, inner in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return json.dumps(value).replace("\x7f", "\\u007f") if not isinstance(value, str) else _text(value)


def _text(text: str) -> str:
    return '"' + "".join(c if c.isalnum() and c.isascii() else f"\\U{ord(c):08x}" for c in text) + '"'


@given(st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=3), max_size=3))
def test_the_value_found_at_a_place_is_the_value_that_the_parser_read(data: dict[str, dict[str, Any]]) -> None:
    text = "\n".join(
        f"[{written(table)}]\n" + "".join(f"{written(key)} = {written(value)}\n" for key, value in keys.items())
        for table, keys in data.items()
    )
    assert tomllib.loads(text) == data
    places, lines = Places(text), text.split("\n")
    for table, keys in data.items():
        for key, value in keys.items():
            spot = places.value((table, key))
            assert spot is not None
            rest = lines[spot.line - 1][spot.column - 1 :]
            assert tomllib.loads(f"x = {rest}") == {"x": value}


def test_the_caret_stands_under_the_place_whatever_is_before_it() -> None:
    line = '\tname = "日本é", x = 1'
    problem = Problem(path=Path("t.toml"), message="wrong", line=3, column=line.index("x") + 1, line_text=line)
    first, shown, caret = str(problem).split("\n")
    assert first == f"t.toml:3:{line.index('x') + 1}: wrong"
    assert shown == f"  {line}"
    assert caret == "  \t" + " " * len('name = "') + "  " * 2 + " " * len('é", ') + "^"


def test_a_line_too_long_is_cut_around_the_place() -> None:
    line = f"name = {'a' * 500}WRONG{'b' * 500}"
    problem = Problem(path=Path("t.toml"), message="wrong", line=1, column=line.index("W") + 1, line_text=line)
    _, shown, caret = str(problem).split("\n")
    assert len(shown) < 200
    assert shown[caret.index("^") :].startswith("WRONG")


def test_what_nobody_can_see_is_not_sent_to_the_terminal() -> None:
    problem = Problem(path=Path("t.toml"), message="wrong", line=1, column=1, line_text="a\x1b[31m = 1")
    assert "\x1b" not in str(problem)


def test_problems_are_told_in_the_order_of_their_lines() -> None:
    bad = BadConfig([Problem(path=Path("t"), message=str(n), line=n, column=1) for n in (3, 1, 2)])
    assert [problem.line for problem in bad.problems] == [1, 2, 3]
