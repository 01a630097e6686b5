"""Wrong PINs: the words, the waits, the lock and its end, and what of it stands in the journal."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from controller.people.book import change_people, people_path
from controller.people.tries import LOCK_S, TRIES
from controller.surfaces.web import session_desk
from controller.surfaces.web.refusals import WebRefused
from controller.surfaces.web.session_desk import SignIn
from controller.surfaces.web.session_notes import AT_ONCE, Notes
from controller.table.inputs import Attempted
from tests.controller.surfaces.web.rig import serving, until
from tests.controller.surfaces.web.sessions_rig import Browser, Clock, attempts, table, with_people


async def wrong_until_locked(browser: Browser, clock: Clock, name: str = "Ann") -> Any:
    """The last answer."""
    for _ in range(TRIES):
        answer = await browser.sign_in(name, "0815")
        if answer.json["code"] != "locked":
            clock.at += float(answer.headers.get("retry-after", 0))
    return answer


async def test_a_wrong_pin_is_told_in_words_with_the_wait(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        browser = Browser(rig)
        answer = await browser.sign_in("Ann", "0815")
        assert (answer.status, answer.json["code"]) == (401, "wrong_pin")
        assert "do not belong together" in answer.json["detail"]
        assert "After 4 more wrong PINs the name is locked" in answer.json["detail"]
        answer = await browser.sign_in("Ann", "0815")
        assert "Wait 2 seconds" in answer.json["detail"]
        assert answer.headers["retry-after"] == "2"
        too_soon = await browser.sign_in("Ann", "4711")
        assert (too_soon.status, too_soon.json["code"]) == (429, "too_many_tries")
        assert "set-cookie" not in too_soon.headers, "even the right one"


async def test_wrong_pins_lock_the_name_and_the_lock_ends_by_itself(tmp_path: Path) -> None:
    clock = Clock()
    async with table(tmp_path, clock) as rig:
        browser = Browser(rig)
        locked = await wrong_until_locked(browser, clock)
        assert (locked.status, locked.json["code"]) == (429, "locked")
        words = locked.json["detail"]
        assert (
            words
            == "Too many wrong PINs: locked for 5 minutes; a supervisor can unlock with croupier people unlock Ann."
        )
        assert locked.headers["retry-after"] == "300"
        clock.at += LOCK_S - 1
        assert (await browser.sign_in("Ann", "4711")).json["code"] == "locked"
        await Browser(rig).signed_in("supervisor")
        clock.at += 1
        await browser.signed_in("dealer")


async def test_a_lock_ends_when_somebody_unlocks_and_does_not_sign_out_who_is_in(tmp_path: Path) -> None:
    clock = Clock()
    async with table(tmp_path, clock) as rig:
        signed_in = await Browser(rig).signed_in("dealer")
        browser = Browser(rig)
        await wrong_until_locked(browser, clock)
        assert (await signed_in.who())["name"] == "Ann", "a stranger can't throw the dealer out"
        change_people(people_path(tmp_path / "table.db"), lambda people: people.changed("Ann", unlocked=7))
        await browser.signed_in("dealer")
        assert (await signed_in.who())["name"] == "Ann"


async def test_a_lock_outlives_a_restart(tmp_path: Path) -> None:
    clock = Clock()
    async with table(tmp_path, clock) as rig:
        await wrong_until_locked(Browser(rig), clock)
    clock.at += 60
    async with table(tmp_path, clock) as rig:
        answer = await Browser(rig).sign_in("Ann", "4711")
        assert (answer.json["code"], answer.headers["retry-after"]) == ("locked", "240")
        clock.at += 240
        await Browser(rig).signed_in("dealer")


async def test_a_name_that_nobody_has_is_treated_as_one_that_somebody_has(tmp_path: Path) -> None:
    """The same answers in the same order, and the same work: a PIN is hashed either way."""
    clock = Clock()
    hashed: list[str] = []
    real = session_desk.fits

    def counted(pin: str, kept: Any) -> bool:
        hashed.append(kept.salt)
        return real(pin, kept)

    said: dict[str, list[Any]] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session_desk, "fits", counted)
        async with table(tmp_path, clock) as rig:
            for name in ("Ann", "Bob"):
                browser, answers = Browser(rig), []
                for _ in range(TRIES + 1):
                    answer = await browser.sign_in(name, "0815")
                    clock.at += float(answer.headers.get("retry-after", 0)) if answer.json["code"] == "wrong_pin" else 0
                    detail = answer.json["detail"].replace(name, "NAME")
                    answers.append((answer.status, detail, answer.headers.get("retry-after")))
                said[name] = answers
                clock.at += LOCK_S
    assert said["Ann"] == said["Bob"]
    assert len(hashed) == 2 * TRIES
    assert len(set(hashed)) == 2


async def test_many_at_once_are_no_way_around_the_count(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        browser = Browser(rig)
        answers = await asyncio.gather(*(browser.sign_in("Ann", f"0{number}15") for number in range(40)))
        tried = [each for each in answers if each.json["code"] == "wrong_pin"]
        assert len(tried) == 2, "the first is free, the second makes all others wait"
        assert all(each.status == 429 for each in answers if each not in tried)
        assert (await rig.get("/healthz")).status == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff", 400),
        (b"[]", 422),
        (b"{}", 422),
        (b'{"name": "Ann"}', 422),
        (b'{"name": "Ann", "pin": 4711}', 422),
        (b'{"name": "", "pin": "4711"}', 422),
        (b'{"name": "Ann", "pin": ""}', 422),
        (b'{"name": "Ann", "pin": "47a1"}', 422),
        (b'{"name": "Ann", "pin": "4711471147114711"}', 422),
        (b'{"name": "Ann", "pin": "4711", "role": "supervisor"}', 422),
        (b'{"name": "' + b"A" * 65 + b'", "pin": "4711"}', 422),
        (b"x" * 70_000, 413),
    ],
)
async def test_what_is_no_name_and_pin_is_refused_before_anything_is_tried(
    body: bytes, status: int, tmp_path: Path
) -> None:
    async with table(tmp_path) as rig:
        answer = await rig.ask("POST", "/api/v1/session", body=body)
        assert answer.status == status
        assert "4711" not in answer.body.decode()
        plain = await rig.ask("POST", "/api/v1/session", body=b"{}", headers={"Content-Type": "text/plain"})
        assert plain.status == 415


# What stands in the journal


async def test_every_refused_attempt_is_in_the_journal_with_names_and_without_pins(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        browser = Browser(rig)
        for _ in range(3):
            await browser.sign_in("ann", "0815")
        await browser.sign_in("5309", "0815")
        await browser.enter(input="open_table")
        ann = await Browser(rig).signed_in("supervisor")
        await ann.ask("GET", "/api/v1/state?view=audit")
        tom = await Browser(rig).signed_in("technician")
        await tom.enter(input="open_table")
        tom.origin = "https://evil.example"
        await tom.enter(input="fault", device="shoe")
        dealer = await Browser(rig).signed_in("viewer")
        await dealer.enter(input="open_table")
        async with rig.stream("?view=supervisor"):
            pass
        await rig.get("/api/v1/state", headers={"Authorization": "Bearer wrong"})
        await rig.get("/api/v1/state", headers={"Host": "evil.example"})
    found = attempts(tmp_path)
    assert {actor for actor, _ in found} == {"device:web"}
    kinds = [event.what for _, event in found]
    assert kinds == [
        *("wrong_pin", "wrong_pin", "too_many_tries", "wrong_pin", "sign_in", "not_allowed", "not_allowed"),
        *("foreign_origin", "not_allowed", "not_allowed", "wrong_token", "unknown_host"),
    ]
    words = [event.words for _, event in found]
    assert words[0] == "Ann from 127.0.0.1: a wrong PIN."
    assert words[3] == "somebody unknown from 127.0.0.1: a wrong PIN.", "a PIN in the field of the name is not kept"
    assert words[4].startswith("viewer from 127.0.0.1, POST /api/v1/inputs: Nobody enters anything")
    assert words[6].startswith("technician Tom from 127.0.0.1, POST /api/v1/inputs: A technician")
    assert words[9] == "viewer from 127.0.0.1, stream /api/v1/stream: A viewer gets the public view, not supervisor."
    for each in words:
        assert "0815" not in each
        assert "5309" not in each


async def test_a_dealer_who_tries_what_is_a_supervisors_is_in_the_journal(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        ann = await Browser(rig).signed_in("dealer")
        await ann.enter(input="void", reason="so")
        await ann.enter(input="settle")
    ((_, event),) = attempts(tmp_path)
    assert (event.what, event.words) == (
        "supervisor_only",
        "dealer Ann from 127.0.0.1, POST /api/v1/inputs: This needs a supervisor.",
    )


async def test_a_flood_of_attempts_is_counted_and_summed_up(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        browser = Browser(rig)
        for _ in range(3 * AT_ONCE):
            await browser.enter(input="open_table")
        await browser.ask("GET", "/api/v1/devices")
    found = [event for _, event in attempts(tmp_path)]
    assert len(found) == AT_ONCE + 1
    assert found[-1].what == "many"
    total = 2 * AT_ONCE + 1
    assert found[-1].words == f"{total} more attempts were refused: 1 not_allowed, {total - 1} sign_in."


async def test_a_flood_that_goes_on_is_summed_up_each_minute() -> None:
    class Kept:
        """Takes what is reported."""

        def __init__(self) -> None:
            self.told: list[Attempted] = []

        async def report(self, what: Attempted, device: str) -> None:
            self.told.append(what)

    kept, clock = Kept(), Clock()
    notes = Notes(kept, clock.monotonic)  # type: ignore[arg-type]  # a runner's smallest part
    notes.start()
    for _ in range(600):  # ten minutes, with fifty attempts a second
        for _ in range(50):
            notes.note("sign_in", "somebody")
        clock.at += 1
        notes.beat()
        await asyncio.sleep(0)
    await until(lambda: not notes._waiting)
    assert len(kept.told) <= AT_ONCE + 2 * 10
    await notes.finish(1.0)
    summed = [int(each.words.split()[0]) for each in kept.told if each.what == "many"]
    assert sum(summed) + len(kept.told) - len(summed) == 600 * 50, "none is forgotten"


async def test_attempts_wait_for_a_journal_that_takes_nothing_and_hold_nobody_up(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        rig.journal.broken = "the disk is full"
        browser = Browser(rig)
        for _ in range(5):
            assert (await browser.enter(input="open_table")).status == 401
        await until(lambda: bool(rig.runner.trouble))
        assert (await rig.get("/api/v1/state")).status == 200
        rig.journal.broken = ""
        await until(lambda: not rig.runner.trouble)
    assert len(attempts(tmp_path)) == 5


async def test_what_strangers_send_is_no_trouble_in_the_journal(tmp_path: Path) -> None:
    async with table(tmp_path) as rig:
        await rig.get("/api/v1/state?view=" + "%00%1b%0a" * 500)
        await rig.get("/api/v1/devices", headers={"Host": "x" * 3000})
    for _, event in attempts(tmp_path):
        assert len(event.words) <= 300
        assert event.words.isprintable()
    assert attempts(tmp_path)


# At the start


@pytest.mark.parametrize("name", ["table.people", "table.sessions"])
def test_a_table_does_not_start_with_files_that_others_may_read(name: str, tmp_path: Path) -> None:
    with_people(tmp_path)
    (tmp_path / name).touch()
    os.chmod(tmp_path / name, 0o644)
    with pytest.raises(WebRefused, match=f"others may read .*{name}.*chmod 600"):
        SignIn.beside(tmp_path / "table.db")


def test_a_table_does_not_start_with_a_damaged_people_file(tmp_path: Path) -> None:
    path = with_people(tmp_path)
    path.write_text(path.read_text()[:-20])
    with pytest.raises(WebRefused, match=r"is damaged: .*Put a good copy in its place"):
        SignIn.beside(tmp_path / "table.db")


async def test_a_table_starts_without_people_and_nobody_signs_in(tmp_path: Path) -> None:
    async with serving(tmp_path, signing=SignIn.beside(tmp_path / "table.db")) as rig:
        assert (await Browser(rig).sign_in("Ann", "4711")).json["code"] == "wrong_pin"
    assert not (tmp_path / "table.people").exists()
    assert not (tmp_path / "table.sessions").exists()
