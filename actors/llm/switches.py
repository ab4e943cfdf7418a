"""Parameters that a model's server refused by name and that are sent otherwise from then on, for the whole run.

Model names say too little about what a server takes, and contracts change under a name. So a refusal is read: the one
parameter that it names is renamed, stepped down or left out, once, and the call goes on. A complaint about a value is
no refusal of its parameter, and what was switched once is not switched back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import orjson
from pydantic import TypeAdapter

TOKEN_PARAMETERS: Final = ("max_tokens", "max_completion_tokens")
FORMATS: Final = ("json_schema", "json_object", "none")
"""Kinds of structured output; a refused one steps down to the next."""
REASONING_FIELDS: Final = ("reasoning_content", "reasoning_details", "reasoning", "thinking", "redacted_thinking")
"""Fields and blocks of an assistant's message that hold its reasoning."""
_NEVER_LEFT_OUT: Final = frozenset({"model", "messages", "system", "tools", "response_format", *TOKEN_PARAMETERS})
_OF_CALLS: Final = ("role", "content", "tool_calls", "id", "type", "function", "name", "arguments")
_NEVER_CUT_OUT: Final = frozenset({*_OF_CALLS, "input", "text", "thinking", "signature", "data"})
"""Without these a message, a call or a block would not be what it is."""


@dataclass(frozen=True)
class Switches:
    """What is sent otherwise than dialect and models file say; the defaults change nothing.

    Attributes:
        token_parameter: name of the limit of a reply; "" as the dialect has it.
        answer_format: kind of structured output; "" as the models file has it.
        reasoning: whether reasoning goes back with the assistant's messages; "" as the models file has it.
        last_turn: how the last request keeps from tool calls; "" as the dialect has it.
        left_out: parameters of a request that are not sent.
        fields_left_out: fields of assistant messages, and of calls and blocks in them, that are not sent back.
    """

    token_parameter: str = ""
    answer_format: str = ""
    reasoning: Literal["", "echo", "drop"] = ""
    last_turn: Literal["", "omit", "forbid"] = ""
    left_out: tuple[str, ...] = ()
    fields_left_out: tuple[str, ...] = ()

    def text(self) -> str:
        """JSON of the switches that are set, "" when none is."""
        chosen = {name: value for name, value in vars(self).items() if value}
        return orjson.dumps(chosen).decode() if chosen else ""


def read_switches(text: str) -> Switches:
    """The switches of a text that `Switches.text` gave."""
    return TypeAdapter(Switches).validate_json(text or "{}")


@dataclass(frozen=True)
class Refusal:
    """A request that a server refused as it stood.

    Attributes:
        words: all that the error says.
        parameter: the parameter that the error names in a field of its own, "" without one.
        sent: the request's body.
    """

    words: str
    parameter: str
    sent: Mapping[str, Any]

    def names(self, name: str) -> bool:
        """Whether the error speaks of a parameter or field."""
        return _last_name(self.parameter) == name or _speaks_of(name, self.words)

    def quotes(self, name: str) -> bool:
        """Whether the error speaks of a field whose name is also a plain word."""
        quoted = rf"[`'\"\[.]{re.escape(name)}[`'\"\]:]"
        return _last_name(self.parameter) == name or re.search(quoted, self.words) is not None

    @property
    def is_unknown(self) -> bool:
        """Whether the error refuses something as such, and not a value of it."""
        return _UNKNOWN.search(self.words) is not None and (
            _SURE.search(self.words) is not None or _VALUE.search(self.words) is None
        )


def learn(switches: Switches, refusal: Refusal) -> Switches | None:
    """The switches with the one that a refusal asks for; None when it asks for none that is not set already."""
    for read in _READERS:
        learnt = read(switches, refusal)
        if learnt is not None:
            return learnt if learnt != switches else None
    return None


def _token_parameter(switches: Switches, refusal: Refusal) -> Switches | None:
    """Two names for the limit of a reply."""
    given = _last_name(refusal.parameter)
    names = [name for name in (given, *TOKEN_PARAMETERS) if name in TOKEN_PARAMETERS and name in refusal.sent]
    if not names or not refusal.names(names[0]) or not refusal.is_unknown:
        return None
    sent = names[0]
    if switches.token_parameter:
        return replace(switches, left_out=(*switches.left_out, sent))
    return replace(switches, token_parameter=TOKEN_PARAMETERS[1 - TOKEN_PARAMETERS.index(sent)])


def _reasoning(switches: Switches, refusal: Refusal) -> Switches | None:
    """Some servers want the reasoning back with the calls that came of it, others refuse it there."""
    plain = {"reasoning", "thinking"}
    named = any(refusal.quotes(name) if name in plain else refusal.names(name) for name in REASONING_FIELDS)
    if switches.reasoning or not named or refusal.parameter in refusal.sent:
        return None
    if _WANTED.search(refusal.words):
        return replace(switches, reasoning="echo")
    return replace(switches, reasoning="drop") if _echoes_reasoning(refusal.sent) else None


