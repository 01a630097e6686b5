"""Every command line, every piece of TOML and Python, every link and every quoted word of the documents holds."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from pathlib import Path

import click
import pytest

from controller.cli.app import croupier
from controller.config.load import load
from controller.config.problems import BadConfig
from controller.library import load_file
from firmware_protocol.line_reader import CardMap
from hil.plugin.bench_file import read_text
from tests.docs.reading import (
    DOCUMENTS,
    OTHERS,
    ROOT,
    Block,
    blocks,
    command_lines,
    croupier_words,
    prose,
    spans,
    text_of,
)

ALL_BLOCKS = [block for document in DOCUMENTS for block in blocks(document)]
LINES = [(f"{name}: {line}", words) for name in (*DOCUMENTS, *OTHERS) for line, words in command_lines(name)]
BASE = {
    "table": '[table]\nname = "T"\nsimulated = true\n',
    "game": '[game]\nruleset = "power_blackjack"\n',
    "limits": '[limits.main]\nmin = "10"\nmax = "500"\nstep = "10"\n',
    "shoe": '[shoe]\ndriver = "simulated"\n',
}


def parse(words: list[str], *, whole: bool) -> None:
    """As click reads it, without doing it. With `whole` all that a command needs must be there."""
    command: click.Command = croupier
    context = click.Context(croupier, info_name="croupier")
    rest = words
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        found = command.get_command(context, rest[0])
        if found is None and command.get_params(context) and not command.commands:
            break
        assert found is not None, f"there is no command {rest[0]!r} in {context.command_path}"
        command, context = found, click.Context(found, info_name=rest[0], parent=context)
        rest = rest[1:]
    try:
        command.make_context(context.info_name, list(rest), parent=context.parent)
    except click.UsageError as wrong:
        if whole and "does not exist" not in str(wrong) and "No such file" not in str(wrong):
            raise


def toml_blocks() -> list[Block]:
    return [block for block in ALL_BLOCKS if block.language == "toml"]


@pytest.mark.parametrize(("line", "words"), LINES, ids=[line for line, _ in LINES])
def test_every_command_line_is_one(
    line: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    parse(words, whole=True)


@pytest.mark.parametrize("document", [*DOCUMENTS, *OTHERS])
def test_the_commands_that_are_named_in_passing_exist(document: str) -> None:
    for span in spans(document):
        words = croupier_words(f"{span} ") if re.match(r"(sudo )?croupier [a-z]", span) else []
        if words:
            parse(words, whole=False)
            options = {option for word in words if word.startswith("--") for option in [word.split("=")[0]]}
            command: click.Command | None = croupier
            for word in words:
                if isinstance(command, click.Group):
                    command = command.get_command(click.Context(command), word) or command
            known = {name for each in command.params for name in each.opts} if command else set()
            assert options <= known | {"--help", "--version"}, span


@pytest.mark.parametrize("block", toml_blocks(), ids=str)
def test_every_piece_of_toml_is_taken_by_what_it_is_for(block: Block, tmp_path: Path) -> None:
    data = tomllib.loads(block.text)
    if "project" in data:
        assert set(data["project"]["entry-points"]) == {"croupier.drivers"}
    elif "bench" in data:
        read_text(block.text, tmp_path / "bench.toml")
    elif "cards" in data:
        assert len(CardMap.from_table(data))
    elif "extends" in data:
        (tmp_path / "ours.toml").write_text(block.text)
        load_file(tmp_path / "ours.toml")
    else:
        taken_by_the_table(block, data, tmp_path)


def taken_by_the_table(block: Block, data: dict[str, object], folder: Path) -> None:
    """A configuration, or sections of one: the rest is a simulated table. Files that it names are there."""
    for name in ("table.crt", "table.key", "shoe.key"):
        (folder / name).write_text("x")
    (folder / "cards.toml").write_text('[cards]\n"1" = "AS"\n')
    text = block.text.replace('"/etc/croupier/', '"')
    (folder / "table.toml").write_text(
        "".join(part for section, part in BASE.items() if section not in data) + re.sub(r"(?<==)…", "", text)
    )
    assert problems_of(folder / "table.toml") == []


def problems_of(file: Path) -> list[str]:
    try:
        load(file)
    except BadConfig as bad:  # the certificate that a document names is not here; all else must be right
        return [str(each) for each in bad.problems if "can't be used together" not in str(each)]
    return []


@pytest.mark.parametrize("block", [block for block in ALL_BLOCKS if block.language == "python"], ids=str)
def test_every_piece_of_python_can_be_read(block: Block) -> None:
    marks_alone = all(line.startswith("@") for line in block.text.splitlines())
    ast.parse(block.text + ("def test(): ...\n" if marks_alone else ""))


@pytest.mark.parametrize("document", [*DOCUMENTS, *OTHERS])
def test_every_link_leads_to_a_file_that_is_there(document: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(document)):
        if not re.match(r"[a-z]+:", target):
            path, _, place = target.partition("#")
            there = (ROOT / document).parent / path if path else ROOT / document
            assert there.exists(), target
            if place:
                titles = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE)
                assert place in {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}, target


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_target_of_make_and_every_file_of_ours_that_is_named_exists(document: str) -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", text_of("Makefile"), re.MULTILINE))
    for span in spans(document):
        for target in re.findall(r"^make ([a-z][a-z-]*)", span):
            assert target in targets, span
        if re.fullmatch(r"(controller|drivers|firmware_protocol|hil|tests|docs|deploy)/[\w./-]+", span):
            assert (ROOT / span).exists(), span
    for block in blocks(document):
        for target in re.findall(r"^make ([a-z][a-z-]*)", block.text, re.MULTILINE):
            assert target in targets, block


def test_the_program_really_says_what_the_table_of_faults_quotes() -> None:
    folders = ("drivers", "controller", "firmware_protocol")
    source = "\n".join(path.read_text() for folder in folders for path in (ROOT / folder).rglob("*.py"))
    quoted = re.findall(r"^\| “([^”]+)”", text_of("docs/technician.md"), re.MULTILINE)
    assert len(quoted) > 15
    assert [words for words in quoted if words not in source] == []


def test_the_dealers_page_names_what_the_screen_shows() -> None:
    """In bold: buttons. In the table of questions: their titles."""
    texts = [json.loads(path.read_text()) for path in (ROOT / "controller/surfaces/pages/texts/en").glob("*.json")]
    shown = {words for each in texts for words in each.values()} | {"Safe to unplug", "Why?"}
    document = text_of("docs/dealer.md")
    bold = {each.rstrip(".") for each in re.findall(r"\*\*([^*]+)\*\*", document)} - {"before"}
    assert sorted(each for each in bold if each not in shown) == []
    asked = re.search(r"^## When the screen asks$(.*?)^## ", document, re.MULTILINE | re.DOTALL)
    assert asked
    titles = [line.split("|")[1].strip() for line in asked[1].splitlines() if line.startswith("| ")][1:]
    assert len(titles) == 8
    assert [title for title in titles if title not in shown] == []
