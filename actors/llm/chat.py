"""The chat-completions protocol with tools: requests as a server of a dialect takes them, replies read without trust.

Seen from real servers: content null, "" or a list of parts; tool calls with ids null, "", missing or equal; arguments
"", null or an object; `choices` empty; an error object under status 200, or in a choice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from actors.llm.calls import Reply, Tokens, ToolCall
from actors.llm.error_body import has_error
from actors.llm.failures import Fault, read_count, read_error, read_object
from actors.llm.schemas import plain_format, plain_tool
from actors.llm.switches import Switches
from actors.llm.wire import Message, Request, canonical
from ecologies.dialects import Dialect
from ecologies.model_entry import ModelEntry

_CUT_BY_SERVER: Final = frozenset({"insufficient_system_resource", "error", "abort", "network_error"})
"""Ends of a reply that its server answers for, not the model."""
_ENDS_OF_THE_MODEL: Final = frozenset({"length", "content_filter"})
"""Ends after which a choice without a message is an empty reply, and no fault of the server."""
_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME: Final = 64
"""Of a tool in a request, at every provider."""


def encode(request: Request, entry: ModelEntry, switches: Switches) -> dict[str, Any]:
    """The body of a request as the model's server takes it."""
    dialect, setting = entry.speaks, request.setting
    body: dict[str, Any] = {"model": setting.model}
    body |= _sampling(setting.sampling, dialect, switches)
    body |= setting.extra
    answer_format = _answer_format(setting.answer_format, switches)
    if not request.with_tools and answer_format is not None:
        body["response_format"] = plain_format(answer_format) if dialect.schemas == "plain" else answer_format
    body["messages"] = _messages(request.messages, _fields_left_out(entry, dialect, switches))
    forbid = (switches.last_turn or dialect.last_turn) == "forbid"
    if setting.tools and (request.with_tools or forbid):
        body["tools"] = [plain_tool(tool) if dialect.schemas == "plain" else tool for tool in setting.tools]
        if not request.with_tools:
            body["tool_choice"] = "none"
    return {name: value for name, value in body.items() if name not in switches.left_out}


def _sampling(sampling: Mapping[str, Any], dialect: Dialect, switches: Switches) -> dict[str, Any]:
    given = dict(sampling)
    most = given.pop("max_tokens", dialect.max_tokens)
    limit = {} if most is None else {switches.token_parameter or dialect.token_parameter: most}
    return {**given, **limit}


def _answer_format(wanted: Mapping[str, Any] | None, switches: Switches) -> Mapping[str, Any] | None:
    if wanted is None or not switches.answer_format:
        return wanted
    return None if switches.answer_format == "none" else {"type": switches.answer_format}


def _fields_left_out(entry: ModelEntry, dialect: Dialect, switches: Switches) -> frozenset[str]:
    """Fields of assistant messages that do not go back; everything else goes back as it came."""
    wanted = switches.reasoning or entry.reasoning_echo
    reasoning = dialect.reasoning_fields if wanted == "drop" else ()
    return frozenset((*reasoning, *switches.fields_left_out))


def _messages(messages: tuple[Message, ...], left_out: frozenset[str]) -> list[Message]:
    """Messages as servers take them: one that says nothing is left out, and the user speaks once before an answer.

    Some servers refuse an assistant's message without content and calls, others two messages of one side in turn.
    """
    sent: list[Message] = []
    for message in messages:
        if message["role"] == "assistant":
            if _says_nothing(message):
                continue
            sent.append(_without(message, left_out) if left_out else message)
        elif message["role"] == "user" and sent and sent[-1]["role"] == "user":
            sent[-1] = {"role": "user", "content": f"{sent[-1]['content']}\n\n{message['content']}"}
        else:
            sent.append(message)
    return sent


def _says_nothing(message: Message) -> bool:
    return not message.get("content") and not message.get("tool_calls") and not message.get("refusal")


def _without(message: Message, left_out: frozenset[str]) -> Message:
    """An assistant's message without some fields of it and of the calls in it."""
    kept = {name: value for name, value in message.items() if name not in left_out}
    if "tool_calls" in kept:
        calls = [{name: call[name] for name in call if name not in left_out} for call in kept["tool_calls"]]
        kept["tool_calls"] = calls
    return kept


def read_reply(body: str, turn: int, provider: str = "") -> Reply | Fault:
    """Read an answer that came with status 200.

    Args:
        body: its text.
        turn: the request's turn, from which missing ids of tool calls are made.
        provider: name of the provider that a router's header gives, if any.
    """
    answer = read_object(body)
    if isinstance(answer, Fault):
        return answer
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        return _without_choices(answer, body, turn, provider)
    choice = choices[0]
    cut = _cut_by_server(choice, answer)
    if cut is not None:
        return cut
    message = choice.get("message") if isinstance(choice, dict) else None
    reason = _text_or_none(choice.get("finish_reason")) if isinstance(choice, dict) else None
    if not isinstance(message, dict) and reason in _ENDS_OF_THE_MODEL:
        message = {}
    if not isinstance(message, dict):
        return Fault("empty_choices", f"the first choice holds no message ({reason})", read_tokens(answer))
    return _reply(body, answer, message, (reason, turn, provider))


