"""Tool calls that a server left as markup in a reply's text, in the forms that open models are trained on.

A server that knows no template for its model, or was told that no tool is offered, hands the model's own call syntax
through as content. Seen so; what is inside a decision's own JSON is never markup.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from actors.llm.calls import ToolCall

_REASONING: Final = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_TAGGED: Final = re.compile(r"<(?:tool_call|function_call|tool)>\s*(?=[\[{])")
_NAMED: Final = re.compile(r"<function=(?P<name>[\w.-]+)>(?P<body>.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER: Final = re.compile(r"<parameter=(?P<name>[\w.-]+)>\s?(?P<value>.*?)\s?</parameter>", re.DOTALL)
_INVOKED: Final = re.compile(r"<invoke name=\"(?P<name>[\w.-]+)\">(?P<body>.*?)(?:</invoke>|\Z)", re.DOTALL)
_GIVEN: Final = re.compile(r"<parameter name=\"(?P<name>[\w.-]+)\">(?P<value>.*?)</parameter>", re.DOTALL)
_PREFIXED: Final = re.compile(r"(?:\[TOOL_CALLS\]|<\|python_tag\|>)\s*(?=[\[{])")
_MARKED: Final = re.compile(
    r"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?(?P<name>[\w.-]+)(?:<｜tool▁sep｜>)?\s*(?:```json)?\s*(?=\{)"
)
_DECODER: Final = json.JSONDecoder()
LONGEST: Final = 50_000
"""Characters beyond which a text is not looked through."""


def read_markup(text: str, turn: int) -> tuple[ToolCall, ...]:
    """The calls that stand as markup in a text; none in a text that is JSON from its first character on.

    Args:
        text: a reply's content.
        turn: the request's turn, from which the calls' ids are made.
    """
    said = _REASONING.sub("", text[:LONGEST]).strip()
    if not said or said[0] == "{":
        return ()
    found = [*_plain(said), *_with_parameters(said), *_marked(said)]
    return tuple(ToolCall(f"markup_{turn}_{index}", name, arguments) for index, (name, arguments) in enumerate(found))


def _plain(said: str) -> Iterator[tuple[str, Any]]:
    """Calls as JSON after a tag or a mark: one object with a name, or a list of them; what is no call is none."""
    for match in (*_TAGGED.finditer(said), *_PREFIXED.finditer(said)):
        value = _decoded(said, match.end())
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict) and isinstance(item.get("name"), str):
                arguments = item.get("arguments", item.get("parameters"))
                yield item["name"], arguments if isinstance(arguments, dict | str) else None


def _with_parameters(said: str) -> Iterator[tuple[str, Any]]:
    """Calls whose parameters are elements of their own, or one JSON object."""
    for call, parameter in ((_NAMED, _PARAMETER), (_INVOKED, _GIVEN)):
        for match in call.finditer(said):
            pairs = {found["name"]: _value(found["value"]) for found in parameter.finditer(match["body"])}
            yield match["name"], pairs or match["body"].strip()


def _marked(said: str) -> Iterator[tuple[str, Any]]:
    """Calls whose name stands before their arguments."""
    for match in _MARKED.finditer(said):
        value = _decoded(said, match.end())
        if isinstance(value, dict):
            yield match["name"], value


def _decoded(text: str, start: int) -> Any:
    """The JSON value that starts at a place of a text, None when there is none."""
    try:
        return _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None


def _value(text: str) -> Any:
    """A parameter's value: JSON where it is a list, an object or a number, else the text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str) else value
