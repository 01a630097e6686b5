"""What can be read over the API: views, rounds, devices, metrics, health; and the answers to what there is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.library import load_game
from controller.rules.engine.settlement import settlement
from controller.rules.errors import Refused
from controller.rules.script import play as replay
from controller.rules.script import read_script
from controller.rules.words.sign import sign_lines
from controller.surfaces.web.views import VIEWS
from controller.table import inputs as i
from controller.table.views import public_view
from tests.controller.surfaces.web.client import connect
from tests.controller.surfaces.web.rig import BOOT, TOKEN, Rig, serving
from tests.controller.table.playing import DEALER, setup_for


async def play(rig: Rig) -> None:
    """A whole round: 19 against 17 of the dealer."""
    await rig.cards("TS 7D 9C TH")
    for what in (i.Decision(1, 1, "stand"), i.TurnHoleCard(), i.Settle()):
        await rig.runner.enter(what, DEALER)


async def test_the_state_is_the_public_view_unless_another_is_asked_for(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await rig.ready()
        plain = await rig.get("/api/v1/state")
        assert plain.status == 200
        assert plain.headers["content-type"] == "application/json"
        made = plain.json
        assert (made["boot"], made["view"], made["simulated"]) == (BOOT, "public", True)
        assert made["state"]["round"] == public_view(rig.runner.table).round == 1
        assert (await rig.get("/api/v1/state?view=public")).body == plain.body
        for view in VIEWS:
            answer = await rig.get(f"/api/v1/state?view={view}", over=rig.unix)
            assert (answer.status, answer.json["view"]) == (200, view)
        head = await rig.ask("HEAD", "/api/v1/state")
        assert (head.status, head.body) == (200, b"")


async def test_a_view_that_there_is_not_is_told_with_those_there_are(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await rig.get("/api/v1/state?view=supervisr", over=rig.unix)
        assert (answer.status, answer.json["code"], answer.json["known"]) == (400, "bad_query", list(VIEWS))
        assert answer.json["detail"].endswith("Did you mean supervisor?")


async def test_past_rounds_are_listed_and_told_and_can_be_settled_again(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await rig.ready()
        for _ in range(3):
            await play(rig)
            await rig.runner.enter(i.OpenRound(), DEALER)
        await rig.cards("5S")
        listed = await rig.get("/api/v1/rounds", token=TOKEN)
        assert [each["number"] for each in listed.json["rounds"]] == [3, 2, 1], "and not the one in play"
        some = await rig.get("/api/v1/rounds?before=3&limit=1", token=TOKEN)
        assert some.json == {"rounds": [{"number": 2, "cards": 4}]}
        all_but_this = await rig.get("/api/v1/rounds?before=9", token=TOKEN)
        assert all_but_this.body == listed.body
        one = await rig.get("/api/v1/rounds/2", over=rig.unix, acting="dealer:Ann")
        assert one.json["number"] == 2
        script = await rig.get("/api/v1/rounds/2?form=script", token=TOKEN)
        assert script.json["shoe"] == ["TS", "7D", "9C", "TH"]
        again = replay(read_script(script.json, load_game))
        assert again.over
        assert settlement(again).net == {1: 10}


async def test_a_round_in_play_is_told_to_nobody(tmp_path: Path) -> None:
    """Its record and its script name the hole card."""
    async with serving(tmp_path) as rig:
        await rig.ready()
        await rig.cards("TS 7D 9C TH")
        for path in ("/api/v1/rounds/1", "/api/v1/rounds/1?form=script"):
            answer = await rig.get(path, over=rig.unix)
            assert (answer.status, "in play" in answer.json["detail"]) == (404, True)
        assert (await rig.get("/api/v1/rounds", over=rig.unix)).json == {"rounds": []}


@pytest.mark.parametrize(
    "query", ["before=0", "before=x", "before=-1", "limit=101", "limit=", "limit=²", "before=" + "9" * 40]
)
async def test_a_question_that_makes_no_sense_is_refused(query: str, tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await rig.get(f"/api/v1/rounds?{query}".replace("²", "%C2%B2"), over=rig.unix)
        assert (answer.status, answer.json["code"]) == (400, "bad_query")


async def test_a_round_that_there_is_not_and_a_form_that_there_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path) as rig:
        missing = await rig.get("/api/v1/rounds/7", over=rig.unix)
        assert (missing.status, missing.json["detail"]) == (404, "There is no round 7.")
        form = await rig.get("/api/v1/rounds/7?form=poem", over=rig.unix)
        assert (form.status, form.json["known"]) == (400, ["script"])

        async def script(number: int) -> None:
            raise Refused("no_script", "No game of Croupier's becomes this by options alone.")

        monkeypatch.setattr(rig.web._desk.rounds, "script", script)
        refused = await rig.get("/api/v1/rounds/7?form=script", over=rig.unix)
        assert (refused.status, refused.json["code"]) == (409, "no_script")


async def test_the_devices_are_told_with_the_clock_they_are_timed_by(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await rig.get("/api/v1/devices", token=TOKEN, acting="technician:Tom")
        assert answer.json["devices"][0]["device"] == "shoe"
        assert answer.json["at"] > answer.json["devices"][0]["since"]


async def test_the_sign_says_what_the_rules_say(tmp_path: Path) -> None:
    setup = setup_for("power_blackjack", name="Table 12", currency="€", money="play")
    async with serving(tmp_path, setup) as rig:
        answer = await rig.get("/api/v1/sign")
        assert answer.status == 200
        made = answer.json
        assert (made["table"], made["game"], made["decks"]) == ("Table 12", "Power Blackjack", setup.rules.decks)
        assert (made["currency"], made["money"], made["pushes_22"]) == ("€", "play", True)
        bets = [bet["line"] for bet in made["side_bets"]]
        assert (*made["lines"], *bets) == sign_lines(setup.rules)
        assert [bet["bet"] for bet in made["side_bets"]] == list(setup.rules.side_bets)
        assert all(bet["line"].startswith(bet["title"].upper()) for bet in made["side_bets"])


async def test_metrics_are_what_prometheus_reads(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        await rig.ready()
        await rig.enter({"input": "open_round"})
        answer = await rig.get("/metrics")
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        lines = answer.body.decode().splitlines()
        assert 'croupier_info{table="Table 7",game="Blackjack",boot="b00t"} 1' in lines
        assert 'croupier_phase{phase="playing"} 1' in lines
        assert 'croupier_phase{phase="betting"} 0' in lines
        assert "croupier_round 1" in lines
        assert "croupier_takes_input 1" in lines
        assert "croupier_simulated 1" in lines
        assert 'croupier_inputs_total{became="refused"} 1' in lines
        assert 'croupier_device_state{device="shoe",kind="shoe",state="ready"} 1' in lines
        assert 'croupier_device_losses_total{device="shoe",kind="shoe"} 2' in lines
        for line in lines:
            name = line.split()[2] if line.startswith("#") else line.partition("{")[0].partition(" ")[0]
            assert f"# TYPE {name} " in answer.body.decode()
        assert answer.body.endswith(b"\n")


async def test_a_name_with_quotes_does_not_break_the_metrics(tmp_path: Path) -> None:
    async with serving(tmp_path, setup_for(name='The "big"\\\none')) as rig:
        assert rb'table="The \"big\"\\\none"' in (await rig.get("/metrics")).body


async def test_health_says_in_words_why_the_table_takes_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        well = await rig.get("/healthz")
        assert (well.status, well.json) == (200, {"status": "ok"})
        rig.journal.broken = "the journal /secret/place/table.db: the disk is full"
        await rig.enter({"input": "open_table"})
        ill = await rig.get("/healthz")
        assert (ill.status, ill.headers["retry-after"]) == (503, "2")
        assert ill.json["detail"] == "The table takes no input: its journal fails."
        assert b"secret" not in ill.body, "a stranger need not know our files"
        assert "the disk is full" in (await rig.get("/healthz", token=TOKEN)).json["detail"]
        assert "croupier_takes_input 0" in (await rig.get("/metrics")).body.decode()


async def test_what_is_not_there_is_told_as_a_problem(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        for path in ("/api", "/api/v1/stat", "/api/v1/state/", "/api/v1/rounds/1/2", "//", "/%ff"):
            answer = await rig.get(path)
            assert (answer.status, answer.json["code"]) == (404, "not_found"), path
        for number in ("x", "-1", "%C2%B2", "9" * 17, "9" * 5000):
            answer = await rig.get(f"/api/v1/rounds/{number}", over=rig.unix)
            assert (answer.status, answer.json["code"]) == (404, "not_found"), number
        for method, path, allowed in (
            ("POST", "/api/v1/state", "GET, HEAD"),
            ("GET", "/api/v1/inputs", "POST"),
            ("DELETE", "/api/v1/rounds/1", "GET, HEAD"),
            ("OPTIONS", "/healthz", "GET, HEAD"),
        ):
            answer = await rig.ask(method, path)
            assert (answer.status, answer.headers["allow"]) == (405, allowed)
            assert answer.json["code"] == "wrong_method"


async def test_the_stream_asked_for_without_a_websocket_says_so(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await rig.get("/api/v1/stream")
        assert (answer.status, answer.headers["upgrade"]) == (426, "websocket")


async def test_what_is_no_http_at_all_ends_the_connection_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path) as rig:
        for noise in (
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
            b"GET\r\n\r\n",
            b"\r\n" * 3 + b"x" * 70_000,
        ):
            reader, writer = await connect(rig.tcp)
            writer.write(noise)
            assert (await reader.read()).startswith(b"HTTP/1.1 400")
            writer.close()
            await writer.wait_closed()
        assert (await rig.get("/healthz")).status == 200
        assert caplog.text == "", "or any stranger could fill the disk"


async def test_an_answer_has_no_name_of_the_software(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await rig.get("/healthz")
        assert "server" not in answer.headers
        assert "date" in answer.headers
        assert json.loads(answer.body) == {"status": "ok"}