def filtered_reply(body: str) -> Reply:
    """The empty reply that a content filter's error stands for: it answers for the model, so it is no outage."""
    if not body.lstrip().startswith(("{", "[")):
        body = canonical({"error": {"code": "content_filter", "message": body}}).decode()
    message: Message = {"role": "assistant", "content": ""}
    return Reply(body, message, "", (), "content_filter", None, Tokens(), "||")


def read_tokens(answer: Mapping[str, Any]) -> Tokens:
    """Tokens by kind of an answer's `usage`; None for what it does not say.

    A total above prompt and completion is reasoning that the completion leaves out; it is billed, so it is added.
    """
    usage = answer.get("usage")
    if not isinstance(usage, dict):
        return Tokens()
    prompt, completion = read_count(usage.get("prompt_tokens")), read_count(usage.get("completion_tokens"))
    cached = _detail(usage, "prompt_tokens_details", "cached_tokens")
    if cached is None:
        cached = read_count(usage.get("prompt_cache_hit_tokens"))
    written = _detail(usage, "prompt_tokens_details", "cache_creation_input_tokens")
    reasoning = _detail(usage, "completion_tokens_details", "reasoning_tokens")
    beyond = (read_count(usage.get("total_tokens")) or 0) - (prompt or 0) - (completion or 0)
    if prompt is not None and completion is not None and beyond > 0:
        completion, reasoning = completion + beyond, (reasoning or 0) if (reasoning or 0) >= beyond else beyond
    return Tokens(prompt=prompt, cached=cached, completion=completion, reasoning=reasoning, written=written)


def _detail(usage: Mapping[str, Any], group: str, name: str) -> int | None:
    details = usage.get(group)
    return read_count(details.get(name)) if isinstance(details, dict) else None


def _without_choices(answer: dict[str, Any], body: str, turn: int, provider: str) -> Reply | Fault:
    if has_error(answer):
        fault = read_error(200, body)
        return filtered_reply(body) if fault.error_class == "content_filter" else fault
    found = f"turn {turn}: the answer has no choices" + (f" (provider {provider})" if provider else "")
    return Fault("empty_choices", found, read_tokens(answer))


def _cut_by_server(choice: object, answer: dict[str, Any]) -> Fault | None:
    if not isinstance(choice, dict):
        return None
    error = choice.get("error")
    if isinstance(error, dict):
        fault = read_error(200, canonical({"error": error}).decode())
        return Fault(fault.error_class, fault.message, read_tokens(answer))
    reason = _text_or_none(choice.get("finish_reason"))
    if reason in _CUT_BY_SERVER:
        return Fault("overloaded", f"the server ended the reply: {reason}", read_tokens(answer))
    return None


def _reply(body: str, answer: dict[str, Any], message: Message, circumstances: tuple[str | None, int, str]) -> Reply:
    finish_reason, turn, provider = circumstances
    calls, echoed = _read_calls(message.get("tool_calls"), turn)
    echo = {**message, "role": "assistant"}
    echo.pop("tool_calls", None)  # an empty list of them is refused
    if echoed:
        echo["tool_calls"] = echoed
    return Reply(
        body=body,
        message=echo,
        text=_read_content(message.get("content")),
        tool_calls=calls,
        finish_reason=finish_reason,
        refusal=_text_or_none(message.get("refusal")) or _read_refusal(message.get("content")),
        tokens=read_tokens(answer),
        route="|".join((_plain(answer.get("model")), _plain(answer.get("system_fingerprint")), provider)),
    )


def _read_content(content: object) -> str:
    """Text of a content that is text, one part or a list of parts; an object that is none of them is given as JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return _part_text(content) if "type" in content or "text" in content else canonical(content).decode()
    return "".join(map(_part_text, content)) if isinstance(content, list) else ""


def _part_text(part: object) -> str:
    text = part.get("text") if isinstance(part, dict) else part
    text = text.get("value") if isinstance(text, dict) else text
    return text if isinstance(text, str) else ""


def _read_refusal(content: object) -> str | None:
    """A refusal that came as parts of the content."""
    parts = content if isinstance(content, list) else []
    refused = [part.get("refusal") for part in parts if isinstance(part, dict) and part.get("type") == "refusal"]
    return _text_or_none("".join(part for part in refused if isinstance(part, str)))


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
        call_id = given if isinstance(given, str) and given.strip() and given not in taken else ""
        call_id = call_id or _fresh_id(f"call_{turn}_{index}", taken)
        taken.add(call_id)
        name = _plain(function.get("name"))
        arguments = function.get("arguments")
        if arguments is not None and not isinstance(arguments, str | dict):
            arguments = json.dumps(arguments)  # a list or a number: refused where the arguments are read
        calls.append(ToolCall(call_id, name, arguments))
        back = {**function, "name": sendable_name(name), "arguments": _sendable(arguments)}
        echoed.append({**entry, "id": call_id, "type": "function", "function": back})
    return tuple(calls), echoed


def _fresh_id(wanted: str, taken: set[str]) -> str:
    """An id that no other call of the reply has."""
    while wanted in taken:
        wanted += "_"
    return wanted


def sendable_name(name: str) -> str:
    """A tool's name as it may be sent back: a model invents names that no server takes in a history."""
    return _NAME.sub("_", name)[:_LONGEST_NAME] or "_"


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
