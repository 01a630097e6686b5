"""Holds values against the JSON Schemas of the API's document. Knows the keywords that are used there; any other is an
error, so that none is passed over."""

from __future__ import annotations

import re
from typing import Any

KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
SILENT = {"title", "description", "default", "discriminator"}
CHECKED = {
    *("$ref", "type", "enum", "anyOf", "properties", "required", "additionalProperties", "items", "prefixItems"),
    "additionalItems",
    *("minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "pattern"),
}


def at(document: dict[str, Any], ref: str) -> Any:
    """What a reference within the document points to."""
    found: Any = document
    assert ref.startswith("#/"), ref
    for part in ref[2:].split("/"):
        found = found[part]
    return found


def faults(document: dict[str, Any], schema: dict[str, Any], value: Any, path: str = "$") -> list[str]:
    """Where a value is not as its schema says."""
    unknown = set(schema) - SILENT - CHECKED
    assert not unknown, f"the validator of the tests does not know {unknown} at {path}"
    if "$ref" in schema:
        return faults(document, at(document, schema["$ref"]), value, path)
    found: list[str] = []
    if "anyOf" in schema:
        tried = [faults(document, each, value, path) for each in schema["anyOf"]]
        if all(tried):
            found += [f"{path}: fits none: {min(tried, key=len)}"]
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: {value!r} is none of {schema['enum']}")
    if "type" in schema:
        right = isinstance(value, KINDS[schema["type"]])
        if not right or (isinstance(value, bool) and schema["type"] != "boolean"):
            return [*found, f"{path}: {value!r} is no {schema['type']}"]
    if isinstance(value, dict):
        found += _object(document, schema, value, path)
    if isinstance(value, list):
        found += _array(document, schema, value, path)
    if isinstance(value, str):
        if "pattern" in schema and not re.search(schema["pattern"], value):
            found.append(f"{path}: {value!r} is not like {schema['pattern']}")
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
            found.append(f"{path}: {value!r} has the wrong length")
    elif isinstance(value, int | float) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        found.append(f"{path}: {value} is out of range")
    return found


def _object(document: dict[str, Any], schema: dict[str, Any], value: dict[str, Any], path: str) -> list[str]:
    found = [f"{path}: {name} is missing" for name in schema.get("required", ()) if name not in value]
    known, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name, inner in value.items():
        if name in known:
            found += faults(document, known[name], inner, f"{path}.{name}")
        elif rest is False:
            found.append(f"{path}: {name} is not known")
        elif rest is not True:
            found += faults(document, rest, inner, f"{path}.{name}")
    return found


def _array(document: dict[str, Any], schema: dict[str, Any], value: list[Any], path: str) -> list[str]:
    found = []
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        found.append(f"{path}: {len(value)} items")
    first, rest = schema.get("prefixItems", []), schema.get("items", {})
    if isinstance(rest, list):  # as draft 07 writes it
        first, rest = rest, schema.get("additionalItems", {})
    for index, inner in enumerate(value):
        if index < len(first):
            found += faults(document, first[index], inner, f"{path}[{index}]")
        elif rest is False:
            found.append(f"{path}[{index}]: one too many")
        else:
            found += faults(document, rest, inner, f"{path}[{index}]")
    return found
