"""A request in neutral form, which every protocol encodes in its own way, and the messages in it.

The neutral form is that of chat completions; an assistant's message stands in it as its server gave it. A request's
digest is taken over this form, so that what a server is found to refuse (`switches`) never changes it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

Message = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """What stays the same over one decision: the model's name at the server, its sampling, and the tools.

    `answer_format` is asked for where no tools are offered; servers refuse both together. `extra` goes with every
    request as it stands in the models file.
    """

    model: str
    sampling: Mapping[str, Any]
    tools: tuple[dict[str, Any], ...]
    answer_format: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """One request in neutral form.

    Attributes:
        with_tools: whether the model may call tools.
        body: the neutral form as canonical JSON.
        digest: SHA-256 of the body, in hex.
        shown: JSON text for the records: the settings and the messages that this call adds to the conversation.
    """

    setting: Setting
    messages: tuple[Message, ...]
    with_tools: bool
    body: bytes
    digest: str
    shown: str


def build_request(setting: Setting, messages: Sequence[Message], known: int, with_tools: bool) -> Request:
    """Build the request that sends `messages`, of which the first `known` were sent or received before."""
    head = {"model": setting.model, **setting.sampling, **setting.extra}
    if not with_tools and setting.answer_format:
        head["response_format"] = setting.answer_format
    tools = {"tools": list(setting.tools)} if with_tools and setting.tools else {}
    body = canonical({**head, "messages": list(messages), **tools})
    digest = hashlib.sha256(body).hexdigest()
    shown = {**head, "tools_offered": bool(tools), "messages_before": known, "messages": list(messages[known:])}
    return Request(setting, tuple(messages), with_tools, body, digest, canonical(shown).decode())


def canonical(value: object) -> bytes:
    """Compact JSON in UTF-8; equal values give equal bytes."""
    try:
        return orjson.dumps(value)
    except TypeError:  # whole numbers beyond 64 bits, in some server's own fields
        return json.dumps(value, separators=(",", ":")).encode()


def tool_schema(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """One entry of a request's `tools`."""
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": dict(parameters)},
    }


def tool_message(call_id: str, text: str) -> Message:
    """The answer to one tool call."""
    return {"role": "tool", "tool_call_id": call_id, "content": text}
