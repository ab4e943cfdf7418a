"""The rules of chat completions that every provider of them holds to, and answers in its shape."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from tests.actors.llm.dialects.provider import Call, Posted

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
COMMON = frozenset(
    {"model", "messages", "tools", "tool_choice", "response_format", "max_tokens", "temperature", "top_p"}
)


def broken_rule(posted: Posted, known: frozenset[str], path: str = "/chat/completions") -> str | None:
    """The first rule that a request breaks, None when it breaks none.

    Args:
        posted: the request.
        known: parameters that the provider knows.
        path: where it is to be posted.
    """
    body = posted.body
    if posted.path != path:
        return f"no such path: {posted.path}"
    if posted.headers.get("Content-Type") != "application/json":
        return "Content-Type must be application/json"
    unknown = sorted(set(body) - known)
    if unknown:
        return f"Unknown parameter: '{unknown[0]}'."
    if not isinstance(body.get("model"), str) or not body.get("messages"):
        return "model and messages are required"
    if "tool_choice" in body and "tools" not in body:
        return "tool_choice is only allowed when tools are specified"
    return _tools(body.get("tools")) or next(_messages(body["messages"]), None)


def _tools(tools: Any) -> str | None:
    for index, tool in enumerate(tools or []):
        function = tool.get("function", {})
        if tool.get("type") != "function" or not NAME.fullmatch(function.get("name", "")):
            return f"Invalid tools[{index}]"
        if "parameters" in function and function["parameters"].get("type") != "object":
            return f"Invalid tools[{index}].function.parameters"
    return None if tools is None or tools else "tools: [] is too short"


def _messages(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Roles in an order that strict templates take, every call answered once and at once, and no message empty."""
    if messages[0]["role"] != "system" or messages[-1]["role"] not in ("user", "tool"):
        yield "the conversation must begin with the system and end with the user or a tool"
    open_calls: list[str] = []
    before = ""
    for index, message in enumerate(messages):
        role = message["role"]
        if role == "tool" and message["tool_call_id"] not in open_calls:
            yield f"messages[{index}]: role 'tool' must be a response to a preceding message with 'tool_calls'."
        if role == "tool":
            open_calls.remove(message["tool_call_id"])
        elif open_calls:
            yield f"an assistant message with 'tool_calls' must be followed by tool messages: {open_calls}"
        if (role == "system" and index) or (role == before != "tool"):
            yield f"messages[{index}]: roles must alternate user/assistant after one system message"
        yield from (f"messages[{index}]: {fault}" for fault in _content(message))
        open_calls = [call["id"] for call in message["tool_calls"]] if message.get("tool_calls") else open_calls
        before = role
    if open_calls:
        yield f"calls without an answer: {open_calls}"


def _content(message: dict[str, Any]) -> Iterator[str]:
    if message["role"] == "assistant":
        fault = _assistant(message)
        if fault is not None:
            yield fault
    elif not isinstance(message["content"], str) or not message["content"]:
        yield "content must not be empty"


def _assistant(message: dict[str, Any]) -> str | None:
    calls = message.get("tool_calls")
    if calls is not None and not calls:
        return "tool_calls: empty array"
    if not calls and not message.get("content") and not message.get("refusal"):
        return "content or tool_calls is required"
    for call in calls or []:
        if call.get("type") != "function" or not call.get("id"):
            return "a call needs an id and type function"
        if not NAME.fullmatch(call["function"]["name"]):
            return "tool_calls[0].function.name: string does not match pattern"
        if not isinstance(json.loads(call["function"]["arguments"]), dict):
            return "arguments must be a JSON object"
    return None


def completion(
    message: dict[str, Any], finish: str, usage: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """A chat completion with one choice."""
    return {
        "id": "chatcmpl-77",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": "served-model",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}],
        "usage": usage or {"prompt_tokens": 1200, "completion_tokens": 40, "total_tokens": 1240},
        **more,
    }


def rows(calls: Sequence[Call], **more: Any) -> list[dict[str, Any]]:
    """Calls as chat completions have them; `more` goes into each."""
    return [
        {
            "id": call.call_id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            **more,
        }
        for call in calls
    ]


def openai_error(message: str, kind: str = "invalid_request_error", **more: Any) -> dict[str, Any]:
    """An error as OpenAI writes it, and most who follow it."""
    return {"error": {"message": message, "type": kind, "param": None, "code": None, **more}}
