"""Who gets the QR codes of the table's own network: by place, by the table's state, and by where the reader sits."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
import segno

from controller.surfaces.web.hotspot import HotspotCodes
from controller.table import inputs as i
from tests.controller.surfaces.web.client import request
from tests.controller.surfaces.web.rig import TOKEN, Rig, serving
from tests.controller.surfaces.web.test_pages import dark
from tests.controller.table.playing import DEALER

SECRET = "Zx8:kept;close"
FILE = f"name=Großer Saal\npassword={SECRET}\naddress=10.42.21.1/24\n"
JOINING = "WIFI:T:WPA;S:Großer Saal;P:Zx8\\:kept\\;close;;"
SIGN, START = "/pages/hotspot/sign/join.svg", "/pages/hotspot/start/join.svg"
OPEN = "/pages/hotspot/start/open.svg"

HERE = "127.0.0.1"
JOINED = "10.42.21.77"
ELSEWHERE = "192.168.1.20"  # in the house's own network


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "hotspot"
    path.touch(mode=0o600)
    path.write_text(FILE)
    return path


def codes(file: Path | None, **more: Any) -> HotspotCodes:
    return HotspotCodes(file, **{"on_sign": True, "host": "0.0.0.0", "port": 8021, **more})


async def ask(rig: Rig, path: str, reader: str = HERE, **headers: str) -> tuple[int, str, dict[str, str]]:
    """From any machine: the application is asked as the server asks it."""
    sent = {"host": "10.42.21.1:8021", **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
        "client": (reader, 50000) if reader else None,
        "server": ("10.42.21.1", 8021),
        "state": {},
    }
    messages: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        messages.append(message)

    await rig.web(scope, receive, send)
    got = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
    return messages[0]["status"], b"".join(each.get("body", b"") for each in messages).decode(), got


async def gets(rig: Rig, path: str, reader: str = HERE, **headers: str) -> bool:
    """Whether it is a code; otherwise the answer is empty, and the same for everybody."""
    status, body, got = await ask(rig, path, reader, **headers)
    assert got["cache-control"] == "no-store"
    assert got["cross-origin-resource-policy"] == "same-origin"
    assert (status, body != "") in ((200, True), (204, False))
    return status == 200


def squares(text: str) -> set[tuple[int, int]]:
    matrix = segno.make_qr(text, error="m", encoding="utf-8").matrix
    return {(x, y) for y, row in enumerate(matrix) for x, bit in enumerate(row) if bit}


async def test_the_codes_are_the_network_and_its_pages(tmp_path: Path, file: Path) -> None:
    async with serving(tmp_path, hotspot=codes(file)) as rig:
        status, image, headers = await ask(rig, SIGN)
        assert (status, headers["content-type"]) == (200, "image/svg+xml")
        assert dark(image) == squares(JOINING)
        for place in ("sign", "start"):
            _, image, _ = await ask(rig, f"/pages/hotspot/{place}/open.svg")
            assert dark(image) == squares("http://10.42.21.1:8021/")


@pytest.mark.parametrize(
    ("reader", "sign", "start"),
    [
        (HERE, True, True),
        ("::1", True, True),
        ("::ffff:127.0.0.1", True, True),
        (JOINED, True, False),
        ("::ffff:10.42.21.77", True, False),
        (ELSEWHERE, False, False),
        ("10.42.22.1", False, False),
        ("fe80::1", False, False),
        ("2001:db8::7", False, False),
        ("", False, False),
        ("somebody", False, False),
    ],
)
async def test_a_stranger_gets_them_where_he_could_read_them_anyway(
    reader: str, sign: bool, start: bool, tmp_path: Path, file: Path
) -> None:
    async with serving(tmp_path, hotspot=codes(file)) as rig:
        assert (await gets(rig, SIGN, reader), await gets(rig, START, reader)) == (sign, start)


async def test_who_says_who_he_is_gets_them_from_everywhere(tmp_path: Path, file: Path) -> None:
    async with serving(tmp_path, hotspot=codes(file)) as rig:
        for path in (SIGN, START, OPEN):
            assert await gets(rig, path, ELSEWHERE, authorization=f"Bearer {TOKEN}")
            assert not await gets(rig, path, ELSEWHERE)
        owner = await request(rig.unix, "GET", START, [("Host", "localhost")])
        assert owner.status == 200


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via"])
async def test_a_proxy_on_this_machine_is_not_its_screen(header: str, tmp_path: Path, file: Path) -> None:
    async with serving(tmp_path, hotspot=codes(file)) as rig:
        assert not await gets(rig, SIGN, HERE, **{header: "127.0.0.1"})
        assert not await gets(rig, START, HERE, **{header: "127.0.0.1"})


async def test_the_sign_has_them_only_while_nobody_plays(tmp_path: Path, file: Path) -> None:
    async with serving(tmp_path, hotspot=codes(file)) as rig:
        assert await gets(rig, SIGN)
        await rig.runner.enter(i.OpenTable(), DEALER)
        for reader in (HERE, JOINED):
            assert not await gets(rig, SIGN, reader)
        assert not await gets(rig, SIGN, authorization=f"Bearer {TOKEN}")
        assert await gets(rig, START)
        await rig.ready()
        assert not await gets(rig, SIGN)
    async with serving(tmp_path, hotspot=codes(file)) as rig:  # started again in the middle of a round
        assert not await gets(rig, SIGN)


async def test_a_reserved_table_has_them(tmp_path: Path, file: Path) -> None:
    async with serving(tmp_path, hotspot=codes(file)) as rig:
        await rig.runner.enter(i.CloseTable(reserved="Harbour party"), DEALER)
        assert await gets(rig, SIGN, JOINED)


async def test_the_house_decides_whether_the_sign_has_them(tmp_path: Path, file: Path) -> None:
    async with serving(tmp_path, hotspot=codes(file, on_sign=False)) as rig:
        for reader in (HERE, JOINED):
            assert not await gets(rig, SIGN, reader)
        assert not await gets(rig, SIGN, authorization=f"Bearer {TOKEN}")
        assert await gets(rig, START)


@pytest.mark.parametrize(
    ("host", "shown"), [("0.0.0.0", True), ("::", True), ("10.42.21.1", True), (HERE, False), ("192.168.1.7", False)]
)
async def test_no_code_leads_to_pages_that_nobody_there_could_open(
    host: str, shown: bool, tmp_path: Path, file: Path
) -> None:
    async with serving(tmp_path, hotspot=codes(file, host=host)) as rig:
        assert await gets(rig, OPEN) == shown
        assert await gets(rig, START)


async def test_with_a_certificate_the_pages_are_https(tmp_path: Path, file: Path) -> None:
    async with serving(tmp_path, hotspot=codes(file, tls=True, port=443)) as rig:
        _, image, _ = await ask(rig, OPEN)
        assert dark(image) == squares("https://10.42.21.1:443/")


async def test_a_table_without_a_network_has_none(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        assert not await gets(rig, START)
        assert not await gets(rig, SIGN)


@pytest.mark.parametrize("path", ["board/join.svg", "sign/password.svg", "sign/join.png", "sign", ""])
async def test_there_are_no_others(path: str, tmp_path: Path, file: Path) -> None:
    async with serving(tmp_path, hotspot=codes(file)) as rig:
        status, _, _ = await ask(rig, f"/pages/hotspot/{path}")
        assert status == 404


async def test_a_change_is_noticed_and_each_trouble_told_once(
    tmp_path: Path, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "controller.surfaces.web.hotspot")
    async with serving(tmp_path, hotspot=codes(file)) as rig:
        assert await gets(rig, START)
        assert caplog.messages == []
        file.unlink()
        for _ in range(5):
            assert not await gets(rig, START)
        assert ["is not there" in each for each in caplog.messages] == [True]
        file.write_text(FILE)
        file.chmod(0o644)
        for _ in range(5):
            assert not await gets(rig, START)
        assert ["others may read" in each for each in caplog.messages] == [False, True]
        file.chmod(0o600)
        file.write_text(FILE.replace("Großer Saal", "Bar"))
        for _ in range(5):
            _, image, _ = await ask(rig, START)
            assert dark(image) == squares(JOINING.replace("Großer Saal", "Bar"))
        assert caplog.messages[2:] == ["the QR code for the table's network is shown again"]
        assert SECRET not in caplog.text


async def test_the_password_stands_nowhere_else(tmp_path: Path, file: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    paths = ("/", "/sign", "/overlay", "/api/v1/state", "/api/v1/sign", "/api/v1/devices", "/api/v1/openapi.json")
    async with serving(tmp_path, hotspot=codes(file)) as rig:
        for path in (*paths, "/metrics", "/healthz", SIGN, START, OPEN):
            answer = await request(rig.unix, "GET", path, [("Host", "localhost")])
            assert answer.status == 200, path
            for secret in (SECRET, "Zx8", "Großer".encode("unicode_escape").decode(), "Großer"):
                assert secret.encode() not in answer.body, path
                assert secret not in str(answer.headers), path
        assert "hotspot" not in (await rig.get("/api/v1/openapi.json")).body.decode()
    assert SECRET not in caplog.text
