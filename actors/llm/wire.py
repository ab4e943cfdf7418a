"""Shapes of the chat-completions protocol with tools: requests built once, replies read without trusting any field.

Seen from real servers: content null, "" or a list of parts; tool calls with ids null, "", missing or equal; arguments
"", null or an object; `choices` empty; an error object under status 200.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from actors.llm.calls import Reply, Tokens, ToolCall
from actors.llm.failures import Fault, is_html, read_error

Message = dict[str, Any]

_HALF_CHARACTER: Final = re.compile(r"\\u[dD][89a-fA-F]")
"""An escaped surrogate: half of a character, whose other half may be missing."""


@dataclass(frozen=True)
class Request:
    """One request, ready to send.

    Attributes:
        body: the whole JSON body.
        digest: SHA-256 of the body, in hex.
        shown: JSON text for the records: the settings and the messages that this call adds to the conversation.
    """

    body: bytes
    digest: str
    shown: str


@dataclass(frozen=True)
class Setting:
    """What stays the same over one decision: the model's name at the server, its sampling, and the tools.

    `answer_format` is asked for where no tools are offered; servers refuse both together.
    """

    model: str
    sampling: Mapping[str, Any]
    tools: tuple[dict[str, Any], ...]
    answer_format: Mapping[str, Any] | None = None


def build_request(setting: Setting, messages: Sequence[Message], known: int, with_tools: bool) -> Request:
    """Build the request that sends `messages`, of which the first `known` were sent or received before."""
    head = {"model": setting.model, **setting.sampling}
    if not with_tools and setting.answer_format:
        head["response_format"] = setting.answer_format
    tools = {"tools": list(setting.tools)} if with_tools and setting.tools else {}
    body = canonical({**head, "messages": list(messages), **tools})
    digest = hashlib.sha256(body).hexdigest()
    shown = {**head, "tools_offered": bool(tools), "messages_before": known, "messages": list(messages[known:])}
    return Request(body, digest, canonical(shown).decode())


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


def read_reply(body: str, turn: int, provider: str = "") -> Reply | Fault:
    """Read an answer that came with status 200.

    Args:
        body: its text.
        turn: the request's turn, from which missing ids of tool calls are made.
        provider: name of the provider that a router's header gives, if any.
    """
    if is_html(body):
        return Fault("html_body", body[:200])
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return Fault("broken_body", f"the body is no JSON: {body[:200]!r}")
    if _HALF_CHARACTER.search(body):
        answer = _whole_characters(answer)
    if isinstance(answer, list) and answer:
        answer = answer[0]
    if not isinstance(answer, dict):
        return Fault("broken_body", f"the body is no JSON object: {body[:200]!r}")
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        return _without_choices(answer, body, turn, provider)
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        return Fault("empty_choices", "the first choice holds no message", read_tokens(answer))
    return _reply(body, answer, message, (_text_or_none(choice.get("finish_reason")), turn, provider))


def stored_reply(body: str, turn: int, route: str) -> Reply | None:
    """The reply that a journaled body and route stand for; None when the body was no reply."""
    provider = route.split("|", 2)[2] if route.count("|") >= 2 else ""
    reply = read_reply(body, turn, provider)
    return reply if isinstance(reply, Reply) else None


def filtered_reply(body: str) -> Reply:
    """The empty reply that a content filter's error stands for: it answers for the model, so it is no outage."""
    if not body.lstrip().startswith(("{", "[")):
        body = canonical({"error": {"code": "content_filter", "message": body}}).decode()
    message: Message = {"role": "assistant", "content": ""}
    return Reply(body, message, "", (), "content_filter", None, Tokens(), "||")


def read_tokens(answer: Mapping[str, Any]) -> Tokens:
    """Tokens by kind of an answer's `usage`; None for what it does not say."""
    usage = answer.get("usage")
    if not isinstance(usage, dict):
        return Tokens()
    prompt = usage.get("prompt_tokens_details")
    completion = usage.get("completion_tokens_details")
    return Tokens(
        prompt=_count(usage.get("prompt_tokens")),
        cached=_count(prompt.get("cached_tokens")) if isinstance(prompt, dict) else None,
        completion=_count(usage.get("completion_tokens")),
        reasoning=_count(completion.get("reasoning_tokens")) if isinstance(completion, dict) else None,
    )


def _whole_characters(value: Any) -> Any:
    """The value with half surrogate pairs replaced: a cut reply may end in one, and no file or peer takes it."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole_characters(item) for item in value]
    if isinstance(value, dict):
        return {_whole_characters(key): _whole_characters(item) for key, item in value.items()}
    return value


def _without_choices(answer: dict[str, Any], body: str, turn: int, provider: str) -> Reply | Fault:
    if "error" in answer or "detail" in answer:
        fault = read_error(200, body)
        return filtered_reply(body) if fault.error_class == "content_filter" else fault
    found = f"turn {turn}: the answer has no choices" + (f" (provider {provider})" if provider else "")
    return Fault("empty_choices", found, read_tokens(answer))


def _reply(body: str, answer: dict[str, Any], message: Message, circumstances: tuple[str | None, int, str]) -> Reply:
    finish_reason, turn, provider = circumstances
    calls, echoed = _read_calls(message.get("tool_calls"), turn)
    echo = {**message, "role": "assistant"}
    if echoed:
        echo["tool_calls"] = echoed
    return Reply(
        body=body,
        message=echo,
        text=_read_content(message.get("content")),
        tool_calls=calls,
        finish_reason=finish_reason,
        refusal=_text_or_none(message.get("refusal")),
        tokens=read_tokens(answer),
        route="|".join((_plain(answer.get("model")), _plain(answer.get("system_fingerprint")), provider)),
    )


def _read_content(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") if isinstance(part, dict) else part for part in content]
    return "".join(part for part in parts if isinstance(part, str))


def _read_calls(raw: object, turn: int) -> tuple[tuple[ToolCall, ...], list[dict[str, Any]]]:
    """Calls with an id of their own each, and the same list to send back."""
    calls: list[ToolCall] = []
    echoed: list[dict[str, Any]] = []
    taken: set[str] = set()
    for index, item in enumerate(raw if isinstance(raw, list) else []):
        entry = item if isinstance(item, dict) else {}
        inner = entry.get("function")
        function: dict[str, Any] = inner if isinstance(inner, dict) else {}
        given = entry.get("id")
        call_id = given if isinstance(given, str) and given.strip() and given not in taken else f"call_{turn}_{index}"
        taken.add(call_id)
        name = _plain(function.get("name"))
        arguments = function.get("arguments")
        if not isinstance(arguments, str | dict):
            arguments = None
        calls.append(ToolCall(call_id, name, arguments))
        back = {**function, "name": name, "arguments": _sendable(arguments)}
        echoed.append({**entry, "id": call_id, "type": "function", "function": back})
    return tuple(calls), echoed


def _sendable(arguments: str | dict[str, Any] | None) -> str | dict[str, Any]:
    """Arguments as they may be sent back: some servers fail for ever on a history whose arguments are no JSON."""
    if isinstance(arguments, dict):
        return arguments
    try:
        valid = isinstance(json.loads(arguments or ""), dict)
    except (ValueError, RecursionError):
        valid = False
    return arguments if valid and arguments is not None else "{}"


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _plain(value: object) -> str:
    return value.replace("|", "/") if isinstance(value, str) else ""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
