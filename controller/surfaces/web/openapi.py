"""The API's document, OpenAPI 3.1: shapes from the types that are really read and written, words by hand."""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from controller.surfaces.playback import Playback
from controller.surfaces.playback_file import LANGUAGES
from controller.surfaces.web.answers import Alerts, Devices, Health
from controller.surfaces.web.desk import Rounds
from controller.surfaces.web.entering import KEY_LENGTH, KEYS, Entered
from controller.surfaces.web.hub import Beat, Changed, Snapshot
from controller.surfaces.web.packing import PackDown
from controller.surfaces.web.people import AS, ROLES
from controller.surfaces.web.problems import KINDS, MEDIA_TYPE, Problem
from controller.surfaces.web.session_routes import SignInForm, Who
from controller.surfaces.web.sessions import PREFIX
from controller.surfaces.web.sign import Sign
from controller.surfaces.web.stream import LONGEST_DELAY_S
from controller.surfaces.web.views import PUBLIC, VIEWS, view_type
from controller.table.inputs import FromPeople

Json = dict[str, Any]

JSON: Final = "application/json"
_REF: Final = "#/components/schemas/{name}"
_ANYWHERE: Final = ("bad_header", "wrong_token", "not_allowed", "unknown_host", "failed")

_WORDS: Final = f"""\
A table as programs and screens see it. Over the Unix socket you are its owner; over TCP, with the token of the table's
token file, a supervisor; with the cookie of a session, who signed in, in the role that person has at this table;
without either a viewer, who sees the public view and enters nothing. An owner or a supervisor may
act as somebody who is no higher, with the header {AS}. A view holds only what its reader may know: no answer to a
viewer depends on a card that lies face down."""

_STREAM: Final = """\
A WebSocket. Three messages come, as JSON in text frames: `Snapshot`, a view as a whole; `Changed`, the fields that are
different now, each to be put in the place of the old one; `Beat`, each second. Numbers grow by one.
After a lost connection `since` names the boot of the snapshot and the number of the last change: then only the changes
that were missed come, or a snapshot where they are not kept any more. A viewer gets the public view whatever it asks
for. Nothing is to be sent. Close codes: 1008 you sent too much, 1009 you sent something too large, 1011 a bug, 1012 the
daemon is ending, 1013 you did not keep up."""


