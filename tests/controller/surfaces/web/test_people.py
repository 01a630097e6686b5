"""Who is who on the web, what each may see and do, and from where."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest

from controller.store.journal import JournalReader
from controller.surfaces.web.people import ROLES, Peer, TokenBearer, principal_of
from tests.controller.surfaces.web.rig import TOKEN, serving

OPEN = {"input": "open_table"}
SEES = {
    "viewer": {"public"},
    "technician": {"public"},
    "dealer": {"public", "dealer"},
    "supervisor": {"public", "dealer", "supervisor"},
}
READS = {
    "/api/v1/devices": {"technician", "dealer", "supervisor"},
    "/api/v1/rounds": {"dealer", "supervisor"},
    "/api/v1/rounds/1": {"dealer", "supervisor"},
}


@pytest.mark.parametrize("role", SEES)
async def test_every_role_sees_its_own_views_and_no_other(role: str, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        for view in ("public", "dealer", "supervisor", "audit"):
            answer = await rig.get(f"/api/v1/state?view={view}", over=rig.unix, acting=f"{role}:Ann")
            assert answer.status == (200 if view in SEES[role] else 403), (role, view)
            if answer.status == 403:
                assert set(answer.json["known"]) == SEES[role]
        for path, roles in READS.items():
            answer = await rig.get(path, over=rig.unix, acting=f"{role}:Ann")
            assert (answer.status == 403) == (role not in roles), (role, path)


async def test_who_shows_nothing_is_a_viewer_who_enters_nothing_even_on_loopback(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        for view in ("dealer", "supervisor", "audit"):
            assert (await rig.get(f"/api/v1/state?view={view}")).status == 403
        for path in READS:
            assert (await rig.get(path)).status == 403
        entered = await rig.enter(OPEN, over=rig.tcp)
        assert (entered.status, entered.json["code"]) == (401, "sign_in")
        assert entered.headers["www-authenticate"].startswith("Bearer")
        assert not rig.runner.table.state.open


async def test_the_token_makes_a_supervisor_and_no_owner(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        assert (await rig.get("/api/v1/state?view=supervisor", token=TOKEN)).status == 200
        assert (await rig.get("/api/v1/state?view=audit", token=TOKEN)).status == 403
        assert (await rig.enter(OPEN, token=TOKEN)).status == 200


@pytest.mark.parametrize("shown", [f"Bearer {TOKEN}x", "Bearer", f"Basic {TOKEN}", TOKEN, "Bearer tökén"])
async def test_a_wrong_token_is_refused_and_not_taken_for_none(shown: str, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        for path in ("/api/v1/state", "/healthz"):
            answer = await rig.get(path, headers={"Authorization": shown})
            assert (answer.status, answer.json["code"]) == (401, "wrong_token")
            assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("role", ["viewer", "technician"])
async def test_a_named_viewer_and_a_technician_enter_nothing(role: str, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await rig.enter(OPEN, token=TOKEN, acting=f"{role}:Tom")
        assert (answer.status, answer.json["code"]) == (403, "not_allowed")


async def test_nobody_acts_as_somebody_higher(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        for role in ROLES:
            owner = await rig.get("/api/v1/state", over=rig.unix, acting=f"{role}:Ann")
            supervisor = await rig.get("/api/v1/state", token=TOKEN, acting=f"{role}:Ann")
            viewer = await rig.get("/api/v1/state", acting=f"{role}:Ann")
            allowed = 403 if role == "owner" else 200
            assert (owner.status, supervisor.status, viewer.status) == (allowed, allowed, 403), role


@pytest.mark.parametrize("acting", ["dealer", "dealer:", "boss:Ann", "Dealer:Ann", ":Ann", "dealer:" + "x" * 65])
async def test_an_act_as_that_says_nothing_is_refused(acting: str, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await rig.get("/api/v1/state", over=rig.unix, acting=acting)
        assert (answer.status, answer.json["code"]) == (400, "bad_header")


async def test_the_owner_is_named_by_the_user_at_the_other_end(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        assert (await rig.enter(OPEN, over=rig.unix)).status == 200
    with JournalReader.of(tmp_path / "table.db") as reader:
        assert [record.actor for record in reader.after(0)][-1] == f"supervisor:{getpass.getuser()}"


def test_a_name_in_latin_letters_of_any_kind_is_read() -> None:
    bearer = TokenBearer(TOKEN)
    for sent, name in (("Ann", "Ann"), ("Zoë".encode().decode("latin-1"), "Zoë"), ("Zo\xeb", "Zoë")):
        headers = {"authorization": f"Bearer {TOKEN}", "Croupier-As": f"dealer:{sent}"}
        assert principal_of([bearer], Peer(), headers).name == name


# From where


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8021", "localhost.evil.example", "", "127.0.0.1.nip.io"]
)
async def test_a_name_that_was_made_to_point_at_us_is_refused(host: str, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await rig.get("/api/v1/state", headers={"Host": host})
        assert (answer.status, answer.json["code"]) == (421, "unknown_host")
        entered = await rig.enter(OPEN, token=TOKEN, headers={"Host": host})
        assert entered.status == 421


async def test_addresses_in_digits_and_our_own_names_are_ours(tmp_path: Path) -> None:
    async with serving(tmp_path, hosts=["localhost", "Table7.local"]) as rig:
        for host in ("127.0.0.1", "127.0.0.1:8021", "192.168.1.20:8021", "[::1]:8021", "localhost:1", "table7.LOCAL"):
            assert (await rig.get("/api/v1/state", headers={"Host": host})).status == 200, host
        assert (await rig.get("/api/v1/state", over=rig.unix, headers={"Host": "whatever"})).status == 200


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:{port}", "http://127.0.0.1:{port}.x"],
)
async def test_a_page_of_somebody_else_enters_nothing_even_with_the_token(origin: str, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        sent = {"Origin": origin.format(port=rig.listening.port)}
        answer = await rig.enter(OPEN, token=TOKEN, headers=sent)
        assert (answer.status, answer.json["code"]) == (403, "foreign_origin")
        assert not rig.runner.table.state.open
        assert (await rig.get("/api/v1/state", headers=sent)).status == 200, "a browser does not let it read the answer"


async def test_our_own_page_and_one_that_is_configured_may(tmp_path: Path) -> None:
    async with serving(tmp_path, origins=["https://studio.example/"]) as rig:
        for origin in (f"http://127.0.0.1:{rig.listening.port}", "https://studio.example"):
            assert (await rig.enter(OPEN, token=TOKEN, headers={"Origin": origin})).status == 200
