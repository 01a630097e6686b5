"""The stream over real WebSockets: joining, resuming, who sees what, and clients that behave badly."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from controller.surfaces.web import server as server_module
from controller.surfaces.web import stream as stream_module
from controller.table import inputs as i
from tests.controller.surfaces.web.client import connect
from tests.controller.surfaces.web.rig import BOOT, CONTRACT, TOKEN, WAIT_S, Rig, serving, told, until
from tests.controller.table.playing import DEALER

HANDSHAKE = (
    b"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


async def closed(screen: Any) -> tuple[int, str]:
    """How it ends; what comes before is passed over."""
    async with asyncio.timeout(WAIT_S):
        with contextlib.suppress(ConnectionClosed):
            while True:
                await screen.recv()
    assert screen.close_code is not None
    return screen.close_code, screen.close_reason


async def refused(rig: Rig, query: str = "", **more: Any) -> dict[str, Any]:
    with pytest.raises(InvalidStatus) as no:
        async with rig.stream(query, **more):
            pass
    response = no.value.response
    body = bytes(response.body or b"")
    CONTRACT.check(
        "GET", "/api/v1/stream", response.status_code, {k.lower(): v for k, v in response.headers.raw_items()}, body
    )
    problem: dict[str, Any] = json.loads(body)
    return problem


async def test_a_screen_sees_the_table_change(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig, rig.stream() as screen:
        snapshot = await told(screen)
        assert (snapshot["type"], snapshot["boot"], snapshot["view"]) == ("snapshot", BOOT, "public")
        await rig.ready()
        for number in range(snapshot["number"] + 1, snapshot["number"] + 5):
            change = await told(screen)
            assert change["number"] == number
            snapshot["state"] |= change["set"]
            snapshot["number"] = number
        assert (await rig.get("/api/v1/state")).json == snapshot


async def test_beats_come_by_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "BEAT_S", 0.01)
    async with serving(tmp_path) as rig, rig.stream() as screen:
        assert (await told(screen, beats=True))["type"] == "snapshot"
        assert [(await told(screen, beats=True))["type"] for _ in range(3)] == ["beat"] * 3


async def test_who_comes_back_gets_what_was_missed(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        async with rig.stream() as screen:
            number = (await told(screen))["number"]
        await rig.runner.enter(i.OpenTable(), DEALER)
        async with rig.stream(f"?since={BOOT}:{number}") as screen:
            change = await told(screen)
            assert (change["type"], change["number"], change["set"]["phase"]) == ("change", number + 1, "betting")
            await rig.runner.enter(i.CloseTable(), DEALER)
            assert (await told(screen))["number"] == number + 2


async def test_after_a_restart_of_the_daemon_the_whole_comes_again(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig, rig.stream() as screen:
        await rig.runner.enter(i.OpenTable(), DEALER)
        number = (await told(screen))["number"]
    async with serving(tmp_path, boot="another") as rig, rig.stream(f"?since={BOOT}:{number}") as screen:
        again = await told(screen)
        assert (again["type"], again["boot"], again["state"]["phase"]) == ("snapshot", "another", "betting")


async def test_a_viewer_gets_the_public_view_whatever_it_asks_for(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await rig.ready()
        for query in ("?view=dealer", "?view=supervisor", "?view=audit", "?view=everything", ""):
            async with rig.stream(query) as screen:
                snapshot = await told(screen)
                assert snapshot["view"] == "public"
                await rig.runner.enter(i.Wager(2, str(10 + 5 * len(query))), DEALER)
                assert (await told(screen))["type"] == "change"
        async with rig.stream(f"?view=dealer&since={BOOT}:{snapshot['number']}") as screen:
            assert (await told(screen))["type"] == "snapshot", "its number was that of another view"


async def test_every_role_streams_its_own_views_and_is_refused_the_others(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        for view in ("public", "dealer", "supervisor"):
            async with rig.stream(f"?view={view}", headers=bearer) as screen:
                assert (await told(screen, view))["view"] == view
                await rig.runner.enter(i.DealerIn(f"Ann {view}"), DEALER)
                if view != "public":
                    assert (await told(screen, view))["set"]
        assert (await refused(rig, "?view=audit", headers=bearer))["code"] == "not_allowed"
        dealer = {**bearer, "Croupier-As": "dealer:Ann"}
        assert (await refused(rig, "?view=supervisor", headers=dealer))["code"] == "not_allowed"
        assert (await refused(rig, "?view=dealr", headers=dealer))["known"]
        async with rig.stream("?view=audit", owner=True) as screen:
            assert (await told(screen, "audit"))["state"]["state"]["dealer"] == "Ann supervisor"


async def test_what_is_wrong_at_the_door_is_told_as_a_problem(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        assert (await refused(rig, headers={"Origin": "https://evil.example"}))["code"] == "foreign_origin"
        assert (await refused(rig, headers={"Authorization": "Bearer wrong"}))["code"] == "wrong_token"
        assert (await refused(rig, "?since=nonsense"))["code"] == "bad_query"
        own = {"Origin": f"http://127.0.0.1:{rig.listening.port}"}
        async with rig.stream(headers=own) as screen:
            assert (await told(screen))["type"] == "snapshot"
        assert rig.web._hub.watched().total() <= 1


async def test_a_websocket_to_nowhere_is_not_found(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        reader, writer = await connect(rig.tcp)
        writer.write(HANDSHAKE.replace(b"stream", b"steam"))
        assert (await reader.readline()).startswith(b"HTTP/1.1 404")
        writer.close()
        await writer.wait_closed()


async def test_a_screen_that_leaves_is_forgotten(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        async with rig.stream() as screen:
            await told(screen)
            assert rig.web._hub.watched()["public"] == 1
        await until(lambda: rig.web._hub.watched()["public"] == 0)
        _, writer = await connect(rig.tcp)
        writer.write(HANDSHAKE)
        await until(lambda: rig.web._hub.watched()["public"] == 1)
        writer.transport.abort()
        await until(lambda: rig.web._hub.watched()["public"] == 0)


async def test_small_talk_is_ignored_and_too_much_of_it_ends_the_connection(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig, rig.stream() as screen:
        await told(screen)
        for _ in range(stream_module.MESSAGES - 1):
            await screen.send("hello")
        await rig.runner.enter(i.OpenTable(), DEALER)
        assert (await told(screen))["type"] == "change"
        await screen.send("once more")
        code, words = await closed(screen)
        assert (code, words) == (1008, "nothing is to be sent here, and this was too much of it")


@pytest.mark.parametrize("what", ["x" * (stream_module.MESSAGE_BYTES + 1), b"x" * 100_000])
async def test_a_large_message_ends_the_connection(what: str | bytes, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig, rig.stream() as screen:
        await told(screen)
        await screen.send(what)
        assert (await closed(screen))[0] == 1009
        await until(lambda: rig.web._hub.watched()["public"] == 0)
        assert (await rig.get("/healthz")).status == 200


async def flood(rig: Rig, quick: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table changes, in large steps, until a screen is dropped; a quick one sees every step."""
    hub = rig.web._hub
    monkeypatch.setattr(hub._channels["public"], "_see", lambda table: {"x": str(table.state.sequence) * 10_000})
    for step in range(5_000):
        await rig.runner.enter(i.Wager(1, "10" if step % 2 else "15"), DEALER)
        async with asyncio.timeout(WAIT_S):
            while json.loads(await quick.recv())["type"] != "change":
                pass
        if hub.dropped:
            return
    raise AssertionError("nobody was dropped")