def _answer_format(switches: Switches, refusal: Refusal) -> Switches | None:
    sent = refusal.sent.get("response_format")
    if not isinstance(sent, dict) or not _FORMAT.search(f"{refusal.words} {refusal.parameter}"):
        return None
    return replace(switches, answer_format=FORMATS[FORMATS.index(sent["type"]) + 1])


def _last_turn(switches: Switches, refusal: Refusal) -> Switches | None:
    """A server that wants the tools named as long as the conversation holds calls, or one that knows no tool_choice."""
    if switches.last_turn:
        return None
    if "tool_choice" in refusal.sent and refusal.names("tool_choice"):
        return replace(switches, last_turn="omit")
    if "tools" not in refusal.sent and _TOOLS_WANTED.search(refusal.words):
        return replace(switches, last_turn="forbid")
    return None


def _left_out(switches: Switches, refusal: Refusal) -> Switches | None:
    if not refusal.is_unknown:
        return None
    given = _last_name(refusal.parameter)
    for name in (given, *refusal.sent) if given in refusal.sent else refusal.sent:
        if name not in _NEVER_LEFT_OUT and refusal.names(name):
            return replace(switches, left_out=(*switches.left_out, name))
    return None


def _field_left_out(switches: Switches, refusal: Refusal) -> Switches | None:
    if not refusal.is_unknown:
        return None
    for name in sorted(set(_fields(refusal.sent)) - _NEVER_CUT_OUT):
        if refusal.quotes(name) or ("_" in name and refusal.names(name)):
            return replace(switches, fields_left_out=(*switches.fields_left_out, name))
    return None


def _last_name(parameter: str) -> str:
    """The name at the end of a path such as messages[2].reasoning_content."""
    return re.split(r"[.\]\[/]+", parameter.strip(".]["))[-1]


def _speaks_of(name: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words) is not None


def _assistants(sent: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [message for message in sent.get("messages", []) if message.get("role") == "assistant"]


def _fields(sent: Mapping[str, Any]) -> Iterator[str]:
    """Names of the fields of assistant messages, and of the calls and blocks in them."""
    for message in _assistants(sent):
        yield from message
        content = message.get("content")
        for part in (*(message.get("tool_calls") or ()), *(content if isinstance(content, list) else ())):
            yield from part if isinstance(part, dict) else ()


def _echoes_reasoning(sent: Mapping[str, Any]) -> bool:
    """Whether reasoning goes back, as a field or as a block."""
    for message in _assistants(sent):
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        kinds = {block.get("type") for block in blocks if isinstance(block, dict)}
        if not kinds.union(message).isdisjoint(REASONING_FIELDS):
            return True
    return False


_UNKNOWN: Final = re.compile(
    r"unsupported|not (yet )?support|unknown|unrecognized|unexpected|not permitted|not allowed|deprecated|extra inputs"
    r"|extra fields|extra_forbidden|invalid parameter|is not available|cannot (both )?be (used|set|specified|combined)"
    r"|only the default|may only be set to|or unset|no longer",
    re.IGNORECASE,
)
_VALUE: Final = re.compile(
    r"supported values|one of|(must|should) be (between|in|a |an |less|greater|at|of|>|<)"
    r"|valid range|out of range|too (large|small|high|low|big)|at (most|least)|less than|greater than|[<>]=?\s*\d"
    r"|maximum (value|allowed)|minimum|expected (a|an|one|type)",
    re.IGNORECASE,
)
"""Words that speak of a parameter's value."""
_SURE: Final = re.compile(
    r"only the default|may only be set to|or unset|deprecated|no longer|unsupported_parameter|unknown_parameter"
    r"|extra_forbidden",
    re.IGNORECASE,
)
"""Words that leave no choice of a value, so that it is not for us to give one."""
_WANTED: Final = re.compile(
    r"must be (passed|sent|included|provided)|missing|is required|pass(ed)? back|must start with|field required",
    re.IGNORECASE,
)
_FORMAT: Final = re.compile(r"response_format|json_schema|json_object|structured output|guided", re.IGNORECASE)
_TOOLS_WANTED: Final = re.compile(
    r"\btools\b.{0,60}(must|required|defined|provided|missing|at least one)|must define tools", re.IGNORECASE
)

_READERS: Final[tuple[Callable[[Switches, Refusal], Switches | None], ...]] = (
    _token_parameter,
    _answer_format,
    _last_turn,
    _reasoning,
    _left_out,
    _field_left_out,
)
