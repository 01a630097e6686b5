"""Our documents as HTML: what each form becomes, that no text becomes a tag, and that nothing of a document is lost."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.surfaces.markdown import anchor, title_of, to_html
from controller.surfaces.web.documents import DOCUMENTS, page, resolve, text_of

KNOWN = {
    *("h1", "h2", "h3", "h4", "p", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "pre", "code"),
    *("a", "strong", "em", "blockquote"),
}


class Tags(HTMLParser):
    """Opens and closes as it should; `text` is what a reader sees."""

    def __init__(self, made: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.text = ""
        self.feed(made)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.add(tag)
        assert {name for name, _ in attrs} <= {"id", "href", "class", "start", "tabindex"}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.text += " " * (tag in ("td", "th"))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("# A *b*", '<h1 id="a-b">A <em>b</em></h1>'),
        ("one\ntwo\n\nthree", "<p>one two</p>\n<p>three</p>"),
        ("`a < *b*` and **c `d`**", "<p><code>a &lt; *b*</code> and <strong>c <code>d</code></strong></p>"),
        ("- a\n  b\n- c", "<ul><li>a b</li><li>c</li></ul>"),
        ("* a\n  * b\n* c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("3. a\n\n4. b", "<ol start=3><li>a</li><li>b</li></ol>"),
        (
            "1. a\n\n```\nx\n```\n\n2. b",
            "<ol><li>a</li></ol>\n<pre tabindex=0><code>x\n</code></pre>\n<ol start=2><li>b</li></ol>",
        ),
        ("- a\n\n1. b", "<ul><li>a</li></ul>\n<ol><li>b</li></ol>"),
        ("| a | b |\n|---|--:|\n| `x` | 2 |", None),
        ("```toml\n<b> **x**\n```", "<pre tabindex=0><code>&lt;b&gt; **x**\n</code></pre>"),
        ("> a\n> b", "<blockquote><p>a b</p></blockquote>"),
        ("[a](b.md) ![c](d.png)", "<p>a c</p>"),
        ("2 * 3 * 4", "<p>2 * 3 * 4</p>"),
    ],
)
def test_each_form_becomes(text: str, made: str | None) -> None:
    if made is None:
        made = (
            "<table><thead><tr><th>a</th><th class=right>b</th></tr></thead>"
            "<tbody><tr><td><code>x</code></td><td class=right>2</td></tr></tbody></table>"
        )
    assert to_html(text) == f"{made}\n"


def test_a_link_goes_where_it_is_resolved_to() -> None:
    assert to_html("[a `b`](c.md#d)", lambda target: f"/docs/{target}") == (
        '<p><a href="/docs/c.md#d">a <code>b</code></a></p>\n'
    )


@given(
    st.lists(
        st.sampled_from(["# ", "- ", "  ", "1. ", "|", "|---|", "```", "> ", "`", "*", "[a](b)", "<b>", "x", "\n"])
    )
)
def test_any_text_becomes_well_formed_html_of_known_tags(parts: list[str]) -> None:
    tags = Tags(to_html("".join(parts), lambda target: target))
    assert tags.seen <= KNOWN


@given(st.text(alphabet="ab<>&\"'", max_size=40))
def test_no_text_is_lost_or_becomes_a_tag(text: str) -> None:
    assert Tags(to_html(f"x{text}")).text.strip() == f"x{text}".strip()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_of_a_document_stays_unread(name: str) -> None:
    text = text_of(name)
    tags = Tags(to_html(text, lambda target: resolve(DOCUMENTS[name], target)))
    assert tags.seen <= KNOWN
    outside = re.sub(r"<(pre|code)[^>]*>.*?</\1>", "", to_html(text), flags=re.DOTALL)
    assert not re.search(r"\*\*|`|\]\(|^#|\|--|&lt;(?!/?\w+&gt;| )", outside, re.MULTILINE), name
    words = re.findall(r"\w{4,}", re.sub(r"\]\([^)]*\)|^```\w*", "", text, flags=re.MULTILINE))
    assert words == re.findall(r"\w{4,}", tags.text)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_of_a_page_leads_to_a_place_that_is_served(name: str) -> None:
    for address in re.findall(r'href="([^"]+)"', page(name)):
        path, _, place = html.unescape(address).partition("#")
        if path.startswith("/docs/"):
            assert path.removeprefix("/docs/") in {*DOCUMENTS, "sheet"}
        if place and not path.startswith("http"):
            assert f'id="{place}"' in page(path.removeprefix("/docs/") or name)


def test_links_of_documents_are_found_from_where_they_lie() -> None:
    assert resolve("docs/engineer.md", "../firmware_protocol/PROTOCOL.md#x") == "/docs/tablelink#x"
    assert resolve("hil/firmware/README.md", "../../firmware_protocol/c/README.md") == "/docs/tablelink-c"
    assert resolve("docs/engineer.md", "../drivers/registry.py") is None
    assert resolve("docs/engineer.md", "#here") == "#here"
    assert resolve("docs/engineer.md", "javascript:alert(1)") is None


def test_titles_and_anchors() -> None:
    assert title_of("x\n# A `b`\n# C") == "A b"
    assert anchor("12. A root that is only read (optional)") == "12-a-root-that-is-only-read-optional"
