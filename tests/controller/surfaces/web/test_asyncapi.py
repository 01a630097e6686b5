"""The stream's document: sound in itself, and true of what is really sent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.surfaces.web.asyncapi import draft_07
from controller.surfaces.web.views import VIEWS
from controller.table import inputs as i
from tests.controller.surfaces.web.rig import BOOT, STREAM, serving, told
from tests.controller.surfaces.web.schemas import at, faults
from tests.controller.table.playing import DEALER, SUPERVISOR

DOCUMENT = STREAM.document


def everything(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in the document."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from everything(each)


async def test_what_is_served_is_this_document_and_anybody_may_read_it(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        assert (await rig.get("/api/v1/asyncapi.json")).json == DOCUMENT


def test_it_has_the_parts_that_asyncapi_wants() -> None:
    assert DOCUMENT["asyncapi"] == "3.0.0"
    assert set(DOCUMENT) == {
        "asyncapi",
        "info",
        "defaultContentType",
        "servers",
        "channels",
        "operations",
        "components",
    }
    assert {"title", "version"} <= set(DOCUMENT["info"])
    for server in DOCUMENT["servers"].values():
        assert set(server) <= {"host", "protocol", "description", "security"}
        assert server["host"]
        assert server["protocol"] in ("ws", "wss")
    for channel in DOCUMENT["channels"].values():
        assert set(channel) <= {"address", "title", "description", "messages", "bindings"}
        assert channel["bindings"]["ws"]["method"] == "GET"
        assert channel["bindings"]["ws"]["query"]["type"] == "object"
        assert {"view", "since"} <= set(channel["bindings"]["ws"]["query"]["properties"])
    for operation in DOCUMENT["operations"].values():
        assert set(operation) <= {"action", "title", "description", "channel", "messages"}
        assert operation["action"] == "send"
        channel = at(DOCUMENT, operation["channel"]["$ref"])
        listed = {each["$ref"].rpartition("/")[2] for each in operation["messages"]}
        assert listed == set(channel["messages"])
    assert set(DOCUMENT["components"]) == {"schemas", "messages", "securitySchemes"}
    for message in DOCUMENT["components"]["messages"].values():
        assert set(message) <= {"name", "title", "summary", "contentType", "payload"}


def test_every_reference_leads_somewhere_and_every_schema_is_of_draft_07() -> None:
    for each in everything(DOCUMENT):
        if isinstance(each.get("$ref"), str):
            assert at(DOCUMENT, each["$ref"])
        assert "prefixItems" not in each
        assert not isinstance(each.get("discriminator"), dict)
    for name, schema in DOCUMENT["components"]["schemas"].items():
        assert re.fullmatch(r"[a-zA-Z0-9._-]+", name)
        assert faults(DOCUMENT, schema, object()), f"{name} takes anything"


def test_a_pair_is_a_pair_in_draft_07_too() -> None:
    pair = {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False, "minItems": 2}
    made = draft_07(pair)
    assert faults({}, made, [1, "a"]) == []
    for bad in ([1], [1, 2], [1, "a", 3]):
        assert faults({}, made, bad), bad


@pytest.mark.parametrize("view", VIEWS)
async def test_every_message_of_a_round_fits_it(tmp_path: Path, view: str) -> None:
    """`told` holds each one against it."""
    async with serving(tmp_path) as rig:
        as_who = {"Croupier-As": "supervisor:Sam"} if view == "supervisor" else {}
        async with rig.stream(f"?view={view}", owner=True, headers=as_who) as screen:
            kinds = [(await told(screen, view))["type"]]
            await rig.ready(1, 2)
            await rig.cards("TS 9H 7D 5C 2C TH")
            await rig.runner.enter(i.Limits("main", "20", "200", "10", "next_round", "busy"), SUPERVISOR)
            await rig.runner.enter(i.Decision(1, 1, "stand"), DEALER)
            await rig.runner.enter(i.Void("enough"), SUPERVISOR)
            rig.web.beat()
            while kinds[-1] != "beat":
                kinds.append((await told(screen, view, beats=True))["type"])
    assert {"snapshot", "change", "beat"} == set(kinds)


def test_a_message_that_is_not_as_it_says_is_found() -> None:
    good = {"type": "change", "number": 1, "set": {"phase": "betting"}}
    STREAM.message(json.dumps(good), "public")
    for bad in (
        {**good, "set": {"phase": "sleeping"}},
        {**good, "set": {"hole_card": "AS"}},
        {**good, "number": "1"},
        {"type": "snapshot", "boot": BOOT, "number": 1, "view": "public", "simulated": True, "state": {}},
    ):
        with pytest.raises(AssertionError):
            STREAM.message(json.dumps(bad), "public")
