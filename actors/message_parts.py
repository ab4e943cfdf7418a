"""The parts of one message of a conversation, whatever protocol it was written in; what is unknown stays as it is.

Read from chat completions (content as text or as a list of blocks, `tool_calls`, reasoning in fields of its own) and
from the Messages form (text, thinking, tool_use and tool_result blocks).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

PartKind = Literal["text", "reasoning", "refusal", "tool_call", "tool_answer", "other"]

_REASONING_FIELDS: Final = ("reasoning_content", "reasoning", "thinking")
_READ_FIELDS: Final = frozenset({*_REASONING_FIELDS, "role", "content", "refusal", "tool_calls", "tool_call_id"})
_SPEAKING: Final = frozenset({*_REASONING_FIELDS, "content", "refusal", "tool_calls"})
"""Fields of which a message has at least one."""
_TEXT_BLOCKS: Final = frozenset({"text", "output_text", "input_text"})


@dataclass(frozen=True)
class Part:
    """One part of a message, in the words in which it was written.

    Attributes:
        text: the text; a call's arguments; of what is unknown its JSON.
        name: the tool that is called; the field or block that is unknown.
        call_id: id of the tool call that is made or answered.
    """

    kind: PartKind
    text: str
    name: str = ""
    call_id: str = ""


@dataclass(frozen=True)
class Message:
    """One message: who speaks, and its parts in order."""

    role: str
    parts: tuple[Part, ...]


def read_message(message: object) -> Message:
    """Read one message of a request or a reply."""
    if not isinstance(message, dict):
        return Message("unknown", (Part("other", _text(message)),))
    role = message.get("role")
    return Message(role if isinstance(role, str) and role else "unknown", tuple(_parts(message)))


def read_body(body: str) -> Message | None:
    """Read the message of a reply from the body as it came; None when the body holds none."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    first = answer[0] if isinstance(answer, list) and answer else answer
    choices = first.get("choices") if isinstance(first, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else first
    message = choice.get("message", choice) if isinstance(choice, dict) else None
    needed = {"content"} if message is first else _SPEAKING
    if not isinstance(message, dict) or not needed & message.keys():
        return None
    spoken = {name: value for name, value in message.items() if message is not first or name in _SPEAKING}
    return Message("assistant", tuple(_parts(spoken)))


def _parts(message: Mapping[str, Any]) -> Iterator[Part]:
    reasoning = dict.fromkeys(_text(message[name]) for name in _REASONING_FIELDS if message.get(name))
    yield from (Part("reasoning", text) for text in reasoning)
    call_id = message.get("tool_call_id")
    yield from _content(message.get("content"), call_id if isinstance(call_id, str) else None)
    if message.get("refusal"):
        yield Part("refusal", _text(message["refusal"]))
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        yield _call(call)
    yield from (
        Part("other", _text(value), name) for name, value in message.items() if value and name not in _READ_FIELDS
    )


def _content(content: object, answers: str | None) -> Iterator[Part]:
    """Parts of a message's content; in a tool's message it answers the call of that id."""
    if isinstance(content, list):
        yield from (_block(block) for block in content)
    elif answers is not None:
        yield Part("tool_answer", _text(content), call_id=answers)
    elif content:
        yield Part("text", _text(content))


def _block(block: object) -> Part:
    if not isinstance(block, dict):
        return Part("text", _text(block))
    kind, call_id = str(block.get("type")), _text(block.get("id") or block.get("tool_use_id") or "")
    if kind in _TEXT_BLOCKS and isinstance(block.get("text"), str):
        return Part("text", block["text"])
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        return Part("reasoning", block["thinking"])
    if kind == "tool_use":
        return Part("tool_call", _text(block.get("input")), _text(block.get("name")), call_id)
    if kind == "tool_result":
        return Part("tool_answer", _text(block.get("content")), call_id=call_id)
    return Part("other", _text(block), kind)


def _call(call: object) -> Part:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(call, dict) or not isinstance(function, dict):
        return Part("other", _text(call), "tool_calls")
    return Part("tool_call", _text(function.get("arguments")), _text(function.get("name")), _text(call.get("id") or ""))


def _text(value: object) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
