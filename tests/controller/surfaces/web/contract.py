"""The API's document as a contract: every answer a test gets is held against it."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.controller.surfaces.web.schemas import at, faults


class Contract:
    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self._paths = {re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + "$"): item for path, item in _paths(document)}

    def check(self, method: str, path: str, status: int, headers: dict[str, str], body: bytes) -> None:
        assert headers.get("cache-control") == "no-store", f"{method} {path}: may be kept"
        assert headers.get("x-content-type-options") == "nosniff"
        media = headers.get("content-type", "").partition(";")[0]
        if media.endswith("json") and method != "HEAD":
            self.problem(status, body) if status >= 400 else json.loads(body)
        operation = self._operation(method, path.partition("?")[0])
        if operation is None:
            assert status in (401, 403, 404, 405, 421), f"{method} {path} is not in the document and gave {status}"
            return
        answer = operation["responses"].get(str(status))
        assert answer is not None, f"{method} {path} gave {status}, which is not in the document"
        content = answer.get("content", {})
        assert media in content, f"{method} {path} gave {media}; the document has {list(content)}"
        if media.endswith("json") and method != "HEAD":
            self.fits(content[media]["schema"], json.loads(body))

    def problem(self, status: int, body: bytes) -> None:
        made = json.loads(body)
        self.fits({"$ref": "#/components/schemas/Problem"}, made)
        assert made["status"] == status
        assert made["detail"].endswith((".", "?")), made["detail"]

    def message(self, text: str, view: str) -> None:
        """A message of the stream."""
        made = json.loads(text)
        name = {"snapshot": f"{view.capitalize()}Snapshot", "change": "Changed", "beat": "Beat"}[made["type"]]
        self.fits({"$ref": f"#/components/schemas/{name}"}, made)
        if made["type"] == "change":
            fields = at(self.document, f"#/components/schemas/{view.capitalize()}View")["properties"]
            for field, value in made["set"].items():
                self.fits(fields[field], value)

    def fits(self, schema: dict[str, Any], value: Any) -> None:
        found = faults(self.document, schema, value)
        assert not found, found

    def _operation(self, method: str, path: str) -> dict[str, Any] | None:
        item = next((item for pattern, item in self._paths.items() if pattern.match(path)), {})
        found: dict[str, Any] | None = item.get("get" if method == "HEAD" else method.lower())
        return found


def _paths(document: dict[str, Any]) -> list[tuple[str, Any]]:
    return list(document["paths"].items())


class StreamContract:
    """The stream's document: every message a test hears is held against it."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    def message(self, text: str, view: str) -> None:
        made = json.loads(text)
        name = {"snapshot": f"{view}Snapshot", "change": f"{view}Change", "beat": "beat"}[made["type"]]
        found = faults(self.document, self.payload(name), made)
        assert not found, found

    def payload(self, name: str) -> dict[str, Any]:
        """The schema of a message of the channel, by its name there."""
        message = at(self.document, self.document["channels"]["stream"]["messages"][name]["$ref"])
        schema: dict[str, Any] = message["payload"]
        return schema
