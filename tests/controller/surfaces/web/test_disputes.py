"""Past rounds step by step and past alerts, over the web: who may have them, and that nothing unseen is in them."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

from controller.table import inputs as i
from tests.controller.surfaces.web.rig import TOKEN, Rig, serving
from tests.controller.table.playing import DEALER, SUPERVISOR


async def played(rig: Rig) -> None:
    await rig.ready(1)
    await rig.cards("TS 7D 9C TH")
    for what in (i.Decision(1, 1, "stand"), i.TurnHoleCard(), i.Settle()):
        await rig.runner.enter(what, DEALER)


async def test_a_supervisor_reads_a_round_step_by_step(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await played(rig)
        told = (await rig.get("/api/v1/rounds/1/playback", token=TOKEN)).json
    assert (told["round"], told["status"], told["simulated"], told["net"]) == (1, "ended", True, {"1": "10"})
    assert [frame["words"][0] for frame in told["frames"]][:3] == [
        "Round 1 begins: seat 1 10.",
        "Seat 1 gets 10♠.",
        "The dealer gets 7♦.",
    ]
    assert told["frames"][0]["sign"]["limits"]["line"] == "MIN 10 MAX 500"
    assert told["frames"][-1]["board"]["message"]["line"] == "PLACE YOUR BETS"


@pytest.mark.parametrize("who", ["", "dealer:Ann", "technician:Tom"])
async def test_nobody_below_a_supervisor_does(tmp_path: Path, who: str) -> None:
    async with serving(tmp_path) as rig:
        await played(rig)
        for path in ("/api/v1/rounds/1/playback", "/api/v1/rounds/1/playback.html", "/api/v1/alerts"):
            answer = await rig.get(path, **({"token": TOKEN, "acting": who} if who else {}))
            assert answer.status == 403
            assert "supervisor" in answer.json["detail"]


async def test_the_round_in_play_and_one_that_was_never_played_are_not_given(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await rig.ready(1)
        await rig.cards("TS 7D 9C TH")
        for number in ("1", "2", "0", "x", "99999999999999999999"):
            for end in ("playback", "playback.html"):
                answer = await rig.get(f"/api/v1/rounds/{number}/{end}", token=TOKEN)
                assert answer.status == 404, number
        assert "in play" in (await rig.get("/api/v1/rounds/1/playback", token=TOKEN)).json["detail"]


async def test_a_voided_round_keeps_its_hole_card(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await rig.ready(1)
        await rig.cards("TS 7D 9C 6H")
        await rig.runner.enter(i.Void("<b>spilt & wet</b>"), SUPERVISOR)
        for end in ("playback", "playback.html"):
            body = (await rig.get(f"/api/v1/rounds/1/{end}", token=TOKEN)).body
            assert b"6H" not in body
            assert "6♥".encode() not in body
            assert b"7D" in body


async def test_the_file_is_an_attachment_that_allows_nothing_but_its_own_script(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await rig.ready(1)
        await rig.cards("TS")
        await rig.runner.enter(i.Void("</script><script>alert(1)</script>"), SUPERVISOR)
        answer = await rig.get("/api/v1/rounds/1/playback.html", token=TOKEN)
        other = await rig.get("/api/v1/rounds/1/playback.html?lang=es", token=TOKEN)
        wrong = await rig.get("/api/v1/rounds/1/playback.html?lang=xx", token=TOKEN)
    assert answer.headers["content-disposition"] == 'attachment; filename="round-1.html"'
    assert answer.headers["content-type"].startswith("text/html")
    text = answer.body.decode()
    assert "alert(1)</script>" not in text
    scripts = re.findall(r'<script type="module">(.*?)</script>', text, re.S)
    styles = re.findall(r"<style>(.*?)</style>", text, re.S)
    assert len(scripts) == len(styles) == 1
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for part in (*scripts, *styles):
        assert base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() in policy
    assert "http:" not in text
    assert "https:" not in text
    assert '<html lang="es"' in other.body.decode()
    assert wrong.status == 400


async def test_alerts_are_listed_with_who_saw_to_them(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await rig.runner.enter(i.OpenTable(), DEALER)
        for action in ("load", "verify", "verified"):
            await rig.runner.enter(i.Shoe(action), DEALER)
        waiting = (await rig.get("/api/v1/alerts", token=TOKEN)).json["alerts"]
        assert [(alert["number"], alert["by"], alert["seen"]) for alert in waiting] == [(1, "", "")]
        await rig.runner.enter(i.Alert(1), SUPERVISOR)
        (seen,) = (await rig.get("/api/v1/alerts?limit=1", token=TOKEN)).json["alerts"]
        assert seen["by"] == "supervisor Sam"
        assert seen["seen"] >= seen["raised"]
        assert (await rig.get("/api/v1/alerts?limit=0", token=TOKEN)).status == 400
