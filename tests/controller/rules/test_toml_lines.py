"""The line numbers of keys are right, held to texts whose writer knows where it put each key."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from controller.library import GAMES, game_names
from controller.rules.toml_lines import Path, key_lines, line_of

BARE = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789_-"
NASTY = ["=", "[", "]", "#", ".", "'", '"', "\\", " ", "{", "}", ",", "é", "♠", "[[x]]", "a = 1", "]]", "# no"]

bare_names = st.text(BARE, min_size=1, max_size=6)
nasty_names = st.lists(st.sampled_from([*NASTY, "a", "b"]), max_size=4).map("".join)


def written(name: str, quote: str) -> str:
    """A name as a TOML key: bare where that can be, else in the wanted quotes, else in the ones that can hold it."""
    if quote == "" and name and set(name) <= set(BARE):
        return name
    if quote == "'" and "'" not in name:
        return f"'{name}'"
    return json.dumps(name, ensure_ascii=False)


SHORT_VALUES = [
    "1",
    "-2.5",
    "true",
    '"x = [1]"',
    "'[a]'",
    '"\\"] = #"',
    "''",
    '""',
    "1979-05-27 07:32:00",
    "[1, 2]",
    "[]",
    "{}",
]
INLINE_TABLES = ["{ a = 1, b.c = '=' }", '{ "x]" = [1, { y = "}" }] }', "[{ a = 1 }, { a = 2 }]"]
LONG_VALUES = [
    '"""\nfake = 1\n[fake]\n"""',
    "'''\nfake = 1\n[[fake]] # ''\n'''",
    '"""a\\"""\n= [ {""""',  # escaped and closing quotes of its own
    "'''x'''''",
    "[\n  1, # fake = [\n  'fake = ]',\n\n  [2,\n 3],\n]",
    '[\n  { fake = "\n" },\n]'.replace('"\n"', '"""\n"""'),
    "[ # it's\n]",
    '"""\\\n   fake = 1\n   """',
]
values = st.sampled_from([*SHORT_VALUES, *INLINE_TABLES, *LONG_VALUES])
remarks = st.sampled_from(["", "", " # it's = [ \" '''", " # [fake]", "\t"])
fillers = st.lists(st.sampled_from(["\n", "# fake = 1\n", "   \n", '# """ [fake\n']), max_size=2).map("".join)
gaps = st.sampled_from(["=", " = ", "\t=  "])
indents = st.sampled_from(["", "", "  ", "\t"])


class Writer:
    """Writes a TOML text and remembers on which line each path was first written, and how its last part reads."""

    def __init__(self) -> None:
        self.text = ""
        self.where: dict[Path, tuple[int, str]] = {}
        self.implied: dict[Path, int] = {}

    def put(self, path: Path, key: str, statement: str) -> None:
        line = self.text.count("\n") + 1
        self.where.setdefault(path, (line, key))
        for end in range(1, len(path)):
            self.implied.setdefault(path[:end], line)
        self.text += statement


@st.composite
def keys(draw: st.DrawFn, names: st.SearchStrategy[str], most: int = 3) -> tuple[Path, str]:
    """A key's parts, and the key as it is written: dotted, some parts quoted, spaces about the dots."""
    parts = draw(st.lists(names, min_size=1, max_size=most))
    quotes = [draw(st.sampled_from(["", "'", '"'])) for _ in parts]
    dot = draw(st.sampled_from([".", " . "]))
    return tuple(parts), dot.join(written(part, quote) for part, quote in zip(parts, quotes, strict=True))


@st.composite
def texts(draw: st.DrawFn) -> Writer:
    """Statements, then tables and arrays of tables with statements of their own. Not every one is valid TOML."""
    writer = Writer()
    table: Path = ()
    for section in range(draw(st.integers(1, 4))):
        writer.text += draw(fillers)
        if section:
            table, name = draw(keys(bare_names))
            opened, closed = draw(st.sampled_from([("[", "]"), ("[[", "]]"), ("[ ", " ]")]))
            writer.put(table, name, f"{draw(indents)}{opened}{name}{closed}{draw(remarks)}\n")
        for _ in range(draw(st.integers(0, 3))):
            path, name = draw(keys(bare_names | nasty_names))
            statement = f"{draw(indents)}{name}{draw(gaps)}{draw(values)}{draw(remarks)}\n"
            writer.put((*table, *path), name, statement)
            writer.text += draw(fillers)
    if draw(st.booleans()):
        writer.text = writer.text.removesuffix("\n")
    return writer