def document(rounds: Rounds) -> Json:
    """`rounds` says which types past rounds come in."""
    snapshots = {view: snapshot_type(view) for view in VIEWS}
    types = [
        FromPeople,
        rounds.summary_type,
        rounds.record_type,
        *snapshots.values(),
        *(Entered, Devices, Health, Sign, Problem, Changed, Beat, Playback, Alerts, PackDown, SignInForm, Who),
    ]
    refs, schemas = msgspec.json.schema_components(types, ref_template=_REF)
    the = dict(zip(("input", "summary", "record"), refs, strict=False))
    states = {"anyOf": [_ref(made.__name__) for made in snapshots.values()]}
    round_list = {
        "type": "object",
        "properties": {"rounds": {"type": "array", "items": the["summary"]}},
        "required": ["rounds"],
    }
    paths = {
        "/api/v1/state": {
            "get": _reads(
                "The table now, as one view", "The first message of the stream.", states, "bad_query", ask=[_view()]
            )
        },
        "/api/v1/inputs": {"post": _inputs(the["input"])},
        "/api/v1/rounds": {
            "get": _reads(
                "Rounds that are over, the newest first",
                "Not for viewers. The round in play is not among them.",
                round_list,
                "bad_query",
                ask=[
                    _query("before", "Only rounds with a smaller number.", {"type": "integer", "minimum": 1}),
                    _query("limit", "How many.", {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}),
                ],
            )
        },
        "/api/v1/rounds/{number}": {
            "get": _reads(
                "One round that is over",
                "Not for viewers. With `form=script` the round script that `croupier settle` plays.",
                {"anyOf": [the["record"], {"type": "object", "description": "a round script"}]},
                "bad_query",
                "not_found",
                "refused",
                ask=[_NUMBER, _query("form", "The form of the answer.", {"enum": ["script"]})],
            )
        },
        "/api/v1/rounds/{number}/playback": {
            "get": _reads(
                "One round that is over, step by step",
                "For supervisors. What was entered and drawn, by whom and when, and what everybody could see then.",
                _ref("Playback"),
                "not_found",
                "refused",
                ask=[_NUMBER],
            )
        },
        "/api/v1/rounds/{number}/playback.html": {"get": _playback_file()},
        "/api/v1/alerts": {
            "get": _reads(
                "Alerts, the newest first",
                "For supervisors. With who acknowledged them.",
                _ref("Alerts"),
                "bad_query",
                "refused",
                ask=[_query("limit", "How many.", {"type": "integer", "minimum": 1, "maximum": 500, "default": 50})],
            )
        },
        "/api/v1/pack-down": {
            "get": _reads(
                "What the day came to, and whether it is safe to unplug",
                "Not for viewers. Since the table was opened last. `safe` is true only of a closed table with nothing "
                "on its way into the journal.",
                _ref("PackDown"),
                "refused",
            )
        },
        "/api/v1/devices": {
            "get": _reads("The devices and how they are", "Not for viewers.", _ref("Devices")),
        },
        "/api/v1/sign": {
            "get": _reads(
                "What a limit sign says beside the limits",
                "It stays the same until the daemon starts again.",
                _ref("Sign"),
            ),
        },
        "/api/v1/stream": {"get": stream_operation()},
        "/api/v1/openapi.json": {
            "get": _reads("This document", "", {"type": "object", "required": ["openapi", "paths"]})
        },
        "/api/v1/asyncapi.json": {
            "get": _reads(
                "The stream's document, AsyncAPI", "", {"type": "object", "required": ["asyncapi", "channels"]}
            )
        },
        "/api/v1/session": _session(),
        "/metrics": {"get": _metrics()},
        "/healthz": {
            "get": _reads(
                "Whether the table takes input",
                "503 while its journal can keep nothing.",
                _ref("Health"),
                "unavailable",
            )
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Croupier", "version": "1", "description": _WORDS},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "parameters": {"As": _as()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}, "session": _cookie()},
        },
        "security": [{"token": []}, {"session": []}, {}],
    }


def snapshot_type(view: str) -> type[msgspec.Struct]:
    """The snapshot of one view with what is in it."""
    exact = {"view": Literal[view], "state": view_type(view)}
    fields = [(each.name, exact.get(each.name, each.type)) for each in msgspec.structs.fields(Snapshot)]
    config = Snapshot.__struct_config__
    namespace = {"__doc__": Snapshot.__doc__}
    return msgspec.defstruct(
        f"{view.capitalize()}Snapshot", fields, tag_field=config.tag_field, tag=config.tag, namespace=namespace
    )


def _inputs(schema: Json) -> Json:
    key = {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "Sent again with the same key, an input is not entered again: the first answer comes again. "
        f"The last {KEYS} keys are remembered, until the daemon ends.",
        "schema": {"type": "string", "minLength": 1, "maxLength": KEY_LENGTH},
    }
    kinds = ("malformed", "unknown_input", "sign_in", "foreign_origin", "refused", "too_large", "not_json")
    responses = _answers(_ref("Entered"), *kinds, "bad_field", "key_reused", "unavailable")
    replayed = {"description": "There where the answer is that of an earlier request.", "schema": {"enum": ["true"]}}
    for status in ("200", "409"):
        responses[status]["headers"] = {"Idempotency-Replayed": replayed}
    return {
        "summary": "Enter something at the table",
        "description": "One input. It is on the disk when the answer comes. A refusal says what the table would take.",
        "parameters": [key, _AS_REF],
        "requestBody": {"required": True, "content": {JSON: {"schema": schema}}},
        "responses": responses,
    }


def stream_operation() -> Json:
    since = _query("since", "BOOT:NUMBER of the last message.", {"type": "string", "pattern": "^.+:[0-9]{1,18}$"})
    delay = _query(
        "delay",
        "Seconds by which everything but the beats comes later, from the first snapshot on: "
        "a page on air that asks for it can show nothing before its time.",
        {"type": "integer", "minimum": 0, "maximum": LONGEST_DELAY_S, "default": 0},
    )
    answers = _answers(None, "bad_query", "foreign_origin", "upgrade", "too_many_screens")
    switched = {"101": {"description": "The stream. Its messages are Snapshot, Changed and Beat."}}
    return {
        "summary": "The table as it changes",
        "description": _STREAM,
        "parameters": [_view(), since, delay, _AS_REF],
        "responses": {**switched, **answers},
    }


