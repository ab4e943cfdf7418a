"""JSON schemas in the small vocabulary that every provider takes.

Gemini reads a tool's parameters into a message of its own, a subset of OpenAPI's schemas, and refuses a request with
any other keyword in it ("Unknown name … Cannot find field"): `additionalProperties`, `propertyNames`, `$defs`, `$ref`,
`title` and `default` among them. It wants properties in every object, so that maps by SKU or channel name their keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from erpsim.catalogue import CHANNELS, SKUS

Schema = dict[str, Any]

_KEPT: Final = ("type", "description", "enum", "minimum", "maximum", "required")
_MAPS: Final[dict[str, tuple[str, ...]]] = {"prices": SKUS, "plan": SKUS, "distribution": CHANNELS}
"""Names of the keys in the objects of a decision and of the tools that have no fixed ones."""
_INNER: Final[dict[str, str]] = {"prices": "distribution"}
"""What the values of such an object are keyed by, where they are such objects themselves."""


def plain_tool(tool: Mapping[str, Any]) -> Schema:
    """A tool with its parameters plainly written; without any, they are left out."""
    function: Schema = dict(tool["function"])
    parameters = plain_schema(function.pop("parameters"))
    if parameters.get("properties"):
        function["parameters"] = parameters
    return {**tool, "function": function}


def plain_format(answer_format: Mapping[str, Any]) -> Mapping[str, Any]:
    """An answer format with its schema plainly written."""
    named = answer_format.get("json_schema")
    if named is None:
        return answer_format
    return {**answer_format, "json_schema": {**named, "schema": plain_schema(named["schema"])}}


def plain_schema(schema: Mapping[str, Any]) -> Schema:
    """A schema without references, defaults, titles, nulls and open objects; it allows nothing that the first forbids.

    A property that may be null is one that may be left out.
    """
    return _plain(schema, schema.get("$defs", {}), "")


def _plain(schema: Mapping[str, Any], named: Mapping[str, Any], field: str) -> Schema:
    if "$ref" in schema:
        schema = {**named[schema["$ref"].rpartition("/")[2]], **{key: schema[key] for key in schema if key != "$ref"}}
    plain = {key: schema[key] for key in _KEPT if key in schema}
    options = [_plain(option, named, field) for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        plain = {**options[0], **plain}
    elif options:
        plain["anyOf"] = options
    if "items" in schema:
        plain["items"] = _plain(schema["items"], named, "")
    properties = {name: _plain(part, named, name) for name, part in schema.get("properties", {}).items()}
    values = schema.get("additionalProperties")
    if isinstance(values, Mapping) and field in _MAPS:
        properties = {name: _plain(values, named, _INNER.get(field, "")) for name in _MAPS[field]}
    if properties:
        plain["properties"] = properties
    return plain
