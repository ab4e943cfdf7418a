"""Tool calls that a server left as markup in a reply's text, in the forms that open models are trained on.

A server that knows no template for its model, or was told that no tool is offered, hands the model's own call syntax
through as content. Seen so. What stands inside of an object, such as a decision, or in a block of reasoning is never
markup. A call's arguments are given on as they are written; the reader of arguments says what is wrong with them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from actors.llm.calls import ToolCall
from actors.llm.json_members import members
from erpsim.layout import Layout, lay_out

LONGEST: Final = 1_000_000
"""Characters beyond which a text is not looked through."""
CALLS_MOST: Final = 50
"""Calls that are taken from one text."""
TRIED_MOST: Final = 200
"""Openings of markup that are looked at in one text; what fails to be a call takes the longest to read."""


class _Found(NamedTuple):
    """Calls by name and text of their arguments, and where their markup ends."""

    calls: list[tuple[str, str]]
    end: int


def read_markup(text: str, turn: int) -> tuple[ToolCall, ...]:
    """The calls that stand in a text as markup, or that the text is, in order.

    Args:
        text: a reply's content.
        turn: the request's turn, from which the calls' ids are made.
    """
    layout = lay_out(text) if len(text) <= LONGEST and _may_call(text) else None
    if layout is None:
        return ()
    found = _bare(text, layout) or [call for part in _marked(text, layout) for call in part.calls]
    calls = enumerate(found[:CALLS_MOST])
    return tuple(ToolCall(f"markup_{turn}_{index}", name, arguments) for index, (name, arguments) in calls)


def _may_call(text: str) -> bool:
    """Whether a text holds what every call needs; a decision does not, and laying it out takes milliseconds."""
    return any(part in text for part in _CALL_PARTS) or _OPENING.search(text) is not None


def _bare(text: str, layout: Layout) -> list[tuple[str, str]]:
    """The calls of a text that is nothing else but calls in JSON, one or a list of them."""
    said = text[layout.reasoning[-1].end if layout.reasoning else 0 :].strip()
    if said.startswith("```") and said.endswith("```"):
        said = said[3:-3].lstrip(_WORD).strip()
    if not said.startswith(("{", "[")):
        return []
    return [] if (found := _in_json(said, 0, strict=True)) is None or said[found.end :].strip() else found.calls


def _marked(text: str, layout: Layout) -> Iterator[_Found]:
    position = index = tried = 0
    hidden = sorted((*layout.objects, *layout.reasoning))
    for opening in _OPENING.finditer(text):
        start = opening.start()
        while index < len(hidden) and hidden[index].end <= start:
            index += 1
        inside = index < len(hidden) and hidden[index].start <= start
        if start < position or inside or (layout.unclosed is not None and start > layout.unclosed):
            continue
        tried += 1
        if tried > TRIED_MOST:
            return
        found = _read(text, opening)
        if found is not None:
            position = found.end
            yield found


def _read(text: str, opening: re.Match[str]) -> _Found | None:
    if opening["elements"]:
        return _with_elements(text, opening)
    start = _after_blanks(text, opening.end())
    if text[start : start + 1] in ("{", "["):
        return _in_json(text, start, strict=False) or _damaged(text, start)
    return _after_name(text, start)


def _in_json(text: str, start: int, *, strict: bool) -> _Found | None:
    """Calls that are an object of name and arguments, or a list of such; None when they are anything else.

    Args:
        text: what a model wrote.
        start: where the object or the list begins.
        strict: whether an object with further keys, such as a decision, is no call.
    """
    end = _end_of_json(text, start)
    if end is None:
        return None
    calls: list[tuple[str, str]] = []
    for item in _items(text[start:end]):
        inner = {**item, **members(item.get("function", ""))}
        name = _string(inner.get("name"))
        if not name or (strict and not _CALL_KEYS.issuperset(item)) or (strict and not _ARGUMENTS & inner.keys()):
            return None
        calls.append((name, next((inner[key] for key in ("arguments", "parameters") if key in inner), "")))
    return _Found(calls, end) if calls else None


def _items(text: str) -> list[dict[str, str]]:
    """Members of an object, or of each object in a list."""
    if text.startswith("{"):
        return [members(text)]
    items: list[dict[str, str]] = []
    position = 1
    while len(items) < CALLS_MOST:
        position = _after_blanks(text, position)
        end = _end_of_json(text, position)
        if end is None:
            return items
        items.append(members(text[position:end]))
        position = _after_blanks(text, end) + 1
    return items


def _damaged(text: str, start: int) -> _Found | None:
    """A call whose JSON is not sound: its name, and what follows as arguments, so that the fault is told."""
    named = _NAME_MEMBER.match(text, start + 1)
    if named is None:
        return None
    end = text.find("</", named.end())
    end = len(text) if end < 0 else end
    given = _ARGUMENTS_MEMBER.match(text, named.end())
    return _Found([(named[1], text[given.end() : end].strip() if given else "")], end)


def _with_elements(text: str, opening: re.Match[str]) -> _Found:
    """A call whose parameters are elements of their own, or one JSON object."""
    prefix, element = opening["prefix"] or "", opening["elements"]
    end, after = _closed(text, opening.end(), f"</{prefix}{element}>")
    body = text[opening.end() : end]
    pairs: dict[str, str] = {}
    position = 0
    while parameter := _PARAMETER.search(body, position):
        stop, position = _closed(body, parameter.end(), f"</{parameter['prefix'] or ''}parameter>")
        pairs[parameter["name"] or parameter["name_2"]] = body[parameter.end() : stop].strip()
    name = opening["name"] or opening["name_2"]
    return _Found([(name, _object(pairs) if pairs else body.strip())], after)


def _after_name(text: str, start: int) -> _Found | None:
    """A call whose name stands before its arguments: an object, or keys and values in elements."""
    named = _NAME.match(text, start)
    if named is None:
        return None
    start = named.end()
    if text.startswith("<arg_key>", _after_blanks(text, start)):
        return _keys_and_values(text, named["name"], start)
    for separator in _SEPARATORS:
        start = _after_blanks(text, start)
        start += len(separator) if text.startswith(separator, start) else 0
    start = _after_blanks(text, start)
    end = _end_of_json(text, start) if text.startswith("{", start) else None
    return _Found([(named["name"], text[start:end])], end) if end is not None else None


def _keys_and_values(text: str, name: str, start: int) -> _Found:
    end, after = _closed(text, start, "</tool_call>")
    pairs = {pair["key"]: pair["value"].strip() for pair in _KEY_VALUE.finditer(text[start:end])}
    return _Found([(name, _object(pairs))], after)


def _closed(text: str, start: int, closing: str) -> tuple[int, int]:
    """Where a stretch ends and where the text goes on; one that is never closed takes all that follows."""
    end = text.find(closing, start)
    return (len(text), len(text)) if end < 0 else (end, end + len(closing))


def _object(pairs: dict[str, str]) -> str:
    """JSON text of parameters: JSON where a value is a list, an object or a number, else text."""
    return "{" + ", ".join(f"{json.dumps(name)}: {_value(value)}" for name, value in pairs.items()) + "}"


def _value(text: str) -> str:
    try:
        sound = not isinstance(json.loads(text), str)
    except (ValueError, RecursionError):
        sound = False
    return text if sound else json.dumps(text)


def _end_of_json(text: str, start: int) -> int | None:
    """Where the JSON value ends that starts at a place of a text, None when there is none."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def _after_blanks(text: str, start: int) -> int:
    blanks = _BLANKS.match(text, start)
    return blanks.end() if blanks else start


