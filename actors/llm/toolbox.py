"""The tools as a model sees them, and the answers to the calls of one reply: one message for each id, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from actors.llm.calls import Reply, ToolCall
from actors.llm.wire import Message, canonical, tool_message, tool_schema
from erpsim.decision import decision_schema
from erpsim.events import Event, ParseRecovered, ToolError
from erpsim.observation import Observation
from erpsim.parsing import Failure, Reading, read_arguments, read_decision
from erpsim.tools import TOOLS, ToolAnswer, call_tool

SUBMIT: Final = "submit_decision"
ASKED_CHARACTERS: Final = 200
"""Length to which an event keeps the arguments of a call that failed."""
CALLS_MOST: Final = 50
"""Calls of one reply that are run; each further one is answered with an error, since every call needs an answer."""


@dataclass(frozen=True)
class Toolbox:
    """The read-only tools by name with their JSON schemas, and the function that answers a call of one."""

    schemas: Mapping[str, dict[str, Any]]
    descriptions: Mapping[str, str]
    call: Callable[[str, dict[str, Any], Observation], ToolAnswer]

    def offered(self) -> tuple[dict[str, Any], ...]:
        """Entries of a request's `tools`: the read-only ones, and the one that hands in the decision."""
        read_only = [tool_schema(name, self.descriptions[name], schema) for name, schema in self.schemas.items()]
        submit = tool_schema(SUBMIT, "Hand in the decision of this round; ends the round for you.", decision_schema())
        return (*read_only, submit)


class Answered(NamedTuple):
    """What a reply's tool calls came to; `reading` is that of the last decision handed in, if any."""

    messages: tuple[Message, ...]
    events: tuple[Event, ...]
    reading: Reading | None


class _Answer(NamedTuple):
    text: str
    event: Event | None = None


def standard_toolbox() -> Toolbox:
    """The six tools over an observation."""
    return Toolbox(
        schemas={tool.name: tool.parameters for tool in TOOLS},
        descriptions={tool.name: tool.description for tool in TOOLS},
        call=call_tool,
    )


def answer_calls(toolbox: Toolbox, reply: Reply, observation: Observation) -> Answered:
    """Answer every call of a reply; an unknown tool, bad arguments or a tool that fails get an error text."""
    messages: list[Message] = []
    events: list[Event] = []
    reading: Reading | None = None
    for index, call in enumerate(reply.tool_calls):
        if call.name == SUBMIT:
            reading = _submitted(call, reply)
            text = "accepted" if reading.failure is None else _error_text(reading.failure.message)
            messages.append(tool_message(call.call_id, text))
            continue
        answer = _answer(toolbox, call, observation) if index < CALLS_MOST else _too_many(call)
        messages.append(tool_message(call.call_id, answer.text))
        if answer.event is not None:
            events.append(answer.event)
    return Answered(tuple(messages), (*events, *_several(reply)), reading)


def refuse_calls(reply: Reply) -> Answered:
    """Answer the calls of a reply that came when no tool was offered; a decision handed in counts all the same."""
    text = _error_text("no further tool calls are possible")
    messages = tuple(tool_message(call.call_id, text) for call in reply.tool_calls)
    submissions = [_submitted(call, reply) for call in reply.tool_calls if call.name == SUBMIT]
    return Answered(messages, _several(reply), submissions[-1] if submissions else None)


def _several(reply: Reply) -> tuple[Event, ...]:
    """The event of a reply that hands in more than one decision: the last one counts, as in a text."""
    count = sum(call.name == SUBMIT for call in reply.tool_calls)
    cause = f"{count} decisions were handed in at once; the last one is used"
    return (ParseRecovered("several_objects", cause=cause),) if count > 1 else ()


def _submitted(call: ToolCall, reply: Reply) -> Reading:
    raw = call.arguments
    text = raw if isinstance(raw, str) else canonical(raw if raw is not None else {}).decode()
    return read_decision(text, reply.finish_reason)


def _answer(toolbox: Toolbox, call: ToolCall, observation: Observation) -> _Answer:
    if call.name not in toolbox.schemas:
        known = ", ".join((*toolbox.schemas, SUBMIT))
        return _failed(call, "unknown_tool", f"there is no tool {call.name[:80]!r}; the tools are {known}")
    arguments = read_arguments(call.arguments, toolbox.schemas[call.name])
    if isinstance(arguments, Failure):
        return _failed(call, "bad_arguments", arguments.message)
    try:
        answer = toolbox.call(call.name, arguments, observation)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return _failed(call, "tool_failed", f"{call.name} failed: {type(error).__name__}: {error}")
    return _Answer(answer.text) if answer.ok else _failed(call, "bad_arguments", answer.text)


def _too_many(call: ToolCall) -> _Answer:
    return _failed(call, "too_many_calls", f"one answer may call {CALLS_MOST} tools; call this one in your next answer")


def _failed(call: ToolCall, code: str, message: str) -> _Answer:
    asked = str(call.arguments)[:ASKED_CHARACTERS]
    text = message if message.startswith("{") else _error_text(message)
    return _Answer(text, ToolError(code, field=call.name[:ASKED_CHARACTERS], asked=asked, cause=message))


def _error_text(message: str) -> str:
    return canonical({"error": message}).decode()