def valid(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def leaves(data: dict[str, Any], path: Path = ()) -> set[Path]:
    """Every path of the parsed text that ends in something other than a table."""
    found: set[Path] = set()
    for key, value in data.items():
        found |= leaves(value, (*path, key)) if isinstance(value, dict) else {(*path, key)}
    return found


@given(texts())
def test_every_key_is_on_the_line_it_was_written_on(writer: Writer) -> None:
    assume(valid(writer.text))
    found = key_lines(writer.text)
    for path, (line, key) in writer.where.items():
        first = writer.implied.get(path, line)  # [a.b] before [a]: either line is a fair answer for a
        assert found[path] in (line, first), f"{path} in\n{writer.text}"
        assert key in writer.text.split("\n")[line - 1]


@given(keys(nasty_names), st.sampled_from([("[", "]"), ("[[", "]]"), ("[ ", " ]")]), remarks)
def test_table_names_in_quotes_are_read_like_any_other(
    named: tuple[Path, str], ends: tuple[str, str], remark: str
) -> None:
    path, name = named
    text = f"first = 1\n{ends[0]}{name}{ends[1]}{remark}\nlast = 1\n"
    assume(valid(text))
    found = key_lines(text)
    assert (found[("first",)], found[path], found[(*path, "last")]) == (1, 2, 3)


@given(texts())
def test_nothing_inside_a_value_or_a_comment_is_taken_for_a_key(writer: Writer) -> None:
    """A path that was not written may only be a table around one that was."""
    assume(valid(writer.text))
    assert set(key_lines(writer.text)) <= {*writer.where, *writer.implied}


@given(texts())
def test_every_value_the_parser_sees_has_a_line(writer: Writer) -> None:
    assume(valid(writer.text))
    found = key_lines(writer.text)
    for path in leaves(tomllib.loads(writer.text)):
        assert line_of(found, path) is not None, f"{path} in\n{writer.text}"


@given(texts())
def test_windows_line_ends_count_the_same(writer: Writer) -> None:
    assume(valid(writer.text))
    assert key_lines(writer.text.replace("\n", "\r\n")) == key_lines(writer.text)


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ('["a\\"b"]\nx = 1\n', ('a"b',), 1),
        ('["a\\"b"]\nx = 1\n', ('a"b', "x"), 2),
        ('\n["a\\"]b"]\n', ('a"]b',), 2),
        ("\n['a\"b']\n", ('a"b',), 2),
        ('[["[x]"]]\ny = 1', ("[x]", "y"), 2),
        ('\n[ "a" . b ] # [c]\n', ("a", "b"), 2),
    ],
)
def test_a_table_name_may_hold_quotes_and_brackets(text: str, path: Path, line: int) -> None:
    assert tomllib.loads(text)
    assert key_lines(text)[path] == line


@pytest.mark.parametrize(
    "text", ["\n[side_bets.perfekt.pays]\nx = 1\n", "\n[[side_bets.perfekt.pays]]\n", "\nside_bets.perfekt.pays = 1\n"]
)
def test_a_table_that_is_only_implied_has_the_line_that_implies_it(text: str) -> None:
    assert line_of(key_lines(text), ("side_bets", "perfekt")) == 2
    assert line_of(key_lines(text), ("side_bets",)) == 2


def test_a_table_written_again_keeps_its_first_line() -> None:
    text = "[[wins]]\ncards = 5\n\n[[wins]]\ncards = 6\n"
    assert key_lines(text) == {("wins",): 1, ("wins", "cards"): 2}


def test_a_key_inside_an_inline_table_has_the_line_of_the_table() -> None:
    lines = key_lines("\nside_bets = { perfect_pairs = { pays = { mixed_pair = '1:1' } } }\n")
    assert line_of(lines, ("side_bets", "perfect_pairs", "pays", "mixed_pair")) == 2


def test_a_key_nobody_wrote_has_no_line() -> None:
    assert line_of(key_lines("decks = 6\n"), ("insurance",)) is None
    assert line_of(key_lines(""), ("decks",)) is None
    assert key_lines("# only a remark") == {}


@pytest.mark.parametrize("game", game_names())
def test_the_lines_of_a_shipped_game_begin_with_their_keys(game: str) -> None:
    text = (GAMES / f"{game}.toml").read_text(encoding="utf-8")
    lines = text.split("\n")
    found = key_lines(text)
    assert leaves({k: v for k, v in tomllib.loads(text).items() if not isinstance(v, list)}) <= set(found)
    for path, line in found.items():
        name = ".".join(path)
        assert lines[line - 1].startswith((f"{path[-1]} =", f"[{name}]", f"[[{name}]]", f"[{name}."))
