"""Signing in with a name and a PIN: the session, what each role may do with it, and every way in which it ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import stat
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from controller.people.book import change_people, people_path
from controller.people.pins import hash_pin
from controller.store.journal import JournalReader
from controller.surfaces.web import sessions as sessions_module
from controller.surfaces.web.sessions import IDLE_S, LONGEST_S
from controller.table import inputs as i
from tests.controller.surfaces.web.client import request
from tests.controller.surfaces.web.rig import TOKEN, WAIT_S, serving, told
from tests.controller.surfaces.web.sessions_rig import NAMES, PINS, Browser, Clock, table

PEM = Path(__file__).with_name("localhost.pem")
NOBODY = {"role": "viewer", "name": "", "until": None}


async def test_a_name_and_its_pin_make_a_session_with_a_careful_cookie(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        browser = Browser(rig)
        assert await browser.who() == NOBODY
        answer = await browser.sign_in("Ann", "4711")
        assert (answer.status, answer.json["role"], answer.json["name"]) == (200, "dealer", "Ann")
        cookie = answer.headers["set-cookie"]
        parts = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert parts == {"httponly", "samesite=strict", "path=/", f"max-age={int(LONGEST_S)}"}
        assert len(cookie.partition("=")[2].partition(";")[0]) >= 43, "256 bits"
        assert (await browser.who())["until"] == 1_800_000_000.0 + IDLE_S
        assert (await browser.ask("DELETE", "/api/v1/session")).json == NOBODY
        assert await browser.who() == NOBODY


async def test_under_tls_the_cookie_is_for_tls_alone(tmp_path: Path) -> None:
    async with table(tmp_path, certificate=PEM) as rig:
        trust = ssl.create_default_context(cafile=str(PEM))
        headers = [("Host", "127.0.0.1"), ("Content-Type", "application/json")]
        body = json.dumps({"name": "Ann", "pin": "4711"}).encode()
        answer = await request(rig.tcp, "POST", "/api/v1/session", headers, body, ssl=trust)
        assert answer.status == 200
        assert "secure" in answer.headers["set-cookie"].lower()


async def test_every_sign_in_has_a_cookie_of_its_own_and_ends_the_one_before(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        one, two = await Browser(rig).signed_in("dealer"), await Browser(rig).signed_in("dealer")
        assert one.cookies != two.cookies
        before = Browser(rig)
        before.cookies = dict(one.cookies)
        await one.signed_in("supervisor")
        assert (await one.who())["role"] == "supervisor"
        assert await before.who() == NOBODY, "what the cookie of before opened is closed"
        assert (await two.who())["role"] == "dealer", "another screen stays"


# What each role may do


async def test_a_dealer_deals_under_the_own_name_and_does_nothing_of_a_supervisors(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        ann = await Browser(rig).signed_in("dealer")
        assert (await ann.enter(input="open_table")).status == 200
        assert (await ann.ask("GET", "/api/v1/state?view=dealer")).status == 200
        assert (await ann.ask("GET", "/api/v1/state?view=supervisor")).status == 403
        refused = await ann.enter(input="void", reason="so")
        assert (refused.status, refused.json["code"]) == (409, "supervisor_only")
    with JournalReader.of(tmp_path / "table.db") as reader:
        assert "dealer:Ann" in [record.actor for record in reader.after(0)]


async def test_a_supervisor_sees_and_enters_all_but_the_owners(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        sam = await Browser(rig).signed_in("supervisor")
        limits = {"bet": "main", "min": "20", "max": "500", "step": "5", "policy": "next_round", "why": "busy"}
        assert (await sam.enter(input="limits", **limits)).status == 200
        for path in ("/api/v1/state?view=supervisor", "/api/v1/rounds", "/api/v1/devices"):
            assert (await sam.ask("GET", path)).status == 200, path
        assert (await sam.ask("GET", "/api/v1/state?view=audit")).status == 403


async def test_a_technician_sees_devices_and_sets_faults_aside_and_touches_no_money(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        tom = await Browser(rig).signed_in("technician")
        assert (await tom.ask("GET", "/api/v1/devices")).status == 200
        for path in ("/api/v1/state?view=dealer", "/api/v1/rounds"):
            assert (await tom.ask("GET", path)).status == 403, path
        for what in ({"input": "open_table"}, {"input": "wager", "seat": 1, "amount": "10"}):
            refused = await tom.enter(**what)
            assert (refused.status, refused.json["code"]) == (403, "not_allowed")
        await rig.runner.report(i.DeviceTrouble("shoe", "no answer", holds=True), "shoe")
        assert (await tom.enter(input="fault", device="shoe")).status == 200
        assert rig.runner.table.state.set_aside
    with JournalReader.of(tmp_path / "table.db") as reader:
        assert "dealer:Tom (technician)" in [record.actor for record in reader.after(0)]


async def test_a_viewer_posts_nothing_and_sees_what_the_public_sees(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        for browser in (Browser(rig), await Browser(rig).signed_in("viewer")):
            assert (await browser.enter(input="open_table")).status in (401, 403)
            assert (await browser.ask("GET", "/api/v1/state?view=dealer")).status == 403
            assert (await browser.ask("GET", "/api/v1/state")).status == 200
        assert not rig.runner.table.state.open


async def test_a_viewers_socket_gets_the_public_view_whatever_it_asks_for(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        for browser in (Browser(rig), await Browser(rig).signed_in("viewer")):
            for view in ("dealer", "supervisor", "audit"):
                async with rig.stream(f"?view={view}", headers=browser.headers) as screen:
                    assert (await told(screen))["view"] == "public"


async def test_a_dealers_socket_that_asks_for_the_supervisors_view_is_refused(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        ann = await Browser(rig).signed_in("dealer")
        with pytest.raises(InvalidStatus) as refused:
            await rig.stream("?view=supervisor", headers=ann.headers)
        assert refused.value.response.status_code == 403
        async with rig.stream("?view=dealer", headers=ann.headers) as screen:
            assert (await told(screen, "dealer"))["view"] == "dealer"


async def test_nobody_who_signed_in_acts_as_somebody_else(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        sam = await Browser(rig).signed_in("supervisor")
        answer = await sam.ask("GET", "/api/v1/state", **{"Croupier-As": "dealer:Ann"})
        assert (answer.status, answer.json["code"]) == (403, "not_allowed")


# From where


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", None])
async def test_a_forged_or_missing_origin_enters_nothing_with_the_cookie(origin: str | None, tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        ann = await Browser(rig).signed_in("dealer")
        ann.origin = origin
        for method, path in (("POST", "/api/v1/inputs"), ("POST", "/api/v1/session"), ("DELETE", "/api/v1/session")):
            answer = await ann.ask(method, path, {"input": "open_table"})
            assert (answer.status, answer.json["code"]) == (403, "foreign_origin"), (method, path)
        with pytest.raises(InvalidStatus) as refused:
            await rig.stream("?view=dealer", headers=ann.headers)
        assert refused.value.response.status_code == 403
        assert not rig.runner.table.state.open
        assert (await ann.who())["name"] == "Ann", "reading changes nothing"


async def test_a_program_with_the_token_needs_no_origin(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        assert (await rig.enter({"input": "open_table"}, token=TOKEN)).status == 200


async def test_a_cookie_of_another_table_is_nothing_here(tmp_path: Path) -> None:
    async with table(tmp_path / "one") as one, table(tmp_path / "two") as two:
        at_home = await Browser(one).signed_in("supervisor")
        ((name, value),) = at_home.cookies.items()
        other = await Browser(two).signed_in("dealer")
        (own,) = other.cookies
        assert own != name, "two tables on one machine do not overwrite each other's"
        for cookies in ({name: value}, {own: value}):
            thief = Browser(two)
            thief.cookies = dict(cookies)
            assert await thief.who() == NOBODY
            assert (await thief.enter(input="open_table")).status == 401
        other.cookies[name] = value
        assert (await other.who())["role"] == "dealer"


@pytest.mark.parametrize("value", ["", "x", "é", "x" * 4000, "\x7f", "croupier_"])
async def test_a_cookie_that_is_worth_nothing_shows_nothing(value: str, tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        browser = await Browser(rig).signed_in("dealer")
        (name,) = browser.cookies
        browser.cookies[name] = value
        assert await browser.who() == NOBODY


# How it ends


async def test_a_session_ends_when_nothing_was_asked_for_long(tmp_path: Path) -> None:
    clock = Clock()
    async with table(tmp_path, clock) as rig:
        ann = await Browser(rig).signed_in("dealer")
        for _ in range(3):
            clock.at += IDLE_S - 1
            assert (await ann.who())["name"] == "Ann", "asking keeps it"
        clock.at += IDLE_S
        assert await ann.who() == NOBODY
        assert (await ann.enter(input="open_table")).status == 401


async def test_a_session_ends_after_a_shift_however_busy(tmp_path: Path) -> None:
    clock = Clock()
    async with table(tmp_path, clock) as rig:
        ann = await Browser(rig).signed_in("dealer")
        began = clock.at
        while clock.at - began < LONGEST_S - IDLE_S:
            clock.at += IDLE_S / 2
            assert (await ann.who())["name"] == "Ann"
        clock.at = began + LONGEST_S
        assert await ann.who() == NOBODY


async def closed(screen: Any) -> None:
    """Waits until it is."""
    async with asyncio.timeout(WAIT_S):
        with contextlib.suppress(ConnectionClosed):
            while True:
                await screen.recv()


async def test_streams_are_cut_with_their_session_however_it_ends(tmp_path: Path) -> None:
    clock = Clock()
    path = people_path(tmp_path / "table.db")
    async with table(tmp_path, clock) as rig:

        async def sign_out(browser: Browser) -> None:
            await browser.ask("DELETE", "/api/v1/session")

        async def expire(browser: Browser) -> None:
            clock.at += IDLE_S

        async def another_pin(browser: Browser) -> None:
            change_people(path, lambda people: people.changed("Ann", pin=hash_pin("6283")))
            change_people(path, lambda people: people.changed("Ann", pin=hash_pin(PINS["dealer"])))

        async def another_role(browser: Browser) -> None:
            change_people(path, lambda people: people.changed("Ann", role="viewer"))

        for end in (sign_out, expire, another_pin, another_role):
            change_people(path, lambda people: people.changed("Ann", role="dealer"))
            ann = await Browser(rig).signed_in("dealer")
            async with rig.stream() as bystander, rig.stream("?view=dealer", headers=ann.headers) as screen:
                await told(bystander)
                await told(screen, "dealer")
                await end(ann)
                await closed(screen)
                await rig.runner.look()
                assert (await told(bystander, beats=True))["type"] == "beat", "nobody else is cut"
            assert await ann.who() == NOBODY


async def test_who_is_removed_is_out_and_who_is_unlocked_stays(tmp_path: Path) -> None:
    path = people_path(tmp_path / "table.db")
    async with table(tmp_path) as rig:
        ann = await Browser(rig).signed_in("dealer")
        change_people(path, lambda people: people.changed("Ann", unlocked=5))
        assert (await ann.who())["name"] == "Ann"
        change_people(path, lambda people: people.minus("Ann"))
        assert await ann.who() == NOBODY


async def test_nobody_is_signed_in_while_the_people_file_can_not_be_trusted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = people_path(tmp_path / "table.db")
    async with table(tmp_path) as rig:
        ann = await Browser(rig).signed_in("dealer")
        path.chmod(0o644)
        assert await ann.who() == NOBODY
        answer = await ann.sign_in("Ann", "4711")
        assert (answer.status, str(path) in answer.json["detail"]) == (503, False)
        assert f"others may read the people file {path}" in caplog.text
        path.chmod(0o600)
        await ann.signed_in("dealer")


async def test_one_person_has_few_sessions_and_the_oldest_goes_first(tmp_path: Path) -> None:
    clock = Clock()
    async with table(tmp_path, clock) as rig:
        browsers = []
        for _ in range(sessions_module.OF_ONE + 1):
            clock.at += 1
            browsers.append(await Browser(rig).signed_in("dealer"))
        assert await browsers[0].who() == NOBODY
        assert all([(await each.who())["name"] == "Ann" for each in browsers[1:]])


# Over a restart


async def test_screens_come_back_to_the_same_role_after_a_restart(tmp_path: Path) -> None:
    clock = Clock()
    async with table(tmp_path, clock) as rig:
        cookies = {role: (await Browser(rig).signed_in(role)).cookies for role in NAMES}
        gone = await Browser(rig).signed_in("dealer")
        out = dict(gone.cookies)
        await gone.ask("DELETE", "/api/v1/session")
    kept = tmp_path / "table.sessions"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    for found in cookies.values():
        assert not any(value in kept.read_text() for value in found.values()), (
            "who reads the file can't sign in with it"
        )
    clock.at += 60
    async with table(tmp_path, clock, boot="another") as rig:
        for role, found in cookies.items():
            browser = Browser(rig)
            browser.cookies = found
            assert (await browser.who())["role"] == role
        browser.cookies = out
        assert await browser.who() == NOBODY, "who signed out stays out"
    clock.at += IDLE_S
    async with table(tmp_path, clock) as rig:
        browser = Browser(rig)
        browser.cookies = cookies["dealer"]
        assert await browser.who() == NOBODY


async def test_a_clock_that_was_set_back_ends_no_session_and_makes_none_longer(tmp_path: Path) -> None:
    clock = Clock()
    async with table(tmp_path, clock) as rig:
        ann = await Browser(rig).signed_in("dealer")
    clock.at -= 3600
    async with table(tmp_path, clock) as rig:
        ann.rig = rig
        ann.origin = None
        assert (await ann.who())["until"] == clock.at + IDLE_S


@pytest.mark.parametrize("text", [b"", b"{}", b'{"table": 5}', b"\xff"])
async def test_a_damaged_sessions_file_only_means_to_sign_in_again(text: bytes, tmp_path: Path) -> None:
    kept = tmp_path / "table.sessions"
    kept.touch(0o600)
    kept.write_bytes(text)
    async with table(tmp_path) as rig:
        await Browser(rig).signed_in("dealer")
    assert json.loads(kept.read_text())["sessions"][0]["name"] == "Ann"


async def test_where_nobody_can_sign_in_it_is_said(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        browser = Browser(rig)
        assert (await browser.sign_in("Ann", "4711")).status == 503
        assert (await browser.ask("DELETE", "/api/v1/session")).json == NOBODY
        owner = await rig.get("/api/v1/session", over=rig.unix)
        assert (owner.json["role"], owner.json["until"]) == ("owner", None)
