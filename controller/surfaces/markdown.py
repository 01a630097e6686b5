"""Markdown as HTML, as much of it as our own documents use: headings, paragraphs, lists, tables, blocks of code, links.

Pure, and everything is escaped: no text can become a tag. What it does not know stays text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Final

Resolve = Callable[[str], str | None]  # a link's target to an address; None: it is shown without one

_HEADING: Final = re.compile(r"(#{1,4}) +(.+)")
_ITEM: Final = re.compile(r"( *)([-*]|\d+\.) +(.*)")
_RULE: Final = re.compile(r"\|?[ :]*-[-:| ]*\|?")
_SPAN: Final = re.compile(r"`([^`]+)`|!?\[([^\]]*)\]\(([^)\s]+)\)|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*")


def to_html(text: str, resolve: Resolve = lambda target: None) -> str:
    return "\n".join(_blocks(text.splitlines(), resolve)) + "\n"


def title_of(text: str) -> str:
    """The first heading, without marks."""
    found = re.search(r"^# +(.+)$", text, re.MULTILINE)
    return re.sub(r"[`*]", "", found[1]) if found else ""


def anchor(heading: str) -> str:
    """A heading's name within its page, as the sites that show Markdown make it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")


def _blocks(lines: list[str], resolve: Resolve) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith("```"):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith("```")), len(lines))
            yield f"<pre tabindex=0><code>{_safe(chr(10).join(lines[at + 1 : end]))}\n</code></pre>"
            at = end + 1
        elif heading := _HEADING.fullmatch(line.rstrip(" ")):
            level = len(heading[1])
            yield f'<h{level} id="{_safe(anchor(heading[2]))}">{_spans(heading[2], resolve)}</h{level}>'
            at += 1
        elif _is_table(lines, at):
            end = _end(lines, at, lambda each: each.lstrip().startswith("|"))
            yield _table(lines[at:end], resolve)
            at = end
        elif _ITEM.fullmatch(line):
            end = _end_of_list(lines, at)
            yield _list(lines[at:end], resolve)
            at = end
        elif line.startswith(">"):
            end = _end(lines, at, lambda each: each.startswith(">"))
            inner = [re.sub(r"^> ?", "", each) for each in lines[at:end]]
            yield f"<blockquote>{''.join(_blocks(inner, resolve))}</blockquote>"
            at = end
        else:
            end = _end(lines, at + 1, lambda each: not _begins(each))
            yield f"<p>{_spans(' '.join(each.strip() for each in lines[at:end]), resolve)}</p>"
            at = end


def _begins(line: str) -> bool:
    """Whether a paragraph can't go on in this line."""
    return not line.strip() or line.startswith(("```", "#", "|", ">")) or _ITEM.fullmatch(line) is not None


def _end(lines: list[str], at: int, belongs: Callable[[str], bool]) -> int:
    while at < len(lines) and belongs(lines[at]):
        at += 1
    return at


def _is_table(lines: list[str], at: int) -> bool:
    return lines[at].startswith("|") and at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1].strip()) is not None


def _table(lines: list[str], resolve: Resolve) -> str:
    head, rule, *body = (_cells(line) for line in lines)
    ways = [" class=right" if cell.endswith(":") and not cell.startswith(":") else "" for cell in rule]
    ways += [""] * 100  # a row with more cells than its rule is shown all the same

    def row(cells: list[str], tag: str) -> str:
        return "".join(f"<{tag}{way}>{_spans(cell, resolve)}</{tag}>" for cell, way in zip(cells, ways, strict=False))

    top = f"<thead><tr>{row(head, 'th')}</tr></thead>" if any(head) else ""
    rows = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in body)
    return f"<table>{top}<tbody>{rows}</tbody></table>"


def _cells(line: str) -> list[str]:
    inner = re.sub(r"^\||\|$", "", line.strip())
    return [cell.replace(r"\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inner)]


def _end_of_list(lines: list[str], at: int) -> int:
    """A list goes on with items, with lines that are set in, and over an empty line where the next is set in or an item
    of its kind."""
    numbered = _numbered(lines[at])
    end = at + 1
    while end < len(lines):
        line = lines[end]
        if line.strip() and not line.startswith(" ") and _begins(line) and not _is_item(line, numbered):
            break
        if not line.strip():
            following = next((each for each in lines[end:] if each.strip()), "")
            if not following.startswith("  ") and not _is_item(following, numbered):
                break
        end += 1
    return end


def _numbered(line: str) -> bool:
    item = _ITEM.fullmatch(line)
    return item is not None and item[2][0].isdigit()


def _is_item(line: str, numbered: bool) -> bool:
    return _ITEM.fullmatch(line) is not None and _numbered(line) is numbered


def _list(lines: list[str], resolve: Resolve) -> str:
    first = _ITEM.fullmatch(lines[0])
    assert first is not None
    items: list[list[str]] = []
    for line in lines:
        item = _ITEM.fullmatch(line)
        if item is not None and len(item[1]) <= len(first[1]):
            items.append([item[3]])
        else:
            items[-1].append(line)
    made = "".join(f"<li>{_item(item, resolve)}</li>" for item in items)
    if first[2][0].isdigit():
        start = int(first[2][:-1])
        return f"<ol{f' start={start}' if start != 1 else ''}>{made}</ol>"
    return f"<ul>{made}</ul>"


def _item(lines: list[str], resolve: Resolve) -> str:
    """What an item holds, without its margin. A short one is no paragraph."""
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(margins, default=0)
    inner = "".join(_blocks([lines[0], *(line[margin:] for line in lines[1:])], resolve))
    alone = re.fullmatch(r"<p>((?:(?!</p>).)*)</p>(.*)", inner, re.DOTALL)
    return f"{alone[1]}{alone[2]}" if alone and "<p>" not in alone[2] else inner


def _spans(text: str, resolve: Resolve) -> str:
    made, last = [], 0
    for found in _SPAN.finditer(text):
        made.append(_safe(text[last : found.start()]))
        code, words, target, strong, weak = found.groups()
        if code is not None:
            made.append(f"<code>{_safe(code)}</code>")
        elif target is not None:
            address = None if found[0].startswith("!") else resolve(target)
            inner = _spans(words, resolve)
            made.append(inner if address is None else f'<a href="{_safe(address)}">{inner}</a>')
        elif strong is not None:
            made.append(f"<strong>{_spans(strong, resolve)}</strong>")
        else:
            made.append(f"<em>{_spans(weak, resolve)}</em>")
        last = found.end()
    return "".join([*made, _safe(text[last:])])


def _safe(text: str) -> str:
    return html.escape(text, quote=True)
