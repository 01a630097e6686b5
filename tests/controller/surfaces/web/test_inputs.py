"""What people enter over the API: taken, refused and answered in words, and each once however often it is sent."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from controller.store.journal import JournalReader
from controller.surfaces.web.entering import KEYS
from controller.surfaces.web.people import Principal
from controller.surfaces.web.reading import KNOWN
from controller.table import inputs as i
from tests.controller.surfaces.web.client import Answer, connect
from tests.controller.surfaces.web.rig import TOKEN, Rig, serving, until

OPEN = {"input": "open_table"}
LIMITS = {
    "input": "limits",
    "bet": "main",
    "min": "20",
    "max": "500",
    "step": "5",
    "policy": "next_shoe",
    "why": "evening",
}


def wager(seat: int, amount: str = "10") -> dict[str, Any]:
    return {"input": "wager", "seat": seat, "amount": amount}


async def test_an_input_is_taken_and_its_sequence_numbers_come_back(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        before = rig.runner.table.state.sequence
        opened = await rig.enter(OPEN)
        assert (opened.status, opened.json) == (200, {"sequences": [before + 1], "changed": True})
        again = await rig.enter(OPEN)
        assert (again.status, again.json) == (200, {"sequences": [], "changed": False})
        assert rig.runner.table.state.open


async def test_a_refusal_says_why_and_what_the_table_would_take(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        refused = await rig.enter({"input": "open_round"})
        problem = refused.json
        assert refused.status == 409
        assert refused.headers["content-type"] == "application/problem+json"
        assert problem["code"] == "table_closed"
        assert problem["detail"] == "The table is closed."
        assert problem["type"] == "urn:croupier:problem:refused"
        assert "open_table" in problem["legal"]


async def test_the_journal_has_who_entered_it(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        dealt = await rig.enter(LIMITS)
        assert dealt.json["code"] == "supervisor_only"
        for who in ({"token": TOKEN}, {"over": rig.unix}, {"token": TOKEN, "acting": "supervisor:Zoë Ångström"}):
            assert (await rig.enter(LIMITS, **who)).status == 200
    with JournalReader.of(tmp_path / "table.db") as reader:
        actors = [record.actor for record in reader.after(0)][1:]
    assert {actor for actor in actors if actor.startswith("supervisor:")} >= {
        "supervisor:token",
        "supervisor:Zoë Ångström",
    }


MALFORMED: dict[bytes, str] = {
    b"": "Line 1, column 1: Input data was truncated.",
    b'{"input": "peek",\n  }': "Line 2, column 3: JSON is malformed: trailing comma in object.",
    b'{"input":"peek"} x': "Line 1, column 18: JSON is malformed: trailing characters.",
    b"[1]": "one JSON object",
    b'"peek"': "one JSON object",
    b'{"input":"dealer_in","name":"\xff"}': "The body is not UTF-8.",
    b'{"input":"peek","x":' + b"[" * 30_000 + b"]" * 30_000 + b"}": "nested too deeply",
}


@pytest.mark.parametrize("body", MALFORMED, ids=lambda body: repr(body[:20]))
async def test_what_is_not_json_is_told_where(body: bytes, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await rig.enter(body)
        assert (answer.status, answer.json["code"]) == (400, "malformed")
        assert MALFORMED[body] in answer.json["detail"]


@pytest.mark.parametrize("body", [b'{"input":"open_rund"}', b'{"seat":1}', b'{"input":7}', b'{"input":null}'])
async def test_an_input_that_there_is_not_is_told_with_those_there_are(body: bytes, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await rig.enter(body)
        assert (answer.status, answer.json["code"]) == (400, "unknown_input")
        assert answer.json["known"] == list(KNOWN)
        if b"rund" in body:
            assert answer.json["nearest"] == "open_round"
            assert answer.json["detail"] == "There is no input 'open_rund'. Did you mean open_round?"


@pytest.mark.parametrize(
    ("body", "path", "words"),
    [
        (b'{"input":"wager","seat":"1"}', "seat", "wager, field seat: Expected `int`, got `str`."),
        (b'{"input":"wager"}', "seat", "wager needs the field seat."),
        (b'{"input":"wager","seat":1,"ammount":"5"}', "ammount", "Did you mean amount?"),
        (b'{"input":"peek","now":true}', "now", "peek has no field 'now'; it has none."),
        (b'{"input":"answer","answer":"name","cards":["AS",3]}', "cards[1]", "Expected `str`, got `int`."),
        (b'{"input":"shoe","action":"lood"}', "action", "Invalid enum value 'lood'."),
        (b'{"input":"wager","seat":1' + b"0" * 5000 + b"}", "seat", "out of range"),
    ],
    ids=lambda value: repr(value)[:40],
)
async def test_a_wrong_field_is_told_by_its_path(body: bytes, path: str, words: str, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await rig.enter(body)
        assert (answer.status, answer.json["code"], answer.json["path"]) == (422, "bad_field", path)
        assert words in answer.json["detail"]


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_that_is_too_large_is_refused_and_not_kept(chunked: bool, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        just_right = json.dumps(OPEN).encode().ljust(64 * 1024)
        assert (await rig.enter(just_right)).status == 200
        if not chunked:
            answer = await rig.enter(just_right + b" ")
            assert (answer.status, answer.json["code"]) == (413, "too_large")
            return
        reader, writer = await connect(rig.unix)
        writer.write(b"POST /api/v1/inputs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n")
        writer.write(b"Transfer-Encoding: chunked\r\n\r\n" + 70 * (b"400\r\n" + b" " * 1024 + b"\r\n"))
        assert (await reader.readline()).startswith(b"HTTP/1.1 413")
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
async def test_another_content_type_is_refused(kind: str, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await rig.enter(OPEN, headers={"Content-Type": kind})
        assert (answer.status, answer.headers["accept-post"]) == (415, "application/json")
        assert (await rig.enter(OPEN, headers={"Content-Type": "Application/JSON; charset=utf-8"})).status == 200


async def test_while_the_journal_fails_the_answer_is_to_try_again_and_then_it_counts(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        rig.journal.broken = "the disk is full"
        failed = await rig.enter(OPEN, key="k")
        assert (failed.status, failed.json["code"]) == (503, "journal_unavailable")
        assert "the disk is full" in failed.json["detail"]
        assert failed.headers["retry-after"] == "2"
        rig.journal.broken = ""
        entered = await rig.enter(OPEN, key="k")
        assert (entered.status, entered.json["changed"]) == (200, True)
        assert "idempotency-replayed" not in entered.headers, "it was not entered the first time"


async def test_a_bug_is_answered_as_one_and_the_next_input_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path) as rig:
        with monkeypatch.context() as broken:

            async def enter(*arguments: Any) -> tuple[int, ...]:
                raise ZeroDivisionError("a bug")

            broken.setattr(rig.runner, "enter", enter)
            answer = await rig.enter(OPEN, key="k")
        assert (answer.status, answer.json["code"]) == (500, "failed")
        assert "ZeroDivisionError: a bug" in caplog.text
        assert (await rig.enter(OPEN, key="k")).json["changed"]


# The same sent again


async def test_the_same_key_gives_the_same_answer_and_acts_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        first = await rig.enter(wager(1), key="tap 1")
        second = await rig.enter(b'{ "seat": 1, "input": "wager", "amount": "10" }', key="tap 1")
        assert first.body == second.body
        assert second.headers["idempotency-replayed"] == "true"
        assert "idempotency-replayed" not in first.headers
        assert (await rig.enter(wager(1), key="tap 2")).body != first.body, "another tap is another bet"


async def test_a_refusal_is_kept_too_even_if_it_would_be_legal_by_now(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        refused = await rig.enter({"input": "dealer_in", "name": " "}, key="k")
        again = await rig.enter({"input": "dealer_in", "name": " "}, key="k")
        assert refused.status == again.status == 409
        assert refused.body == again.body
        early = await rig.enter({"input": "open_round"}, key="early")
        await rig.ready()
        assert (await rig.enter({"input": "open_round"}, key="early")).body == early.body


async def test_five_of_the_same_at_the_same_moment_act_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        rig.journal.open.clear()
        sent = [asyncio.create_task(rig.enter(wager(1), key="k")) for _ in range(5)]
        await until(lambda: rig.journal.asked == 1)
        rig.journal.open.set()
        answers = await asyncio.gather(*sent)
        assert {answer.status for answer in answers} == {200}
        assert len({answer.body for answer in answers}) == 1
        assert sum("idempotency-replayed" not in answer.headers for answer in answers) == 1
        assert rig.journal.asked == 1


async def test_another_input_with_a_key_that_is_being_entered_is_refused_at_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        rig.journal.open.clear()
        first = asyncio.create_task(rig.enter(wager(1), key="k"))
        await until(lambda: rig.journal.asked == 1)
        same = asyncio.create_task(rig.enter(wager(1), key="k"))
        assert (await rig.enter(wager(2), key="k")).json["code"] == "key_reused"
        rig.journal.open.set()
        assert (await first).body == (await same).body
        assert rig.journal.asked == 1


async def test_the_same_key_with_another_input_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await rig.enter(wager(1), key="k")
        other = await rig.enter(wager(2), key="k")
        assert (other.status, other.json["code"]) == (422, "key_reused")
        assert 2 not in rig.runner.table.state.wagers
        somebody_else = await rig.enter(wager(2), key="k", acting="dealer:Bea")
        assert somebody_else.status == 200, "a key is its owner's own"


@pytest.mark.parametrize("key", ["x" * 129, "a\tb"])
async def test_a_key_that_is_none_is_refused(key: str, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await rig.enter(OPEN, key=key)
        assert (answer.status, answer.json["code"]) == (400, "bad_header")


async def test_the_oldest_keys_are_forgotten(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        entering = rig.web._entering
        ann = Principal("dealer", "Ann")
        await entering.enter(i.Wager(1, "10"), ann, "first")
        for number in range(KEYS):
            await entering.enter(i.OpenTable(), ann, f"key {number}")
        assert len(entering._first) == KEYS
        _, known = await entering.enter(i.Wager(1, "10"), ann, "first")
        assert not known
        _, known = await entering.enter(i.OpenTable(), ann, f"key {KEYS - 1}")
        assert known


async def test_who_hangs_up_has_entered_it_all_the_same(tmp_path: Path) -> None:
    """A journal that has it and a table that has not would part ways."""
    async with serving(tmp_path) as rig:
        rig.journal.open.clear()
        body = json.dumps(OPEN).encode()
        _, writer = await connect(rig.unix)
        writer.write(b"POST /api/v1/inputs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n")
        writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        await until(lambda: rig.journal.asked == 1)
        writer.transport.abort()
        rig.journal.open.set()
        await until(lambda: rig.runner.table.state.open)
        assert rig.journal.asked == 1


async def test_a_body_that_breaks_off_enters_nothing_and_fills_no_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path) as rig:
        _, writer = await connect(rig.unix)
        writer.write(b"POST /api/v1/inputs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n")
        writer.write(b'Content-Length: 99\r\n\r\n{"input":"open_table"}')
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        assert (await rig.get("/healthz")).status == 200
    assert not rig.runner.table.state.open
    assert caplog.text == ""


async def test_an_end_in_the_middle_of_an_entry_waits_for_it(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        rig.journal.open.clear()
        asked = asyncio.create_task(_until_cut(rig))
        await until(lambda: rig.journal.asked == 1)
        asyncio.get_running_loop().call_later(0.05, rig.journal.open.set)
    assert rig.runner.table.state.open, "the server did not end before the table had it"
    await asked


async def _until_cut(rig: Rig) -> Answer | None:
    try:
        return await rig.enter(OPEN)
    except (OSError, AssertionError):
        return None