def _string(text: str | None) -> str:
    value = json.loads(text) if text else None
    return value if isinstance(value, str) else ""


_WORD: Final = "abcdefghijklmnopqrstuvwxyz_"
_BLANKS: Final = re.compile(r"[ \t\r\n]*+")
_DECODER: Final = json.JSONDecoder()
_ARGUMENTS: Final = frozenset({"arguments", "parameters"})
_CALL_PARTS: Final = (*sorted(_ARGUMENTS), "\\u")  # a key may be escaped
_CALL_KEYS: Final = frozenset({"name", "arguments", "parameters", "type", "id", "function"})
_SEPARATORS: Final = ("<｜tool▁sep｜>", "<|tool_call_argument_begin|>", "[ARGS]", "```json")
_PREFIX: Final = r"(?P<prefix>｜DSML｜|antml:)?"
_OPENING: Final = re.compile(
    r"<(?:tool_call|function_call|tool|TOOLCALL)>|<\|tool_call\|?>|\[TOOL_CALLS\]|<\|python_tag\|>"
    r"|<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?|<\|tool_call_begin\|>"
    r"|<\|channel\|>commentary (?=to=functions\.)"
    rf"|<{_PREFIX}(?P<elements>function(?==)|invoke(?= ))"
    r"(?:=(?P<name>[\w.-]{1,80})| name=\"(?P<name_2>[\w.-]{1,80})\")>"
)
"""What markup begins with."""
_PARAMETER: Final = re.compile(
    r"<(?P<prefix>｜DSML｜|antml:)?parameter(?:=(?P<name>[\w.-]{1,80})| name=\"(?P<name_2>[\w.-]{1,80})\"[^<>]{0,40})>"
)
_NAME: Final = re.compile(
    r"(?:to=)?(?:functions\.)?(?P<name>[A-Za-z_][\w-]{0,79})(?::\d{1,4})?"
    r"(?:[ ]{0,4}<\|constrain\|>json)?(?:<\|message\|>)?"
)
_KEY_VALUE: Final = re.compile(
    r"<arg_key>(?P<key>[^<]{1,80})</arg_key>\s{0,8}<arg_value>(?P<value>[^<]{0,4000})</arg_value>"
)
_NAME_MEMBER: Final = re.compile(r'\s{0,8}"name"\s{0,8}:\s{0,8}"([\w.-]{1,80})"')
_ARGUMENTS_MEMBER: Final = re.compile(r'\s{0,8},\s{0,8}"(?:arguments|parameters)"\s{0,8}:')