async def test_a_screen_that_reads_nothing_is_dropped_and_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(stream_module, "CLOSE_S", 0.05)
    async with serving(tmp_path) as rig, rig.stream() as quick:
        await told(quick)
        reader, writer = await connect(rig.tcp, limit=1024)
        writer.transport.pause_reading()
        writer.write(HANDSHAKE)
        await until(lambda: rig.web._hub.watched()["public"] == 2)
        await flood(rig, quick, monkeypatch)
        assert rig.web._hub.watched()["public"] == 1
        await until(lambda: len(rig.web._stream._serving) == 1)
        writer.transport.resume_reading()
        with contextlib.suppress(ConnectionError):
            while await asyncio.wait_for(reader.read(65536), WAIT_S):
                pass
        writer.close()
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)
        assert "Traceback" not in caplog.text
        assert "croupier_screens_dropped_total 1" in (await rig.get("/metrics")).body.decode()


async def test_a_screen_that_was_too_slow_is_told_so_if_it_still_listens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_module, "CLOSE_S", WAIT_S)
    async with serving(tmp_path) as rig, rig.stream() as quick, rig.stream() as slow:
        await told(quick)
        await told(slow)
        await flood(rig, quick, monkeypatch)
        assert await closed(slow) == (1013, "too slow: too much was waiting to be sent; connect again")


async def test_the_end_of_the_daemon_is_told_in_words(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        screen = await rig.stream()
        idle, writer = await connect(rig.tcp)
        await told(screen)
    assert await closed(screen) == (1012, "the table's daemon is ending; connect again")
    assert await idle.read() == b""
    writer.close()
    await writer.wait_closed()


async def test_a_stream_can_be_told_everything_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "BEAT_S", 0.01)
    async with serving(tmp_path) as rig, rig.stream("?delay=1") as screen:
        assert [(await told(screen, beats=True))["type"] for _ in range(3)] == ["beat"] * 3
        assert (await told(screen))["type"] == "snapshot"


@pytest.mark.parametrize("delay", ["301", "-1", "1.5", "x", "", "9" * 30, "%C2%B2"])
async def test_a_delay_that_makes_no_sense_is_refused(delay: str, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        assert (await refused(rig, f"?delay={delay}"))["code"] == "bad_query"
