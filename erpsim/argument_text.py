"""The arguments of a tool call as servers and models write them: nothing, an object, or JSON text, once or twice."""

from __future__ import annotations

import math
from typing import Any, Final

from erpsim.json_text import NonFinite, decode, duplicates
from erpsim.key_matching import match
from erpsim.reading import Failure, fault


def read_arguments(raw: str | dict[str, Any] | None, schema: dict[str, Any]) -> dict[str, Any] | Failure:
    """Read a tool call's arguments.

    Nothing, blanks and null are no arguments. A value that is JSON text is unwrapped only where the schema wants a list
    or an object; any other text stays text. Damaged JSON is never repaired here, for repair invents arguments; a key
    that is given twice is refused, for the model can say which one it means.

    Args:
        raw: the arguments as the server gave them.
        schema: the tool's JSON schema.
    """
    arguments: Any = raw
    for _ in range(2):
        if isinstance(arguments, str):
            try:
                arguments = decode(arguments) if arguments.strip() else {}
            except ValueError:
                return Failure("invalid", f"the arguments are no JSON object: {fault(arguments)}")
    arguments = {} if arguments is None else arguments
    if not isinstance(arguments, dict):
        return Failure("invalid", f"the arguments must be a JSON object, not {_NAMES.get(type(arguments), 'a number')}")
    for path in duplicates(arguments):
        return Failure("invalid", f"the argument {path} is given more than once; give it once")
    if _has_endless(arguments):
        return Failure("invalid", "the arguments hold a number that is not finite")
    properties = schema.get("properties", {})
    return {
        name: _nested(value, properties.get(match(name, tuple(properties)), {})) for name, value in arguments.items()
    }


def _has_endless(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_endless(item) for item in value.values())
    if isinstance(value, list):
        return any(_has_endless(item) for item in value)
    return isinstance(value, NonFinite) or (isinstance(value, float) and not math.isfinite(value))


def _nested(value: Any, schema: dict[str, Any]) -> Any:
    wanted = _CONTAINERS.get(schema.get("type", ""))
    if wanted is None or not isinstance(value, str):
        return value
    try:
        inner = decode(value)
    except ValueError:
        return value
    return inner if isinstance(inner, wanted) and not _has_endless(inner) else value


_CONTAINERS: Final[dict[str, type]] = {"array": list, "object": dict}
_NAMES: Final[dict[type, str]] = {list: "a list", str: "a text", bool: "true or false"}