def _playback_file() -> Json:
    page = {"description": "A page that plays the round.", "content": {"text/html": {"schema": {"type": "string"}}}}
    return {
        "summary": "One round that is over, as a file to keep",
        "description": "For supervisors. It plays in any browser, needs no network, and holds nothing but this round.",
        "parameters": [_NUMBER, _query("lang", "The language of its buttons.", {"enum": list(LANGUAGES)}), _AS_REF],
        "responses": {"200": page, **_answers(None, "bad_query", "not_found", "refused")},
    }


def _session() -> Json:
    who = _ref("Who")
    form = {"required": True, "content": {JSON: {"schema": _ref("SignInForm")}}}
    kinds = ("wrong_pin", "too_many_tries", "locked", "foreign_origin", "malformed", "bad_field", "too_large")
    signed_in = _answers(who, *kinds, "not_json", "unavailable")
    signed_in["200"]["headers"] = {"Set-Cookie": {"description": "The session's.", "schema": {"type": "string"}}}
    return {
        "get": _reads("Who you are here", "A viewer without a name, where you show nothing.", who),
        "post": {
            "summary": "Sign in with a name and a PIN",
            "description": "The answer sets a cookie. After wrong PINs `Retry-After` says how many seconds to wait.",
            "parameters": [],
            "requestBody": form,
            "responses": signed_in,
        },
        "delete": {
            "summary": "Sign out",
            "description": "The session ends, and every stream that it opened.",
            "parameters": [],
            "responses": _answers(who, "foreign_origin"),
        },
    }


def _cookie() -> Json:
    words = "Set by signing in; what stands for ID is each table's own. Requests that enter something need an Origin."
    return {"type": "apiKey", "in": "cookie", "name": f"{PREFIX}ID", "description": words}


def _metrics() -> Json:
    text = {"description": "Prometheus' text form.", "content": {"text/plain": {"schema": {"type": "string"}}}}
    return {
        "summary": "Counts for Prometheus",
        "parameters": [_AS_REF],
        "responses": {"200": text, **_answers(None)},
    }


def _reads(summary: str, words: str, schema: Json, *kinds: str, ask: list[Json] | None = None) -> Json:
    return {
        "summary": summary,
        **({"description": words} if words else {}),
        "parameters": [*(ask or []), _AS_REF],
        "responses": _answers(schema, *kinds),
    }


def _answers(schema: Json | None, *kinds: str) -> dict[str, Json]:
    """A good answer, and the problems by their status."""
    answers: dict[str, Json] = {}
    if schema is not None:
        answers["200"] = {"description": "So it is.", "content": {JSON: {"schema": schema}}}
    for kind in sorted((*kinds, *_ANYWHERE), key=lambda each: KINDS[each]):
        status, title = KINDS[kind]
        words = f"`{kind}`: {title}."
        if str(status) in answers:
            answers[str(status)]["description"] += f" {words}"
        else:
            answers[str(status)] = {"description": words, "content": {MEDIA_TYPE: {"schema": _ref("Problem")}}}
    return answers


def _ref(name: str) -> Json:
    return {"$ref": _REF.format(name=name)}


def _query(name: str, words: str, schema: Json) -> Json:
    return {"name": name, "in": "query", "description": words, "schema": schema}


def _view() -> Json:
    return _query("view", "Which view.", {"enum": list(VIEWS), "default": PUBLIC})


def _as() -> Json:
    pattern = f"^({'|'.join(role for role in ROLES if role != 'owner')}):.+$"
    words = "Act as somebody no higher: role and name, `dealer:Ann`. For an owner or a supervisor."
    return {"name": AS, "in": "header", "description": words, "schema": {"type": "string", "pattern": pattern}}


_AS_REF: Final = {"$ref": "#/components/parameters/As"}
_NUMBER: Final = {"name": "number", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 0}}
