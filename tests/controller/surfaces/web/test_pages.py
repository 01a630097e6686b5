"""The pages and their parts as they are served: whole, with their headers, and nothing else of the disk."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import segno

from controller.surfaces.web.pages import HEADERS, PAGES, ROOT, TYPES, qr_svg
from tests.controller.surfaces.web.client import Answer, request
from tests.controller.surfaces.web.rig import Rig, serving

PARTS = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file() and path.suffix[1:] in TYPES)


async def ask(rig: Rig, path: str, method: str = "GET", **headers: str) -> Answer:
    host = ("Host", f"127.0.0.1:{rig.listening.port}")
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return await request(rig.tcp, method, path, [host, *named])


def has_headers(answer: Answer) -> bool:
    return all(answer.headers.get(name.lower()) == value for name, value in HEADERS.items())


async def test_every_page_that_there_is_is_served_to_a_stranger(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        for path, name in PAGES.items():
            answer, file = await ask(rig, path), ROOT / f"{name}.html"
            if file.exists():
                assert (answer.status, answer.body) == (200, file.read_bytes()), path
                assert answer.headers["content-type"] == "text/html; charset=utf-8"
                assert has_headers(answer)
            else:
                assert (answer.status, answer.json["code"]) == (404, "not_found"), path


async def test_every_part_has_its_type_and_the_headers_of_a_page(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        for name in PARTS:
            answer = await ask(rig, f"/pages/{name}")
            assert (answer.status, answer.body) == (200, (ROOT / name).read_bytes()), name
            assert answer.headers["content-type"] == TYPES[name.rpartition(".")[2]]
            assert has_headers(answer)


async def test_what_a_browser_has_already_is_not_sent_again(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        first = await ask(rig, "/pages/base.css")
        tag = first.headers["etag"]
        for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
            again = await ask(rig, "/pages/base.css", If_None_Match=known)
            assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
            assert has_headers(again)
        other = await ask(rig, "/pages/base.css", If_None_Match='"other"')
        assert (other.status, other.body) == (200, first.body)


async def test_a_file_that_was_changed_is_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.surfaces.web.pages.ROOT", tmp_path)
    part = tmp_path / "part.css"
    part.write_text("a {}")
    async with serving(tmp_path) as rig:
        old = await ask(rig, "/pages/part.css")
        part.write_text("b { }")
        new = await ask(rig, "/pages/part.css", If_None_Match=old.headers["etag"])
        assert (old.body, new.status, new.body) == (b"a {}", 200, b"b { }")


async def test_head_gives_the_headers_alone(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        whole, head = await ask(rig, "/pages/base.css"), await ask(rig, "/pages/base.css", "HEAD")
        assert (head.status, head.body) == (200, b"")
        for name in ("content-length", "content-type", "etag"):
            assert head.headers[name] == whole.headers[name]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "missing.js",
        "../web/api.py",
        "..%2fweb%2fapi.py",
        "%2e%2e/__init__.py",
        "texts/../../web/api.py",
        "__init__.py",
        "sign.html",
        "texts",
        "texts/",
        "texts/en",
        "/etc/passwd",
        "//etc/hostname",
        "base.css/",
        "base.css%00.js",
        "BASE.CSS",
        "..\\base.css",
        ".",
        "..",
    ],
)
async def test_a_name_that_is_no_part_of_a_page_leads_nowhere(name: str, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await ask(rig, f"/pages/{name}")
        assert (answer.status, answer.json["code"]) == (404, "not_found")
        assert answer.headers["cache-control"] == "no-store"


async def test_a_page_is_not_posted_to(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await ask(rig, "/pages/base.css", "POST")
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


async def test_a_qr_code_has_the_address_under_which_it_was_asked_for(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await ask(rig, "/pages/qr.svg?path=/sign")
        assert (answer.status, answer.headers["content-type"]) == (200, "image/svg+xml")
        assert has_headers(answer)
        url = f"http://127.0.0.1:{rig.listening.port}/sign"
        assert answer.body == qr_svg(url) != qr_svg(url.replace("sign", "board"))
        assert dark(answer.body.decode()) == {
            (x, y) for y, row in enumerate(segno.make_qr(url, error="m").matrix) for x, bit in enumerate(row) if bit
        }


def dark(svg: str) -> set[tuple[int, int]]:
    """The dark squares of a QR code, without its border, as its strokes draw them."""
    path = svg.partition('stroke="#000" d="')[2].partition('"')[0]
    found, x, y = set(), 0.0, 0.0
    for command, text in re.findall(r"([Mmh])([-\d. ]+)", path):
        numbers = [float(each) for each in re.findall(r"-?[\d.]+", text)]
        if command == "h":
            found |= {(int(x) + step - 4, int(y) - 4) for step in range(int(numbers[0]))}
            x += numbers[0]
        else:
            x, y = numbers if command == "M" else (x + numbers[0], y + numbers[1])
    return found


@pytest.mark.parametrize("path", ["", "sign", "//elsewhere", "https://elsewhere/", "/elsewhere", "/sign?x"])
async def test_a_qr_code_leads_to_this_table_only(path: str, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await ask(rig, f"/pages/qr.svg?path={path}")
        assert (answer.status, answer.json["known"]) == (400, list(PAGES))


LANGUAGES = sorted(path.name for path in (ROOT / "texts").iterdir())
SECTIONS = sorted(path.name for path in (ROOT / "texts" / "en").iterdir())


def words(language: str, section: str) -> dict[str, str]:
    made: dict[str, str] = json.loads((ROOT / "texts" / language / section).read_text())
    return made


def test_there_are_english_and_spanish() -> None:
    assert LANGUAGES == ["en", "es"]


@pytest.mark.parametrize("section", SECTIONS)
def test_each_text_is_there_in_every_language_with_the_same_values(section: str) -> None:
    english = words("en", section)
    for language in LANGUAGES:
        other = words(language, section)
        assert list(other) == list(english), f"texts/{language}/{section}"
        for key, text in other.items():
            assert key.startswith(f"{section.removesuffix('.json')}."), key
            assert text.strip() == text != ""
            assert sorted(values(text)) == sorted(values(english[key])), f"{language}: {key}"


def values(text: str) -> list[str]:
    return [part.partition("}")[0] for part in text.split("{")[1:]]
