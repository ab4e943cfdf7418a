"""Anthropic's Messages API: requests encoded from the neutral form, replies read into it.

A reply is a list of blocks (text, thinking, tool_use …) and goes back block by block as it came, signatures included.
Answers to tool calls are blocks of the user's next message, all of them before any text. No message may end in
thinking, nor hold a blank text: what a reply has of that does not go back. Source: the public API description, version
2023-06-01.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from actors.llm.calls import Reply, Tokens, ToolCall
from actors.llm.chat import filtered_reply, sendable_name
from actors.llm.error_body import has_error
from actors.llm.failures import Fault, read_count, read_error, read_object
from actors.llm.switches import Switches
from actors.llm.wire import Message, Request
from ecologies.model_entry import ModelEntry

Block = dict[str, Any]

CACHE_MARK: Final = {"type": "ephemeral"}
THINKING: Final = frozenset({"thinking", "redacted_thinking"})


def encode(request: Request, entry: ModelEntry, switches: Switches) -> dict[str, Any]:
    """The body of a request as the Messages API takes it."""
    dialect, setting = entry.speaks, request.setting
    drop = (switches.reasoning or entry.reasoning_echo) == "drop"
    body: dict[str, Any] = {"model": setting.model, "max_tokens": dialect.max_tokens, **setting.sampling}
    body |= setting.extra
    system = [_text(message["content"]) for message in request.messages if message["role"] == "system"]
    messages = _turns(request.messages, drop, frozenset(switches.fields_left_out))
    if dialect.mark_caches:
        system = [*system[:-1], *(_marked(block) for block in system[-1:])]
        messages = [*messages[:-1], *(_marked_turn(turn) for turn in messages[-1:])]
    if system:
        body["system"] = system
    body["messages"] = messages
    forbid = (switches.last_turn or dialect.last_turn) == "forbid"
    if setting.tools and (request.with_tools or forbid):
        body["tools"] = [_tool(tool["function"]) for tool in setting.tools]
        if not request.with_tools:
            body["tool_choice"] = {"type": "none"}
    return {name: value for name, value in body.items() if name not in switches.left_out}


def read_reply(body: str, turn: int, provider: str = "") -> Reply | Fault:
    """Read an answer that came with status 200; the arguments are those of `chat.read_reply`."""
    answer = read_object(body)
    if isinstance(answer, Fault):
        return answer
    content = answer.get("content")
    if not isinstance(content, list):
        if has_error(answer):
            fault = read_error(200, body)
            return filtered_reply(body) if fault.error_class == "content_filter" else fault
        return Fault("empty_choices", f"turn {turn}: the answer has no content", read_tokens(answer))
    blocks, calls = _read_blocks(content, turn)
    return Reply(
        body=body,
        message={"role": "assistant", "content": blocks},
        text="".join(_string(block.get("text")) for block in blocks if block.get("type") == "text"),
        tool_calls=calls,
        finish_reason=_string(answer.get("stop_reason")) or None,
        refusal=None,
        tokens=read_tokens(answer),
        route="|".join((_string(answer.get("model")).replace("|", "/"), "", provider)),
    )


def read_tokens(answer: Mapping[str, Any]) -> Tokens:
    """Tokens by kind; the API counts what was read from and written to a cache apart from the rest of the prompt."""
    usage = answer.get("usage")
    if not isinstance(usage, dict):
        return Tokens()
    plain, cached, written = (
        read_count(usage.get(name))
        for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    prompt = None if plain is None else plain + (cached or 0) + (written or 0)
    return Tokens(prompt=prompt, cached=cached, written=written, completion=read_count(usage.get("output_tokens")))


def _turns(messages: Iterable[Message], drop_thinking: bool, left_out: frozenset[str]) -> list[Message]:
    """User and assistant in turn: what follows one another on one side becomes one message; empty ones vanish."""
    turns: list[Message] = []
    for message in messages:
        if message["role"] == "system":
            continue
        role = "assistant" if message["role"] == "assistant" else "user"
        blocks = _sendable(_blocks(message), drop_thinking)
        if role == "assistant" and left_out:
            blocks = [{name: block[name] for name in block if name not in left_out} for block in blocks]
        if not blocks:
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1] = {"role": role, "content": [*turns[-1]["content"], *blocks]}
        else:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(message: Message) -> list[Block]:
    content = message["content"]
    if message["role"] == "tool":
        return [{"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": content}]
    if isinstance(content, list):
        return content
    return [_text(content)] if content else []


def _sendable(blocks: list[Block], drop_thinking: bool) -> list[Block]:
    """The blocks of one message that the API takes back."""
    kept = [block for block in blocks if not (drop_thinking and block.get("type") in THINKING)]
    kept = [block for block in kept if block.get("type") != "text" or _string(block.get("text")).strip()]
    while kept and kept[-1].get("type") in THINKING:
        kept.pop()
    return kept


def _text(content: str) -> Block:
    return {"type": "text", "text": content}


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": function["name"],
        "description": function["description"],
        "input_schema": function["parameters"],
    }


def _marked(block: Block) -> Block:
    return {**block, "cache_control": CACHE_MARK}


def _marked_turn(turn: Message) -> Message:
    *before, last = turn["content"]
    return {**turn, "content": [*before, _marked(last)]}


def _read_blocks(content: list[Any], turn: int) -> tuple[list[Block], tuple[ToolCall, ...]]:
    """Blocks to send back and the calls in them: each call with an id of its own, a name and an object as input."""
    blocks: list[Block] = []
    calls: list[ToolCall] = []
    for index, block in enumerate(block for block in content if isinstance(block, dict)):
        if block.get("type") != "tool_use":
            blocks.append(block)
        else:
            given, name, arguments = _string(block.get("id")), _string(block.get("name")), block.get("input")
            taken = {call.call_id for call in calls}
            call_id = given if given.strip() and given not in taken else f"call_{turn}_{index}"
            calls.append(ToolCall(call_id, name, arguments if isinstance(arguments, dict | str) else None))
            sound = arguments if isinstance(arguments, dict) else {}
            blocks.append({**block, "id": call_id, "name": sendable_name(name), "input": sound})
    return blocks, tuple(calls)


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
