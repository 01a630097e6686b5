"""The documents' parts that can be tried: fenced blocks, command lines, links, names of files and targets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md")))
OTHERS = (
    "deploy/README.md",
    "firmware_protocol/PROTOCOL.md",
    "firmware_protocol/c/README.md",
    "hil/firmware/README.md",
)

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    document: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line}"


def text_of(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def blocks(document: str) -> Iterator[Block]:
    text = text_of(document)
    for found in _FENCE.finditer(text):
        yield Block(document, text.count("\n", 0, found.start()) + 1, found[1], found[2])


def prose(document: str) -> str:
    return _FENCE.sub("", text_of(document))


def spans(document: str) -> list[str]:
    """What stands in backticks outside of blocks; a line's end in it is a space."""
    return [re.sub(r"\s+", " ", each) for each in re.findall(r"`([^`]+)`", prose(document))]


def command_lines(document: str) -> list[tuple[str, list[str]]]:
    """Each `croupier …` of a block, as words: without prompt, sudo, comment, and what the shell does with it."""
    lines = [line for block in blocks(document) if block.language in ("", "sh") for line in block.text.splitlines()]
    return [(line, words) for line in lines if (words := croupier_words(line))]


def croupier_words(line: str) -> list[str]:
    """The words behind `croupier`; nothing where the line does not begin with it."""
    begins = re.match(r"(?:\$ )?(?:sudo )?croupier ", line) or re.match(r".*\| croupier ", line)
    if not begins:
        return []
    rest = re.split(r"\s+#\s", line[begins.end() :])[0]
    lexed = shlex.split(rest.replace("…", ""), comments=False)
    for place, word in enumerate(lexed):
        if word in ("<", ">", "|", "&&", ">>"):
            return lexed[:place]
    return lexed
