"""The API's document: sound in itself, and about every address that there is and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.routing import Route, WebSocketRoute

from controller.surfaces.web.problems import KINDS
from controller.table.inputs import PEOPLE
from tests.controller.surfaces.web.rig import CONTRACT, serving
from tests.controller.surfaces.web.schemas import CHECKED, SILENT, at, faults

DOCUMENT = CONTRACT.document
OPERATIONS = [(path, method, each) for path, item in DOCUMENT["paths"].items() for method, each in item.items()]
ids = [f"{method} {path}" for path, method, _ in OPERATIONS]


def everything(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in the document."""
    if isinstance(value, dict):
        yield value
        for each in value.values():
            yield from everything(each)
    elif isinstance(value, list):
        for each in value:
            yield from everything(each)


async def test_what_is_served_is_this_document(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        answer = await rig.get("/api/v1/openapi.json")
        assert answer.json == DOCUMENT
        assert (await rig.get("/api/v1/openapi.json")).body == answer.body


async def test_every_address_is_in_it_and_nothing_else(tmp_path: Path) -> None:
    async with serving(tmp_path) as rig:
        served = {
            (re.sub(r":\w+\}", "}", route.path), method.lower())
            for route in rig.web.routes
            if isinstance(route, Route) and route.include_in_schema  # pages for people are not
            for method in (route.methods or set()) - {"HEAD"}
        }
        sockets = {route.path for route in rig.web.routes if isinstance(route, WebSocketRoute)}
    assert served == {(path, method) for path, method, _ in OPERATIONS}
    assert sockets == {"/api/v1/stream"}


def test_it_has_the_parts_that_openapi_wants() -> None:
    assert re.fullmatch(r"3\.1\.\d+", DOCUMENT["openapi"])
    assert set(DOCUMENT) == {"openapi", "info", "paths", "components", "security"}
    assert DOCUMENT["info"]["title"]
    assert DOCUMENT["info"]["version"]
    for kind, parts in DOCUMENT["components"].items():
        assert kind in ("schemas", "parameters", "securitySchemes")
        assert all(re.fullmatch(r"[a-zA-Z0-9._-]+", name) for name in parts)
    for needs in DOCUMENT["security"]:
        assert set(needs) <= set(DOCUMENT["components"]["securitySchemes"])


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=ids)
def test_every_operation_is_whole(path: str, method: str, operation: dict[str, Any]) -> None:
    assert set(operation) <= {"summary", "description", "parameters", "requestBody", "responses"}
    assert operation["summary"]
    found = [at(DOCUMENT, each["$ref"]) if "$ref" in each else each for each in operation["parameters"]]
    for parameter in found:
        assert set(parameter) <= {"name", "in", "description", "required", "schema"}
        assert parameter["in"] in ("query", "header", "path")
        assert (parameter["in"] == "path") == parameter.get("required", False)
    assert len({(each["name"], each["in"]) for each in found}) == len(found)
    assert {each["name"] for each in found if each["in"] == "path"} == set(re.findall(r"\{(\w+)\}", path))
    assert set(operation["responses"]) & {"200", "101"}
    for status, response in operation["responses"].items():
        assert re.fullmatch(r"[1-5]\d\d", status)
        assert response["description"]
        if int(status) >= 400:
            assert list(response["content"]) == ["application/problem+json"]
    if "requestBody" in operation:
        assert method == "post"
        assert operation["requestBody"]["required"]


def test_every_reference_leads_somewhere_and_every_schema_is_understood() -> None:
    for each in everything(DOCUMENT):
        if isinstance(each.get("$ref"), str):
            assert at(DOCUMENT, each["$ref"])
    for name, schema in DOCUMENT["components"]["schemas"].items():
        assert faults(DOCUMENT, schema, object()), f"{name} takes anything"
    used = {each["$ref"].rpartition("/")[2] for each in everything(DOCUMENT) if isinstance(each.get("$ref"), str)}
    spoken = {"Changed", "Beat"}  # of the stream, which OpenAPI has no place for
    assert set(DOCUMENT["components"]["schemas"]) - spoken - used == set()
    assert CHECKED.isdisjoint(SILENT)


def test_every_input_of_people_is_in_it_and_read_as_it_says() -> None:
    body = DOCUMENT["paths"]["/api/v1/inputs"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    mapping = body["discriminator"]["mapping"]
    assert set(mapping) == {each.__struct_config__.tag for each in PEOPLE}  # type: ignore[attr-defined]
    for tag, ref in mapping.items():
        schema = at(DOCUMENT, ref)
        assert schema["properties"]["input"]["enum"] == [tag]
        assert schema["additionalProperties"] is False
        assert faults(DOCUMENT, schema, {"input": tag, "nonsense": 1})


def test_every_kind_of_problem_is_somewhere_in_it() -> None:
    words = " ".join(
        response["description"] for _, _, operation in OPERATIONS for response in operation["responses"].values()
    )
    for kind in KINDS:
        if kind != "wrong_method":  # which is about addresses and methods that are not in the document
            assert f"`{kind}`" in words


def test_the_validator_finds_what_is_wrong() -> None:
    """Or it would prove nothing."""
    snapshot = {"$ref": "#/components/schemas/PublicSnapshot"}
    good = {"type": "beat", "at": 1.5}
    beat = {"$ref": "#/components/schemas/Beat"}
    assert faults(DOCUMENT, beat, good) == []
    for bad in ({}, {**good, "at": "1"}, {**good, "at": True}, {**good, "type": "boat"}, [], None):
        assert faults(DOCUMENT, beat, bad), bad
    assert faults(DOCUMENT, snapshot, good)
    pair = msgspec.json.schema(tuple[int, int])
    assert faults({}, pair, [1, 2]) == []
    assert faults({}, pair, [1])
    assert faults({}, pair, [1, 2, 3])
    assert faults({}, pair, [1, "2"])
