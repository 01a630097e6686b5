"""The stream's document, AsyncAPI 3.0: its messages from the types that are really sent, words by hand."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from controller.surfaces.web.hub import Beat, Changed
from controller.surfaces.web.openapi import snapshot_type, stream_operation
from controller.surfaces.web.people import AS
from controller.surfaces.web.views import VIEWS, view_type

Json = dict[str, Any]

CHANNEL: Final = "stream"
_REF: Final = "#/components/schemas/{name}"

_WORDS: Final = f"""\
A table as it changes, for screens and programs. Connect, and a view comes as a whole; then only what changes in it.
Over the Unix socket you are the table's owner; over TCP you are who you signed in as, a supervisor with the token of
the table's token file, and else a viewer, who gets the public view whatever is asked for. An owner or a supervisor may
act as somebody no higher, with the header {AS}."""

_CHANNEL: Final = """\
Nothing is to be sent here. Numbers grow by one within a view; after a lost connection `since` asks for the changes that
were missed, and a snapshot comes where they are not kept any more. Close codes: 1008 you sent too much, 1009 you sent
something too large, 1011 a bug, 1012 the daemon is ending, 1013 you did not keep up; after 1011, 1012 and 1013 connect
again."""


def document() -> Json:
    views = {name: view_type(name) for name in VIEWS}
    snapshots = {name: snapshot_type(name) for name in VIEWS}
    _, found = msgspec.json.schema_components([*views.values(), *snapshots.values(), Changed, Beat], ref_template=_REF)
    schemas = {name: draft_07(schema) for name, schema in found.items()}
    whole = schemas.pop("Changed")
    messages = {}
    for name, view in views.items():
        schemas[f"{name.capitalize()}Change"] = _change(whole, name, schemas[view.__name__])
        messages[f"{name}Snapshot"] = _message(f"The {name} view as a whole", f"{name.capitalize()}Snapshot")
        messages[f"{name}Change"] = _message(f"What changed in the {name} view", f"{name.capitalize()}Change")
    messages["beat"] = _message("The table is alive: each second", "Beat")
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Croupier: the stream", "version": "1", "description": _WORDS},
        "defaultContentType": "application/json",
        "servers": {
            "table": {
                "host": "localhost",
                "protocol": "ws",
                "description": "The table, by the name and port that its pages have; wss where it has a certificate.",
                "security": [{"$ref": "#/components/securitySchemes/token"}],
            }
        },
        "channels": {
            CHANNEL: {
                "address": "/api/v1/stream",
                "title": "The table as it changes",
                "description": _CHANNEL,
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
                "bindings": {"ws": _binding()},
            }
        },
        "operations": {
            "tell": {
                "action": "send",
                "title": "Tell a screen",
                "description": "A snapshot first, then changes as they happen, and beats.",
                "channel": {"$ref": f"#/channels/{CHANNEL}"},
                "messages": [{"$ref": f"#/channels/{CHANNEL}/messages/{name}"} for name in messages],
            }
        },
        "components": {
            "schemas": schemas,
            "messages": messages,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def draft_07(schema: Any) -> Any:
    """As the stream's document writes schemas; the API's document writes those of 2020-12."""
    if isinstance(schema, list):
        return [draft_07(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: draft_07(inner) for name, inner in schema.items()}
    if "prefixItems" in made:
        rest = made.pop("items", True)
        made["items"] = made.pop("prefixItems")
        made["additionalItems"] = rest
    if isinstance(made.get("discriminator"), dict):
        made["discriminator"] = made["discriminator"]["propertyName"]
    return made


def _change(changed: Json, name: str, view: Json) -> Json:
    """Some fields of the view, each whole."""
    fields = {"type": "object", "properties": view["properties"], "additionalProperties": False}
    return {
        **changed,
        "title": f"{name.capitalize()}Change",
        "properties": {**changed["properties"], "set": fields},
    }


def _message(summary: str, schema: str) -> Json:
    return {
        "name": schema,
        "title": schema,
        "summary": summary,
        "contentType": "application/json",
        "payload": {"$ref": _REF.format(name=schema)},
    }


def _binding() -> Json:
    """What may be asked for in the address, as the API's document has it."""
    asked = [each for each in stream_operation()["parameters"] if each.get("in") == "query"]
    fields = {each["name"]: {**draft_07(each["schema"]), "description": each["description"]} for each in asked}
    return {"method": "GET", "query": {"type": "object", "properties": fields}}
